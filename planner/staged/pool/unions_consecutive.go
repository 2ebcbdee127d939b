package pool

import (
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// union is the set of pairs of some steps. If turned, all rotations leave the steps as they are,
// and only the pairs of node 0 are in the set.
type union struct {
	turned bool
	pairs  [][2]int
	in     map[[2]int]int // the last step that has the pair
}

// add adds the pairs of a step and returns how many different pairs the step has.
func (u *union) add(w *pricing.Workload, number int) (own int) {
	pairs := func() [][2]int { return w.Steps[number].Pairs() }
	if u.turned {
		pairs = func() (list [][2]int) {
			for _, o := range w.Classes[w.ClassOf[number]].Offsets {
				list = append(list, [2]int{0, o})
			}
			return list
		}
	}
	for _, pair := range pairs() {
		last, known := u.in[pair]
		if !known {
			u.pairs = append(u.pairs, pair)
		}
		if !known || last != number {
			own++
			u.in[pair] = number
		}
	}
	return own
}

// jumps returns the jumps of the circulant that topology.Matched makes of the pairs of a turned
// union, and false if there are more than ports.
func (u *union) jumps(nodes, ports int, duplex bool) ([]int, bool) {
	var offsets []int
	for _, pair := range u.pairs {
		offsets = append(offsets, pair[1])
		if duplex {
			offsets = append(offsets, nodes-pair[1])
		}
	}
	slices.Sort(offsets)
	offsets = slices.Compact(offsets)
	if len(offsets) > ports {
		return nil, false
	}
	var jumps []int
	for _, o := range offsets {
		jumps = append(jumps, slices.Repeat([]int{o}, ports/len(offsets))...)
	}
	return jumps, true
}

// addConsecutive adds the unions of the circuits of steps i..j. It extends a union until it no
// longer fits the ports. In a pipeline most steps add no circuit to those of the steps before,
// and most unions equal the circuits of their last step; these are made once. If all rotations
// leave all steps as they are, it needs only the offsets: a thousand GPUs have a thousand times
// as many pairs.
func (p *Pool) addConsecutive(ctx context.Context, w *pricing.Workload) {
	seen := map[[2]int]bool{} // first and last class of a run of two
	made := map[int]bool{}    // classes whose circuits alone were a union
	turned := !slices.ContainsFunc(w.Classes, func(c pricing.Class) bool { return c.Offsets == nil || slices.Contains(c.Offsets, 0) })
	for i := range w.Steps {
		if i > 0 && w.ClassOf[i] == w.ClassOf[i-1] {
			continue // the unions are those of the step before
		}
		run := union{turned: turned}
		for j := i + 1; j < len(w.Steps); j++ {
			if ctx.Err() != nil {
				return
			}
			if w.ClassOf[j] == w.ClassOf[j-1] {
				continue
			}
			if ends := [2]int{w.ClassOf[i], w.ClassOf[j]}; j == i+1 {
				if seen[ends] {
					break // the same two classes came before
				}
				seen[ends] = true
			}
			if run.in == nil {
				run.in = map[[2]int]int{}
				run.add(w, i)
			}
			before := len(run.pairs)
			own := run.add(w, j)
			if len(run.pairs) == before && j > i+1 || own == len(run.pairs) && made[w.ClassOf[j]] {
				continue
			}
			if !p.addUnion(&run, fmt.Sprintf("matched:%d-%d", i+1, j+1)) {
				break
			}
			if own == len(run.pairs) {
				made[w.ClassOf[j]] = true
			}
		}
	}
}

// addUnion adds the circuits of a union. It reports false if they do not fit the ports.
func (p *Pool) addUnion(u *union, name string) bool {
	f := p.Fabric
	if u.turned {
		jumps, ok := u.jumps(f.Nodes, f.Ports, f.Duplex)
		if ok {
			p.AddJumps(jumps)
		}
		return ok
	}
	g, err := topology.Matched(f.Nodes, f.Ports, f.Duplex, u.pairs, name)
	if err != nil {
		return false
	}
	if jumps, ok := g.Jumps(); ok {
		p.AddJumps(jumps) // under its own name
	} else {
		p.Add(pricing.GraphCandidate(g))
	}
	return true
}
