package iteration

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// need is lanes that circuits need: class, side, how many.
type need struct{ class, side, lanes int }

// needs lists the lanes that circuits take, of every class and side.
func (v *prover) needs(c *DocumentCircuits) ([]need, error) {
	both := func(class, lanes int) []need {
		if v.Fabric.Duplex {
			return []need{{class, 2, lanes}}
		}
		return []need{{class, 0, lanes}, {class, 1, lanes}}
	}
	var list []need
	switch {
	case c.Pair > 0 && len(c.Classes) == 2:
		from, to := c.Classes[0], c.Classes[1]
		switch {
		case !v.Fabric.Duplex:
			list = []need{{from, 0, c.Pair}, {to, 1, c.Pair}}
		case from == to:
			list = []need{{from, 2, 2 * c.Pair}}
		default:
			list = []need{{from, 2, c.Pair}, {to, 2, c.Pair}}
		}
	case c.Ring == 1 || c.Ring == -1:
		for _, class := range c.Classes {
			list = append(list, both(class, 1)...)
		}
	case c.Jumps != nil:
		sum := 0
		for _, w := range c.Width {
			sum += w
		}
		for class := range v.Classes {
			list = append(list, both(class, sum)...)
		}
	case c.Links != nil:
		out, in := map[int]int{}, map[int]int{}
		most := 0
		for _, l := range c.Links {
			out[l[0]] += l[2]
			in[l[1]] += l[2]
			most = max(most, out[l[0]], in[l[1]])
		}
		for _, class := range c.Classes {
			list = append(list, both(class, most)...)
		}
	default:
		return nil, fmt.Errorf("circuits %s join nobody", c.Name)
	}
	for _, n := range list {
		if n.class < 0 || n.class >= len(v.Classes) {
			return nil, fmt.Errorf("circuits %s: there is no class %d", c.Name, n.class)
		}
		if n.lanes > v.Fabric.Ports {
			return nil, fmt.Errorf("circuits %s take %d ports of class %d, which has %d", c.Name, n.lanes, n.class, v.Fabric.Ports)
		}
	}
	return list, nil
}

// seated checks that lanes are those that circuits need.
func (v *prover) seated(s *DocumentSeat) error {
	if s.Circuits < 1 || s.Circuits > len(v.Circuits) {
		return fmt.Errorf("there are no circuits %d", s.Circuits)
	}
	c := &v.Circuits[s.Circuits-1]
	wants, err := v.needs(c)
	if err != nil {
		return err
	}
	have := map[[2]int]int{}
	for i, l := range s.Lanes {
		if l[2] < 0 || l[2] >= v.Fabric.Ports {
			return fmt.Errorf("circuits %s: class %d has no port %d", c.Name, l[0], l[2])
		}
		if slices.Contains(s.Lanes[:i], l) {
			return fmt.Errorf("circuits %s take port %d of class %d twice", c.Name, l[2], l[0])
		}
		have[[2]int{l[0], l[1]}]++
	}
	for _, n := range wants {
		if got := have[[2]int{n.class, n.side}]; got < n.lanes || got > n.lanes && v.Fabric.Layout.IsZero() {
			return fmt.Errorf("circuits %s need %d ports of class %d, not %d", c.Name, n.lanes, n.class, have[[2]int{n.class, n.side}])
		}
		delete(have, [2]int{n.class, n.side})
	}
	if len(have) > 0 {
		return fmt.Errorf("circuits %s take ports that they do not need", c.Name)
	}
	return v.switched(s)
}

