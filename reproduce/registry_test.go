package reproduce

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// The verdicts of Table 1 and of the published schedules match the record. The test of
// docs/reproduction.md compares those of claims of all papers.
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
			if !r.AsRecorded() {
				t.Errorf("%s: %s, %s, %s; recorded is %s, %s, %s", r.ID, r.Stated.Verdict, r.Convention.Verdict, r.Best.Verdict, r.Stated.Recorded, r.Convention.Recorded, r.Best.Recorded)
			}
		}
	}
}

// A verdict other than the recorded one is reported, and an invalid value is an error.
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

// IDs are unique and begin with their paper. Claims that differ or cannot be checked state why.
// Only claims that cannot be checked have nothing to compute.
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
			row := e.Listed()
			if row.Verdict != claim.Matched && row.Why == "" {
				t.Errorf("%s is %s and does not say why", e.ID, row.Verdict)
			}
			if row.Verdict == claim.Differs && !rerun(t, row.Rerun) {
				t.Errorf("%s: %q is no command or test", e.ID, row.Rerun)
			}
			if e.Convention != nil && p.Convention == "" {
				t.Errorf("%s: the paper has no convention", e.ID)
			}
			for _, reading := range []*claim.Reading{e.Convention, e.Best} {
				if reading != nil && (reading.Name == "" || reading.Ours == nil) {
					t.Errorf("%s: a reading without a name or a value", e.ID)
				}
			}
			if e.Tolerance != 0 && e.Reason == "" {
				t.Errorf("%s: a tolerance without a reason", e.ID)
			}
		}
	}
}

// rerun reports whether a text names an existing test, or is the command for an ID.
func rerun(t *testing.T, text string) bool {
	if id, ok := strings.CutPrefix(text, "lightpath reproduce "); ok {
		found, err := Find(id)
		return err == nil && len(found) > 0
	}
	words := strings.Fields(text)
	if len(words) != 5 || words[0] != "go" || words[1] != "test" || words[3] != "-run" {
		return false
	}
	files, err := filepath.Glob(filepath.Join("..", words[2], "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+words[4]+"(") {
			return true
		}
	}
	return false
}

// A claim is matched as stated or under its paper's convention, never by a reading just for that
// claim.
func TestAReadingOfOneClaimDoesNotDecide(t *testing.T) {
	value := func(x float64) func(context.Context) (float64, error) {
		return func(context.Context) (float64, error) { return x, nil }
	}
	for _, c := range []struct {
		stated, convention, best float64
		verdict, bestVerdict     claim.Verdict
		ours                     float64
	}{
		{1, 2, 2, claim.Matched, claim.Matched, 1},
		{2, 1, 2, claim.Matched, claim.Matched, 1},
		{2, 3, 1, claim.Differs, claim.Matched, 2},
		{2, 3, 4, claim.Differs, claim.Differs, 2},
	} {
		e := claim.Entry{ID: "p/x", Published: 1, Ours: value(c.stated), Convention: &claim.Reading{Name: "c", Ours: value(c.convention)}, Best: &claim.Reading{Name: "b", Ours: value(c.best)}}
		r, err := e.Run(t.Context())
		if err != nil || r.Verdict != c.verdict || r.Best.Verdict != c.bestVerdict || *r.Ours != c.ours || *r.Convention.Ours != c.convention {
			t.Errorf("%v: %+v, %v", c, r, err)
		}
	}
	open := claim.Entry{ID: "p/open", Published: 1, Recorded: claim.NotCheckable, Convention: &claim.Reading{Name: "c", Recorded: claim.Matched, Ours: value(1)}}
	if r, err := open.Run(t.Context()); err != nil || r.Verdict != claim.Matched || r.Stated.Verdict != claim.NotCheckable || !r.AsRecorded() {
		t.Errorf("%+v, %v", r, err)
	}
}

// The best reading is the nearest of all: as stated, under the convention, or any other.
func TestTheBestReadingIsTheNearest(t *testing.T) {
	value := func(x float64) func(context.Context) (float64, error) {
		return func(context.Context) (float64, error) { return x, nil }
	}
	for _, c := range []struct {
		sense                           claim.Sense
		stated, convention, other, best float64
	}{
		{claim.Equal, 11, 14, 12, 11},
		{claim.Equal, 7, 12, 14, 12},
		{claim.Equal, 7, 14, 9, 9},
		{claim.Lower, 4, 11, 12, 11},
		{claim.AtMost, 14, 3, 12, 3},
		{claim.AtLeast, 9, 7, 30, 30},
		{claim.AtLeast, 9, 7, 8, 9},
	} {
		e := claim.Entry{ID: "p/x", Published: 10, Sense: c.sense, Ours: value(c.stated), Convention: &claim.Reading{Name: "c", Ours: value(c.convention)}, Best: &claim.Reading{Name: "b", Ours: value(c.other)}}
		r, err := e.Run(t.Context())
		if err != nil || *r.Best.Ours != c.best {
			t.Errorf("%+v: the best is %+v, %v", c, r.Best, err)
		}
	}
}

// The tolerance of a claim is shown without its reason.
func TestMargins(t *testing.T) {
	nothing := func(context.Context) (float64, error) { return 0, nil }
	for _, c := range []struct {
		entry claim.Entry
		want  string
	}{
		{claim.Entry{Ours: nothing}, ""},
		{claim.Entry{Ours: nothing, Tolerance: 0.2, Reason: "10%: about"}, "0.2"},
		{claim.Entry{Ours: nothing, Sense: claim.AtMost}, ""},
		{claim.Entry{Ours: nothing, Sense: claim.AtLeast, Tolerance: 0.05, Reason: "digit"}, "0.05"},
		{claim.Entry{}, ""},
	} {
		if row := c.entry.Listed(); row.Margin() != c.want {
			t.Errorf("%q: %q, want %q", row.Tolerance, row.Margin(), c.want)
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

// Even without its ID, a row identifies its claim.
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
	claims, long := 0, 0
	for _, p := range Papers() {
		claims += len(p.Entries)
		for _, e := range p.Entries {
			if e.Full {
				long++
			}
		}
	}
	for _, want := range []string{fmt.Sprintf("\n%d claims of the", claims), fmt.Sprintf("except %d that take long", long)} {
		if !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}

// A claim that differs can be examined: by a command or a test other than the claim itself, or
// through the numbers behind the claim.
func TestWhatDiffersCanBeLookedInto(t *testing.T) {
	entries, err := Find(All)
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		e := &entries[i]
		if e.Listed().Verdict != claim.Differs || e.Parts != nil {
			continue
		}
		if e.Rerun == "" || e.Rerun == "lightpath reproduce "+e.ID {
			t.Errorf("%s: nothing shows why", e.ID)
		}
	}
}
