package iteration

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// need is a number of lanes that circuits need, by class and side.
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
		sum := arithmetic.Sum(c.Width)
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

// joined checks that circuits say in exactly one way which ranks they join, and name the
// classes of these.
func (v *prover) joined(c *DocumentCircuits) error {
	ways := 0
	for _, is := range []bool{c.Links != nil, c.Pair != 0, c.Ring != 0, c.Jumps != nil} {
		if is {
			ways++
		}
	}
	if ways != 1 || len(c.Width) != len(c.Jumps) {
		return fmt.Errorf("circuits %s: one of links, pair, ring and jumps says whom they join, not %d", c.Name, ways)
	}
	var classes []int
	switch {
	case c.Ring != 0:
		for _, group := range v.Workload.Kinds[c.Kind] {
			if len(group) == 1 {
				continue
			}
			classes = append(classes, each.Of(group, func(r int) int { return v.graph.Of[r] })...)
		}
		slices.Sort(classes)
		classes = slices.Compact(classes)
	case c.Jumps != nil:
		if c.Kind != "" {
			return fmt.Errorf("circuits %s join all ranks, not those of groups of %.40q", c.Name, c.Kind)
		}
		classes = append(classes, arithmetic.UpTo(len(v.Classes))...)
	default:
		return nil // checked with the operations that use them
	}
	if !slices.Equal(c.Classes, classes) {
		return fmt.Errorf("circuits %s join classes %v, not %v", c.Name, classes, c.Classes)
	}
	return nil
}

// seated checks that the lanes are those that circuits need.
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
	for i := range v.Circuits {
		if err := v.joined(&v.Circuits[i]); err != nil {
			return "", err
		}
	}
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

// happening is an operation or a change of one of two consecutive iterations.
type happening struct {
	span
	op, change int // -1: not this one
	node       int
	round      int
}

// follow goes through everything that happens in some iterations, and reports errors in the use
// of ports.
func (v *prover) follow(rounds int) (*follower, error) {
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
	f := &follower{prover: v, holder: map[DocumentLane][2]int{}, busy: map[DocumentLane]units.Time{}, first: map[DocumentLane]units.Time{}, open: map[DocumentLane]units.Time{},
		version: make([]int, len(v.Circuits)+1), seat: make([][]DocumentLane, len(v.Circuits)+1), since: make([]units.Time, len(v.Circuits)+1),
		left: make([]units.Time, len(v.Circuits)+1), set: map[int]units.Time{}, ended: map[int]units.Time{}, islands: make([]units.Time, len(v.Classes)), pending: map[int]*waiting{}}
	for i := range v.Up {
		f.put(v.Up[i].Circuits, v.Up[i].Lanes, units.Time(math.Inf(-1)))
	}
	for i := range all {
		f.settle(all[i].start)
		if err := f.step(&all[i]); err != nil {
			return nil, err
		}
	}
	f.settle(units.Time(math.Inf(1)))
	for _, w := range f.pending {
		if c := &v.Changes[w.change]; c.Before != "" {
			return nil, fmt.Errorf("the change at %v is for %s of class %d, which does not use it", c.Start, c.Before, c.Class)
		}
	}
	return f, nil
}

// follower is the state of all ports.
type follower struct {
	*prover
	holder  map[DocumentLane][2]int // circuits and their version
	busy    map[DocumentLane]units.Time
	version []int // by circuits: how often they were set up
	seat    [][]DocumentLane
	since   []units.Time
	left    []units.Time       // by circuits: when an operation that began with them has left others
	set     map[int]units.Time // by circuits: begin of the first change for an operation
	ended   map[int]units.Time // by circuits: end of the last operation that uses or leaves them
	islands []units.Time
	first   map[DocumentLane]units.Time // begin of a lane's first use
	open    map[DocumentLane]units.Time // end of its last use, but for changes for no operation
	pending map[int]*waiting            // by circuits
	at      units.Time                  // start of the last item
	leaving []leave                     // operations that started then
}

// waiting is a change of circuits that no operation has used yet.
type waiting struct {
	change int
	free   units.Time // from when on it was possible
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
	if _, ok := f.first[l]; !ok {
		f.first[l] = s.start
	}
	f.busy[l] = s.end
	return nil
}

