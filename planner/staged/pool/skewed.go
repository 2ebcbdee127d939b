package pool

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Limits on the known graphs for an all-to-all whose pairs differ. No symmetry helps to route it.
const (
	mostSkewed  = 64      // GPUs that take part
	fewSkewed   = 16      // GPUs up to which all graphs of a kind are tried
	someSkewed  = 32      // GPUs up to which four are tried; beyond, two
	placedUnits = 1 << 20 // units of the largest pair when GPUs are placed
)

// addSkewed adds known graphs for an all-to-all in a single step whose pairs differ. It adds each
// graph with its nodes as they are, and again with GPUs placed so that heavy pairs are few hops
// apart. Of many GPUs it adds, of each kind, only those on which all bytes make the fewest hops.
// Fewer ports may be luckier than more, and two-way circuits luckier than one-way ones, so it
// tries the graphs of all kinds that the fabric can hold. It leaves out kinds that are too slow
// for the request's limit.
func (p *Pool) addSkewed(ctx context.Context, r *planner.Request, w *pricing.Workload) error {
	f, n := p.Fabric, w.Space.MembersCount()
	if w.Space.Sizes == nil || len(w.Steps) != 1 || n < 3 || n > mostSkewed {
		return nil
	}
	demand, unit, err := skewedDemand(w)
	if err != nil {
		return nil // too much for places, or nothing
	}
	rows := model.NewDemandRows(demand)
	for ports := 2; ports <= min(f.Ports, n-2); ports++ {
		for _, twoWay := range []bool{false, true} {
			key := knownKey{n, ports, twoWay, f.Families()}
			if f.Duplex && !twoWay || p.placed[key] || r.Beyond(p.leastSkewed(rows, ports, unit)) != nil {
				continue
			}
			if err := p.addPlaced(ctx, w, demand, key); err != nil {
				return err
			}
			if p.placed == nil {
				p.placed = map[knownKey]bool{}
			}
			p.placed[key] = true
		}
	}
	return nil
}

// skewedDemand returns what members have for each other in units of a number of bytes, rounded
// down. Demands of the same shape are the same, so sizes make no difference to places.
func skewedDemand(w *pricing.Workload) (demand model.Demand, unit float64, err error) {
	largest := int64(1)
	for u, row := range w.Space.Sizes { // what a GPU has for itself does not count
		largest = max(largest, slices.Max(append(slices.Clone(row[:u]), row[u+1:]...)))
	}
	unit = float64(largest) / placedUnits
	amounts := make([][]int, len(w.Space.Sizes))
	for u, row := range w.Space.Sizes {
		amounts[u] = make([]int, len(row))
		for v, bytes := range row {
			if u != v {
				amounts[u][v] = int(float64(bytes) / unit)
			}
		}
	}
	demand, err = model.Amounts(amounts)
	return demand, unit, err
}

// leastSkewed returns a lower bound on the time of all transfers on any graph with that many
// ports: a node has at most so many nodes at distance 1, their square at distance 2, and so on.
func (p *Pool) leastSkewed(rows *model.DemandRows, ports int, unit float64) units.Time {
	f := p.Fabric.Ideal()
	least := f.Alpha.Time() + f.Delta.Time()
	if f.CapTheta {
		return least
	}
	slots := rows.Slots(ports, func(n int) iter.Seq[int] { return model.InOne(ports, 1, n) })
	return least + f.Bandwidth.Transmit(float64(max(0, slots-1))*unit)
}

// addPlaced adds the known graphs of a kind with members on their nodes.
func (p *Pool) addPlaced(ctx context.Context, w *pricing.Workload, demand model.Demand, key knownKey) error {
	type placing struct {
		graph *topology.Graph
		total int
	}
	var all []placing
	for _, g := range p.knownOf(ctx, w, key) {
		hops, ok := hopsWithin(g)
		if !ok {
			continue
		}
		at := arithmetic.UpTo(key.nodes)
		all = append(all, placing{p.holding(w, g, at), totalHops(demand, hops, at)})
		at, err := routing.Relabel(ctx, demand, hops, at)
		if err != nil {
			return err
		}
		all = append(all, placing{p.holding(w, g, at), totalHops(demand, hops, at)})
	}
	slices.SortStableFunc(all, func(a, b placing) int { return cmp.Compare(a.total, b.total) })
	switch {
	case key.nodes > someSkewed:
		all = all[:min(len(all), 2)]
	case key.nodes > fewSkewed:
		all = all[:min(len(all), 4)]
	}
	for _, x := range all {
		p.addFitting(x.graph)
	}
	return ctx.Err()
}

// holding returns the circuits of a graph when every member u is at node at[u].
func (p *Pool) holding(w *pricing.Workload, g *topology.Graph, at []int) *topology.Graph {
	gpus := make([]int, len(at))
	for u, node := range at {
		gpus[node] = u
		if w.Space.Members != nil {
			gpus[node] = w.Space.Members[u]
		}
	}
	if len(gpus) == p.Fabric.Nodes && slices.IsSorted(gpus) {
		return p.Fabric.Without(g)
	}
	name := fmt.Sprintf("%s with GPUs placed", g.Name())
	return p.kept(w, p.Fabric.Without(g.Renumber(name, p.Fabric.Nodes, gpus)))
}

// hopsWithin returns the hops between all nodes, and false if some cannot reach another.
func hopsWithin(g *topology.Graph) (hops [][]int, ok bool) {
	n := g.Nodes()
	distances, queue := make([]int32, n), make([]int32, n)
	hops = make([][]int, n)
	for u := range hops {
		if len(g.Distances(u, distances, queue)) < n {
			return nil, false
		}
		hops[u] = make([]int, n)
		for v, h := range distances {
			hops[u][v] = int(h)
		}
	}
	return hops, true
}

// totalHops returns the hops that all units make.
func totalHops(demand model.Demand, hops [][]int, at []int) int {
	total := 0
	for u, a := range at {
		for v, b := range at {
			total += demand.Count(u, v) * hops[a][b]
		}
	}
	return total
}
