package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Choice is a plan that a collective may have, without the setup of its first circuits.
type Choice struct {
	First, Last *topology.Graph // the circuits at its beginning and end
	Time        units.Time
	Changes     int // reconfigurations within it
}

// lineup is what the network does in a minibatch, in order: which gradients are grouped, and
// when it does an all-to-all. It leaves open when each of these starts.
type lineup struct {
	trace *Trace
	items []item
	rest  units.Time // computation after the last all-to-all
}

// item is a collective of a lineup.
type item struct {
	Collective
	release
	lead units.Time // that of its release, unless an all-to-all follows it
}

// release says when something becomes ready.
type release struct {
	segment int        // number of all-to-alls before it
	after   units.Time // computation since the last of these
}

// lineupOf returns the lineup of a minibatch. Gradients become ready, and are sent, in the
// order of the backward pass, so the numbers of layers say which of them are grouped.
func lineupOf(t *Trace, r *Result) *lineup {
	var (
		gradients, exchanges []release
		at                   release
	)
	layer := func(l *Layer, compute units.Duration) {
		exchange := func() {
			if l.Exchange > 0 {
				exchanges = append(exchanges, at)
				at = release{segment: at.segment + 1}
			}
		}
		exchange()
		at.after += compute.Time()
		exchange()
	}
	for i := range t.Layers {
		layer(&t.Layers[i], t.Layers[i].Forward)
	}
	for i := len(t.Layers) - 1; i >= 0; i-- {
		layer(&t.Layers[i], t.Layers[i].Backward)
		if t.Layers[i].Bytes > 0 {
			gradients = append(gradients, at)
		}
	}
	u := &lineup{trace: t, rest: at.after}
	segment, sent := 0, 0
	for _, c := range r.Collectives {
		next := item{Collective: c}
		if c.Op == collective.AllToAll {
			next.release = exchanges[segment]
		} else {
			sent += c.Layers
			next.release = gradients[sent-1]
		}
		if next.segment == segment {
			next.lead = next.after
		}
		if c.Op == collective.AllToAll {
			segment++
		}
		u.items = append(u.items, next)
	}
	return u
}

// same reports whether two lineups are equal.
func (u *lineup) same(o *lineup) bool {
	return slices.EqualFunc(u.items, o.items, func(a, b item) bool {
		return a.Op == b.Op && a.Bytes == b.Bytes && a.release == b.release
	})
}

// state is the earliest progress of the network after some collectives of a lineup.
type state struct {
	synced  units.Time // end of the last all-to-all, after which the passes compute
	free    units.Time
	up      int // number of the circuits that are up
	origin  int // circuits at the end of the last all-to-all; they determine synced
	changes int
	before  *state
	choice  *Choice
	wait    units.Time // for the change before the choice
}

// better orders states with the same circuits.
func (s *state) better(o *state) bool {
	return s.free < o.free || s.free == o.free && s.changes < o.changes
}

// circuits numbers topologies, and computes the times of changes between them.
type circuits struct {
	fabric *fabric.Fabric
	list   []*topology.Graph
	number map[*topology.Graph]int
	waits  map[[2]int]units.Time
}

func newCircuits(f *fabric.Fabric) *circuits {
	return &circuits{fabric: f, number: map[*topology.Graph]int{}, waits: map[[2]int]units.Time{}}
}

// of returns the number of a topology.
func (c *circuits) of(g *topology.Graph) int {
	if k, ok := c.number[g]; ok {
		return k
	}
	k := 0
	for k < len(c.list) && !c.list[k].Equal(g) {
		k++
	}
	if k == len(c.list) {
		c.list = append(c.list, g)
	}
	c.number[g] = k
	return k
}

// wait returns the time of a change.
func (c *circuits) wait(from, to int) units.Time {
	if from == to {
		return 0
	}
	key := [2]int{from, to}
	wait, ok := c.waits[key]
	if !ok {
		g, h := c.list[from], c.list[to]
		wait = c.fabric.Wait(g, h, c.fabric.Hidden(g, h, 0))
		c.waits[key] = wait
	}
	return wait
}

// fastest chooses a plan for every collective of a lineup such that the minibatch takes the
// least time, and returns the result. Circuits change between collectives as soon as the
// previous one has ended, possibly while the passes compute. initial is what is up before the
// first collective, below 0 if that is free.
//
// It is exact: a dynamic program over the collectives. Three things about the past matter: what
// is up, when the network is free, and when the passes went on after the last all-to-all;
// earlier is never worse. The last of these is the same for all states that had the same
// circuits at that time, so there is one state for each pair of topologies. O(collectives x
// choices x topologies^2).
func (u *lineup) fastest(ctx context.Context, c *circuits, initial int, choices func(op collective.Op, size units.Bytes) []Choice) (*state, error) {
	states := []*state{{up: initial, origin: initial}}
	for i := range u.items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := &u.items[i]
		best := map[[2]int]*state{}
		var order [][2]int
		list := choices(next.Op, units.Bytes(next.Bytes))
		for k := range list {
			choice := &list[k]
			first, last := c.of(choice.First), c.of(choice.Last)
			for _, s := range states {
				made := state{synced: s.synced, up: last, origin: s.origin, changes: s.changes + choice.Changes, before: s, choice: choice}
				if s.up >= 0 && s.up != first {
					made.wait = c.wait(s.up, first)
					made.changes++
				}
				made.free = max(s.free+made.wait, s.synced+next.lead) + choice.Time
				if next.Op == collective.AllToAll {
					made.synced, made.origin = made.free, last
				}
				key := [2]int{made.origin, made.up}
				old, ok := best[key]
				if !ok {
					order = append(order, key)
				}
				if !ok || made.better(old) {
					kept := made
					best[key] = &kept
				}
			}
		}
		states = states[:0]
		states = append(states, each.Of(order, func(key [2]int) *state { return best[key] })...)
		if len(states) == 0 {
			return nil, fmt.Errorf("%s of %v: %w", next.Op, units.Bytes(next.Bytes), ErrNoPlan)
		}
	}
	least, at := units.Time(math.Inf(1)), (*state)(nil)
	for _, s := range states {
		if time := u.end(s); at == nil || time < least || time == least && s.changes < at.changes {
			least, at = time, s
		}
	}
	return at, nil
}

// end returns when the minibatch is over.
func (u *lineup) end(last *state) units.Time { return max(last.free, last.synced+u.rest) }

// result returns the times of the minibatch.
func (u *lineup) result(last *state) *Result {
	chain := make([]*state, len(u.items))
	for i, s := len(u.items)-1, last; i >= 0; i, s = i-1, s.before {
		chain[i] = s
	}
	m := &minibatch{now: last.synced + u.rest}
	m.free, m.done = last.free, make([]Collective, len(u.items))
	synced := []units.Time{0} // ends of all-to-alls
	for i, s := range chain {
		next := &u.items[i]
		c := next.Collective
		c.ReadyNs, c.EndNs = synced[next.segment]+next.after, s.free
		c.StartNs = s.free - s.choice.Time - s.wait
		if c.Op == collective.AllToAll {
			m.stalled += s.free - c.ReadyNs
			synced = append(synced, s.free)
		}
		m.done[i] = c
	}
	return m.result(u.trace)
}