// change sets circuits up.
func (f *follower) change(h *happening) error {
	c := &f.Changes[h.change]
	if old, ok := f.pending[c.Circuits]; ok {
		return fmt.Errorf("the change at %v is for %s of class %d, which does not use it", f.Changes[old.change].Start, f.Changes[old.change].Before, f.Changes[old.change].Class)
	}
	w := &waiting{h.change, f.left[c.Circuits]}
	for _, l := range c.Lanes {
		if until, ok := f.busy[l]; ok && c.Before == "" {
			f.open[l] = until
		}
		w.free = max(w.free, f.busy[l])
		if err := f.keep(l, h.span, "the change before "+c.Before); err != nil {
			return err
		}
	}
	if _, ok := f.set[c.Circuits]; !ok && c.Before != "" {
		f.set[c.Circuits] = h.start
	}
	f.pending[c.Circuits] = w
	f.put(c.Circuits, c.Lanes, h.end)
	return nil
}

// served checks that a change is for the operation that uses it first, and delays that by as
// much as it claims. Changes at the end of an iteration are for the first user in the next.
func (f *follower) served(h *happening, free units.Time) error {
	o := &f.Ops[h.op]
	w, ok := f.pending[o.Circuits]
	if !ok {
		return nil
	}
	delete(f.pending, o.Circuits)
	c := &f.Changes[w.change]
	switch {
	case c.Before == "" && h.round == 0:
		return fmt.Errorf("the change at %v is for no operation, but %s of class %d needs it", c.Start, o.ID, o.Class)
	case c.Before == "":
		return nil
	case c.Before != o.ID || c.Class != o.Class:
		return fmt.Errorf("the change at %v is for %s of class %d, but %s of class %d needs it", c.Start, c.Before, c.Class, o.ID, o.Class)
	}
	for _, b := range f.nodes[h.node].After {
		free = max(free, f.Ops[f.op[b]].End)
	}
	if late := o.Start - max(free, w.free); h.round == 0 && (before(c.Exposed, late) || before(late, c.Exposed)) {
		return fmt.Errorf("the change before %s of class %d delays it by %v, not %v", o.ID, o.Class, late, c.Exposed)
	}
	return nil
}

func (f *follower) step(h *happening) error {
	if h.change >= 0 {
		return f.change(h)
	}
	o := &f.Ops[h.op]
	n := &f.nodes[h.node]
	what := fmt.Sprintf("%s of class %d", o.ID, o.Class)
	free := units.Time(0)
	for _, class := range f.electrical(n, o) {
		free = max(free, f.islands[class])
		if before(h.start, f.islands[class]) {
			return fmt.Errorf("%s uses islands of class %d at %v, which are busy until %v", what, class, h.start, f.islands[class])
		}
		f.islands[class] = h.end
	}
	if o.Circuits == 0 {
		if o.Ports != 0 || o.Leaves != 0 {
			return fmt.Errorf("%s takes %d ports without circuits", what, o.Ports)
		}
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
	if ports := portsOf(f.seat[o.Circuits]); o.Ports != ports {
		return fmt.Errorf("%s takes %d ports, not %d", what, ports, o.Ports)
	}
	if err := f.served(h, free); err != nil {
		return err
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
	f.ended[o.Circuits] = max(f.ended[o.Circuits], h.end)
	if o.Leaves > 0 {
		f.ended[o.Leaves] = max(f.ended[o.Leaves], h.end)
		f.leaving = append(f.leaving, leave{o, f.seat[o.Circuits], f.version[o.Circuits], h.end})
	}
	return nil
}

// leave is an operation that leaves other circuits than it began with, on the same lanes.
type leave struct {
	*DocumentOp
	lanes   []DocumentLane
	version int // version of the circuits that it began with
	end     units.Time
}

// settle makes operations leave their circuits: all of them if something starts later than they
// did, otherwise those that have ended. Operations that start at the same time find the
// circuits that were up before.
func (f *follower) settle(start units.Time) {
	later := start != f.at
	f.at = start
	f.leaving = slices.DeleteFunc(f.leaving, func(l leave) bool {
		if !later && before(start, l.end) {
			return false
		}
		f.put(l.Leaves, l.lanes, l.end)
		if f.left[l.Circuits] = l.end; f.version[l.Circuits] == l.version { // else they are up elsewhere
			f.seat[l.Circuits] = nil
		}
		return true
	})
}

// portsOf returns how many ports of a GPU the lanes have, on the side with more.
func portsOf(lanes []DocumentLane) int {
	taken, most := map[[2]int]int{}, 0
	for _, l := range lanes {
		taken[[2]int{l[0], l[1]}]++
		most = max(most, taken[[2]int{l[0], l[1]}])
	}
	return most
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

// used returns the classes and sides whose ports an operation uses; nil: those of all its
// circuits.
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
