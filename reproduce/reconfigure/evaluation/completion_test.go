package evaluation

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"strconv"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// smallPoints is the number of values of R with which tests sweep.
const smallPoints = 5

// smallSettings are all workloads with 8 nodes.
func smallSettings() []setting {
	var list []setting
	for _, k := range []int{1, 2} {
		for _, w := range workloads {
			list = append(list, setting{8, k, w, mainFlow})
		}
	}
	return list
}

// measureSmall measures the small settings, once for all tests.
var measureSmall = sync.OnceValues(func() ([]measured, error) {
	return measure(context.Background(), smallSettings(), method{seed: 1, points: smallPoints}, io.Discard)
})

// small returns the small settings with their curves.
func small(t *testing.T) []measured {
	t.Helper()
	list, err := measureSmall()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSettingsAreThoseOfTheFigures: eight sizes and three workloads in Figure 11, two
// numbers of ports, three workloads and four flow sizes in Figure 12, six in common.
func TestSettingsAreThoseOfTheFigures(t *testing.T) {
	count := func(list []setting, holds func(setting) bool) (n int) {
		for _, s := range list {
			if holds(s) {
				n++
			}
		}
		return n
	}
	list := settings(false)
	if a, b := count(list, setting.inFigure11), count(list, setting.inFigure12); a != 24 || b != 24 || len(list) != 42 || len(settings(true)) != 96 {
		t.Errorf("%d and %d of %d, %d in full, want 24 and 24 of 42, 96 in full", a, b, len(list), len(settings(true)))
	}
}

// TestDemandHasTheFlowSize: rounding flows up to chunks adds less than a chunk on average.
func TestDemandHasTheFlowSize(t *testing.T) {
	for _, s := range settings(true) {
		d, err := s.demand(1)
		if err != nil {
			t.Fatal(err)
		}
		pairs := float64(s.nodes * (s.nodes - 1))
		mean, want := float64(d.Total())/pairs, float64(s.flow)/float64(chunkSize)
		if each, equal := d.Each(); equal != (s.workload == uniform) || equal && float64(each) != want {
			t.Errorf("%v: equal pairs %v, %d chunks", s, equal, each)
		}
		// The flows that nodes have for themselves belong to the mean as well, hence 0.6.
		if mean < want-0.6 || mean > want+1.1 {
			t.Errorf("%v: %.2f chunks per pair, want about %v", s, mean, want)
		}
	}
}

// TestAutoIsNeverWorse: auto is at least as good as each strategy that it contains.
func TestAutoIsNeverWorse(t *testing.T) {
	for _, m := range small(t) {
		for _, c := range contests[:2] {
			for _, ratio := range m.sweep {
				if saved := c.reduction(m.curves, ratio); saved < 0 || saved >= 1 {
					t.Errorf("%v, %s, R/T=%.1f: saves %v", m.setting, c.name, ratio, saved)
				}
			}
		}
		for _, ratio := range m.sweep {
			if a, b := m.least(ratio, allBaselines...), m.least(ratio, publishedBaselines...); a.time > b.time {
				t.Errorf("%v, R/T=%.1f: all baselines take %v, some of them %v", m.setting, ratio, a.time, b.time)
			}
		}
	}
}

// TestCurvesAreWhatSolveFinds: at each R, curves equal the result of Solve for that R. For
// uneven demands, Solve does not try every number of topologies, and a division into matchings
// for another R may be better by chance: then a curve may be lower.
func TestCurvesAreWhatSolveFinds(t *testing.T) {
	for _, m := range small(t) {
		demand, err := m.demand(1)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append([]string{strategy.Auto, strategy.Paper}, allBaselines...) {
			for _, ratio := range m.sweep {
				s, err := strategy.Solve(context.Background(), strategy.Problem{Demand: demand, Ports: m.ports, R: ratio, T: 1, Strategy: name})
				if errors.Is(err, strategy.ErrInfeasible) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got, want := m.least(ratio, name).time, s.Cost(ratio, 1)
				mayBeBelow := m.workload != uniform && (name == strategy.Auto || name == strategy.Paper || name == strategy.Birkhoff)
				if got > want+1e-9*want || !mayBeBelow && got < want-1e-9*want {
					t.Errorf("%v, %s, R/T=%.1f: %v, Solve finds %v", m.setting, name, ratio, got, want)
				}
			}
		}
	}
}

// TestSampledCurveIsPartOfTheCurve: leaving out numbers of topologies changes no other.
func TestSampledCurveIsPartOfTheCurve(t *testing.T) {
	demand, err := setting{10, 1, "random", 8 * units.MB}.demand(1)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]int{strategy.Auto: {1, 2, 3, 4}, strategy.Paper: {1, 2, 3, 4, 6, 9}} {
		p := strategy.Problem{Demand: demand, Ports: 1, Strategy: name}
		all, err := curve(context.Background(), p, false)
		if err != nil {
			t.Fatal(err)
		}
		some, err := curve(context.Background(), p, true)
		if err != nil || len(some) != len(want) {
			t.Fatalf("%s: %v, %v, want the numbers %v", name, some, err, want)
		}
		for i, d := range want {
			if some[i] != all[d-1] {
				t.Errorf("%s: %v, want %v", name, some[i], all[d-1])
			}
		}
	}
}

