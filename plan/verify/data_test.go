package verify_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan/plantest"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// Running the chunks in batches finds the same as running them all at once.
func TestChunksAreFollowedInPartsAsAtOnce(t *testing.T) {
	for _, name := range []string{plantest.Mixed, plantest.Weighted, plantest.Cut, plantest.Few} {
		for broken := range 6 {
			p := plantest.SpacePlan(t, name)
			if broken > 0 { // leave out a transfer
				stage := &p.Stages[broken*7%len(p.Stages)]
				step := &stage.Steps[broken%len(stage.Steps)]
				step.Base = step.Base[:max(1, len(step.Base)-1)]
				step.Base[0].Action = []collective.Action{collective.Copy, collective.Reduce}[broken%2]
			}
			want := fmt.Sprint(verify.DataErrors(p, 1<<30))
			for _, most := range []int{0, 1, 5, 64} {
				if got := fmt.Sprint(verify.DataErrors(p, most)); got != want {
					t.Errorf("%s, at most %d at once: %s, want %s", name, most, got, want)
				}
			}
		}
	}
}
