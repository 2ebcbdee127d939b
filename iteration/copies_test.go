package iteration_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// TestTheSameCircuitsAreUpTwice: collectives that begin with the same circuits may run at the
// same time on different ports; both sets are in the document, and it verifies. Moved to the
// same ports, it is refused.
func TestTheSameCircuitsAreUpTwice(t *testing.T) {
	t.Parallel()
	w := &workload.Workload{Schema: workload.Schema, Ranks: 6, Kinds: map[string][][]int{"a": {{0, 1, 2}, {3, 4, 5}}}, Programs: []workload.Program{{
		Ranks: workload.NewRankSet(everyone(6)),
		Ops: []workload.Op{
			{ID: "gather", Op: collective.AllGather, Kind: "a", Size: 48_000_000},
			{ID: "other", Op: collective.AllGather, Kind: "a", Size: 48_000_000},
		},
	}}}
	f := small(2, units.Microsecond)
	f.Duplex, f.Layout = true, layout.Rails()
	d, _ := newPlanner(t, w).plan(t, f, iteration.Best)
	report, err := iteration.Verify(t.Context(), reread(t, d))
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		t.Fatalf("%s: %s", bad.Name, bad.Detail)
	}
	a, b := &d.Ops[0], &d.Ops[1]
	if a.Start >= b.End || b.Start >= a.End {
		t.Fatalf("from %v to %v, and from %v to %v: not at once", a.Start, a.End, b.Start, b.End)
	}
	x, y := &d.Circuits[a.Circuits-1], &d.Circuits[b.Circuits-1]
	if a.Circuits == b.Circuits || fmt.Sprint(x.Links) != fmt.Sprint(y.Links) {
		t.Errorf("circuits %d, %v and %d, %v; want the same twice", a.Circuits, x.Links, b.Circuits, y.Links)
	}
	other := reread(t, d)
	other.Ops[1].Circuits, other.Ops[1].Leaves = a.Circuits, a.Leaves
	if report, err := iteration.Verify(t.Context(), other); err != nil || report.OK {
		t.Errorf("two at once on the same ports are proven: %v", err)
	}
}

// TestTheSameCircuitsAreUpManyTimes: eight small collectives of one kind use as many sets of
// the same circuits as there are ports, four at a time, and a large one that waits for them
// uses all ports.
func TestTheSameCircuitsAreUpManyTimes(t *testing.T) {
	t.Parallel()
	var ops []workload.Op
	var all []string
	for i := range 8 {
		all = append(all, fmt.Sprint("small-", i))
		ops = append(ops, workload.Op{ID: all[i], Op: collective.AllGather, Kind: "a", Size: 300_000})
	}
	w := &workload.Workload{Schema: workload.Schema, Ranks: 3, Kinds: map[string][][]int{"a": {{0, 1, 2}}}, Programs: []workload.Program{{
		Ranks: workload.NewRankSet(everyone(3)), Ops: append(ops, workload.Op{ID: "large", Op: collective.AllGather, Kind: "a", Size: 12_000_000, After: all}),
	}}}
	d, _ := newPlanner(t, w).plan(t, small(4, units.Microsecond), iteration.Best)
	report, err := iteration.Verify(t.Context(), reread(t, d))
	if err != nil || !report.OK {
		t.Fatal(report.First(), err)
	}
	most, at := 0, map[units.Time]int{}
	for i := range d.Ops[:8] {
		at[d.Ops[i].Start]++
		most = max(most, at[d.Ops[i].Start])
	}
	// By hand: two rounds of four, each over one port, a change to all ports, the large one, and the
	// change back.
	round, change := d.Ops[0].End-d.Ops[0].Start, units.Microsecond.Time()
	large := d.Ops[8].End - d.Ops[8].Start
	if byHand := 2*round + change + large + change; most != 4 || d.Ops[8].Ports != 4 || d.Iteration > byHand {
		t.Errorf("%d small ones at once, the large one on %s: %v, by hand %v", most, units.Count(d.Ops[8].Ports, "port"), d.Iteration, byHand)
	}
}