// TestReductionIsThatOfTheCheapestPoints uses handmade curves.
func TestReductionIsThatOfTheCheapestPoints(t *testing.T) {
	c := curves{
		"ours":   {{Stages: 1, Slots: 100}, {Stages: 3, Slots: 20}},
		"direct": {{Stages: 9, Slots: 9}},
		"ring":   {{Stages: 1, Slots: 100}},
	}
	match := contest{ours: "ours", baselines: []string{"direct", "ring", "none"}}
	for _, row := range []struct{ ratio, want float64 }{
		{1, 1 - 23.0/18},      // the baseline is faster
		{10, 1 - 50.0/99},     // 3 topologies against 9
		{20, 1 - 80.0/120},    // against the ring
		{100, 0},              // both the ring
		{39, 1 - 137.0/139.0}, // the ring is about to win
	} {
		if got := match.reduction(c, row.ratio); math.Abs(got-row.want) > 1e-12 {
			t.Errorf("R/T=%v: %v, want %v", row.ratio, got, row.want)
		}
	}
	o := match.over(c, []float64{1, 10, 20, 100})
	sum := (1 - 23.0/18) + (1 - 50.0/99) + (1 - 80.0/120)
	if o.at != 10 || o.best != match.reduction(c, 10) || math.Abs(o.mean-sum/4) > 1e-12 {
		t.Errorf("%+v", o)
	}
	best, swept, count := mean([]measured{{curves: c, sweep: []float64{10}}, {curves: c, sweep: []float64{100}}}, match, func(setting) bool { return true })
	if want := match.reduction(c, 10) / 2; count != 2 || best != want || swept != want {
		t.Errorf("means %v and %v of %d, want %v", best, swept, count, want)
	}
}

// TestBaselinesOfUniformDemand compares baselines with their formulas: with one port a ring has
// all distances, and matchings have a topology for every shift.
func TestBaselinesOfUniformDemand(t *testing.T) {
	s := setting{8, 1, uniform, mainFlow}
	c, err := s.curves(context.Background(), method{points: 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		strategy.Static: 10 + 8*28, strategy.Rings: 10 + 8*28, strategy.Direct: 7*10 + 8*7, blind: 7*10 + 8*7,
	} {
		if got := c.least(10, name).time; got != want {
			t.Errorf("%s: %v slots, want %v", name, got, want)
		}
	}
	if got := slotTime(); got != 40500 {
		t.Errorf("a slot takes %vns, want 40500", got)
	}
}

// TestCSVHoldsTheReductions: they follow from the times of the same row.
func TestCSVHoldsTheReductions(t *testing.T) {
	list := small(t)
	var b bytes.Buffer
	if err := writeCSV(&b, list); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll() // also checks that rows are equally long
	if err != nil || len(rows) != 1+smallPoints*len(list) {
		t.Fatalf("%d rows, %v, want %d", len(rows), err, 1+smallPoints*len(list))
	}
	for _, row := range rows[1:] {
		times := make(map[string]float64)
		for i, name := range rows[0] {
			times[name] = math.Inf(1)
			if v, err := strconv.ParseFloat(row[i], 64); err == nil {
				times[name] = v
			}
		}
		least := math.Inf(1)
		for _, name := range allBaselines {
			least = min(least, times[name+"_ns"])
		}
		for ours, column := range map[string]string{strategy.Auto: "reduction", strategy.Paper: "paper_reduction"} {
			if want := 1 - times[ours+"_ns"]/least; math.Abs(times[column]-want) > 1e-5 {
				t.Errorf("%v: %s %v, want %v", row, column, times[column], want)
			}
		}
	}
}

// TestMeasureStops when it is told to.
func TestMeasureStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := measure(ctx, settings(true), method{points: 3}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}
