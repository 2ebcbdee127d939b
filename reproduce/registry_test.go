package reproduce

import (
	"strings"
	"testing"
)

// Every claim that does not take long has the verdict that is recorded.
func TestFastClaimsHaveTheirRecordedVerdicts(t *testing.T) {
	entries, err := Find(All)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Run(t.Context(), entries, false, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Verdict != r.Recorded {
			t.Errorf("%s: %s, recorded is %s: published %v, ours %v", r.ID, r.Verdict, r.Recorded, r.Published, *r.Ours)
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
			if (e.Recorded == NotCheckable) != (e.Ours == nil) {
				t.Errorf("%s: recorded is %s", e.ID, e.Recorded)
			}
			if e.Recorded != Matched && e.Why == "" {
				t.Errorf("%s is %s and does not say why", e.ID, e.Recorded)
			}
			if e.Tolerance != 0 && e.Reason == "" {
				t.Errorf("%s: a tolerance without a reason", e.ID)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		sense Sense
		ours  float64
		want  Verdict
	}{
		{Equal, 10.5, Matched}, {Equal, 9, Differs}, {Equal, 11, Differs},
		{Lower, 9, Better}, {Lower, 9.5, Matched}, {Lower, 11, Differs},
		{Higher, 11, Better}, {Higher, 9, Differs},
		{AtMost, 1, Matched}, {AtMost, 10.5, Matched}, {AtMost, 10.6, Differs},
		{AtLeast, 100, Matched}, {AtLeast, 9.5, Matched}, {AtLeast, 9.4, Differs},
	} {
		e := Entry{Published: 10, Tolerance: 0.5, Sense: c.sense}
		if got := e.judge(c.ours); got != c.want {
			t.Errorf("sense %d, ours %v: %s, want %s", c.sense, c.ours, got, c.want)
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
