package harvest

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// Claims that differ for a numeric cause show the numbers. These are finite, and the claims'
// values are among them or follow from them.
func TestValuesFollowFromTheirParts(t *testing.T) {
	entries := map[string]claim.Entry{}
	for _, e := range Paper().Entries {
		entries[e.ID] = e
	}
	value := func(of func(context.Context) (float64, error)) float64 {
		t.Helper()
		v, err := of(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		id string
		// gains are the places of speed-ups that are followed by the times of static, of BvN and of
		// the best plan; stated and convention are the places of the values.
		gains              []int
		stated, convention int
	}{
		{"harvest/fig5/both/swing", []int{0, 5}, 10, 0},
		{"harvest/fig5/both/alltoall", []int{0, 4}, 11, 0},
		{"harvest/fig9/binary/both", nil, 6, 10},
	} {
		e := entries[c.id]
		parts := finite(t, &e)
		if got, want := parts[c.stated].Value, value(e.Ours); got != want {
			t.Errorf("%s: %s is %v, the value as stated %v", c.id, parts[c.stated].Name, got, want)
		}
		if got, want := parts[c.convention].Value, value(e.Convention.Ours); got != want {
			t.Errorf("%s: %s is %v, the value by the convention %v", c.id, parts[c.convention].Name, got, want)
		}
		for _, i := range c.gains {
			if got := min(parts[i+1].Value, parts[i+2].Value) / parts[i+3].Value; math.Abs(got-parts[i].Value) > 1e-9 {
				t.Errorf("%s: %s is %v, and %v by the times below it", c.id, parts[i].Name, parts[i].Value, got)
			}
		}
	}

	tree := entries["harvest/fig9/binary/both"]
	p := finite(t, &tree)
	for i, gain := range map[int]float64{
		6:  min(p[5].Value, p[7].Value) / p[8].Value,
		10: min(p[5].Value, p[9].Value) / p[8].Value,
		11: max(p[2].Value/p[1].Value, p[5].Value/p[4].Value),
	} {
		if math.Abs(p[i].Value-gain) > 1e-9 {
			t.Errorf("%s: %s is %v, and %v by the times", tree.ID, p[i].Name, p[i].Value, gain)
		}
	}

	solve := entries["harvest/fig11/64"]
	p = finite(t, &solve)
	sum := 0.0
	for _, run := range p[:10] {
		sum += run.Value
	}
	if got := value(solve.Ours); math.Abs(sum/10-got) > 1e-9 || math.Abs((p[10].Value+p[11].Value)/2-got) > 1e-9 {
		t.Errorf("%s: the mean is %v, that of the runs %v", solve.ID, got, sum/10)
	}
	if p[11].Value > solve.Published+solve.Tolerance || p[10].Value <= solve.Published+solve.Tolerance {
		t.Errorf("%s: the halves take %v and %v", solve.ID, p[10].Value, p[11].Value)
	}
}

// The search shows the best conventions. Without packet times, which take long to simulate and
// match fewer claims, the best count is the same.
func TestTheSearchShowsItsBestConventions(t *testing.T) {
	s, err := newSearch(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.most(); got != 9 {
		t.Errorf("the best convention gives %v speed-ups, want 9", got)
	}
	e := claim.Entry{ID: "harvest/fig5/search", Parts: func(context.Context) ([]claim.Part, error) { return s.parts(), nil }}
	parts := finite(t, &e)
	missed := 0
	for _, p := range parts {
		if p.Unit == "times" {
			missed++
		}
	}
	if want := 2 * (len(s.figures) - int(s.most())); parts[0].Value != s.most() || missed != want {
		t.Errorf("%v: %d speed-ups are missed by two clocks, want %d", parts, missed, want)
	}
	if last := parts[len(parts)-1]; last.Value != 7 {
		t.Errorf("%s gives %v, want 7", last.Name, last.Value)
	}
}

// finite returns the parts of a claim, and checks that they are a few finite numbers.
func finite(t *testing.T, e *claim.Entry) []claim.Part {
	t.Helper()
	if e.Parts == nil {
		t.Fatalf("%s has no parts", e.ID)
	}
	parts, err := e.Parts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) < 3 || len(parts) > 12 {
		t.Fatalf("%s has %d parts", e.ID, len(parts))
	}
	for _, p := range parts {
		if p.Name == "" || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			t.Errorf("%s: %v", e.ID, p)
		}
	}
	return parts
}
