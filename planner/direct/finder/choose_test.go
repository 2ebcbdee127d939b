package finder_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/units"
)

// TestChooseTakesTheFastest compares with the times of all points at all sizes.
func TestChooseTakesTheFastest(t *testing.T) {
	points := frontier(t, finder.New(4, finder.Options{Op: bfb.AllReduce}), 128)
	chosen := map[int]bool{}
	for size := units.Bytes(1); size < 64*units.GiB; size *= 3 {
		loads := []finder.Weighted{{Size: size, Weight: 2}, {Size: 10 * size, Weight: 0.5}}
		got, err := testbed.Choose(points, loads)
		if err != nil {
			t.Fatal(err)
		}
		chosen[got.Index] = true
		if got.Point.Expr.String() != points[got.Index].Expr.String() {
			t.Errorf("index %d is not %v", got.Index, got.Point.Expr)
		}
		for _, p := range points {
			var total units.Time
			for _, l := range loads {
				one, err := testbed.Time(p.Cost, l.Size)
				if err != nil {
					t.Fatal(err)
				}
				total += one * units.Time(l.Weight)
			}
			if rounding := 1e-12 * total; total < got.Time-rounding {
				t.Errorf("size %v: %v takes %v, but %v was chosen at %v", size, p.Expr, total, got.Point.Expr, got.Time)
			}
		}
	}
	if len(chosen) != len(points) {
		t.Errorf("%d of %d points are chosen for some size", len(chosen), len(points))
	}
}

func TestChooseTakesTheFirstOfEqualPoints(t *testing.T) {
	// One step more for 1/8 less bandwidth: equal at 8B for 1ns per step and 8Gbps.
	points := []finder.Point{
		{Cost: finder.Cost{Steps: 1, Bandwidth: big.NewRat(9, 8)}},
		{Cost: finder.Cost{Steps: 2, Bandwidth: big.NewRat(1, 1)}},
	}
	machine := finder.Machine{Alpha: units.Nanosecond, NodeBandwidth: 8 * units.Gbps}
	for size, want := range map[units.Bytes]int{7: 0, 8: 0, 9: 1} {
		if got, err := machine.Choose(points, []finder.Weighted{{Size: size, Weight: 1}}); err != nil || got.Index != want {
			t.Errorf("%v: point %d, %v, want %d", size, got.Index, err, want)
		}
	}
}

func TestChoicesThatCannotBeMade(t *testing.T) {
	points := []finder.Point{{Cost: finder.Cost{Steps: 1, Bandwidth: big.NewRat(1, 1)}}}
	for _, c := range []struct {
		machine finder.Machine
		points  []finder.Point
		loads   []finder.Weighted
	}{
		{testbed, nil, []finder.Weighted{{Size: 1, Weight: 1}}},
		{testbed, points, nil},
		{testbed, points, []finder.Weighted{{Size: -1, Weight: 1}}},
		{testbed, points, []finder.Weighted{{Size: 1, Weight: -1}}},
		{testbed, points, []finder.Weighted{{Size: 1, Weight: math.NaN()}}},
		{testbed, points, []finder.Weighted{{Size: 1, Weight: math.Inf(1)}}},
		{finder.Machine{Alpha: 1}, points, []finder.Weighted{{Size: 1, Weight: 1}}},
		{finder.Machine{Alpha: -1, NodeBandwidth: 1}, points, []finder.Weighted{{Size: 1, Weight: 1}}},
	} {
		if _, err := c.machine.Choose(c.points, c.loads); !errors.Is(err, finder.ErrInvalid) {
			t.Errorf("%+v: %v, want an error", c, err)
		}
	}
	if _, err := (finder.Machine{}).Time(points[0].Cost, 1); !errors.Is(err, finder.ErrInvalid) {
		t.Errorf("%v, want an error without bandwidth", err)
	}
	if _, err := testbed.Time(points[0].Cost, -1); !errors.Is(err, finder.ErrInvalid) {
		t.Errorf("%v, want an error for a negative size", err)
	}
}
