package direct

import (
	"context"
	"errors"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// Limits on the work around failures.
const (
	aroundNodes = 1 << 10 // GPUs: a schedule without symmetry takes O(n^2) and more
	aroundWork  = 1 << 12 // GPUs of all schedules that are compared
)

// around plans where links or ports have failed. A GPU that has lost a port need not cost the
// others one: of the topology that would be taken without failures, one circuit to that GPU and
// one from it become a circuit that passes it by, and every other GPU keeps its ports. Circuits
// that have failed change their ends with others. What is left is a topology like any, with a
// breadth-first-broadcast schedule in which the GPU receives as much as its ports allow. The
// result is the fastest of these and of the base without what has failed.
func around(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	var best *plan.Plan
	var reason error
	take := func(g *topology.Graph, s *source) error {
		made, err := onSource(ctx, r, g, s)
		var late, before *planner.Beyond
		switch {
		case errors.As(err, &late):
			if !errors.As(reason, &before) || late.Least < before.Least {
				reason = err
			}
			return nil
		case errors.Is(err, planner.ErrInfeasible):
			if reason == nil {
				reason = err
			}
			return nil
		case err != nil:
			return err
		case best == nil || made.Cost.Total() < best.Cost.Total():
			best, r.Limit = made, made.Cost.Total()
		}
		return nil
	}
	if base, err := r.Fabric.BaseTopology(); err == nil {
		if err := take(base, nil); err != nil {
			return nil, err
		}
	} else {
		reason = errors.Join(planner.ErrInfeasible, err)
	}
	if r.Fabric.Base != "" || r.Fabric.Nodes > aroundNodes || r.Fabric.Alive() != nil {
		return orReason(best, reason)
	}
	whole := r
	whole.Fabric.Avoid = ""
	chosen, err := topologyFor(ctx, &whole)
	if err != nil {
		return nil, err
	}
	graphs := []*topology.Graph{chosen}
	if base, err := whole.Fabric.BaseTopology(); err == nil && !base.Equal(chosen) {
		graphs = append(graphs, base)
	}
	for _, g := range graphs {
		mended, s, err := mend(ctx, &r, g)
		if err != nil {
			return nil, err
		}
		if mended == nil {
			continue
		}
		if err := take(mended, s); err != nil {
			return nil, err
		}
	}
	return orReason(best, reason)
}

// orReason returns a plan, or why there is none.
func orReason(p *plan.Plan, reason error) (*plan.Plan, error) {
	if p == nil {
		return nil, reason
	}
	return p, nil
}

// mend returns the fastest way to do without what has failed, among the ways to pass by GPUs that
// have lost ports, and its schedule; nil where none was found.
func mend(ctx context.Context, r *planner.Request, g *topology.Graph) (best *topology.Graph, its *source, err error) {
	f := &r.Fabric
	tries := min(f.Ports*f.Ports, max(1, aroundWork/f.Nodes))
	if !f.LostPorts() {
		tries = 1
	}
	for try := range tries {
		c := newCircuits(f, g)
		if !c.passBy(try) || !c.exchangeEnds() {
			continue
		}
		other := c.graph(g.Name() + " around failures")
		if f.Fits(other) != nil {
			continue
		}
		s, err := bestOn(ctx, r, other)
		if errors.Is(err, planner.ErrInfeasible) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if its == nil || s.least(r) < its.least(r) {
			best, its = other, &s
		}
	}
	return best, its, nil
}

// circuits is a graph whose ends change: of two-way circuits one direction, from the smaller GPU.
type circuits struct {
	f     *fabric.Fabric
	lost  map[int]int
	links map[[2]int]bool
	list  [][2]int
}

func newCircuits(f *fabric.Fabric, g *topology.Graph) *circuits {
	c := &circuits{f: f, lost: f.Surviving(), links: f.Avoided().Links}
	for e := range g.Edges() {
		if f.Duplex && e.From > e.To {
			continue
		}
		for range e.Count {
			c.list = append(c.list, [2]int{e.From, e.To})
		}
	}
	return c
}

// failed reports whether there can be no such circuit.
func (c *circuits) failed(u, v int) bool {
	return u == v || c.links[[2]int{u, v}] || c.f.Duplex && c.links[[2]int{v, u}]
}

// at lists the circuits of a GPU: those that leave it, or those that lead to it; two-way ones
// are both.
func (c *circuits) at(u int, leave bool) []int {
	var all []int
	for i, e := range c.list {
		if e[0] == u && (leave || c.f.Duplex) || e[1] == u && (!leave || c.f.Duplex) {
			all = append(all, i)
		}
	}
	return all
}

// other is the end of a circuit that is not u.
func (c *circuits) other(i, u int) int { return c.list[i][0] + c.list[i][1] - u }

// remove takes circuits out.
func (c *circuits) remove(i, j int) {
	if i < j {
		i, j = j, i
	}
	c.list = append(c.list[:i], c.list[i+1:]...)
	if i != j {
		c.list = append(c.list[:j], c.list[j+1:]...)
	}
}

// passBy takes circuits from every GPU that has too many, and joins what they came from with what
// they led to. Numbers of tries are pairs of circuits. A two-way circuit that is too many leaves a
// port unused where it ends.
func (c *circuits) passBy(try int) bool {
	for u := range c.f.Nodes {
		ports, ok := c.lost[u]
		if !ok {
			continue
		}
		for {
			out, in := c.at(u, true), c.at(u, false)
			if len(out) <= ports && len(in) <= ports {
				break
			}
			i, j := in[try%len(in)], out[try/c.f.Ports%len(out)]
			if c.f.Duplex && (i == j || len(out) == ports+1) {
				c.remove(i, i)
				continue
			}
			from, to := c.other(i, u), c.other(j, u)
			c.remove(i, j)
			if from != to {
				c.list = append(c.list, [2]int{from, to})
			}
		}
	}
	return true
}

// exchangeEnds lets circuits that have failed exchange their ends with others, those that follow
// them first, and reports whether none is left.
func (c *circuits) exchangeEnds() bool {
	have := map[[2]int]bool{}
	for _, e := range c.list {
		have[e] = true
	}
	for i, e := range c.list {
		if !c.failed(e[0], e[1]) {
			continue
		}
		found := false
		for _, twice := range []bool{false, true} { // rather not two circuits between the same GPUs
			for k := 1; k < len(c.list) && !found; k++ {
				j := (i + k*7) % len(c.list)
				o := c.list[j]
				a, b := [2]int{e[0], o[1]}, [2]int{o[0], e[1]}
				if j == i || c.failed(a[0], a[1]) || c.failed(b[0], b[1]) || !twice && (have[a] || have[b]) {
					continue
				}
				c.list[i], c.list[j] = a, b
				have[a], have[b] = true, true
				found = true
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// graph returns the circuits as a topology.
func (c *circuits) graph(name string) *topology.Graph {
	var edges []topology.Edge
	for _, e := range c.list {
		edges = append(edges, topology.Edge{From: e[0], To: e[1], Count: 1})
		if c.f.Duplex {
			edges = append(edges, topology.Edge{From: e[1], To: e[0], Count: 1})
		}
	}
	return topology.New(c.f.Nodes, name, edges)
}
