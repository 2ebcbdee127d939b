package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/sim/traffic"
	"github.com/lightpath-net/lightpath/topology"
)

// Spread says how messages spread over several shortest paths.
type Spread string

// The ways to spread messages.
const (
	SpreadNone  Spread = "shortest" // all over the same path, with the smallest jumps
	SpreadFlow  Spread = "ecmp"     // each over one path, drawn hop by hop
	SpreadSpray Spread = "spray"    // each packet over one path, drawn hop by hop
)

// Spreads lists the ways to spread messages.
func Spreads() []Spread { return []Spread{SpreadNone, SpreadFlow, SpreadSpray} }

// Multipath gives routes to a phase's flows that have none: shortest paths on the circuits that
// exist when they start. At every node a message, or with SpreadSpray every packet, takes one
// of the next nodes on a shortest path, each circuit with the same probability. The same seed
// gives the same routes. Packets of a message that take the same path are sent one after
// another. The time is one breadth-first search for each destination and set of circuits, plus
// the hops of all paths.
func Multipath(ctx context.Context, p *Phase, spread Spread, packet int64, seed uint64) error {
	if !slices.Contains(Spreads(), spread) {
		return fmt.Errorf("sim: spread %q; want one of %v", spread, Spreads())
	}
	if p.Routes == nil {
		p.Routes = make([][]flow.Route, len(p.Flows))
	}
	distances := map[[2]int][]int32{} // by number of changes and destination
	graphs := []*topology.Graph{p.Network.Graph}
	for i := range p.Changes {
		graphs = append(graphs, p.Changes[i].Graph)
	}
	queue := make([]int32, p.Network.Graph.Nodes())
	for i := range p.Flows {
		f := &p.Flows[i]
		if p.Routes[i] != nil || !f.moves() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		when := p.changesBefore(f.Start)
		key := [2]int{when, int(f.Dst)}
		if distances[key] == nil {
			distances[key] = make([]int32, len(queue))
			graphs[when].Transpose("").Distances(int(f.Dst), distances[key], queue)
		}
		w := &walk{graph: graphs[when], dist: distances[key], symmetry: symmetryOf(graphs[when])}
		if w.dist[f.Src] < 0 {
			return ofFlow(i, "sim: flow %d: no circuits lead from %d to %d: %w", i, f.Src, f.Dst, flow.ErrUnreachable)
		}
		p.Routes[i] = w.routes(f, spread, packet, mix(seed, uint64(i)))
	}
	return nil
}

// walk draws shortest paths to one node.
type walk struct {
	graph    *topology.Graph
	dist     []int32
	symmetry topology.Translations
}

// symmetryOf returns translations that map every node to node 0.
func symmetryOf(g *topology.Graph) topology.Translations {
	if s, ok := g.Symmetry(); ok {
		return s
	}
	return topology.Rotations(g.Nodes(), 1)
}

// routes returns the routes of a message.
func (w *walk) routes(f *Flow, spread Spread, packet int64, seed uint64) []flow.Route {
	if spread != SpreadSpray {
		return []flow.Route{{Path: w.path(f.Src, spread == SpreadFlow, seed), Share: 1}}
	}
	packets := traffic.Packets(int64(f.Bytes), packet)
	var paths [][]int32
	counts := map[string]int{}
	index := map[string]int{}
	for k := range packets {
		path := w.path(f.Src, true, mix(seed, uint64(k)))
		name := fmt.Sprint(path)
		if counts[name] == 0 {
			index[name] = len(paths)
			paths = append(paths, path)
		}
		counts[name]++
	}
	routes := make([]flow.Route, len(paths))
	for name, i := range index {
		routes[i] = flow.Route{Path: paths[i], Share: float64(counts[name]) / float64(packets)}
	}
	return routes
}

// path returns one path: drawn, or the one with the smallest jumps.
func (w *walk) path(u int32, drawn bool, seed uint64) []int32 {
	path := []int32{u}
	for hop := uint64(0); w.dist[u] > 0; hop++ {
		to, count := w.graph.Row(int(u))
		total, best, least := uint64(0), int32(0), len(w.dist)
		for i, v := range to {
			if w.dist[v] != w.dist[u]-1 {
				continue
			}
			total += uint64(count[i])
			k, _ := w.symmetry.Locate(int(u))
			if jump := w.symmetry.Back(k, int(v)); jump < least {
				best, least = v, jump
			}
		}
		if drawn {
			pick := mix(seed, hop) % total
			for i, v := range to {
				if w.dist[v] != w.dist[u]-1 {
					continue
				}
				if pick < uint64(count[i]) {
					best = v
					break
				}
				pick -= uint64(count[i])
			}
		}
		u = best
		path = append(path, u)
	}
	return path
}

// mix returns a pseudorandom number from two numbers: splitmix64 (Steele, Lea and Flood, Fast
// splittable pseudorandom number generators, OOPSLA 2014).
func mix(a, b uint64) uint64 {
	z := a + (b+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
