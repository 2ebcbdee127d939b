package cast

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// levelCasts returns broadcasts down a tree of shortest paths over the one network that a search
// knows. In a pipeline every node gets a piece one step after its parent, over the circuit
// between them, so K pieces take K-1 steps more than the depth of the tree. Whole copies may go
// down several levels in a step: that takes fewer start-ups, but puts more copies on the upper
// circuits.
func levelCasts(s *digit.Search, nodes int, bytes float64) []cast {
	g := s.Only()
	t, ok := treeOn(g)
	if !ok {
		return nil
	}
	over := func(width int) float64 {
		w := float64(width)
		return s.PerByte * bytes * s.Load(network.Tally{Peak: 1 / w, Dilation: 1 / w, Pair: 1})
	}
	pieces, _ := bestPieces(t.depth-1, over(slices.Min(t.widths)), s.Alpha+s.Delta, mostPieces(nodes, 1, bytes))
	time := 0.0
	for step := range pieces + t.depth - 1 {
		narrowest := slices.Min(t.widths[max(0, step-pieces+1):min(step+1, t.depth)])
		time += s.Alpha + s.Delta + over(narrowest)/float64(pieces)
	}
	about := fmt.Sprintf("%d pieces down a tree of %s", pieces, g.Name())
	if pieces == 1 {
		about = "down a tree of " + g.Name()
	}
	all := []cast{{Time: time, About: about, Build: func() Laid {
		return Laid{Stages: []plan.Stage{{Topology: g, Steps: t.steps(pieces)}}, Space: collective.SpaceOf(collective.Broadcast, nodes, pieces)}
	}}}
	if ends, time := t.merged(s, bytes); ends != nil {
		about := fmt.Sprintf("whole copies down a tree of %s, %d steps", g.Name(), len(ends))
		all = append(all, cast{Time: time, About: about, Build: func() Laid {
			return Laid{Stages: []plan.Stage{{Topology: g, Steps: t.copies(ends)}}, Space: collective.SpaceOf(collective.Broadcast, nodes, 1)}
		}})
	}
	return all
}

// spanning is a tree of shortest paths from node 0.
type spanning struct {
	parent, level []int
	depth         int
	order         []int   // of the nodes, by level
	over          []int32 // circuits from the parent
	widths        []int   // by level, of the narrowest bundle of circuits that leads there
}

// treeOn finds such a tree. Of the possible parents of a node it takes the first one with the
// widest bundle of circuits. It returns false if some node cannot be reached.
func treeOn(g *topology.Graph) (spanning, bool) {
	n := g.Nodes()
	t := spanning{parent: make([]int, n), level: make([]int, n)}
	over := make([]int32, n)
	order := make([]int, 1, n)
	for i := 0; i < len(order); i++ {
		u := order[i]
		to, count := g.Row(u)
		for k, v := range to {
			switch {
			case v == 0 || int(v) == u:
			case t.level[v] == 0:
				t.level[v] = t.level[u] + 1
				order = append(order, int(v))
				fallthrough
			case t.level[v] == t.level[u]+1 && int32(count[k]) > over[v]:
				t.parent[v], over[v] = u, int32(count[k])
			}
		}
	}
	if len(order) < n || n == 1 {
		return t, false
	}
	t.depth, t.order, t.over = t.level[order[n-1]], order, over
	t.widths = slices.Repeat([]int{math.MaxInt32}, t.depth)
	for v := 1; v < n; v++ {
		narrowest := &t.widths[t.level[v]-1]
		*narrowest = min(*narrowest, int(over[v]))
	}
	return t, true
}

// steps returns the steps that send the given number of pieces down the tree.
func (t *spanning) steps(pieces int) []plan.Step {
	steps := make([]plan.Step, pieces+t.depth-1)
	for v := 1; v < len(t.parent); v++ {
		path := []int32{int32(t.parent[v]), int32(v)}
		for k := range pieces {
			step := &steps[k+t.level[v]-1]
			step.Base = append(step.Base, copyOver(path, collective.Single(k)))
		}
	}
	return steps
}

// maxListed limits the hops, or the transfers, of casts that list a route for each transfer.
const maxListed = 1 << 20

// merged returns the steps in which whole copies go down the tree in the least time, each given
// by the last level that it reaches; nil if their routes are too many to list. A step from level
// a to b sends a copy from every node of level a to each node below it down to b, so a circuit
// carries one copy for each such node behind it. It takes O(nodes * levels).
func (t *spanning) merged(s *digit.Search, bytes float64) (ends []int, time float64) {
	hops := arithmetic.Sum(t.level)
	if hops > maxListed {
		return nil, 0
	}
	best, from := make([]float64, t.depth+1), make([]int, t.depth+1)
	even := slices.Min(t.widths) == slices.Max(t.widths)
	behind := make([]int, len(t.parent))
	for b := 1; b <= t.depth; b++ {
		clear(behind)
		peak := make([]float64, t.depth+1) // by level, of the circuits that lead there
		for _, v := range slices.Backward(t.order[1:]) {
			if t.level[v] > b {
				continue
			}
			behind[v]++
			behind[t.parent[v]] += behind[v]
			peak[t.level[v]] = max(peak[t.level[v]], float64(behind[v])/float64(t.over[v]))
		}
		best[b] = math.Inf(1)
		load := 0.0
		for a := b - 1; a >= 0; a-- {
			if load = max(load, peak[a+1]); s.Stores && !even && a < b-1 {
				break // the time of a copy depends on the circuits that it takes
			}
			takes := digit.Shape{Steps: 1, Hops: b - a, Load: s.Load(network.Tally{
				Hops: b - a, Peak: load, Dilation: float64(b-a) / float64(t.widths[b-1]), Pair: 1,
			})}
			if time := best[a] + s.Time(takes, bytes); time < best[b] {
				best[b], from[b] = time, a
			}
		}
	}
	for b := t.depth; b > 0; b = from[b] {
		ends = append(ends, b)
	}
	slices.Reverse(ends)
	return ends, best[t.depth]
}

// copies returns the steps that send whole copies down the tree and end at the given levels.
func (t *spanning) copies(ends []int) []plan.Step {
	steps := make([]plan.Step, len(ends))
	for _, v := range t.order[1:] {
		i, _ := slices.BinarySearch(ends, t.level[v])
		begin := 0
		if i > 0 {
			begin = ends[i-1]
		}
		path := []int32{int32(v)}
		for u := v; t.level[u] > begin; {
			u = t.parent[u]
			path = append(path, int32(u))
		}
		slices.Reverse(path)
		steps[i].Base = append(steps[i].Base, copyOver(path, collective.Single(0)))
	}
	return steps
}
