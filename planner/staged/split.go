package staged

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow/matching"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// split divides each step that needs more circuits than there are ports into several steps that
// do not: the Birkhoff-von Neumann view of a bulk step (HARVEST §3.3). It reports whether it
// divided any step. Steps of one class have the same pairs. Steps that share their transfers in
// memory, such as the thousands of steps in a pipeline's sketch, are divided once and share their
// parts.
func split(ctx context.Context, f *fabric.Fabric, c *collective.Collective, classOf []int) (steps []collective.Step, changed bool, err error) {
	fits := map[int]bool{}
	shared := map[*collective.Transfer]*apart{} // by the first transfer
	written := newPlaces(c.Space)
	room := mostTakenApart
	for i, step := range c.Steps {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		fit, ok := fits[classOf[i]]
		if !ok {
			fit = pricing.FitsPorts(f, step)
			fits[classOf[i]] = fit
		}
		if fit {
			steps = append(steps, step)
			continue
		}
		a := shared[&step.Base[0]]
		if a == nil || !a.of(step) || a.size > room {
			parts, err := splitStep(ctx, f, c.Space, step, room)
			if err != nil {
				return nil, false, err
			}
			if parts == nil {
				return nil, false, fmt.Errorf("%w: step %d needs more than %d ports, and to take it apart means to list more than %d transfers",
					planner.ErrInfeasible, i+1, f.Ports, mostTakenApart)
			}
			a = newApart(step, parts)
			shared[&step.Base[0]] = a
		}
		room -= a.size
		parts := a.parts
		if len(steps) > 0 && a.lastHasPairsOf(steps[len(steps)-1]) {
			// The circuits that are up match the last part, so begin with it.
			if turned := a.reversed(); turned.independent(written) == nil {
				parts = turned.parts
			}
		}
		if err := a.independent(written); err != nil {
			return nil, false, fmt.Errorf("%w: step %d needs more than %d ports and cannot be taken apart: %v",
				planner.ErrInfeasible, i+1, f.Ports, err)
		}
		steps = append(steps, parts...)
		changed = true
	}
	return steps, changed, nil
}

// apart is a step and the parts into which it was divided.
type apart struct {
	step   collective.Step
	parts  []collective.Step
	size   int      // transfers that the parts list
	last   [][2]int // pairs of the last part, in ascending order
	turned *apart   // with the parts in the opposite order; nil until needed

	before collective.Step // the step last compared with the last part
	served bool            // whether that step has the same pairs

	looked bool
	err    error // why the parts cannot follow one another, once looked is true
}

func newApart(step collective.Step, parts []collective.Step) *apart {
	a := &apart{step: step, parts: parts, last: sortedPairs(parts[len(parts)-1])}
	for _, part := range parts {
		a.size += len(part.Base)
	}
	return a
}

// of reports whether a is the division of step.
func (a *apart) of(step collective.Step) bool { return shareTransfers(a.step, step) }

// shareTransfers reports whether two steps have the same transfers in the same memory.
func shareTransfers(a, b collective.Step) bool {
	return len(a.Base) == len(b.Base) && len(a.Base) > 0 && &a.Base[0] == &b.Base[0] && a.Group.Equal(b.Group)
}

// reversed returns a with the parts in the opposite order.
func (a *apart) reversed() *apart {
	if a.turned == nil {
		turned := slices.Clone(a.parts)
		slices.Reverse(turned)
		a.turned = &apart{step: a.step, parts: turned}
	}
	return a.turned
}

// independent returns why the parts cannot follow one another, or nil.
func (a *apart) independent(written *places) error {
	if !a.looked {
		a.looked, a.err = true, independent(written, a.step, a.parts)
	}
	return a.err
}

// lastHasPairsOf reports whether the last part asks for the same circuits as a step.
func (a *apart) lastHasPairsOf(step collective.Step) bool {
	if !shareTransfers(a.before, step) {
		a.before, a.served = step, step.Len() == len(a.last) && slices.Equal(a.last, sortedPairs(step))
	}
	return a.served
}

