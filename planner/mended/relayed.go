package mended

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// RelaysAlgorithm names the steps of Relayed.
const RelaysAlgorithm = "relays"

// mostRelays is the number of GPUs up to which Relayed tries circuits one by one.
const mostRelays = 1 << 10

// ErrApart says that the rest of a damaged fabric does not connect the GPUs that take part,
// whatever circuits are set up one after another: there is no plan.
var ErrApart = fmt.Errorf("%w: what is left does not connect the GPUs, whatever circuits are set up", planner.ErrImpossible)

// Relayed makes a plan of last resort on whatever is left of a fabric: up a tree to its root and
// down another. Trees grow over fixed links and islands first, then over circuits that fit
// together; when no more circuits fit, circuits change. So there is a plan whenever every GPU
// that takes part can reach every other over hops that can each be set up; otherwise the error
// wraps ErrApart. members are the GPUs that take part, by rank; nil: all.
func Relayed(ctx context.Context, f fabric.Fabric, op collective.Op, size units.Bytes, members []int) (*plan.Plan, error) {
	if f.Nodes > mostRelays || !f.Links.IsZero() {
		return nil, fmt.Errorf("%w: too many GPUs to look at each circuit, or circuits differ", planner.ErrInfeasible)
	}
	space := collective.SpaceOf(op, f.Nodes, 1)
	space.Members = members
	if members == nil {
		space.Members = f.Alive()
	}
	r := &relays{fabric: &f, op: op, space: space, ranks: slices.Repeat([]int{none}, f.Nodes), left: f.Surviving()}
	for rank := range space.MembersCount() {
		r.ranks[space.Member(rank)] = rank
	}
	up, down := true, true
	switch op {
	case collective.Broadcast, collective.Scatter:
		up = false
	case collective.RootReduce, collective.Gather:
		down = false
	}
	p := &plan.Plan{Fabric: f, Collective: plan.Collective{Op: op, Algorithm: RelaysAlgorithm, Size: size, Space: space}}
	for _, toRoot := range []bool{true, false} {
		if toRoot && !up || !toRoot && !down {
			continue
		}
		t, err := r.grow(ctx, toRoot)
		if err != nil {
			return nil, err
		}
		p.Stages = append(p.Stages, r.stages(t)...)
	}
	if err := p.PriceContext(ctx); err != nil {
		return nil, err
	}
	p.Bound = min(p.OperationBound().Total(), p.Cost.Total())
	return p, nil
}

// relays is an operation that goes up one tree and down another.
type relays struct {
	fabric *fabric.Fabric
	op     collective.Op
	space  collective.Space
	ranks  []int // by GPU; none: it takes no part
	left   map[int]int
}

// tree is a tree of GPUs, in stages.
type tree struct {
	toRoot bool
	parent []int // by GPU; none: not in the tree
	below  [][]int
	stages []growth
}

// growth is the part of a tree that was added while some circuits were up: level by level, GPUs
// in the order in which they joined.
type growth struct {
	circuits []topology.Edge
	ends     map[int][2]int // by GPU: circuits that leave it and circuits that lead to it
	levels   [][]int
}

// grow grows a tree from the root until it has all GPUs that take part.
func (r *relays) grow(ctx context.Context, toRoot bool) (*tree, error) {
	n := r.fabric.Nodes
	root := r.space.Member(0)
	t := &tree{toRoot: toRoot, parent: slices.Repeat([]int{none}, n), below: make([][]int, n)}
	t.parent[root] = root
	members := []int{root}
	left := r.space.MembersCount() - 1
	for left > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		now := growth{ends: map[int][2]int{}}
		level := slices.Repeat([]int{0}, n)
		join := func(u, v int) {
			t.parent[v], level[v] = u, level[u]+1
			members = append(members, v)
			if len(now.levels) < level[v] {
				now.levels = append(now.levels, nil)
			}
			now.levels[level[v]-1] = append(now.levels[level[v]-1], v)
			if r.ranks[v] != none {
				left--
			}
		}
		for at := 0; at < len(members); at++ { // over links and islands, which are always up
			u := members[at]
			for v := range n {
				if t.parent[v] == none && !r.fabric.Avoid.GPU(v) && r.always(u, v, toRoot) {
					join(u, v)
				}
			}
			if at+1 < len(members) || left == 0 {
				continue
			}
			if u, v, ok := r.circuit(t, members, &now); ok {
				join(u, v)
			}
		}
		if now.levels == nil {
			return nil, ErrApart
		}
		t.stages = append(t.stages, now)
	}
	t.prune(r, members)
	return t, nil
}

