package fixed

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Blocks lists fabrics with islands that stand for a fabric whose fixed links join blocks of
// consecutive GPUs. A block becomes an island, with the rate at which all its GPUs can send to
// each other over the shortest paths, or with the rate of one link. Blocks lists none if links
// join all GPUs, or other groups.
func Blocks(f *fabric.Fabric) []fabric.Fabric {
	size := blockSize(f)
	if size == 0 {
		return nil
	}
	w := newWays(f.FixedGraph(), size)
	island := fabric.Island{Size: size, Alpha: fabric.Own(f.FixedAlpha()), Delta: fabric.Own(f.FixedDelta() * units.Duration(w.farthest))}
	together := units.Bandwidth(float64(f.FixedBandwidth()) * float64(size-1) / w.busiest())
	var all []fabric.Fabric
	for _, rate := range []units.Bandwidth{together, f.FixedBandwidth()} {
		island.Bandwidth = max(1, rate)
		like := f.Unfixed()
		like.Island = island
		if like.Validate() == nil && !slices.ContainsFunc(all, func(o fabric.Fabric) bool { return o.Equal(like) }) {
			all = append(all, like)
		}
	}
	return all
}

// mostBlock is the largest number of GPUs in a block, and mostBlocked in all blocks together,
// because shortest paths are listed. If switches restrict circuits, plans for islands take long,
// and mostPlugged is the limit.
const (
	mostBlock   = 1 << 4
	mostBlocked = 1 << 6
	mostPlugged = 1 << 5
)

// blockSize returns the number of GPUs in each block that fixed links join; 0 if links join all
// GPUs, or groups that are not equal and consecutive.
func blockSize(f *fabric.Fabric) int {
	if !f.Avoid.IsZero() || !f.Links.IsZero() || !f.Island.IsZero() || f.Fixed.IsZero() || f.Nodes > mostBlocked || f.Restricts() && f.Nodes > mostPlugged {
		return 0
	}
	g := f.FixedGraph()
	for size := 2; size < f.Nodes && size <= mostBlock; size++ {
		if f.Nodes%size != 0 {
			continue
		}
		apart := true
		for e := range g.Edges() {
			apart = apart && e.From/size == e.To/size
		}
		if apart {
			if !joinsBlocks(g, size) {
				return 0
			}
			return size
		}
	}
	return 0
}

// joinsBlocks reports whether links join the GPUs of every block.
func joinsBlocks(g *topology.Graph, size int) bool {
	dist, queue := make([]int32, g.Nodes()), make([]int32, g.Nodes())
	for u := range g.Nodes() {
		g.Distances(u, dist, queue)
		for v := u / size * size; v < (u/size+1)*size; v++ {
			if dist[v] < 0 {
				return false
			}
		}
	}
	return true
}

// ways are the shortest paths within blocks.
type ways struct {
	links    *topology.Graph
	size     int
	paths    map[[2]int][]flow.Route
	farthest int
}

// mostPaths is the largest number of shortest paths over which data from one GPU to another is
// divided.
const mostPaths = 24

func newWays(links *topology.Graph, size int) *ways {
	w := &ways{links: links, size: size, paths: map[[2]int][]flow.Route{}}
	for u := range links.Nodes() {
		w.from(u)
	}
	return w
}

// from lists the shortest paths from a GPU, or some of them, each with the same share.
func (w *ways) from(u int) {
	first := u / w.size * w.size
	dist, queue := make([]int32, w.links.Nodes()), make([]int32, w.links.Nodes())
	w.links.Distances(u, dist, queue)
	order := make([]int, 0, w.size)
	for v := first; v < first+w.size; v++ {
		order = append(order, v)
		w.farthest = max(w.farthest, int(dist[v]))
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(dist[a] - dist[b]) })
	list := map[int][][]int32{u: {{int32(u)}}}
	for _, v := range order[1:] {
		for _, before := range order {
			if dist[before] != dist[v]-1 || w.links.Count(before, v) == 0 {
				continue
			}
			for _, path := range list[before] {
				if len(list[v]) < mostPaths {
					list[v] = append(list[v], append(slices.Clone(path), int32(v)))
				}
			}
		}
		for _, path := range list[v] {
			w.paths[[2]int{u, v}] = append(w.paths[[2]int{u, v}], flow.Route{Path: path, Share: 1 / float64(len(list[v]))})
		}
	}
}

// busiest returns what the busiest link carries if every GPU sends one unit to every other of its
// block.
func (w *ways) busiest() float64 {
	loads := map[[2]int32]float64{}
	most := 1.0 / float64(w.size)
	for _, routes := range w.paths {
		for _, r := range routes {
			for h := 1; h < len(r.Path); h++ {
				link := [2]int32{r.Path[h-1], r.Path[h]}
				loads[link] += r.Share / float64(w.links.Count(int(link[0]), int(link[1])))
				most = max(most, loads[link])
			}
		}
	}
	return most
}

// OntoBlocks turns a plan for one of the Blocks of a fabric into one for the fabric: hops within
// islands take the shortest paths over fixed links. The plan is not priced.
func OntoBlocks(ctx context.Context, made *plan.Plan, f *fabric.Fabric) error {
	w := newWays(f.FixedGraph(), blockSize(f))
	made.Fabric = *f
	rename(&made.Collective, &Network{Name: "blocks"})
	listed := 0
	for i := range made.Stages {
		stage := &made.Stages[i]
		for j := range stage.Steps {
			if err := ctx.Err(); err != nil {
				return err
			}
			step := &stage.Steps[j]
			if listed += step.Len(); listed > mostListed {
				return fmt.Errorf("%w: over %d transfers without symmetry", planner.ErrInfeasible, mostListed)
			}
			step.Unfold(made.Collective.Space)
			for k := range step.Base {
				step.Base[k].Routes = w.routes(step.Base[k].Routes, stage.Topology)
			}
		}
	}
	return nil
}

// routes replaces the hops that neither a circuit nor a link makes by shortest paths.
func (w *ways) routes(all []flow.Route, circuits *topology.Graph) []flow.Route {
	if !slices.ContainsFunc(all, func(r flow.Route) bool { return w.missing(r.Path, circuits) > 0 }) {
		return all
	}
	var made []flow.Route
	for queue := slices.Clone(all); len(queue) > 0; {
		r := queue[0]
		queue = queue[1:]
		h := w.missing(r.Path, circuits)
		if h == 0 {
			i := slices.IndexFunc(made, func(o flow.Route) bool { return slices.Equal(o.Path, r.Path) })
			if i >= 0 {
				made[i].Share += r.Share
			} else {
				made = append(made, r)
			}
			continue
		}
		for _, way := range w.paths[[2]int{int(r.Path[h-1]), int(r.Path[h])}] {
			path := slices.Concat(r.Path[:h-1], way.Path, r.Path[h+1:])
			queue = append(queue, flow.Route{Path: path, Share: r.Share * way.Share})
		}
	}
	return made
}

// missing returns the first hop of a path that neither a circuit nor a link makes; 0 if there is
// none.
func (w *ways) missing(path []int32, circuits *topology.Graph) int {
	for h := 1; h < len(path); h++ {
		if u, v := int(path[h-1]), int(path[h]); circuits.Count(u, v) == 0 && w.links.Count(u, v) == 0 {
			return h
		}
	}
	return 0
}
