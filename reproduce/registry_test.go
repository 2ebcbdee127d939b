package reproduce

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// The verdicts of Table 1 and of the published schedules are those that are recorded. Those of
// all claims that do not take long are compared by the test of docs/reproduction.md.
func TestVerdictsAreRecorded(t *testing.T) {
	for _, name := range []string{"harvest/table1", "harvest/schedule", "retri", "direct-connect/table5"} {
		entries, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		rows, err := Run(t.Context(), entries, false, func(n, total int) {
			if done++; n != done || total != len(entries) {
				t.Errorf("%d of %d done, want %d of %d", n, total, done, len(entries))
			}
		})
		if err != nil || len(rows) != len(entries) {
			t.Fatalf("%d rows of %d, %v", len(rows), len(entries), err)
		}
		for _, r := range rows {
			if r.Verdict != r.Recorded {
				t.Errorf("%s: %s, recorded is %s", r.ID, r.Verdict, r.Recorded)
			}
		}
	}
}

// A verdict that is not the recorded one is told, and what is no value is an error.
func TestRunTellsWhatIsNotAsRecorded(t *testing.T) {
	value := func(x float64) func(context.Context) (float64, error) {
		return func(context.Context) (float64, error) { return x, nil }
	}
	wrong := claim.Entry{ID: "p/wrong", Published: 1, Recorded: claim.Matched, Ours: value(2)}
	if r, err := wrong.Run(t.Context()); err != nil || r.Verdict != claim.Differs || r.Recorded != claim.Matched || *r.Difference != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	nothing := claim.Entry{ID: "p/nothing", Published: 1, Ours: value(math.NaN())}
	if _, err := nothing.Run(t.Context()); err == nil {
		t.Error("NaN is a value")
	}
	full := []claim.Entry{{ID: "p/full", Full: true, Recorded: claim.Matched, Ours: value(0)}, {ID: "p/fast", Recorded: claim.Matched, Ours: value(0)}}
	for all, want := range map[bool]int{false: 1, true: 2} {
		if rows, err := Run(t.Context(), full, all, func(int, int) {}); err != nil || len(rows) != want {
			t.Errorf("full %v: %d rows, %v", all, len(rows), err)
		}
	}
}

// IDs are different and begin with their paper; what differs or cannot be checked says why;
// only what cannot be checked has nothing to compute.
func TestClaimsAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Papers() {
		for _, e := range p.Entries {
			if seen[e.ID] || !strings.HasPrefix(e.ID, p.Name+"/") || e.ID != strings.ReplaceAll(e.ID, " ", "") {
				t.Errorf("%q: no ID of its own", e.ID)
			}
			seen[e.ID] = true
			if e.Source == "" || e.Quantity == "" {
				t.Errorf("%s: no source or quantity", e.ID)
			}
			if (e.Recorded == claim.NotCheckable) != (e.Ours == nil) {
				t.Errorf("%s: recorded is %s", e.ID, e.Recorded)
			}
			if e.Recorded != claim.Matched && e.Why == "" {
				t.Errorf("%s is %s and does not say why", e.ID, e.Recorded)
			}
			if e.Tolerance != 0 && e.Reason == "" {
				t.Errorf("%s: a tolerance without a reason", e.ID)
			}
		}
	}
}

func TestFindByPrefix(t *testing.T) {
	all, err := Find(All)
	if err != nil {
		t.Fatal(err)
	}
	paper, err := Find("harvest")
	if err != nil || len(paper) == 0 || len(paper) > len(all) {
		t.Errorf("%d of harvest, %v", len(paper), err)
	}
	table, err := Find("harvest/table1")
	if err != nil || len(table) != 9 {
		t.Errorf("%d of Table 1, %v", len(table), err)
	}
	one, err := Find("harvest/eq8")
	if err != nil || len(one) != 1 {
		t.Errorf("%d of Eq. 8, %v", len(one), err)
	}
	for _, name := range []string{"", "harvest/tab", "nothing"} {
		if _, err := Find(name); err == nil {
			t.Errorf("%q is found", name)
		}
	}
}

// A row without its ID still says which of the claims it is.
func TestNoTwoClaimsHaveTheSameWords(t *testing.T) {
	for _, p := range Papers() {
		seen := map[string]string{}
		for _, e := range p.Entries {
			words := e.Source + ": " + e.Quantity
			if other, ok := seen[words]; ok {
				t.Errorf("%s and %s are both %q", other, e.ID, words)
			}
			seen[words] = e.ID
		}
	}
}

func TestABoundHasNoDifferenceInPercent(t *testing.T) {
	ours := 400.0
	for _, c := range []struct {
		row  claim.Row
		want string
	}{
		{claim.Row{Published: 100, Ours: &ours, Verdict: claim.Matched}, ""},
		{claim.Row{Published: 100, Bound: "at least", Verdict: claim.Matched}, ""},
		{claim.Row{Published: 100, Bound: "at least", Ours: &ours, Verdict: claim.Matched}, "within"},
		{claim.Row{Published: 500, Bound: "at least", Ours: &ours, Verdict: claim.Differs}, "below"},
		{claim.Row{Published: 100, Bound: "at most", Ours: &ours, Verdict: claim.Differs}, "above"},
	} {
		if got := c.row.Beyond(); got != c.want {
			t.Errorf("%s %g: %q, want %q", c.row.Bound, c.row.Published, got, c.want)
		}
	}
}

func TestTheReadmeSaysHowManyClaimsThereAre(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	claims := 0
	for _, p := range Papers() {
		claims += len(p.Entries)
	}
	if want := fmt.Sprintf("\n%d claims of the", claims); !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say %q", want)
	}
}
