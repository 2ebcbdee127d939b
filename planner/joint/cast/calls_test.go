package cast

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Plans in rounds of calls are correct, as broadcasts and as reductions.
func TestRoundsOfCallsAreCorrect(t *testing.T) {
	for _, op := range []collective.Op{collective.Broadcast, collective.RootReduce} {
		for n := 4; n <= 20; n++ {
			for _, pieces := range []int{1, 2, 3, 7, 20} {
				r := jointtest.Request(op, n, 2, units.MiB)
				r.Fabric.Duplex = true
				l := layCalls(n, 2, pieces)
				if op == collective.RootReduce {
					l.Stages = Reversed(l)
				}
				p := jointtest.PlanOf(t, &r, l.Stages, l.Space)
				report, err := verify.Plan(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				if bad := report.First(); bad != nil {
					t.Fatalf("%s n=%d pieces=%d: %s: %s", op, n, pieces, bad.Name, bad.Detail)
				}
			}
		}
	}
}

// The number of pieces is the best of all, and within a hundredth of it for an odd number of
// nodes, where a few numbers are tried.
func TestCallsHaveTheBestNumberOfPieces(t *testing.T) {
	for _, n := range []int{5, 6, 9, 13, 19, 20, 33, 45} {
		for _, wait := range []units.Duration{0, units.Microsecond, 100 * units.Microsecond} {
			const bytes = float64(4 * units.MiB)
			r := jointtest.Request(collective.Broadcast, n, 1, units.Bytes(bytes))
			r.Fabric.Duplex, r.Fabric.Reconfig.Base = true, wait
			s := digit.NewSearch(digit.Question{
				Machine: digit.NewMachine(&r.Fabric, 1, n), Limits: digit.Limits{Changes: digit.AnyChanges}, Keep: 1, Nodes: n, Bytes: bytes,
				Stopped: func() bool { return false },
			})
			found := callCasts(s, n, bytes, 1e12)[0]
			l := found.Build()
			jointtest.Check(t, jointtest.PlanOf(t, &r, l.Stages, l.Space), found.Time)
			best := 1e12
			for pieces := 1; pieces <= 100; pieces++ {
				rounds, circuits := callsKey{n, pieces}.rounds(nil)
				best = min(best, float64(rounds)*(s.Alpha+s.Delta+s.PerByte*bytes/float64(pieces))+float64(circuits-1)*s.Wait)
			}
			most := best * (1 + 1e-9)
			if n%2 == 1 {
				most = best * 1.01
			}
			if found.Time > most {
				t.Errorf("n=%d, %v: %v ns, %v is possible", n, wait, found.Time, best)
			}
		}
	}
}

// Where reconfigurations are limited, there are fewer rounds.
func TestCallsKeepToTheLimitOnReconfigurations(t *testing.T) {
	const n, bytes = 13, float64(8 * units.MiB)
	r := jointtest.Request(collective.Broadcast, n, 1, units.Bytes(bytes))
	r.Fabric.Duplex = true
	for changes := range 12 {
		s := digit.NewSearch(digit.Question{
			Machine: digit.NewMachine(&r.Fabric, 1, n), Limits: digit.Limits{Changes: changes}, Keep: 1, Nodes: n, Bytes: bytes,
			Stopped: func() bool { return false },
		})
		for _, c := range callCasts(s, n, bytes, 1e12) {
			if got := len(c.Build().Stages) - 1; got != c.Changes || got > changes {
				t.Errorf("%d reconfigurations of %d: %d", c.Changes, changes, got)
			}
		}
	}
}
