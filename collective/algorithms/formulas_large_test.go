package algorithms_test

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// largeSizes returns powers of 2 and 3, and of 7 with -every, and a number that is not a power.
func largeSizes() []int {
	if !samples.Every() {
		return []int{64, 81, 100, 128}
	}
	return []int{64, 81, 100, 128, 243, 256, 343}
}

// leg is one move of a chunk in a step.
type leg struct {
	step, src, dst int
	action         collective.Action
}

// journeys holds the legs, step by step, of chunks that represent all others.
type journeys map[int][]leg

// commonGroup returns the symmetry group that all steps share, if chunks move along with nodes.
func commonGroup(c *collective.Collective) topology.Translations {
	for _, step := range c.Steps {
		if !reflect.DeepEqual(step.Group, c.Steps[0].Group) || c.Op.Rooted() || c.Space.Kind == collective.Whole {
			return topology.Translations{}
		}
	}
	return c.Steps[0].Group
}

// ownersOf returns the node that holds a chunk at the start of an operation and the node that
// holds it at the end, or 0 and 0 if these are the same for all chunks.
func ownersOf(c *collective.Collective, chunk int) (first, last int) {
	block := chunk / c.Space.Parts
	switch c.Op {
	case collective.AllReduce, collective.Broadcast, collective.RootReduce:
		return 0, 0
	case collective.AllToAll:
		return block / c.Nodes, block % c.Nodes
	}
	return block, block
}

// travel follows the chunks. If the steps have a common group, it follows only the chunks of the
// first node of each orbit; the legs of the others are images of theirs.
func travel(c *collective.Collective) journeys {
	group := commonGroup(c)
	if group.Trivial() {
		return travelAlike(c)
	}
	j := journeys{}
	for chunk := range c.Space.Chunks() {
		if c.Space.Home(group, chunk) == 0 {
			j[chunk] = nil
		}
	}
	for i, step := range c.Steps {
		for _, t := range step.Base {
			for chunk := range t.Chunks.All() {
				k := group.Inverse(c.Space.Home(group, chunk))
				home := c.Space.Move(group, k, chunk)
				j[home] = append(j[home], leg{i, group.Apply(k, t.Src), group.Apply(k, t.Dst), t.Action})
			}
		}
	}
	return j
}

// travelAlike follows one chunk of each set of chunks that start and end at the same nodes and
// are in the same transfers.
func travelAlike(c *collective.Collective) journeys {
	var names setNames
	var legs []leg
	var sets []int // the set of chunks of each leg
	for i, step := range c.Steps {
		for t := range step.All(c.Space) {
			legs, sets = append(legs, leg{i, t.Src, t.Dst, t.Action}), append(sets, names.of(t.Chunks))
		}
	}
	j := journeys{}
	for _, chunk := range names.different(c) {
		j[chunk] = nil
	}
	followed := make([][]int, len(names.sets)) // the chunks of a set that stand for others
	for name, chunks := range names.sets {
		for chunk := range chunks.All() {
			if _, ok := j[chunk]; ok {
				followed[name] = append(followed[name], chunk)
			}
		}
	}
	for i, l := range legs {
		for _, chunk := range followed[sets[i]] {
			j[chunk] = append(j[chunk], l)
		}
	}
	return j
}

// setNames numbers sets of chunks.
type setNames struct {
	sets  []collective.Chunks
	names map[named]int
	parts int
}

// named is a run after those that another number stands for.
type named struct {
	before int
	run    collective.Run
	end    bool
}

// of returns the number of a set, the same for the same runs.
func (s *setNames) of(chunks collective.Chunks) int {
	if s.names == nil {
		s.names = map[named]int{}
	}
	before := 0
	for i, run := range chunks {
		key := named{before, run, i == len(chunks)-1}
		number, ok := s.names[key]
		switch {
		case !ok && key.end:
			number = len(s.sets)
			s.names[key], s.sets = number, append(s.sets, chunks)
		case !ok:
			s.parts++
			number = s.parts
			s.names[key] = number
		}
		before = number
	}
	return before
}

