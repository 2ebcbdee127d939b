package staged

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// addUnions adds, where there are several ports, topologies that serve several steps at
// once: the circuits that match consecutive steps together, as far as the ports reach,
// and, for steps that look the same from every node, the circulants whose jumps are the
// offsets of any few of them.
func (p *pool) addUnions(w *workload) {
	if p.fabric.Ports < 2 {
		return
	}
	rotational := slices.ContainsFunc(w.classes, func(c class) bool { return c.offsets != nil })
	if rotational || len(w.classes) <= maxUnionClasses {
		p.addConsecutive(w)
	}
	p.addJumpSets(w)
}

// maxUnionClasses is the number of different steps up to which unions of those without
// symmetry are worth it: each is a candidate for all others, which must be looked at.
const maxUnionClasses = 32

// addConsecutive adds the unions of the circuits of steps i..j. A union that fits is
// extended until it does not.
func (p *pool) addConsecutive(w *workload) {
	f := p.fabric
	seen := map[[2]int]bool{} // first and last class of a run of two
	for i := range w.steps {
		pairs := w.steps[i].Pairs()
		for j := i + 1; j < len(w.steps); j++ {
			if w.classOf[j] == w.classOf[j-1] {
				continue
			}
			if run := [2]int{w.classOf[i], w.classOf[j]}; j == i+1 {
				if seen[run] {
					break // the same two steps came before
				}
				seen[run] = true
			}
			pairs = append(pairs, w.steps[j].Pairs()...)
			g, err := topology.Matched(f.Nodes, f.Ports, f.Duplex, pairs, fmt.Sprintf("matched:%d-%d", i+1, j+1))
			if err != nil {
				break
			}
			if jumps, ok := g.Jumps(); ok {
				p.addJumps(jumps) // under its own name
				continue
			}
			p.add(graphCandidate(g))
		}
	}
}

// maxJumpSets bounds the circulants of addJumpSets: where there would be more, as in an
// all-to-all, which has an offset for every node, consecutive steps must do.
const maxJumpSets = 300

// addJumpSets adds the circulants of the offsets of any few steps.
func (p *pool) addJumpSets(w *workload) {
	f := p.fabric
	var offsets []int
	for i := range w.classes {
		for _, o := range w.classes[i].offsets {
			if f.Duplex {
				o = min(o, f.Nodes-o)
			}
			offsets = append(offsets, o)
		}
	}
	slices.Sort(offsets)
	offsets = slices.Compact(offsets)
	room := f.Ports
	if f.Duplex {
		room /= 2
	}
	if subsets(len(offsets), room) > maxJumpSets {
		return
	}
	var choose func(from int, chosen []int)
	choose = func(from int, chosen []int) {
		if len(chosen) >= 2 {
			p.addJumps(p.wide(chosen))
		}
		if len(chosen) == room {
			return
		}
		for i := from; i < len(offsets); i++ {
			choose(i+1, append(slices.Clone(chosen), offsets[i]))
		}
	}
	choose(0, nil)
}

// wide gives every offset as many circuits as the ports allow, and on a duplex fabric
// those that lead back.
func (p *pool) wide(offsets []int) []int {
	n := p.fabric.Nodes
	var jumps []int
	need := 0
	for _, o := range offsets {
		need++
		if p.fabric.Duplex && 2*o != n {
			need++
		}
	}
	for range max(1, p.fabric.Ports/need) {
		for _, o := range offsets {
			jumps = append(jumps, o)
			if p.fabric.Duplex && 2*o != n {
				jumps = append(jumps, n-o)
			}
		}
	}
	return jumps
}

// subsets counts the sets of at most k of n things, or something above maxJumpSets.
func subsets(n, k int) int {
	sum, choose := 0, 1
	for i := 1; i <= min(n, k) && sum <= maxJumpSets; i++ {
		choose = choose * (n - i + 1) / i
		sum += choose
	}
	return sum
}
