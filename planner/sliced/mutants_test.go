package sliced_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// whyNot returns the first failed check of a plan, or "".
func whyNot(t *testing.T, p *plan.Plan) string {
	t.Helper()
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		return bad.Name + ": " + bad.Detail
	}
	return ""
}

// TestPlansThatTouchWhatIsNotTheirsAreRefused: a plan is correct until another job holds a port
// or a GPU that it uses, or the island of a hop fails.
func TestPlansThatTouchWhatIsNotTheirsAreRefused(t *testing.T) {
	t.Parallel()
	known := map[string]*plan.Plan{}
	for _, c := range []struct{ settings, then, want string }{
		{"nodes=8 ports=1", "held=3", "ports"},
		{"nodes=8 ports=2", "held=3.1", "ports"},
		{"nodes=8 ports=2 switches=rails", "held=3.1", "ports"},
		{"nodes=9 ports=2 switches=3x3", "held=4.0", "ports"},
		{"nodes=9 ports=2 switches=3x3", "avoid=switch:1", "ports"},
		{"nodes=8 ports=1 island=4 island-bandwidth=7200Gbps", "avoid=island:1", "routes"},
		{"nodes=8 ports=1 island=4 island-bandwidth=7200Gbps", "held=5", "ports"},
	} {
		f := fabric.Default()
		for setting := range strings.FieldsSeq(c.settings) {
			name, value, _ := strings.Cut(setting, "=")
			if err := f.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if known[c.settings] == nil {
			p, err := fastest(t, f, collective.Operation{Op: collective.AllReduce, Size: units.MiB})
			if err != nil {
				t.Fatal(err)
			}
			if why := whyNot(t, p); why != "" {
				t.Fatalf("%s: %s", c.settings, why)
			}
			known[c.settings] = p
		}
		mutant := *known[c.settings]
		p := &mutant
		name, value, _ := strings.Cut(c.then, "=")
		if err := p.Fabric.Set(name, value); err != nil {
			t.Fatal(err)
		}
		if why := whyNot(t, p); !strings.Contains(why, c.want) {
			t.Errorf("%s, then %s: %q, want %s", c.settings, c.then, why, c.want)
		}
		if name == "held" {
			report, err := verify.Plan(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(report.Checks, func(c verify.Check) bool { return c.Name == "held" && !c.OK }) {
				t.Errorf("%s, then %s: no check says that it is held", c.settings, c.then)
			}
		}
	}
}