// different returns one of the chunks that have the same owners and are in the same sets.
func (s *setNames) different(c *collective.Collective) []int {
	kind := make([]int, c.Space.Chunks()) // equal for chunks that are alike so far
	kinds := 0
	refine := func(chunks iter.Seq[int], by func(chunk int) int) {
		finer := map[[2]int]int{}
		for chunk := range chunks {
			key := [2]int{kind[chunk], by(chunk)}
			if _, ok := finer[key]; !ok {
				kinds++
				finer[key] = kinds
			}
			kind[chunk] = finer[key]
		}
	}
	refine(collective.Every(0, 1, len(kind)).All(), func(chunk int) int {
		first, last := ownersOf(c, chunk)
		return first*c.Nodes + last
	})
	for _, set := range s.sets {
		refine(set.All(), func(int) int { return 0 })
	}
	seen := make([]bool, kinds+1)
	var different []int
	for chunk, k := range kind {
		if !seen[k] {
			seen[k] = true
			different = append(different, chunk)
		}
	}
	return different
}

// nodeSets holds, for every node, the set of nodes whose contributions its copy of a chunk
// contains.
type nodeSets struct {
	words int
	sets  []uint64
}

func (s *nodeSets) at(u int) []uint64 { return s.sets[u*s.words : (u+1)*s.words] }

// begin gives every node its initial part of a chunk.
func (s *nodeSets) begin(op collective.Op, n, first int) {
	clear(s.sets)
	for u := range n {
		switch op {
		case collective.AllReduce, collective.ReduceScatter, collective.RootReduce:
		case collective.Broadcast, collective.Scatter:
			if u != 0 {
				continue
			}
		default:
			if u != first {
				continue
			}
		}
		s.at(u)[u/64] |= 1 << (u % 64)
	}
}

// step applies the legs of one step. All legs read the state before the step.
func (s *nodeSets) step(legs []leg) error {
	read := make([]uint64, 0, len(legs)*s.words)
	for _, m := range legs {
		read = append(read, s.at(m.src)...)
	}
	for i, m := range legs {
		what, into := read[i*s.words:(i+1)*s.words], s.at(m.dst)
		sum := count(into) + count(what)
		switch {
		case count(what) == 0:
			return fmt.Errorf("step %d: %d sends to %d what it does not have", m.step+1, m.src, m.dst)
		case m.action == collective.Copy:
			if slices.ContainsFunc(legs[:i], func(e leg) bool { return e.dst == m.dst }) {
				return fmt.Errorf("step %d: %d is written twice", m.step+1, m.dst)
			}
			copy(into, what)
			continue
		case sum == count(what):
			return fmt.Errorf("step %d: %d has nothing to reduce into", m.step+1, m.dst)
		}
		for w := range into {
			into[w] |= what[w]
		}
		if count(into) != sum {
			return fmt.Errorf("step %d: %d counts a contribution twice", m.step+1, m.dst)
		}
	}
	return nil
}

// end compares what the nodes hold with what the operation promises.
func (s *nodeSets) end(op collective.Op, n, first, last int) error {
	for u := range n {
		contributions, from := n, -1
		switch op {
		case collective.AllGather, collective.AllToAll, collective.Gather:
			contributions, from = 1, first
		case collective.Broadcast, collective.Scatter:
			contributions, from = 1, 0
		}
		switch op {
		case collective.RootReduce, collective.Gather:
			if u != 0 {
				continue
			}
		case collective.ReduceScatter, collective.AllToAll, collective.Scatter:
			if u != last {
				continue
			}
		}
		has := s.at(u)
		if count(has) != contributions || from >= 0 && has[from/64]>>(from%64)&1 == 0 {
			return fmt.Errorf("node %d ends with %d contributions, want %d", u, count(has), contributions)
		}
	}
	return nil
}

