package reconfigure

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/reproduce/reconfigure/evaluation"
)

// Claims that differ show finite numbers. If the value is arithmetic, it follows from these
// numbers.
func TestPartsGiveTheValue(t *testing.T) {
	sum := func(parts []claim.Part) float64 {
		total := 0.0
		for _, p := range parts {
			total += p.Value
		}
		return total
	}
	for id, follows := range map[string]func(p []claim.Part) float64{
		"reconfigure-or-not/section4.3":   func(p []claim.Part) float64 { return sum(p[:4]) + sum(p[5:8]) },
		"reconfigure-or-not/search-space": func(p []claim.Part) float64 { return sum(p[:7]) },
		"reconfigure-or-not/fig11/fast":   func(p []claim.Part) float64 { return p[2].Value / p[1].Value },
		"reconfigure-or-not/fig11/mixnet": nil, // takes long
		"reconfigure-or-not/fig12/search": nil, // takes long
	} {
		var e claim.Entry
		for _, other := range Paper().Entries {
			if other.ID == id {
				e = other
			}
		}
		if e.Parts == nil {
			t.Errorf("%s has no parts", id)
			continue
		}
		if follows == nil {
			continue
		}
		parts, err := e.Parts(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		checkParts(t, id, parts)
		want, err := e.Ours(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if got := follows(parts); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: the parts give %v, the claim has %v", id, got, want)
		}
	}
}

func checkParts(t *testing.T, id string, parts []claim.Part) {
	t.Helper()
	if len(parts) < 3 || len(parts) > 12 {
		t.Errorf("%s has %d parts", id, len(parts))
	}
	for _, p := range parts {
		if p.Name == "" || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			t.Errorf("%s: part %+v", id, p)
		}
	}
}

// MixNet's parts on fewer nodes, and the time over the paper's of all settings compared at once.
func TestZipfianIsTheSettingOfFigure11(t *testing.T) {
	z := newZipfian("MixNet", 8)
	parts, err := z.parts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkParts(t, "MixNet on 8 nodes", parts)
	got, err := z.over(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := evaluation.Compare(t.Context(), 11, 8)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if picture, place := list[i].Parts(11); picture != "n8-k2" || place != statedSkew {
			continue
		}
		want, err := z.at(list[i], list[i].Peak())
		if err != nil || got != want || parts[2].Value/parts[1].Value-want > 1e-9 {
			t.Errorf("%v, want %v (%v)", got, want, err)
		}
		return
	}
	t.Error("Figure 11 has no such setting")
}

// On fewer nodes, all readings are listed, the nearest first, each with its own name.
func TestNearestReadingsComeFirst(t *testing.T) {
	first, err := evaluation.Savings(t.Context(), 11, 8)
	if err != nil {
		t.Fatal(err)
	}
	list := nearestFirst(first, first)
	if len(list) != len(evaluation.Readings()) {
		t.Fatalf("%d readings, want %d", len(list), len(evaluation.Readings()))
	}
	names := map[string]bool{}
	for i, r := range list {
		names[r.String()] = true
		if i > 0 && r.off < list[i-1].off {
			t.Errorf("%v comes after one that is farther off", r.Reading)
		}
	}
	if len(names) != len(list) {
		t.Errorf("%d names of %d readings", len(names), len(list))
	}
	checkParts(t, "readings", shownReadings(list))
}
