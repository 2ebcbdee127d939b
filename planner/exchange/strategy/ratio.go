package strategy

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/planner/exchange/rounds"
)

// Ratio says how far a strategy is from LoadBound with one port, at the number of topologies
// where it is farthest.
type Ratio struct {
	Nodes  int
	Stages int // number of topologies with the largest ratio
	Slots  int // of the strategy
	Bound  int
}

// Value returns the ratio.
func (r Ratio) Value() float64 { return float64(r.Slots) / float64(r.Bound) }

// Ratios returns, for each number of nodes, the largest ratio of the slots of a strategy to
// LoadBound over all numbers of topologies, with one port: Figure 13a of the paper. The
// strategy is Paper or Shifts; for Shifts it takes the sequence of jumps without the exchanges
// that Solve makes for a single number of topologies, so that Solve is at least as good. 4096
// nodes take less than a second.
func Ratios(ctx context.Context, strategy string, nodes []int) ([]Ratio, error) {
	var curve func(nodes int) []int
	switch strategy {
	case Paper:
		curve = paperCurve
	case Shifts:
		curve = shiftsCurve
	default:
		return nil, fmt.Errorf("exchange: ratios of strategy %q, want %s or %s", strategy, Paper, Shifts)
	}
	var list []Ratio
	for _, n := range nodes {
		if err := model.CheckBound(n, 1, 1); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		worst := Ratio{Nodes: n, Slots: 0, Bound: 1}
		for i, slots := range curve(n) {
			if r := (Ratio{Nodes: n, Stages: i + 1, Slots: slots, Bound: model.LoadHops(n, 1, i+1)}); r.Value() > worst.Value() {
				worst = r
			}
		}
		list = append(list, worst)
	}
	return list, nil
}

// shiftsCurve returns the slots with 1, 2, .. jumps of the sequence of shifts.
func shiftsCurve(nodes int) []int {
	s := jumpset.NewShiftSequence(nodes)
	s.Extend(nodes - 1)
	return s.Slots[1:]
}

// paperCurve returns the slots with 1, 2, .. shifts in the paper's order.
func paperCurve(nodes int) []int {
	cover := jumpset.NewCoverage(nodes)
	slots := make([]int, 0, nodes-1)
	for _, j := range rounds.ShiftOrder(nodes) {
		cover.Add(j)
		slots = append(slots, cover.Total)
	}
	return slots
}