// always reports whether a fixed link or an island joins two GPUs in the direction of the tree.
func (r *relays) always(u, v int, toRoot bool) bool {
	if toRoot {
		u, v = v, u
	}
	return r.fabric.FixedCount(u, v) > 0 || r.fabric.SameIsland(u, v)
}

// circuit sets up one more circuit that joins a GPU to the tree, if one fits beside those that
// are up.
func (r *relays) circuit(t *tree, members []int, now *growth) (u, v int, ok bool) {
	f := r.fabric
	c := &circuits{f: f, meet: f.Meet()}
	for _, u := range slices.Backward(members) {
		for v := range f.Nodes {
			if t.parent[v] != none || f.Avoid.GPU(v) {
				continue
			}
			from, to := u, v
			if t.toRoot {
				from, to = v, u
			}
			if now.ends[from][0] >= r.ports(from) || now.ends[to][1] >= r.ports(to) || c.failed(from, to) {
				continue
			}
			more := append(slices.Clip(now.circuits), topology.Edge{From: from, To: to, Count: 1})
			if f.Duplex {
				more = append(more, topology.Edge{From: to, To: from, Count: 1})
			}
			if f.Fits(topology.New(f.Nodes, "", more)) == nil {
				now.circuits = more
				now.use(from, to)
				if f.Duplex {
					now.use(to, from)
				}
				return u, v, true
			}
		}
	}
	return 0, 0, false
}

// use counts a circuit.
func (g *growth) use(from, to int) {
	at := g.ends[from]
	at[0]++
	g.ends[from] = at
	at = g.ends[to]
	at[1]++
	g.ends[to] = at
}

// ports returns how many ports of a GPU may be used.
func (r *relays) ports(u int) int {
	if left, lost := r.left[u]; lost {
		return left
	}
	return r.fabric.Ports
}

// prune removes branches without GPUs that take part, and lists the ranks below each GPU.
func (t *tree) prune(r *relays, members []int) {
	for _, v := range slices.Backward(members) {
		if r.ranks[v] != none {
			t.below[v] = append(t.below[v], r.ranks[v])
		}
		if len(t.below[v]) == 0 {
			t.parent[v] = none
		} else if u := t.parent[v]; u != v {
			t.below[u] = append(t.below[u], t.below[v]...)
		}
	}
}

// stages returns the stages of a plan that goes down a tree, or up to its root.
func (r *relays) stages(t *tree) []plan.Stage {
	var all []plan.Stage
	for _, g := range t.stages {
		stage := plan.Stage{Topology: topology.New(r.fabric.Nodes, "tree", g.circuits)}
		for _, level := range g.levels {
			step := plan.Step{}
			for _, v := range level {
				if t.parent[v] == none {
					continue
				}
				if x, ok := r.transfer(t, v); ok {
					step.Base = append(step.Base, x)
				}
			}
			if len(step.Base) > 0 {
				stage.Steps = append(stage.Steps, step)
			}
		}
		if t.toRoot {
			slices.Reverse(stage.Steps)
		}
		if len(stage.Steps) > 0 {
			all = append(all, stage)
		}
	}
	if t.toRoot {
		slices.Reverse(all)
	}
	return all
}

// transfer returns the transfer between a GPU and its parent in a tree; false if there is nothing
// to send.
func (r *relays) transfer(t *tree, v int) (plan.Transfer, bool) {
	n := r.space.MembersCount()
	below := slices.Clone(t.below[v])
	slices.Sort(below)
	var ids []int
	reduces := t.toRoot && (r.op == collective.AllReduce || r.op == collective.ReduceScatter || r.op == collective.RootReduce)
	for c := range r.space.Chunks() {
		within := func(rank int) bool {
			_, found := slices.BinarySearch(below, rank)
			return found
		}
		takes := true
		switch {
		case r.op == collective.AllToAll && t.toRoot:
			takes = within(c / n)
		case r.op == collective.AllToAll:
			takes = within(c % n)
		case r.op == collective.Gather || r.op == collective.AllGather && t.toRoot,
			r.op == collective.Scatter || r.op == collective.ReduceScatter && !t.toRoot:
			takes = within(c)
		case r.op == collective.AllGather:
			takes = !within(c)
		}
		if takes {
			ids = append(ids, c)
		}
	}
	x := plan.Transfer{Transfer: collective.Transfer{Src: t.parent[v], Dst: v, Action: collective.Copy, Chunks: collective.Of(ids)}}
	if t.toRoot {
		x.Src, x.Dst = x.Dst, x.Src
	}
	if reduces {
		x.Action = collective.Reduce
	}
	x.Routes = []flow.Route{{Path: []int32{int32(x.Src), int32(x.Dst)}, Share: 1}}
	return x, len(ids) > 0
}
