package strategy

import (
	"cmp"
	"context"
	"iter"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy/powers"
)

// ExactNodes is the largest number of nodes for which Auto includes Exact: a complete search
// then takes milliseconds. Beyond 11 nodes it takes too long.
const ExactNodes = 8

// exact is the strategy of a complete search over all permutations, with one port. Chunks that
// make equally many hops over one topology form a round, as in the paper: the demand is a sum
// of whole powers of permutations. If the result is LoadBound or one more, no schedule in
// rounds is better: a schedule that attains the bound consists of full rounds, in which all
// chunks make equally many hops.
type exact struct {
	uniform
	seq *jumpset.ShiftSequence
}

func newExact(p *Problem) solver {
	u, ok := newUniform(p, Exact, model.LoadHops)
	if !ok || u.ports > 1 || u.nodes > 64 || p.sparing() && u.nodes > ExactNodes {
		return nil
	}
	return &exact{uniform: u, seq: jumpset.NewShiftSequence(u.nodes)}
}

func (s *exact) candidates(ctx context.Context, d int, worth func(slots int) bool, visit visitor) error {
	jumps, err := s.seq.Improved(ctx, d)
	if err != nil {
		return err
	}
	cover := jumpset.Covered(s.nodes, jumps)
	for hops := model.LoadHops(s.nodes, 1, d); hops < cover.Total && worth(hops*s.each); hops++ {
		for sets := range hopSets(s.nodes-1, d, hops) {
			next, err := powers.Whole(ctx, s.nodes, sets)
			if err != nil {
				return err
			}
			if next != nil {
				return visit(s.powers(next, slices.Clone(sets), hops))
			}
		}
	}
	return visit(s.routed(cover.Ways(jumps)))
}

// powers makes a candidate of permutations and the hop counts that they serve.
func (s *exact) powers(next [][]int, sets []uint64, hops int) *Candidate {
	return &Candidate{
		Strategy: s.name, Stages: len(sets), Slots: hops * s.each,
		schedule: func(ctx context.Context) (*model.Schedule, error) {
			out := &model.Schedule{Nodes: s.nodes, Ports: 1, Strategy: s.name}
			for i, set := range sets {
				st := model.Stage{Circuits: [][]int{next[i]}}
				for ; set != 0; set &= set - 1 {
					for k := range s.each {
						addRound(&st, bits.TrailingZeros64(set), k)
					}
				}
				out.Stages = append(out.Stages, st)
			}
			return out, ctx.Err()
		},
		route: func(ctx context.Context) (Route, error) {
			f := &routing.Flows{Nodes: s.nodes, Ports: 1}
			for i, set := range sets {
				f.Stages = append(f.Stages, [][]int{next[i]})
				for ; set != 0; set &= set - 1 {
					for u := range s.nodes {
						part := routing.Part{Src: int32(u), Amount: s.each}
						v := u
						for range bits.TrailingZeros64(set) {
							part.Hops = append(part.Hops, model.Leg{Stage: int32(i), Port: int32(v), Hops: 1})
							v = next[i][v]
						}
						part.Dst = int32(v)
						f.Parts = append(f.Parts, part)
					}
				}
			}
			f.Sort()
			return Route{Flows: f}, ctx.Err()
		},
	}
}

// addRound adds a chunk from every node to the node that is the given number of hops away.
func addRound(st *model.Stage, hops, index int) {
	for u := range st.Circuits[0] {
		v := u
		for range hops {
			v = st.Circuits[0][v]
		}
		c := model.Chunk{Origin: int32(u), Dest: int32(v), Index: int32(index)}
		st.Runs = append(st.Runs, model.Run{Chunk: c, From: int32(u), Slot: int32(st.Slots), Hops: int32(hops)})
	}
	st.Slots += hops
}

// hopSets yields the ways to choose d sets of hop counts with the given number of elements and
// sum in total, as masks in descending order. The slice is reused. A set of c elements has at
// least the sum 1+..+c. It exceeds that sum by no more than all sets together exceed the most
// even division, so that close to the bound there are few ways.
func hopSets(elements, d, sum int) iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		lists := setsWithin(elements-d+1, sum-model.LoadHops(elements+1, 1, d))
		sets := make([]uint64, 0, d)
		var choose func(from, elements, sum int) bool
		choose = func(from, elements, sum int) bool {
			if len(sets) == d {
				return elements != 0 || sum != 0 || yield(sets)
			}
			for i := from; i < len(lists); i++ {
				set := lists[i]
				count, hops := bits.OnesCount64(set), hopSum(set)
				if count > elements || hops > sum {
					continue
				}
				sets = append(sets, set)
				more := choose(i, elements-count, sum-hops)
				sets = sets[:len(sets)-1]
				if !more {
					return false
				}
			}
			return true
		}
		choose(0, elements, sum)
	}
}

// setsWithin lists, in descending order, the sets of up to elements positive numbers whose sum
// exceeds the least sum for their count by no more than extra.
func setsWithin(elements, extra int) []uint64 {
	var list []uint64
	// The i-th smallest element is i plus a shift; shifts do not descend.
	var grow func(set uint64, size, shift, extra int)
	grow = func(set uint64, size, shift, extra int) {
		if size > 0 {
			list = append(list, set)
		}
		for ; size < elements && shift <= extra && size+1+shift < 64; shift++ {
			grow(set|1<<(size+1+shift), size+1, shift, extra-shift)
		}
	}
	grow(0, 0, 0, extra)
	slices.SortFunc(list, func(a, b uint64) int { return cmp.Compare(b, a) })
	return list
}

// hopSum returns the sum of a set.
func hopSum(set uint64) int {
	sum := 0
	for ; set != 0; set &= set - 1 {
		sum += bits.TrailingZeros64(set)
	}
	return sum
}
