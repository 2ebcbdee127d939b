package pricing

import (
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// evenly describes a step whose senders are equally spaced on the ring of all nodes and send the
// same bytes to the same offsets, or whose receivers do the same: a root that scatters or
// gathers, for example. They are then equally spaced on a ring of equal jumps, too, so one of
// them determines what circuits carry.
type evenly struct {
	apart   int         // nodes from one sender (or receiver) to the next
	offsets []offsetSum // of one
	// all is the bytes for every other node, if one sends each the same; otherwise 0.
	all float64
}

// evenOnRing returns the load of a step without a group on a ring of equal jumps. known is false
// unless the demands are spread evenly on the ring's cycles.
func (w *Workload) evenOnRing(j *Jumper, class *Class) (load flow.Load, connected, known bool) {
	if !class.Step.Group.Trivial() {
		return load, false, false
	}
	even := class.evenly(j.gcd * j.cycle)
	if even == nil {
		return load, false, false
	}
	return even.on(j)
}

// evenly returns how the demands of a class on n nodes are spread; nil if they are not spread
// evenly.
func (c *Class) evenly(n int) *evenly {
	if !c.evenLooked {
		c.evenLooked = true
		c.even = evenlyBy(c.Demands, n, func(d flow.Demand) int { return d.Src })
		if c.even == nil {
			c.even = evenlyBy(c.Demands, n, func(d flow.Demand) int { return d.Dst })
		}
	}
	return c.even
}

// evenlyBy groups demands by one of their ends and returns how these ends are spread; nil if not
// evenly.
func evenlyBy(demands []flow.Demand, n int, end func(flow.Demand) int) *evenly {
	// Nothing here is as large as n: a pipeline down a chain has as many steps as GPUs, most of
	// them with few demands.
	most := 0.0
	all := make([]int, 0, len(demands)) // the end of each demand
	for _, d := range demands {
		all = append(all, end(d))
		most = max(most, d.Amount)
	}
	slices.Sort(all)
	ends := slices.Compact(slices.Clone(all))
	if len(ends) == 0 || n%len(ends) != 0 || len(demands)%len(ends) != 0 {
		return nil
	}
	e := &evenly{apart: n / len(ends)}
	each := len(demands) / len(ends)
	for i, u := range all {
		if u != ends[0]+i/each*e.apart {
			return nil
		}
	}
	// at is the index in e.offsets of an offset of the first end; seen counts the ends with it.
	at, seen := make(map[int]int, each), make([]int, 0, each)
	for _, d := range demands {
		if end(d) == ends[0] {
			offset := arithmetic.Offset(d.Src, d.Dst, n)
			if _, twice := at[offset]; twice || offset == 0 {
				return nil
			}
			at[offset] = len(e.offsets)
			e.offsets, seen = append(e.offsets, offsetSum{offset: offset, bytes: d.Amount, most: d.Amount}), append(seen, 0)
		}
	}
	for _, d := range demands {
		i, ok := at[arithmetic.Offset(d.Src, d.Dst, n)]
		if !ok || e.offsets[i].bytes != d.Amount {
			return nil
		}
		seen[i]++
	}
	if slices.ContainsFunc(seen, func(s int) bool { return s != len(ends) }) {
		return nil
	}
	if each == n-1 && !slices.ContainsFunc(e.offsets, func(o offsetSum) bool { return o.bytes != most }) {
		e.all = most
	}
	return e
}

// on returns the load of the demands on a ring of equal jumps. connected is false if a pair is
// not connected, and known is false if the ends are not equally spaced on the ring's cycles.
func (e *evenly) on(j *Jumper) (load flow.Load, connected, known bool) {
	// A cycle has every gcd-th node; ends are this far apart on it.
	apart := 1
	switch {
	case e.apart%j.gcd == 0:
		apart = e.apart / j.gcd
	case j.gcd%e.apart != 0:
		return load, false, false
	}
	if e.all > 0 && apart == j.cycle && j.gcd == 1 { // one root, and all others at 1, 2, .. hops
		bytes := e.all / float64(j.Count)
		others := j.cycle - 1
		return flow.Load{Hops: others, Peak: float64(others) * bytes, Dilation: float64(others) * bytes}, true, true
	}
	for _, o := range e.offsets {
		hops := j.hops(o.offset)
		if hops == 0 {
			return flow.Load{}, false, true
		}
		load.Hops = max(load.Hops, hops)
		load.Dilation = max(load.Dilation, float64(hops)*o.bytes/float64(j.Count))
		// The circuit at an end carries that end's bytes and those of farther ends that pass it.
		load.Peak += float64(arithmetic.CeilDiv(hops, apart)) * o.bytes
	}
	load.Peak /= float64(j.Count)
	return load, true, true
}
