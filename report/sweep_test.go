package report_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/sweep"
)

// A table that was asked for speed-ups over the same algorithm has these, and says so.
func TestSweepsCompareWithWhatWasAskedFor(t *testing.T) {
	cell := sweep.Cell{Known: true, Outcome: sweep.Outcome{
		Algorithm: "ring", Planner: "harvest", Total: 100, Baselines: sweep.Baselines{Static: 150, EveryStep: 120}, Same: sweep.Baselines{Static: 300, EveryStep: 400},
	}}
	for _, c := range []struct {
		alike bool
		want  []string
	}{
		{false, []string{"over static", "over every-step", "1.50x", "1.20x"}},
		{true, []string{"over same-static", "over same-every-step", "3.00x", "4.00x"}},
	} {
		var text strings.Builder
		report.Sweep(&text, &sweep.Table{Spec: &sweep.Spec{}, Alike: c.alike, Cells: []sweep.Cell{cell}})
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("alike %v: no %q in\n%s", c.alike, want, text.String())
			}
		}
	}
}
