package rehearsal_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/rehearsal"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// After a port or a rail's switch has failed, everything is done exactly once, or begins again
// if it needed that; in the order of the workload, with no port or island doing two things at
// once. Then iterations take as long as with only the new plan.
func TestIterationsGoOnWithoutAPort(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	hit, restarted, switches := 0, 0, 0
	for range samples.Draws(30, 80) {
		w := drawn(t, r)
		f := fabric.Default()
		f.Ports = 2 + r.IntN(2)
		f.Reconfig.Base = []units.Duration{0, 1 * units.Microsecond, 20 * units.Microsecond}[r.IntN(3)]
		rails := r.IntN(3) == 0
		if rails {
			if err := f.Set("switches", "rails"); err != nil {
				t.Fatal(err)
			}
		}
		if r.IntN(3) == 0 {
			f.Island.Size, f.Island.Bandwidth = 2, 4*f.Bandwidth
		}
		plan := func(ctx context.Context, f fabric.Fabric) (*iteration.Agenda, error) {
			d, err := iterating.Iterate(ctx, iterating.IterateRequest{Workload: w, Fabric: f})
			if err != nil {
				return nil, err
			}
			return iterating.Agenda(ctx, d)
		}
		a, err := plan(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		failure := replay.Failure{OnePort: true, Port: r.IntN(f.Ports), At: units.Duration(r.Float64() * float64(a.Iteration) * 1000)}
		failure.From = r.IntN(a.Ranks)
		failure.To = failure.From
		if rails {
			failure = replay.Failure{Switch: true, From: failure.Port, To: failure.Port, At: failure.At}
		}
		fewer := f
		fewer.Ports--
		delay := units.Duration(r.IntN(2)) * 30 * units.Microsecond
		result, err := rehearsal.Run(t.Context(), a, rehearsal.Options{
			Level: sim.FlowLevel, Failures: []replay.Failure{failure}, ReplanDelay: delay,
			Replan: func(ctx context.Context, _ replay.Failure) (*iteration.Agenda, error) { return plan(ctx, fewer) },
		})
		if err != nil {
			t.Fatal(err)
		}
		stall := &result.Stalls[0]
		if stall.First == "" {
			if stall.Recovery != nil {
				t.Errorf("%v hits nothing, and there is another plan", failure)
			}
			continue
		}
		hit++
		if rails {
			switches++
		}
		made := stall.Recovery
		restarted += made.Restarted
		if err := made.Check(a); err != nil {
			t.Fatalf("%v after %v: %v", failure, delay, err)
		}
		alone, err := rehearsal.Run(t.Context(), made.Agenda, rehearsal.Options{Level: sim.FlowLevel})
		if err != nil {
			t.Fatal(err)
		}
		last := made.After[len(made.After)-1]
		if d := float64(last/alone.Iteration) - 1; d > 1e-6 || d < -1e-6 {
			t.Errorf("after %v an iteration takes %v; by the new plan alone %v", failure, last, alone.Iteration)
		}
		if made.Failing < failure.At.Time() || made.Failing < a.Compute {
			t.Errorf("the failing iteration takes %v; it failed after %v, and computations take %v", made.Failing, failure.At, a.Compute)
		}
	}
	if hit == 0 || restarted == 0 || switches == 0 {
		t.Errorf("%d failures hit something, %d of switches, %d operations began again", hit, switches, restarted)
	}
}
