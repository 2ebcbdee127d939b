package exchange

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/apart"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/routing"
	"github.com/lightpath-net/lightpath/units"
)

// A division of a demand says what each matching sends. Once every plane has its matchings, the
// data of a pair that several matchings connect may be divided differently among these. The
// lengths of the turns are then a linear program, and the first division is one of its
// solutions.

// pairwise holds what pairs have to send directly, and which pairs each matching connects.
type pairwise struct {
	need  []float64 // by pair, u*nodes+v, in ns
	pairs [][]int   // of each matching, those that have something to send
	line  float64   // of the node that has the most to send or to receive
}

// direct returns what pairs have to send. It returns nil if chunks of some pair make several
// hops, or if pairs do not differ, so that all matchings are alike.
func (m *matchings) direct(loads []stageLoad) *pairwise {
	f := m.route.Flows
	if f == nil || m.sizes == nil || slices.ContainsFunc(loads, func(l stageLoad) bool { return l.hops > 1 }) {
		return nil
	}
	n := m.nodes
	w := &pairwise{need: make([]float64, n*n), pairs: make([][]int, len(f.Stages))}
	lines := make([]float64, 2*n)
	for _, part := range f.Parts {
		time := float64(m.request.Fabric.Bandwidth.Transmit(float64(part.Amount) * m.unit))
		w.need[int(part.Src)*n+int(part.Dst)] += time
		lines[part.Src] += time
		lines[n+int(part.Dst)] += time
	}
	w.line = slices.Max(lines)
	for i, circuits := range f.Stages {
		for u, v := range circuits[0] {
			if v >= 0 && w.need[u*n+v] > 0 {
				w.pairs[i] = append(w.pairs[i], u*n+v)
			}
		}
	}
	return w
}

// lengths returns the turns that are needed, with their best lengths, and the time, which is
// infinite if it cannot be less than the best so far.
func (m *matchings) lengths(w *pairwise, turns [][]apart.Turn) ([][]apart.Turn, [][]float64, units.Time) {
	for {
		busy, sum := make([]float64, len(turns)), w.line
		circuits := make([][][]int, len(turns))
		for k, list := range turns {
			before := -1
			for _, t := range list {
				busy[k] += float64(m.change(before, t.Match) + m.fixed[t.Match])
				before = t.Match
				circuits[k] = append(circuits[k], w.pairs[t.Match])
			}
			sum += busy[k]
		}
		if units.Time(sum/float64(len(turns)))*(1+tie) >= m.best.time {
			return nil, nil, units.Time(math.Inf(1)) // planes send no less than the busiest node does
		}
		lengths, end := apart.Lengths(circuits, w.need, busy)
		if lengths == nil {
			return nil, nil, units.Time(end)
		}
		var fewer bool
		if turns, lengths, fewer = apart.Needed(turns, lengths); !fewer {
			return turns, lengths, units.Time(end)
		}
	}
}

// structure names which planes have which matchings in which order. Exchanging planes does not
// change the name.
func structure(turns [][]apart.Turn) string {
	names := make([]string, len(turns))
	for k, list := range turns {
		for _, t := range list {
			names[k] += fmt.Sprintf(" %d", t.Match)
		}
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}

// filled returns flows whose stages are turns: a pair fills its turns one after the other, each
// up to its length.
func (s *spreader) filled(f *routing.Flows, turns []placed) *routing.Flows {
	d := &routing.Flows{Nodes: f.Nodes, Ports: 1}
	amounts := map[[2]int32]int{}
	for _, part := range f.Parts {
		amounts[[2]int32{part.Src, part.Dst}] += part.Amount
	}
	for _, t := range turns {
		d.Stages = append(d.Stages, f.Stages[t.Match])
	}
	slot := float64(s.request.Fabric.Bandwidth.Transmit(s.unit))
	for pair, left := range amounts {
		var of []int // turns
		for i := range turns {
			if d.Stages[i][0][pair[0]] == int(pair[1]) {
				of = append(of, i)
			}
		}
		for k, i := range of {
			amount := min(left, int(math.Ceil(turns[i].length/slot)))
			if k == len(of)-1 {
				amount = left // any excess is rounding
			}
			if amount == 0 {
				continue
			}
			hop := model.Leg{Stage: int32(i), Port: pair[0], Hops: 1}
			d.Parts = append(d.Parts, routing.Part{Src: pair[0], Dst: pair[1], Amount: amount, Hops: []model.Leg{hop}})
			left -= amount
		}
	}
	slices.SortFunc(d.Parts, func(a, b routing.Part) int {
		return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst), cmp.Compare(a.Hops[0].Stage, b.Hops[0].Stage))
	})
	return d
}
