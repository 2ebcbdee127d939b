package lightbends

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// The two-state recursion finds the same result as trying every choice. No plan of the program
// is faster than the planner's, which pays only where circuits change. If every step is charged,
// the planner's plans are just as fast.
func TestTheProgramIsSolvedAndNeverFasterThanTheUsualClock(t *testing.T) {
	for _, algorithm := range []string{"recursive-doubling", "swing", "halving-doubling"} {
		w := bendsWork(collective.AllReduce, algorithm, 100*units.Nanosecond)
		w.Fabric.Nodes, w.Fabric.Routing = 16, flow.Shortest
		p, err := newProgram(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []units.Bytes{units.KiB, units.MiB, 64 * units.MiB} {
			for _, delay := range claim.Tens(10*units.Nanosecond, 10*units.Millisecond) {
				w.Size, w.Fabric.Reconfig.Base = size, delay
				want, err := zeroOneProgram(w, t.Context())
				if err != nil {
					t.Fatal(err)
				}
				best, static, every := p.times(size, delay)
				if math.Abs(best/want-1) > 1e-9 || best > min(static, every)*(1+1e-9) {
					t.Errorf("%s, %v, %v: %v, by trying %v", algorithm, size, delay, best, want)
				}
				made, err := w.Plan(t.Context(), "light-bends")
				if err != nil {
					t.Fatal(err)
				}
				if float64(made.Cost.Total()) > best*(1+1e-9) {
					t.Errorf("%s, %v, %v: the planner takes %v, the program %v", algorithm, size, delay, made.Cost.Total(), best)
				}
				charged := w
				charged.Fabric.Charge = fabric.ChargeSteps
				if made, err = charged.Plan(t.Context(), "light-bends"); err != nil {
					t.Fatal(err)
				}
				if math.Abs(float64(made.Cost.Total())/best-1) > 1e-9 {
					t.Errorf("%s, %v, %v: where steps are charged the planner takes %v, the program %v", algorithm, size, delay, made.Cost.Total(), best)
				}
			}
		}
	}
}
