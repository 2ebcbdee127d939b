package verifying_test

import (
	"path/filepath"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// The baselines of a plan can be recomputed, even for old files.
func TestBaselinesAreMadeAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"harvest", "light-bends", "sections", "demand", "shortest", "subset"} {
		p, err := plan.ReadFile(t.Context(), filepath.Join("..", "..", "plan", "testdata", "v1", name+".json.gz"))
		if err != nil {
			t.Fatal(err)
		}
		state := func(change func(*plan.Baselines)) verify.Check {
			q := *p
			change(&q.Baselines)
			report, err := lightpath.Verify(t.Context(), lightpath.VerifyRequest{Plan: &q, Baselines: true})
			if err != nil {
				t.Fatal(err)
			}
			last := report.Checks[len(report.Checks)-1]
			if last.Name != "baselines" || report.OK != last.OK {
				t.Errorf("%s: %+v, %v", name, last, report.OK)
			}
			return last
		}
		if c := state(func(*plan.Baselines) {}); !c.OK {
			t.Errorf("%s: %+v", name, c)
		}
		if c := state(func(b *plan.Baselines) { b.Static = b.Static*1.01 + 1 }); c.OK || c.Unchecked {
			t.Errorf("%s: a false baseline: %+v", name, c)
		}
	}
}
