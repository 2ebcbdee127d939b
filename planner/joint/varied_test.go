package joint

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Without uneven networks, plans look the same from every GPU, take no less time than with them,
// and verify.
func TestPlansWithoutUnevenNetworksLookTheSameFromEveryGPU(t *testing.T) {
	for i, op := range []collective.Op{collective.AllReduce, collective.AllGather} {
		for j, n := range []int{24, 64, 96} {
			for k, duplex := range []bool{false, true} {
				for l, size := range []units.Bytes{4 * units.KiB, units.MiB} {
					if (i+j+k+l)%2 > 0 && !samples.Every() {
						continue // in turn
					}
					r := jointtest.Request(op, n, 4, size)
					r.Fabric.Duplex = duplex
					best, _, err := bestOf(t.Context(), &r, digit.Limits{Changes: digit.AnyChanges})
					if err != nil {
						t.Fatal(err)
					}
					even, _, err := bestOf(t.Context(), &r, digit.Limits{Changes: digit.AnyChanges, NoUneven: true})
					if err != nil {
						t.Fatal(err)
					}
					if even.Cost.Total() < best.Cost.Total()*(1-1e-9) {
						t.Errorf("%v of %v on %d GPUs, duplex %v: %v, with uneven networks %v", op, size, n, duplex, even.Cost.Total(), best.Cost.Total())
					}
					for _, step := range even.Steps() {
						if step.Group.Order() != n {
							t.Errorf("%v of %v on %d GPUs, duplex %v: step %d has %d symmetries", op, size, n, duplex, step.Index, step.Group.Order())
						}
					}
					if report, err := verify.Plan(t.Context(), even); err != nil || !report.OK {
						t.Errorf("%v of %v on %d GPUs, duplex %v: %v, %v", op, size, n, duplex, report, err)
					}
				}
			}
		}
	}
}

// Plans are too varied exactly if the verifier gives up on them: many chunks in many runs, and it
// would have to follow each run separately.
func TestTooVariedPlansAreThoseThatCannotBeFollowed(t *testing.T) {
	group := topology.Translations{Dims: []int{64, 16, 64}, Stride: []int{64, 1, 64}}
	space := collective.Space{Nodes: 1 << 16, Parts: 8}
	planOf := func(transfers, runs, count int) *plan.Plan {
		step := plan.Step{Group: group}
		for range transfers {
			var chunks collective.Chunks
			for i := range runs {
				chunks = append(chunks, collective.Run{First: i * 8192, Count: count, Stride: 1})
			}
			step.Base = append(step.Base, plan.Transfer{Transfer: collective.Transfer{Src: 0, Dst: 64, Chunks: chunks}})
		}
		p := &plan.Plan{Stages: []plan.Stage{{Steps: []plan.Step{step}}}}
		p.Collective.Space = space
		return p
	}
	for _, c := range []struct {
		transfers, runs, count int
		want                   bool
	}{
		{16385, 16, 8192, true}, // 2^31 chunks in rows of 512: above 2^22 of them
		{16384, 16, 256, false}, // 2^26 chunks in 2^18 rows
		{1, 64, 8192, false},
		{1 << 19, 16, 8, false}, // 2^23 rows, but of few chunks
	} {
		if got := tooVaried(planOf(c.transfers, c.runs, c.count)); got != c.want {
			t.Errorf("%d transfers of %d runs of %d chunks: too varied %v, want %v", c.transfers, c.runs, c.count, got, c.want)
		}
	}
}

// Broadcasts and reductions are verified even for more GPUs than other plans list every step for.
func TestRootedPlansOfThousandsAreVerified(t *testing.T) {
	for _, op := range samples.Few(1, []collective.Op{collective.Broadcast, collective.RootReduce}) {
		r := jointtest.Request(op, 1<<13, 4, 64*units.MiB)
		p, err := New().Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if report, err := verify.Plan(t.Context(), p); err != nil || !report.OK {
			t.Errorf("%v, %s: %v, %v", op, p.Strategy, report, err)
		}
	}
}
