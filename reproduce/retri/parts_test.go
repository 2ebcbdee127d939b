package retri

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// Claims that differ show finite numbers. If the value is arithmetic, it is one of these numbers.
func TestPartsGiveTheValue(t *testing.T) {
	// follows computes the value from the parts.
	for id, follows := range map[string]func(p []claim.Part) float64{
		"retri/cost/81/2":      func(p []claim.Part) float64 { return p[0].Value + p[1].Value*(p[5].Value+p[6].Value+p[7].Value) },
		"retri/fig2/1us/least": func(p []claim.Part) float64 { return p[4].Value / (p[0].Value + p[1].Value + p[2].Value) },
		"retri/transmission":   func(p []claim.Part) float64 { return 6 * p[2].Value / (4 * p[0].Value) },
		"retri/fig3/search": func(p []claim.Part) float64 {
			count := 0.0
			for i := 0; i < len(p); i += 3 {
				if math.Abs(p[i].Value/1.2-1) <= 0.05 && math.Abs(p[i+1].Value/2.1-1) <= 0.05 {
					count++
				}
			}
			return count
		},
	} {
		e := entryOf(t, id)
		parts, err := e.Parts(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if len(parts) < 3 || len(parts) > 12 {
			t.Errorf("%s has %d parts", id, len(parts))
		}
		for _, p := range parts {
			if p.Name == "" || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
				t.Errorf("%s: part %+v", id, p)
			}
		}
		want, err := e.Ours(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if got := follows(parts); math.Abs(got-want) > 1e-9*max(1, want) {
			t.Errorf("%s: the parts give %v, the claim has %v", id, got, want)
		}
	}
}

func entryOf(t *testing.T, id string) claim.Entry {
	t.Helper()
	for _, e := range Paper().Entries {
		if e.ID == id {
			if e.Parts == nil {
				t.Fatalf("%s has no parts", id)
			}
			return e
		}
	}
	t.Fatalf("no claim %s", id)
	return claim.Entry{}
}

// The nearest conventions come first, and none is left out.
func TestNearestConventionsComeFirst(t *testing.T) {
	list, err := tryConventions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(retriConventions()) {
		t.Fatalf("%d conventions tried, want %d", len(list), len(retriConventions()))
	}
	for i, c := range list {
		if off := max(math.Abs(c.least-1.2)/1.2, math.Abs(c.most-2.1)/2.1); math.Abs(off-c.off) > 1e-12 {
			t.Errorf("%v: off by %v, want %v", c.retriConvention, c.off, off)
		}
		if i > 0 && c.off < list[i-1].off {
			t.Errorf("%v comes after one that is farther off", c.retriConvention)
		}
	}
}
