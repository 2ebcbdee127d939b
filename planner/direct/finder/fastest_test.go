package finder_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/units"
)

// Fastest leaves out nothing that Choose would take from a frontier.
func TestFastestIsTheChoiceOfTheFrontier(t *testing.T) {
	machine := finder.Machine{Alpha: units.Microsecond, NodeBandwidth: 800 * units.Gbps}
	compared, others := 0, 0
	for i, n := range []int{2, 5, 12, 16, 27, 36, 50, 64, 81, 97} {
		for degree := 1; degree <= 6; degree++ {
			for j, opts := range []finder.Options{{Op: bfb.AllGather}, {Op: bfb.AllReduce}, {Op: bfb.ReduceScatter, Bidirectional: true}} {
				if (i+degree+j)%2 > 0 && !samples.Every() {
					continue // in turn
				}
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
	if compared < 250 || others > compared/100 {
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

// machine is the machine for searches.
var machine = finder.Machine{Alpha: 10 * units.Microsecond, NodeBandwidth: 100 * units.Gbps}

// searched returns the points known before a search and those known after it, and the best of
// both.
func searched(t *testing.T, s finder.Searched, loads []finder.Weighted) (known, points []finder.Point, before, after finder.Choice) {
	t.Helper()
	known = frontier(t, finder.New(s.Degree, s.Options), s.Nodes)
	points, err := machine.Search(t.Context(), s, known, loads)
	if err != nil {
		t.Fatal(err)
	}
	if before, err = machine.Choose(known, loads); err != nil {
		t.Fatal(err)
	}
	if after, err = machine.Choose(points, loads); err != nil {
		t.Fatal(err)
	}
	return known, points, before, after
}

// TestSearchesForASize: a search finds a faster topology, whose cost is that of a schedule, and
// finds the same one every time; no known point is lost.
func TestSearchesForASize(t *testing.T) {
	loads := []finder.Weighted{{Size: 64 * units.KiB, Weight: 1}}
	for _, s := range []finder.Searched{
		{Nodes: 98, Degree: 3, Options: finder.Options{Op: bfb.AllReduce, Bidirectional: true, Unstored: true}, Moves: 3000},
		{Nodes: 77, Degree: 2, Options: finder.Options{Op: bfb.AllGather, Unstored: true}, Moves: 2000},
		{Nodes: 13, Degree: 3, Options: finder.Options{Op: bfb.AllReduce, Bidirectional: true, Unstored: true}, Moves: 500},
	} {
		known, points, before, after := searched(t, s, loads)
		if after.Time > before.Time || s.Nodes > 13 && after.Time == before.Time {
			t.Errorf("%+v: %v, after %v", s, after.Time, before.Time)
		}
		for _, p := range known {
			if !covered(points, p.Cost) {
				t.Errorf("%+v: %v is lost", s, p)
			}
		}
		steps, bandwidth, err := bfb.Cost(t.Context(), parse(t, after.Point.Expr.String()), s.Op)
		if err != nil || steps > after.Point.Steps || after.Point.Method == finder.MethodBFB && bandwidth.Cmp(after.Point.Bandwidth) != 0 {
			t.Errorf("%v: %d steps and %v (%v)", after.Point, steps, bandwidth, err)
		}
		again, err := machine.Search(t.Context(), s, known, loads)
		if err != nil || !reflect.DeepEqual(texts(again), texts(points)) {
			t.Errorf("%+v: %v, then %v (%v)", s, points, again, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s := finder.Searched{Nodes: 98, Degree: 3, Options: finder.Options{Op: bfb.AllReduce, Bidirectional: true}, Moves: 3000}
	known := frontier(t, finder.New(3, s.Options), 98)
	if points, err := machine.Search(ended, s, known, loads); !errors.Is(err, context.Canceled) || len(points) != len(known) {
		t.Errorf("%v, %v", points, err)
	}
	for _, s := range []finder.Searched{{Nodes: 98, Degree: 9, Moves: 1}, {Nodes: 98, Degree: 3}, {Nodes: 1 << 13, Degree: 3, Moves: 1}, {Nodes: 1, Degree: 3, Moves: 1}} {
		if _, err := machine.Search(t.Context(), s, nil, loads); !errors.Is(err, finder.ErrInvalid) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// texts are the expressions of points.
func texts(points []finder.Point) (all []string) {
	for _, p := range points {
		all = append(all, p.Expr.String())
	}
	return all
}

// TestSearchesForLineDigraphs: a search among few nodes gives a graph of twice as many nodes,
// at the cost of a schedule.
func TestSearchesForLineDigraphs(t *testing.T) {
	loads := []finder.Weighted{{Size: units.MiB, Weight: 1}}
	s := finder.Searched{Nodes: 106, Degree: 2, Options: finder.Options{Op: bfb.AllReduce, Unstored: true}, Moves: 1000}
	_, _, before, after := searched(t, s, loads)
	if after.Time >= before.Time || after.Point.Expr.Family != "Line" {
		t.Fatalf("%v in %v, before %v in %v", after.Point, after.Time, before.Point, before.Time)
	}
	steps, bandwidth, err := bfb.Cost(t.Context(), parse(t, after.Point.Expr.String()), s.Op)
	if err != nil || steps != after.Point.Steps || bandwidth.Cmp(after.Point.Bandwidth) != 0 {
		t.Errorf("%v: %d steps and %v (%v)", after.Point, steps, bandwidth, err)
	}
}