// sortedPairs lists the pairs of a step in ascending order.
func sortedPairs(s collective.Step) [][2]int {
	pairs := s.Pairs()
	slices.SortFunc(pairs, func(x, y [2]int) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	return pairs
}

// mostTakenApart limits the transfers that split lists, which take some gigabytes. An all-to-all
// on two-way circuits of one port would need the square of the number of GPUs: 2^32 for 65536.
const mostTakenApart = 1 << 26

// splitStep deals the transfers out to parts that each fit the ports. Under a transitive group
// every base transfer is a permutation, so f.Ports of them fit in one part and the symmetry stays;
// otherwise a bipartite edge colouring gives the fewest matchings. For two-way circuits,
// splitRotations and splitEvenCycles divide rotations, and dealTwoWay deals out other transfers
// greedily. splitStep returns nil if it would have to list more than room transfers.
func splitStep(ctx context.Context, f *fabric.Fabric, space collective.Space, step collective.Step, room int) ([]collective.Step, error) {
	var parts []collective.Step
	if !f.Duplex && step.Group.Order() == f.Nodes {
		for i := 0; i < len(step.Base); i += f.Ports {
			parts = append(parts, collective.Step{Group: step.Group, Base: step.Base[i:min(i+f.Ports, len(step.Base))]})
		}
		return parts, nil
	}
	if f.Duplex && len(step.Group.Dims) == 1 && step.Group.Stride[0] == 1 {
		if f.Ports >= 2 {
			return splitRotations(f, step), nil
		}
		if parts := splitEvenCycles(space, step); parts != nil {
			return parts, nil
		}
	}
	if step.Len() > room {
		return nil, nil
	}
	all := slices.Collect(step.All(space))
	deal := func(part int, t collective.Transfer) {
		for len(parts) <= part {
			parts = append(parts, collective.Step{})
		}
		parts[part].Base = append(parts[part].Base, t)
	}
	if !f.Duplex {
		for colour, members := range matching.Divide(f.Nodes, step.Pairs()) {
			for _, m := range members {
				deal(colour/f.Ports, all[m])
			}
		}
		return parts, nil
	}
	return dealTwoWay(ctx, f, all)
}

// dealTwoWay deals each transfer out to the first part with room for it, so that two-way circuits
// for all transfers of a part fit the ports. A part that is full for a node stays full, and the
// search skips it from then on: a root may have as many parts as peers.
func dealTwoWay(ctx context.Context, f *fabric.Fabric, all []collective.Transfer) (parts []collective.Step, err error) {
	var used []map[int]int    // ports in use, per part and node
	first := map[[2]int]int{} // part in which a pair has a circuit
	free := map[int]int{}     // by node: the first part that may have room
	for i, t := range all {
		if i%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		pair := [2]int{min(t.Src, t.Dst), max(t.Src, t.Dst)}
		for _, u := range pair {
			for free[u] < len(parts) && used[free[u]][u] >= f.Ports {
				free[u]++
			}
		}
		part := max(free[t.Src], free[t.Dst])
		for part < len(parts) && (used[part][t.Src] >= f.Ports || used[part][t.Dst] >= f.Ports) {
			part++
		}
		if known, ok := first[pair]; ok {
			part = known // it was the first part with room, so no earlier part has room now
		} else {
			first[pair] = part
			if part == len(parts) {
				used, parts = append(used, map[int]int{}), append(parts, collective.Step{})
			}
			used[part][t.Src]++
			used[part][t.Dst]++
		}
		parts[part].Base = append(parts[part].Base, t)
	}
	return parts, nil
}

// splitRotations deals rotations out to parts on a duplex fabric: the offsets k and n-k share the
// two-way circuits between u and u+k, which take two ports of every node, or one port if k is
// n/2.
func splitRotations(f *fabric.Fabric, step collective.Step) []collective.Step {
	n := f.Nodes
	var distances []int
	by := map[int][]collective.Transfer{}
	for _, t := range step.Base {
		k := arithmetic.Offset(t.Src, t.Dst, n)
		k = min(k, n-k)
		if by[k] == nil {
			distances = append(distances, k)
		}
		by[k] = append(by[k], t)
	}
	slices.Sort(distances)
	var parts []collective.Step
	free := 0
	for _, k := range distances {
		ports := 2
		if 2*k == n {
			ports = 1
		}
		if free < ports {
			parts = append(parts, collective.Step{Group: step.Group})
			free = f.Ports
		}
		free -= ports
		last := &parts[len(parts)-1]
		last.Base = append(last.Base, by[k]...)
	}
	return parts
}

// splitEvenCycles deals one rotation, forth and back, out to two matchings of two-way circuits:
// circuits from u to u+k with u in an even block of k nodes, and the others. Both matchings look
// the same from every second block, so a part lists at most k images of a transfer.
// splitEvenCycles returns nil if blocks do not pair up or the step has more than one rotation.
func splitEvenCycles(space collective.Space, step collective.Step) []collective.Step {
	n, first := step.Group.Dims[0], step.Base[0]
	k := arithmetic.Offset(first.Src, first.Dst, n)
	k = min(k, n-k)
	if k == 0 || 2*k == n || n%(2*k) != 0 {
		return nil
	}
	for _, t := range step.Base {
		if away := arithmetic.Offset(t.Src, t.Dst, n); t.Src != first.Src || min(away, n-away) != k {
			return nil
		}
	}
	begins := func(t *collective.Transfer) int { // where its circuit begins
		if arithmetic.Offset(t.Src, t.Dst, n) == k {
			return t.Src
		}
		return t.Dst
	}
	parts := make([]collective.Step, 2)
	for i := range parts {
		parts[i].Group = topology.Rotations(n, 2*k)
	}
	for t := range step.EachUnder(space, parts[0].Group) {
		block := arithmetic.Offset(begins(&first), begins(&t), n) / k
		parts[block%2].Base = append(parts[block%2].Base, t)
	}
	return parts
}

// independent checks that no part reads what an earlier one wrote: only then do consecutive parts
// have the same effect as the whole step. It checks one place per orbit of the parts' common
// group. If the whole step reads nothing that it writes, any order of its parts works; the step's
// own group is larger, so that check comes first.
func independent(written *places, step collective.Step, parts []collective.Step) error {
	if untouched(written, step) {
		return nil
	}
	written.empty()
	group := parts[0].Group
	at := func(node, chunk int) place {
		k, _ := group.Locate(node)
		back := group.Inverse(k)
		return place{group.Apply(back, node), written.space.Move(group, back, chunk)}
	}
	for _, part := range parts {
		for _, t := range part.Base {
			for c := range t.Chunks.All() {
				if written.has(at(t.Src, c)) {
					return fmt.Errorf("node %d would send chunk %d after receiving it", t.Src, c)
				}
				if t.Action == collective.Replace && written.has(at(t.Dst, c)) {
					return fmt.Errorf("node %d would replace a part of the sum of chunk %d", t.Dst, c)
				}
			}
		}
		for _, t := range part.Base {
			for c := range t.Chunks.All() {
				written.add(at(t.Dst, c))
			}
		}
	}
	return nil
}

// untouched reports whether a step reads no place that it writes and, if it replaces values,
// writes no place twice. It checks one place per orbit of the step's group.
func untouched(written *places, step collective.Step) bool {
	written.empty()
	at := func(node, chunk int) place {
		k, home := step.Group.Locate(node)
		return place{home, written.space.Move(step.Group, step.Group.Inverse(k), chunk)}
	}
	replaces := slices.ContainsFunc(step.Base, func(t collective.Transfer) bool { return t.Action == collective.Replace })
	for _, t := range step.Base {
		for c := range t.Chunks.All() {
			p := at(t.Dst, c)
			if replaces && written.has(p) {
				return false
			}
			written.add(p)
		}
	}
	for _, t := range step.Base {
		for c := range t.Chunks.All() {
			if written.has(at(t.Src, c)) {
				return false
			}
		}
	}
	return true
}

// place is where a chunk is held.
type place struct{ node, chunk int }

// places is a set of places: a bit for each or, if that would be too many bits, a map.
type places struct {
	space  collective.Space
	chunks int
	bits   []uint64
	few    map[place]bool
	added  []int // indices of non-zero words of bits, each once
}

// mostBits is the largest number of places with a bit each: 16 MiB.
const mostBits = 1 << 27

// newPlaces makes an empty set.
func newPlaces(space collective.Space) *places {
	return &places{space: space, chunks: space.Chunks()}
}

// empty removes all places. The first call allocates the bits, and later calls reuse them: a
// pipeline has thousands of steps with few transfers.
func (p *places) empty() {
	switch {
	case p.chunks > mostBits/p.space.Nodes:
		p.few = map[place]bool{}
	case p.bits == nil:
		p.bits = make([]uint64, (p.chunks*p.space.Nodes+63)/64)
	}
	for _, i := range p.added {
		p.bits[i] = 0
	}
	p.added = p.added[:0]
}

func (p *places) has(at place) bool {
	if p.bits == nil {
		return p.few[at]
	}
	i := at.node*p.chunks + at.chunk
	return p.bits[i/64]>>(i%64)&1 == 1
}

func (p *places) add(at place) {
	if p.bits == nil {
		p.few[at] = true
		return
	}
	i := at.node*p.chunks + at.chunk
	if p.bits[i/64] == 0 {
		p.added = append(p.added, i/64)
	}
	p.bits[i/64] |= 1 << (i % 64)
}
