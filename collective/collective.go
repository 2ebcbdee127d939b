package collective

import (
	"fmt"
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// Action is what a transfer does at its receiver.
type Action string

// The actions.
const (
	// Copy replaces what the receiver holds of the chunks.
	Copy Action = "copy"
	// Reduce combines the chunks with what the receiver holds of them.
	Reduce Action = "reduce"
	// Replace overwrites the receiver's chunks with the sum of everything that arrives with
	// Replace in the step. The old value is not part of that sum. No other action may bring the
	// receiver these chunks in that step.
	Replace Action = "replace"
)

// Actions lists the actions of transfers.
func Actions() []Action { return []Action{Copy, Reduce, Replace} }

// Check reports an unknown action.
func (a Action) Check() error {
	if slices.Contains(Actions(), a) {
		return nil
	}
	return fmt.Errorf("action %.40q is not %q, %q or %q", a, Copy, Reduce, Replace)
}

// Adds reports whether the receiver adds up what arrives.
func (a Action) Adds() bool { return a == Reduce || a == Replace }

// Transfer moves chunks from Src to Dst, or those parts of their sums that Src has.
type Transfer struct {
	Src, Dst int
	Action   Action
	Part     Part
	Sides    Sides // of Dst, to which it also adds
	Chunks   Chunks
}

// Step is the set of transfers between two barriers. All of them read what nodes held when the
// step began. Base stands for its images under every element of Group; with the trivial group
// it is the whole step.
type Step struct {
	Group topology.Translations
	Base  []Transfer
}

// Reduced returns the most bytes that any node reduces in the step.
func (s Step) Reduced(bytes func(Chunks) float64) float64 {
	sums, most := map[int]float64{}, 0.0
	for _, t := range s.Base {
		if !t.Action.Adds() {
			continue
		}
		// Every node of an orbit reduces the same amount.
		_, home := s.Group.Locate(t.Dst)
		sums[home] += bytes(t.Chunks)
		most = max(most, sums[home])
	}
	return most
}

// Collective is an algorithm laid out for a number of nodes.
type Collective struct {
	Op        Op
	Algorithm string
	Nodes     int
	Space     Space
	Steps     []Step
}

// All yields every transfer of the step: the images of Base under element 0, then
// under element 1, and so on.
func (s Step) All(space Space) iter.Seq[Transfer] {
	return func(yield func(Transfer) bool) {
		for k := range s.Group.Order() {
			for i := range s.Base {
				if !yield(s.image(space, k, &s.Base[i])) {
					return
				}
			}
		}
	}
}

// image returns the image of a transfer under an element of the group.
func (s Step) image(space Space, k int, t *Transfer) Transfer {
	return Transfer{
		Src:    s.Group.Apply(k, t.Src),
		Dst:    s.Group.Apply(k, t.Dst),
		Action: t.Action,
		Part:   t.Part,
		Sides:  t.Sides,
		Chunks: space.Translate(s.Group, k, t.Chunks),
	}
}

// Under returns the same step with a subgroup of its group. Its base transfers are the images
// of the original ones under one element of each coset.
func (s Step) Under(space Space, sub topology.Translations) Step {
	base := make([]Transfer, 0, len(s.Base)*s.Group.Order()/sub.Order())
	return Step{Group: sub, Base: slices.AppendSeq(base, s.EachUnder(space, sub))}
}

// EachUnder yields the base transfers of Under.
func (s Step) EachUnder(space Space, sub topology.Translations) iter.Seq[Transfer] {
	return func(yield func(Transfer) bool) {
		for _, k := range s.Group.Cosets(sub) {
			for i := range s.Base {
				if !yield(s.image(space, k, &s.Base[i])) {
					return
				}
			}
		}
	}
}

// Len returns the number of transfers.
func (s Step) Len() int { return s.Group.Order() * len(s.Base) }

// Rotation returns the offset k if, in the step, every node u sends to u+k.
func (s Step) Rotation() (k int, ok bool) {
	if len(s.Base) != 1 || len(s.Group.Dims) != 1 || s.Group.Stride[0] != 1 {
		return 0, false
	}
	n := s.Group.Dims[0]
	return arithmetic.Offset(s.Base[0].Src, s.Base[0].Dst, n), true
}

// Pairs lists the (src, dst) of every transfer of the step.
func (s Step) Pairs() [][2]int {
	pairs := make([][2]int, 0, s.Len())
	for k := range s.Group.Order() {
		for _, t := range s.Base {
			pairs = append(pairs, [2]int{s.Group.Apply(k, t.Src), s.Group.Apply(k, t.Dst)})
		}
	}
	return pairs
}
