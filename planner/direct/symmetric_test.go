package direct

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
)

// TestPlansOfGPUsThatAreAlike: they list the part of one GPU, are correct in full, and are no
// faster than the best of any topology.
func TestPlansOfGPUsThatAreAlike(t *testing.T) {
	t.Parallel()
	for i, ports := range []int{1, 2, 3, 8}[:samples.Of(4)] {
		for j, nodes := range []int{12, 61, 100} {
			for k, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter} {
				if (i+j+k)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				for _, duplex := range []bool{false, true} {
					if duplex && ports%2 == 1 {
						continue // which not all numbers of GPUs allow
					}
					r := requestFor(op, nodes, ports)
					r.Fabric.Duplex = duplex
					best, err := New().Plan(t.Context(), r)
					if err != nil {
						t.Fatal(err)
					}
					r.Alike = true
					made, err := New().Plan(t.Context(), r)
					if err != nil {
						t.Fatalf("%s, %d GPUs, %d ports: %v", op, nodes, ports, err)
					}
					report, err := verify.Plan(t.Context(), made)
					if err != nil || !report.OK {
						t.Errorf("%s, %d GPUs, %d ports: %v, %v", op, nodes, ports, report.First(), err)
					}
					if planner.Above(best.Cost.Total(), made.Cost.Total()) {
						t.Errorf("%s, %d GPUs, %d ports: %v, and %v with all alike", op, nodes, ports, best.Cost.Total(), made.Cost.Total())
					}
					for _, step := range made.Steps() {
						if step.Group.Order() != nodes || len(step.Base) > 2*ports {
							t.Errorf("%s, %d GPUs, %d ports: %d transfers, moved %d times", op, nodes, ports, len(step.Base), step.Group.Order())
						}
					}
				}
			}
		}
	}
}

// TestPartsAreFew: shards are cut into no more chunks than requested, and the plan is correct.
func TestPartsAreFew(t *testing.T) {
	t.Parallel()
	for _, parts := range []int{1, 2, 5} {
		for _, alike := range []bool{false, true} {
			r := requestFor(collective.AllGather, 61, 4)
			r.Parts, r.Alike = parts, alike
			made, err := New().Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			report, err := verify.Plan(t.Context(), made)
			if err != nil || !report.OK || made.Collective.Space.Parts > parts {
				t.Errorf("%d parts, %d asked for: %v, %v", made.Collective.Space.Parts, parts, report.First(), err)
			}
		}
	}
}
