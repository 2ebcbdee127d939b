package layout

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
)

// bundle is a set of switches that have the same ports of the same GPUs. An edge colouring
// decides which of them has a circuit; only the choice of the bundle matters.
type bundle struct {
	switches []int
	gpus     []int32 // ascending
	each     []int32 // ports of each of the GPUs on each switch
}

// place is a bundle that a GPU is plugged into.
type place struct {
	bundle int
	room   int // ports on all of its switches
}

// finish computes the remaining fields of a plugging.
func (p *Plugging) finish() {
	p.switches = each.Max(p.switches, p.at, func(s int32) int { return int(s) + 1 })
	p.switches = max(p.switches, 1)
	p.plugged = make([]int, p.switches)
	on := make([][]int32, p.switches) // GPUs, once per port, ascending
	for i, s := range p.at {
		if s >= 0 {
			p.plugged[s]++
			on[s] = append(on[s], int32(i/p.ports))
		}
	}
	known := map[string]int{}
	p.of = make([][]place, p.nodes)
	for s, gpus := range on {
		if len(gpus) == 0 {
			continue
		}
		key := make([]byte, 0, 4*len(gpus))
		for _, u := range gpus {
			key = binary.LittleEndian.AppendUint32(key, uint32(u))
		}
		i, ok := known[string(key)]
		if !ok {
			i = len(p.bundles)
			known[string(key)] = i
			b := bundle{}
			for _, u := range gpus {
				if last := len(b.gpus) - 1; last >= 0 && b.gpus[last] == u {
					b.each[last]++
				} else {
					b.gpus, b.each = append(b.gpus, u), append(b.each, 1)
				}
			}
			p.bundles = append(p.bundles, b)
		}
		p.bundles[i].switches = append(p.bundles[i].switches, s)
	}
	for i, b := range p.bundles {
		for j, u := range b.gpus {
			p.of[u] = append(p.of[u], place{i, int(b.each[j]) * len(b.switches)})
		}
	}
	p.first = make([]int, p.nodes)
	for u, places := range p.of {
		p.first[u] = len(p.rooms)
		p.rooms = append(p.rooms, each.Of(places, func(at place) int { return at.room })...)
	}
	p.single = p.onceTogether()
}

// onceTogether reports whether any two GPUs have at most one bundle in common. Bundles differ
// in their GPUs, so it counts pairs of bundles that share two GPUs.
func (p *Plugging) onceTogether() bool {
	met := map[[2]int]bool{}
	for _, places := range p.of {
		for i := range places {
			for j := range i {
				pair := [2]int{places[j].bundle, places[i].bundle}
				if met[pair] {
					return false
				}
				met[pair] = true
			}
		}
	}
	return true
}

// common yields the bundles that two GPUs have in common, ascending.
func (p *Plugging) common(u, v int) iter.Seq[int] {
	return func(yield func(int) bool) {
		a, b := p.of[u], p.of[v]
		for i, j := 0, 0; i < len(a) && j < len(b); {
			switch {
			case a[i].bundle < b[j].bundle:
				i++
			case a[i].bundle > b[j].bundle:
				j++
			case !yield(a[i].bundle):
				return
			default:
				i, j = i+1, j+1
			}
		}
	}
}

// together returns the first bundle that two GPUs have in common, or -1.
func (p *Plugging) together(u, v int) int {
	for b := range p.common(u, v) {
		return b
	}
	return -1
}

// slot numbers the pairs of a GPU and one of its bundles.
func (p *Plugging) slot(u, bundle int) int {
	for i, at := range p.of[u] {
		if at.bundle == bundle {
			return p.first[u] + i
		}
	}
	panic(fmt.Sprintf("layout: GPU %d is not plugged into bundle %d", u, bundle))
}

// Meet returns a number for the switches on which two GPUs have ports, -1 if there are none.
// Pairs with the same number share the same switches.
func (p *Plugging) Meet(u, v int) int { return p.together(u, v) }

// Joins reports whether two GPUs have a switch in common.
func (p *Plugging) Joins(u, v int) bool { return p.together(u, v) >= 0 }

// Forced reports whether every circuit has only one possible switch and one port at each end,
// so that circuits that stay never have to move.
func (p *Plugging) Forced() bool {
	if !p.single {
		return false
	}
	return !slices.ContainsFunc(p.bundles, func(b bundle) bool {
		return len(b.switches) > 1 || slices.Max(b.each) > 1
	})
}

// Group is a set of GPUs that are plugged into the same switches, and the number of ports that
// each has there.
type Group struct {
	GPUs  []int
	Ports int // the fewest of any GPU
}

// Groups yields the groups of GPUs that have switches to themselves.
func (p *Plugging) Groups() iter.Seq[Group] {
	return func(yield func(Group) bool) {
		for _, b := range p.bundles {
			g := Group{Ports: int(slices.Min(b.each)) * len(b.switches)}
			g.GPUs = append(g.GPUs, each.Of(b.gpus, func(u int32) int { return int(u) })...)
			if !yield(g) {
				return
			}
		}
	}
}
