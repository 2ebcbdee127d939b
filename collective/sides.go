package collective

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"
)

// MostSides is the largest number of side sums of a chunk at a node.
const MostSides = 8

// Sides is a set of side sums. A node has up to MostSides of them for every chunk besides its
// value, all empty at first. A transfer that reduces names those to which the node adds what
// arrives, besides its value. So a node can later send a sum of some of what it has received
// (SidePart): where windows from both sides overlap, one has to leave out what the other brings.
type Sides uint8

// SidesOf returns the set of the given side sums, from 1 to MostSides.
func SidesOf(list ...int) Sides {
	var s Sides
	for _, side := range list {
		s |= 1 << (side - 1)
	}
	return s
}

// Has reports whether the set contains a side sum.
func (s Sides) Has(side int) bool { return s>>(side-1)&1 != 0 }

// All yields the side sums of the set, in ascending order.
func (s Sides) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for rest := s; rest != 0; rest &= rest - 1 {
			if !yield(bits.TrailingZeros8(uint8(rest)) + 1) {
				return
			}
		}
	}
}

// Check reports side sums that a transfer with the given action cannot have.
func (s Sides) Check(a Action) error {
	if s != 0 && a != Reduce {
		return fmt.Errorf("sides are for action %q, not %q", Reduce, a)
	}
	return nil
}

// MarshalJSON writes the set as a list.
func (s Sides) MarshalJSON() ([]byte, error) {
	list := make([]int, 0, MostSides)
	list = slices.AppendSeq(list, s.All())
	return json.Marshal(list)
}

// UnmarshalJSON reads a list of side sums in ascending order.
func (s *Sides) UnmarshalJSON(data []byte) error {
	var list []int
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("sides: want a list of numbers: %w", err)
	}
	read, err := ListedSides(list)
	if err != nil {
		return fmt.Errorf("sides: %w", err)
	}
	*s = read
	return nil
}

// ListedSides returns the set of the listed side sums. They must ascend.
func ListedSides(list []int) (Sides, error) {
	if len(list) == 0 {
		return 0, errors.New("the list is empty; leave it out")
	}
	last := 0
	for _, side := range list {
		if side < 1 || side > MostSides {
			return 0, fmt.Errorf("%d is not from 1 to %d", side, MostSides)
		}
		if side <= last {
			return 0, fmt.Errorf("%d after %d; want ascending numbers", side, last)
		}
		last = side
	}
	return SidesOf(list...), nil
}
