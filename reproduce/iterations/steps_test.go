package iterations_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/iterations"
)

// Computed iterations are within a tenth of the published times, with one efficiency per GPU
// type, except for those known to differ. The test leaves slow claims to the command.
func TestPublishedStepTimes(t *testing.T) {
	for _, e := range iterations.Paper().Entries {
		if e.Full {
			continue
		}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.2f s, published %.2f: %+.1f%%", r.ID, *r.Ours, r.Published, 100**r.Difference)
		if r.Verdict != r.Recorded {
			t.Errorf("%s: %.2f s, published %.2f: %s, recorded is %s", r.ID, *r.Ours, r.Published, r.Verdict, r.Recorded)
		}
	}
}
