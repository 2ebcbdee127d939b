package fabric

import (
	"maps"
	"slices"

	"github.com/lightpath-net/lightpath/field"
)

// within reports the first entry about a GPU, a port or an island that a fabric does not have.
func (a Failures) within(f *Fabric) error {
	if a.read == nil {
		return nil
	}
	for _, item := range a.read.items {
		switch {
		case item.kind == "switch" || item.kind == spareKind: // checkLayout checks their number
		case item.kind == "island" && f.Island.IsZero():
			return field.Errorf("avoid", "%s: there are no islands; give their size in `island`", item.text)
		case item.kind == "island" && item.from >= f.Islands():
			return field.Errorf("avoid", "%s: there are islands 0..%d", item.text, f.Islands()-1)
		case item.kind == "island":
		case item.kind == heldKind && item.to >= f.Nodes:
			return field.Errorf("held", "%s: there are GPUs 0..%d", item.text, f.Nodes-1)
		case item.kind != heldKind && max(item.from, item.to) >= f.Nodes:
			_, err := parseFailures(item.text, f.Nodes) // names the entry as it was written
			return field.Errorf("avoid", "%w", err)
		case item.kind == heldKind && item.port >= f.AllPorts():
			return field.Errorf("held", "%s: a GPU has ports 0..%d", item.text, f.AllPorts()-1)
		case item.port >= f.AllPorts():
			return field.Errorf("avoid", "%s: a GPU has ports 0..%d", item.text, f.AllPorts()-1)
		}
	}
	return nil
}

// IsZero reports whether nothing is missing: nothing has failed or is held, or spares replace
// all that has failed.
func (a Failures) IsZero() bool { return a.read == nil || a.read.missing == 0 }

// String writes what has failed as it was read; "": nothing.
func (a Failures) String() string {
	if a.read == nil {
		return ""
	}
	return a.read.text
}

// Equal reports whether two lists have the same text.
func (a Failures) Equal(b Failures) bool { return a.String() == b.String() && a.Held() == b.Held() }

// GPU reports whether a GPU has failed or is held: it takes no part and has no circuits.
func (a Failures) GPU(u int) bool { return a.read != nil && (a.read.gpus[u] || a.read.heldGPUs[u]) }

// GPUs lists the GPUs that have failed or are held, ascending.
func (a Failures) GPUs() []int {
	if a.IsZero() {
		return nil
	}
	return keys(a.read.gpus, a.read.heldGPUs)
}

// Link reports whether there can be no circuit from one GPU to another.
func (a Failures) Link(from, to int) bool { return a.read != nil && a.read.links[[2]int{from, to}] }

// Links lists the pairs between which there can be no circuit, one for each direction, ascending.
func (a Failures) Links() [][2]int {
	if a.IsZero() {
		return nil
	}
	return slices.SortedFunc(maps.Keys(a.read.links), func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
}

// Ports returns how many ports of a GPU are lost: failed, or held.
func (a Failures) Ports(u int) int {
	if a.IsZero() {
		return 0
	}
	return a.read.ports[u] + a.read.byGPU[u]
}

// LostPorts lists the GPUs that have lost a port, ascending.
func (a Failures) LostPorts() []int {
	if a.IsZero() {
		return nil
	}
	return keys(a.read.ports, a.read.byGPU)
}

// keys lists the keys of two maps, ascending.
func keys[V any](a, b map[int]V) []int {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

// Port reports whether a port is lost, at a GPU with the given number of ports. Ports lost
// without a number are the last of those that are not lost by number.
func (a Failures) Port(u, port, all int) bool {
	switch {
	case a.IsZero():
		return false
	case a.read.named[[2]int{u, port}]:
		return true
	}
	after := 0
	for p := port + 1; p < all; p++ {
		if !a.read.named[[2]int{u, p}] {
			after++
		}
	}
	return after < a.read.ports[u]
}

// Switch reports whether a switch of the layout has failed: then nothing plugged into it has
// circuits.
func (a Failures) Switch(s int) bool { return a.read != nil && a.read.switches[s] }

// Switches lists the switches that have failed, ascending.
func (a Failures) Switches() []int {
	if a.IsZero() {
		return nil
	}
	return slices.Sorted(maps.Keys(a.read.switches))
}

// namesPorts reports whether some ports are lost by their number.
func (a Failures) namesPorts() bool { return !a.IsZero() && len(a.read.named) > 0 }

// Island reports whether the electrical switch of an island has failed: its GPUs then have only
// their optical ports.
func (a Failures) Island(i int) bool { return a.read != nil && a.read.islands[i] }

// Islands lists the islands that have failed, ascending.
func (a Failures) Islands() []int {
	if a.IsZero() {
		return nil
	}
	return slices.Sorted(maps.Keys(a.read.islands))
}

// And joins all lists, in order.
func (a Failures) And(more ...Failures) Failures {
	var items []failure
	for _, list := range append([]Failures{a}, more...) {
		if list.read != nil {
			items = append(items, list.read.items...)
		}
	}
	return failuresOf(items)
}

// Has reports whether the list has all entries of another, with the same text.
func (a Failures) Has(b Failures) bool {
	for i := 0; b.read != nil && i < len(b.read.items); i++ {
		want := &b.read.items[i]
		if a.read == nil || !slices.ContainsFunc(a.read.items, func(f failure) bool { return f.kind == want.kind && f.text == want.text }) {
			return false
		}
	}
	return true
}

// WithoutLinks returns the list as if no link had failed.
func (a Failures) WithoutLinks() Failures { return a.without("link") }

// WithoutPorts returns the list as if no port had failed or were held, and no switch had
// failed.
func (a Failures) WithoutPorts() Failures {
	if a.read == nil {
		return a
	}
	return failuresOf(slices.DeleteFunc(slices.Clone(a.read.items), func(f failure) bool {
		return f.kind == "port" || f.kind == "switch" || f.kind == heldKind && f.port != anyPort
	}))
}

// without returns the list without the entries of a kind.
func (a Failures) without(kind string) Failures {
	if a.read == nil {
		return a
	}
	return failuresOf(slices.DeleteFunc(slices.Clone(a.read.items), func(f failure) bool { return f.kind == kind }))
}

// About writes all entries, with whether they are avoided or held: "avoid gpu:5, held 7.1".
func (a Failures) About() string {
	return a.about(func(string, int, int) bool { return true })
}

// about writes the entries that picked selects, with whether they are avoided or held.
func (a Failures) about(picked func(kind string, from, to int) bool) string {
	if a.read == nil {
		return ""
	}
	some := failuresOf(slices.DeleteFunc(slices.Clone(a.read.items), func(f failure) bool { return !picked(f.kind, f.from, f.to) }))
	switch {
	case some.Held() == "":
		return "avoid " + some.String()
	case some.String() == "":
		return "held " + some.Held()
	}
	return "avoid " + some.String() + ", held " + some.Held()
}
