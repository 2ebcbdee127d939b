package collective_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// naiveDuty says what becomes of a block of member b, or of a pair (s, d), by the
// definitions of the operations.
func naiveDuty(op collective.Op, who []int, b, s, d int) collective.Duty {
	root := who[:1]
	switch op {
	case collective.AllReduce:
		return collective.Duty{From: who, To: who, Reduces: true}
	case collective.ReduceScatter:
		return collective.Duty{From: who, To: []int{who[b]}, Reduces: true}
	case collective.RootReduce:
		return collective.Duty{From: who, To: root, Reduces: true}
	case collective.AllGather:
		return collective.Duty{From: []int{who[b]}, To: who}
	case collective.Gather:
		return collective.Duty{From: []int{who[b]}, To: root}
	case collective.Scatter:
		return collective.Duty{From: root, To: []int{who[b]}}
	case collective.Broadcast:
		return collective.Duty{From: root, To: who}
	}
	return collective.Duty{From: []int{who[s]}, To: []int{who[d]}}
}

func sameDuty(a, b collective.Duty) bool {
	return slices.Equal(a.From, b.From) && slices.Equal(a.To, b.To) && a.Reduces == b.Reduces
}

func TestDutiesAreTheDefinitionsOfTheOperations(t *testing.T) {
	const n, parts = 5, 3
	for _, op := range collective.Ops() {
		for _, members := range [][]int{nil, {4, 0, 2}} {
			who := members
			if who == nil {
				who = []int{0, 1, 2, 3, 4}
			}
			spaces := []collective.Space{collective.SpaceOf(op, n, parts)}
			if spaces[0].Kind == collective.Whole {
				spaces = append(spaces, collective.Space{Kind: collective.Blocks, Nodes: n, Parts: parts})
			}
			for _, space := range spaces {
				space.Members = members
				if err := space.Check(op, units.MiB); err != nil {
					t.Fatal(err)
				}
				duties := collective.Duties(op, &space)
				for c := range space.Chunks() {
					block := c / parts
					if space.Kind == collective.Whole {
						block = 0
					}
					want := naiveDuty(op, who, block%len(who), block/len(who), block%len(who))
					if got := duties(c); !sameDuty(got, want) {
						t.Errorf("%s on %v, %s: chunk %d: %+v, want %+v", op, who, space.Kind, c, got, want)
					}
				}
			}
		}
	}
}

func TestPairsWithoutBytesHaveNoDuty(t *testing.T) {
	space := collective.SpaceOf(collective.AllToAll, 3, 2)
	space.Sizes = collective.Demand{{0, 5, 0}, {1, 0, 0}, {0, 0, 3}}
	duties := collective.Duties(collective.AllToAll, &space)
	for c := range space.Chunks() {
		src, dst := c/2/3, c/2%3
		got := duties(c)
		if has := space.Sizes[src][dst] > 0; has != (len(got.From) == 1 && len(got.To) == 1) {
			t.Errorf("%d to %d: %+v", src, dst, got)
		}
	}
}

// The chunks of sections have the duties of their operations, one after the other.
func TestDutiesOfSections(t *testing.T) {
	const n = 4
	piece := collective.Piece{Bytes: 2.5, From: []int{1, 3}, To: []int{0, 2}, Reduces: true}
	parts := []struct {
		op    collective.Op
		space collective.Space
	}{
		{collective.AllReduce, collective.SpaceOf(collective.AllReduce, n, 2)},
		{collective.Pattern, collective.Space{Kind: collective.Listed, Nodes: n, Pieces: []collective.Piece{piece}}},
		{collective.Broadcast, collective.Space{Kind: collective.Whole, Nodes: n, Parts: 3, Members: []int{2, 0}}},
		{collective.AllToAll, collective.SpaceOf(collective.AllToAll, n, 1)},
	}
	whole := collective.Space{Kind: collective.Sections, Nodes: n}
	for _, p := range parts {
		whole.Sections = append(whole.Sections, collective.Section{Op: p.op, Size: 3, Space: p.space})
	}
	if err := whole.Check(collective.Sequence, 12); err != nil {
		t.Fatal(err)
	}
	duties := collective.Duties(collective.Sequence, &whole)
	c := 0
	for _, p := range parts {
		own := collective.Duties(p.op, &p.space)
		for local := range p.space.Chunks() {
			if got, want := duties(c), own(local); !sameDuty(got, want) {
				t.Errorf("chunk %d of %s: %+v, want %+v", local, p.op, got, want)
			}
			c++
		}
	}
	if c != whole.Chunks() {
		t.Errorf("%d chunks, want %d", whole.Chunks(), c)
	}
}

// From where a duty starts to where the next does, all chunks have the same.
func TestDutiesStartWhereTheyAreSaidTo(t *testing.T) {
	check := func(op collective.Op, s *collective.Space) {
		t.Helper()
		starts := slices.Collect(collective.DutyStarts(op, s))
		if len(starts) == 0 || starts[0] != 0 || !slices.IsSorted(starts) {
			t.Fatalf("%s: duties start at %v, want 0 and then ascending", op, starts)
		}
		duties := collective.Duties(op, s)
		for c := 1; c < s.Chunks(); c++ {
			a, b := duties(c-1), duties(c)
			same := slices.Equal(a.From, b.From) && slices.Equal(a.To, b.To) && a.Reduces == b.Reduces
			if !same && !slices.Contains(starts, c) {
				t.Errorf("%s: chunk %d has another duty than the one before it, and none starts there", op, c)
			}
		}
	}
	var sections []collective.Section
	for _, op := range collective.Ops() {
		s := collective.SpaceOf(op, 4, 3)
		check(op, &s)
		sections = append(sections, collective.Section{Op: op, Size: 64, Space: s})
	}
	all := collective.Space{Kind: collective.Sections, Nodes: 4, Sections: sections}
	check(collective.Sequence, &all)
	listed := collective.Space{Kind: collective.Listed, Nodes: 4, Pieces: []collective.Piece{
		{From: []int{0}, To: []int{1}}, {From: []int{0}, To: []int{2}}, {From: []int{1, 2}, To: []int{3}, Reduces: true},
	}}
	check(collective.Pattern, &listed)
}
