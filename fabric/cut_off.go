package fabric

import (
	"fmt"
	"slices"
	"strings"
)

// CutOff names a participating GPU (nil: all that are left) that no circuit can reach, or leave,
// because of a failure, and the failure: "GPU 2 has no port left (avoid port:2)". It returns ""
// if there is none. needs says for each GPU whether circuits must lead to it and from it; nil
// means both.
func (f *Fabric) CutOff(members []int, needs func(u int) (to, from bool)) string {
	a := f.Avoided()
	if members == nil {
		for u := range f.Nodes {
			members = append(members, u)
		}
	}
	for _, u := range members {
		if a.GPUs[u] {
			continue
		}
		if f.portsOf(a, u) == 0 {
			return fmt.Sprintf("GPU %d has no port left (avoid %s)", u, f.failuresOf(func(kind string, from, to int) bool { return kind == "port" && from == u }))
		}
		in, out := f.open(a, u)
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
		return fmt.Sprintf("no circuit can lead %s GPU %d (avoid %s)", way, u, f.failuresOf(func(_ string, from, to int) bool {
			return from == u || to == u || a.GPUs[from] || f.portsOf(a, from) == 0
		}))
	}
	return ""
}

// Shut reports whether failures leave some of the given GPUs without any circuit to it, or
// without any from it; with both set, without either.
func (f *Fabric) Shut(members []int, both bool) bool {
	a := f.Avoided()
	return slices.ContainsFunc(members, func(u int) bool {
		if a.GPUs[u] {
			return false // it takes no part
		}
		if f.portsOf(a, u) == 0 {
			return true
		}
		in, out := f.open(a, u)
		return !in && !out || !both && !(in && out)
	})
}

// open reports whether circuits can lead to a GPU, and from it.
func (f *Fabric) open(a *Avoided, u int) (in, out bool) {
	for v := 0; v < f.Nodes && !(in && out); v++ {
		if v == u || f.portsOf(a, v) == 0 {
			continue
		}
		to, from := !a.Links[[2]int{v, u}], !a.Links[[2]int{u, v}]
		if f.Duplex {
			to, from = to && from, to && from
		}
		in, out = in || to, out || from
	}
	return in, out
}

// failuresOf lists the entries of Avoid that are about some GPUs, as they are written.
func (f *Fabric) failuresOf(about func(kind string, from, to int) bool) string {
	var list []string
	for _, item := range strings.Split(f.Avoid, ",") {
		kind, what, _ := strings.Cut(item, ":")
		from, to, _ := cutPair(what)
		var ends [2]int
		if _, err := fmt.Sscan(from, &ends[0]); err != nil {
			continue
		}
		ends[1] = ends[0]
		if kind == "link" {
			if _, err := fmt.Sscan(to, &ends[1]); err != nil {
				continue
			}
		}
		if about(kind, ends[0], ends[1]) {
			list = append(list, item)
		}
	}
	return strings.Join(list, ",")
}