// circuits checks where circuits are put, and that nothing is up twice before the iteration.
func (v *prover) circuits(context.Context) (string, error) {
	taken := map[DocumentLane]bool{}
	for i := range v.Up {
		if err := v.seated(&v.Up[i]); err != nil {
			return "", err
		}
		for _, l := range v.Up[i].Lanes {
			if taken[l] {
				return "", fmt.Errorf("port %d of class %d has two circuits before the iteration", l[2], l[0])
			}
			taken[l] = true
		}
	}
	for i := range v.Changes {
		if err := v.seated(&v.Changes[i].DocumentSeat); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d sets of circuits, %d up before the iteration", len(v.Circuits), len(v.Up)), nil
}

// happening is an operation or a change of one of two iterations that follow one another.
type happening struct {
	span
	op, change int // -1: not one
	node       int
	round      int
}

// follow goes through all that happens in some iterations, and says what goes wrong with ports.
func (v *prover) follow(rounds int) error {
	var all []happening
	for round := range rounds {
		shift := units.Time(round) * v.Iteration
		for i := range v.nodes {
			if o := &v.Ops[v.op[i]]; v.communicates(&v.nodes[i]) {
				all = append(all, happening{span{o.Start + shift, o.End + shift}, v.op[i], -1, i, round})
			}
		}
		for i := range v.Changes {
			c := &v.Changes[i]
			all = append(all, happening{span{c.Start + shift, c.End + shift}, -1, i, -1, round})
		}
	}
	slices.SortStableFunc(all, func(a, b happening) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.change, a.change), cmp.Compare(a.end, b.end))
	})
	f := &follower{prover: v, holder: map[DocumentLane][2]int{}, busy: map[DocumentLane]units.Time{}, version: make([]int, len(v.Circuits)+1),
		seat: make([][]DocumentLane, len(v.Circuits)+1), since: make([]units.Time, len(v.Circuits)+1), islands: make([]units.Time, len(v.Classes))}
	for i := range v.Up {
		f.put(v.Up[i].Circuits, v.Up[i].Lanes, units.Time(math.Inf(-1)))
	}
	for i := range all {
		if err := f.step(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

// follower is the state of all ports.
type follower struct {
	*prover
	holder  map[DocumentLane][2]int // circuits and their version
	busy    map[DocumentLane]units.Time
	version []int // by circuits: how often they were set up
	seat    [][]DocumentLane
	since   []units.Time
	islands []units.Time
}

func (f *follower) put(circuits int, lanes []DocumentLane, at units.Time) {
	f.version[circuits]++
	f.seat[circuits], f.since[circuits] = lanes, at
	for _, l := range lanes {
		f.holder[l] = [2]int{circuits, f.version[circuits]}
	}
}

// keep marks a lane as busy.
func (f *follower) keep(l DocumentLane, s span, what string) error {
	if until, ok := f.busy[l]; ok && before(s.start, until) {
		return fmt.Errorf("%s needs port %d of class %d at %v, which is busy until %v", what, l[2], l[0], s.start, until)
	}
	f.busy[l] = s.end
	return nil
}

func (f *follower) step(h *happening) error {
	if h.change >= 0 {
		c := &f.Changes[h.change]
		for _, l := range c.Lanes {
			if err := f.keep(l, h.span, "the change before "+c.Before); err != nil {
				return err
			}
		}
		f.put(c.Circuits, c.Lanes, h.end)
		return nil
	}
	o := &f.Ops[h.op]
	n := &f.nodes[h.node]
	what := fmt.Sprintf("%s of class %d", o.ID, o.Class)
	for _, class := range f.electrical(n, o) {
		if before(h.start, f.islands[class]) {
			return fmt.Errorf("%s uses islands of class %d at %v, which are busy until %v", what, class, h.start, f.islands[class])
		}
		f.islands[class] = h.end
	}
	if o.Circuits == 0 {
		return nil
	}
	if f.seat[o.Circuits] == nil || before(h.start, f.since[o.Circuits]) {
		return fmt.Errorf("%s starts at %v, when circuits %s are not up", what, h.start, f.prover.Circuits[o.Circuits-1].Name)
	}
	if o.Plan > 0 {
		if err := f.canSetUp(n, o, f.seat[o.Circuits]); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	used := f.used(n, o)
	for _, l := range f.seat[o.Circuits] {
		if used != nil && !used[[2]int{l[0], l[1]}] {
			continue
		}
		if f.holder[l] != [2]int{o.Circuits, f.version[o.Circuits]} {
			return fmt.Errorf("%s starts at %v, when port %d of class %d has other circuits", what, h.start, l[2], l[0])
		}
		if err := f.keep(l, h.span, what); err != nil {
			return err
		}
	}
	if o.Leaves > 0 {
		f.put(o.Leaves, f.seat[o.Circuits], h.end)
		f.seat[o.Circuits] = nil
	}
	return nil
}

// electrical lists the classes whose islands an operation uses.
func (v *prover) electrical(n *workload.Node, o *DocumentOp) []int {
	switch {
	case o.Plan > 0 && v.plan[o.Plan-1].Fabric.Tiered():
		return n.Classes
	case o.Plan == 0 && o.Circuits == 0:
		return slices.Compact(slices.Sorted(slices.Values(n.Classes)))
	}
	return nil
}

// used are the classes and sides whose ports an operation uses; nil: all of its circuits.
func (v *prover) used(n *workload.Node, o *DocumentOp) map[[2]int]bool {
	c := &v.Circuits[o.Circuits-1]
	if c.Jumps != nil {
		return v.passes[o]
	}
	if c.Ring == 0 {
		return nil
	}
	used := map[[2]int]bool{}
	way := v.around(c, n)
	for i := 1; i < len(way); i++ {
		used[[2]int{way[i-1], 0}], used[[2]int{way[i], 1}] = true, true
		used[[2]int{way[i-1], 2}], used[[2]int{way[i], 2}] = true, true
	}
	return used
}

func (v *prover) ports(context.Context) (string, error) {
	return "no port serves two at a time, none while it changes", v.follow(1)
}

func (v *prover) changes(context.Context) (string, error) {
	least := v.Fabric.Reconfig.Base.Time() + v.Fabric.Sync.Time()
	for i := range v.Changes {
		c := &v.Changes[i]
		if took := c.End - c.Start; math.IsNaN(float64(took)) || before(took, least) {
			return "", fmt.Errorf("the change before %s takes %v, not %v", c.Before, took, least)
		}
	}
	return fmt.Sprintf("%d, each takes %v", len(v.Changes), least), nil
}

func (v *prover) steady(context.Context) (string, error) {
	if v.Fabric.Initial != fabric.InitialFree {
		if len(v.Up) > 0 {
			return "", fmt.Errorf("circuits %s are up before the iteration", v.Circuits[v.Up[0].Circuits-1].Name)
		}
		for i := range v.Changes {
			if v.Changes[i].Start < 0 {
				return "", fmt.Errorf("the change before %s begins before the iteration", v.Changes[i].Before)
			}
		}
		return "no circuits are up before the iteration", nil
	}
	return "iterations can follow one another", v.follow(3)
}

// times checks what is claimed of the whole.
func (v *prover) times(context.Context) (string, error) {
	last := units.Time(0)
	for i := range v.Ops {
		last = max(last, v.Ops[i].End)
	}
	if before(v.Iteration, last) {
		return "", fmt.Errorf("the iteration takes %v, its last operation ends at %v", v.Iteration, last)
	}
	_, compute := v.graph.Ends(workload.Free)
	same := func(what string, claimed, is units.Time) error {
		if before(claimed, is) || before(is, claimed) {
			return fmt.Errorf("%s is %v, not %v", what, is, claimed)
		}
		return nil
	}
	if err := same("the longest chain of computations", v.Compute, compute); err != nil {
		return "", err
	}
	if err := same("what is exposed", v.Exposed, v.Iteration-compute); err != nil {
		return "", err
	}
	if math.IsNaN(float64(v.Bound)) || before(v.Iteration, v.Bound) {
		return "", fmt.Errorf("the bound of %v is above the time of %v", v.Bound, v.Iteration)
	}
	if gap := float64(v.Iteration/v.Bound) - 1; math.Abs(gap-v.Gap) > slack {
		return "", fmt.Errorf("the gap is %v, not %v", gap, v.Gap)
	}
	hidden, within := 0, 0
	for i := range v.Changes {
		if v.Changes[i].Exposed <= 0 {
			hidden++
		}
	}
	for i := range v.nodes {
		if o := &v.Ops[v.op[i]]; o.Plan > 0 {
			within += v.plan[o.Plan-1].Reconfigurations
		}
	}
	if v.Reconfigurations != len(v.Changes)+within || v.Hidden != hidden {
		return "", fmt.Errorf("%d reconfigurations, %d hidden; there are %d and %d", v.Reconfigurations, v.Hidden, len(v.Changes)+within, hidden)
	}
	return fmt.Sprintf("%v", v.Iteration), nil
}