// runLarge runs the representative chunks on data, one by one.
func runLarge(c *collective.Collective) error {
	held := &nodeSets{words: (c.Nodes + 63) / 64}
	held.sets = make([]uint64, c.Nodes*held.words)
	j := travel(c)
	for _, chunk := range slices.Sorted(maps.Keys(j)) {
		first, last := ownersOf(c, chunk)
		held.begin(c.Op, c.Nodes, first)
		for legs := j[chunk]; len(legs) > 0; {
			end := 1
			for end < len(legs) && legs[end].step == legs[0].step {
				end++
			}
			if err := held.step(legs[:end]); err != nil {
				return fmt.Errorf("chunk %d: %w", chunk, err)
			}
			legs = legs[end:]
		}
		if err := held.end(c.Op, c.Nodes, first, last); err != nil {
			return fmt.Errorf("chunk %d: %w", chunk, err)
		}
	}
	return nil
}

// bulky are the algorithms whose steps have more peers than ports, so that planners must split
// them.
var bulky = []string{"direct", "direct-exchange"}

// mostPeers returns the largest number of peers of a node in a step.
func mostPeers(c *collective.Collective) int {
	most := 0
	for _, step := range c.Steps {
		sends, receives := make([]int, c.Nodes), make([]int, c.Nodes)
		for _, pair := range step.Pairs() {
			sends[pair[0]]++
			receives[pair[1]]++
		}
		most = max(most, slices.Max(sends), slices.Max(receives))
	}
	return most
}

// Every algorithm does what it promises on large numbers of nodes with every number of
// ports, and keeps to its ports. (TestRetriDeliversByBalancedDigits and
// TestBruckIndexDeliversByDigits run theirs at these sizes.)
func TestAlgorithmsAchieveTheirOperationsOnLargeSizes(t *testing.T) {
	for _, a := range algorithms.Algorithms() {
		if a.Name == "retri" || a.Name == "bruck-index" {
			continue
		}
		for _, op := range a.Ops {
			t.Run(fmt.Sprintf("%s/%s", a.Name, op), func(t *testing.T) {
				for _, n := range largeSizes() {
					checkLarge(t, a, op, n)
				}
			})
		}
	}
}

func checkLarge(t *testing.T, a algorithms.Algorithm, op collective.Op, n int) {
	t.Helper()
	var before []collective.Step
	for _, ports := range []int{1, 2, 3, 4, 6} {
		if a.Supports(op, collective.Shape{Nodes: n, Ports: ports}) != nil {
			continue
		}
		c := lay(t, op, a.Name, n, ports)
		if slices.EqualFunc(c.Steps, before, sameStep) {
			continue // more ports only widen its circuits
		}
		before = c.Steps
		if most := mostPeers(c); most > ports && !slices.Contains(bulky, a.Name) {
			t.Errorf("%d nodes with %d ports: a node has %d peers", n, ports, most)
		}
		if err := runLarge(c); err != nil {
			t.Errorf("%d nodes with %d ports: %v", n, ports, err)
		}
	}
}

func sameStep(a, b collective.Step) bool {
	return reflect.DeepEqual(a.Group, b.Group) && slices.EqualFunc(a.Base, b.Base, func(t, u collective.Transfer) bool {
		return t.Src == u.Src && t.Dst == u.Dst && t.Action == u.Action && slices.Equal(t.Chunks, u.Chunks)
	})
}

// A missing step and a repeated reduction are detected.
func TestLargeRunsSeeErrors(t *testing.T) {
	for _, a := range algorithms.Algorithms() {
		for _, op := range a.Ops {
			for _, n := range []int{64, 81} {
				if a.Supports(op, collective.Shape{Nodes: n, Ports: 2}) != nil {
					continue
				}
				c := lay(t, op, a.Name, n, 2)
				steps := c.Steps
				for _, i := range []int{0, len(steps) / 2, len(steps) - 1} {
					c.Steps = slices.Concat(steps[:i], steps[i+1:])
					if len(c.Steps) > 0 && runLarge(c) == nil {
						t.Errorf("%s %s on %d nodes without step %d: nothing is missed", a.Name, op, n, i+1)
					}
					if c.Steps = slices.Concat(steps[:i+1], steps[i:]); op.Reduces() && steps[i].Base[0].Action == collective.Reduce && runLarge(c) == nil {
						t.Errorf("%s %s on %d nodes with step %d twice: nothing is missed", a.Name, op, n, i+1)
					}
				}
			}
		}
	}
}
