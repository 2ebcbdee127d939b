package column

import (
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// envelope answers with the best plans, whose times are lines in the wait.
func (m *method) envelope(ctx context.Context, p planner.Planner, best []Answer) error {
	ask := fastestFor(p, m.request(0))
	compute := m.column.Fabric.Overlap.Compute
	// The wait is the part of the delay that computing does not hide, without the barrier.
	wait := func(i int) float64 { return float64(max(0, m.column.Delays[i]-compute).Time()) }
	return m.concave(best, wait, func(i int, limit units.Time) (Answer, units.Time, error) {
		made, err := ask(ctx, wait(i), limit)
		return Answer{Algorithm: made.Algorithm, Planner: m.by.Name(), Changes: made.Reconfigurations}, made.CommunicationNs, err
	})
}

// concave asks for the best plan at waits where the concave function is unknown and the bound
// does not rule the method out: at the ends first, then where two lines disagree. ask returns the
// plan and its time without the waits; its limit is 0 if no plan is known.
func (m *method) concave(best []Answer, wait func(i int) float64, ask func(i int, limit units.Time) (Answer, units.Time, error)) error {
	var times concave
	var answers []Answer
	for _, i := range outsideIn(m.column.Delays) {
		x := wait(i)
		line, known := times.lookup(x)
		if !known {
			limit := best[i].Total
			if limit == inf {
				limit = 0
			}
			if limit > 0 && m.Open == nil && m.least(i) >= limit {
				continue
			}
			a, fixed, err := ask(i, limit)
			if errors.Is(err, planner.ErrBeyond) {
				continue
			}
			if err != nil {
				return err
			}
			line = envelope.Line{Fixed: float64(fixed), Slope: float64(a.Changes), Of: len(answers)}
			answers = append(answers, m.answer(a))
			times.add(x, line)
		}
		a := answers[line.Of]
		a.Total = units.Time(line.At(x))
		best[i].improve(a)
	}
	return nil
}

// outsideIn orders the cells of a column: the shortest delay, the longest, and then always the
// middle between two, so that cells between two on the same line need not be planned.
func outsideIn(delays []units.Duration) []int {
	order := make([]int, len(delays))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(max(delays[a]-delays[b], -1), 1)) })
	var out []int
	var between func(from, to int)
	between = func(from, to int) {
		if mid := (from + to) / 2; mid > from && mid < to {
			out = append(out, order[mid])
			between(from, mid)
			between(mid, to)
		}
	}
	out = append(out, order[0])
	if last := len(order) - 1; last > 0 {
		out = append(out, order[last])
		between(0, last)
	}
	return out
}
