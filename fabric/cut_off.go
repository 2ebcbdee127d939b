package fabric

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// CutOff names a participating GPU (nil: all that are left) that no circuit can reach, or
// leave, because of a failure, and the failure: "GPU 2 has no port left (avoid port:2)". It
// returns "" if there is none. needs says for each GPU whether circuits must lead to it and
// from it; nil means both.
func (f *Fabric) CutOff(members []int, needs func(u int) (to, from bool)) string {
	if members == nil {
		members = arithmetic.UpTo(f.Nodes)
	}
	for _, u := range members {
		if f.Avoid.GPU(u) || f.hasMate(u) {
			continue
		}
		in, out := f.open(u)
		if f.portsOf(u) == 0 && !in && !out {
			return fmt.Sprintf("GPU %d has no port left (%s)", u, f.Avoid.about(func(kind string, from, to int) bool {
				return kind == "port" && from == u || kind == heldKind && from <= u && u <= to
			}))
		}
		if needs != nil {
			to, from := needs(u)
			in, out = in || !to, out || !from
		}
		if in && out {
			continue
		}
		way := "to"
		if in {
			way = "from"
		}
		return fmt.Sprintf("no circuit can lead %s GPU %d (%s)", way, u, f.Avoid.about(func(_ string, from, to int) bool {
			return from == u || to == u || f.Avoid.GPU(from) || f.portsOf(from) == 0
		}))
	}
	return ""
}

// Shut reports whether failures leave some of the given GPUs without circuits in one direction;
// with both set, without circuits in either.
func (f *Fabric) Shut(members []int, both bool) bool {
	return slices.ContainsFunc(members, func(u int) bool {
		if f.Avoid.GPU(u) || f.hasMate(u) {
			return false // it takes no part, or needs no circuit
		}
		in, out := f.open(u)
		return !in && !out || !both && !(in && out)
	})
}

// hasMate reports whether another GPU shares a working island with the given one.
func (f *Fabric) hasMate(u int) bool {
	if !f.InIsland(u) {
		return false
	}
	first := u - u%f.Island.Size
	for v := first; v < first+f.Island.Size; v++ {
		if v != u && f.InIsland(v) {
			return true
		}
	}
	return false
}

// open reports whether circuits or fixed links can lead to a GPU, and from it.
func (f *Fabric) open(u int) (in, out bool) {
	for v := 0; v < f.Nodes && !(in && out); v++ {
		if v == u {
			continue
		}
		in, out = in || f.FixedCount(v, u) > 0, out || f.FixedCount(u, v) > 0
		if f.portsOf(u) == 0 || f.portsOf(v) == 0 {
			continue
		}
		to, from := !f.Avoid.Link(v, u), !f.Avoid.Link(u, v)
		if f.Duplex {
			to, from = to && from, to && from
		}
		in, out = in || to, out || from
	}
	return in, out
}
