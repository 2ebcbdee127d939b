package finder_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/units"
)

// What Fastest leaves out is not what a frontier is chosen from.
func TestFastestIsTheChoiceOfTheFrontier(t *testing.T) {
	machine := finder.Machine{Alpha: units.Microsecond, NodeBandwidth: 800 * units.Gbps}
	compared, others := 0, 0
	for _, n := range []int{2, 5, 12, 16, 27, 36, 50, 64, 81, 97} {
		for degree := 1; degree <= 6; degree++ {
			for _, opts := range []finder.Options{{Op: bfb.AllGather}, {Op: bfb.AllReduce}, {Op: bfb.ReduceScatter, Bidirectional: true}} {
				points, err := finder.New(degree, opts).Frontier(t.Context(), n)
				for _, size := range []units.Bytes{units.KiB, 300 * units.KB, 4 * units.MiB, units.GiB} {
					loads := []finder.Weighted{{Size: size, Weight: 1}}
					got, gotErr := machine.Fastest(t.Context(), n, degree, opts, loads)
					if err != nil {
						if !errors.Is(gotErr, finder.ErrNone) {
							t.Fatalf("n=%d degree=%d: %v, want that there is none", n, degree, gotErr)
						}
						continue
					}
					if gotErr != nil {
						t.Fatal(gotErr)
					}
					want, err := machine.Choose(points, loads)
					if err != nil {
						t.Fatal(err)
					}
					compared++
					if got.Time > want.Time {
						t.Errorf("n=%d degree=%d %+v %v: %v takes %v, %v of the frontier %v", n, degree, opts, size, got.Point.Expr, got.Time, want.Point.Expr, want.Time)
					}
					if got.Point.Expr.String() != want.Point.Expr.String() {
						others++
						t.Logf("n=%d degree=%d %+v %v: %v takes %v, %v of the frontier %v", n, degree, opts, size, got.Point.Expr, got.Time, want.Point.Expr, want.Time)
					}
				}
			}
		}
	}
	if compared < 500 || others > compared/100 {
		t.Errorf("%d of %d topologies are others than those of the frontier", others, compared)
	}
}

func TestFastestRefusesWhatNobodyCanFind(t *testing.T) {
	loads := []finder.Weighted{{Size: units.MiB, Weight: 1}}
	good := finder.Machine{Alpha: units.Microsecond, NodeBandwidth: units.Gbps}
	if _, err := (finder.Machine{}).Fastest(t.Context(), 8, 2, finder.Options{}, loads); !errors.Is(err, finder.ErrInvalid) {
		t.Errorf("no bandwidth: %v", err)
	}
	if _, err := good.Fastest(t.Context(), 8, 2, finder.Options{}, nil); !errors.Is(err, finder.ErrInvalid) {
		t.Errorf("no sizes: %v", err)
	}
	if _, err := good.Fastest(t.Context(), 1, 2, finder.Options{}, loads); err == nil {
		t.Error("one node: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := good.Fastest(ctx, 97, 3, finder.Options{}, loads); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
