package staged

import (
	"context"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// request asks for an algorithm on a fabric, whose number of nodes it takes.
func request(t testing.TB, f fabric.Fabric, op collective.Op, algorithm string, size units.Bytes) planner.Request {
	t.Helper()
	c, err := collective.New(op, algorithm, f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	return planner.Request{Fabric: f, Collective: c, Size: size}
}

// reconfig reads a delay.
func reconfig(t testing.TB, s string) fabric.Reconfig {
	t.Helper()
	r, err := fabric.ParseReconfig(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// named returns the planner of that name.
func named(t testing.TB, name string) planner.Planner {
	t.Helper()
	p, err := planner.Registry(Planners()).Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// planWith plans or fails the test.
func planWith(t testing.TB, name string, r planner.Request) *plan.Plan {
	t.Helper()
	p, err := named(t, name).Plan(context.Background(), r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// verify fails the test unless every check of the plan holds.
func verify(t testing.TB, p *plan.Plan) {
	t.Helper()
	report, err := plan.Verify(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if failed := report.First(); failed != nil {
		t.Fatalf("%s: check %s: %s", p.Planner, failed.Name, failed.Detail)
	}
}

// near compares with a relative tolerance.
func near[T ~float64](a, b T, tolerance float64) bool {
	return a == b || math.Abs(float64(a-b)) <= tolerance*max(math.Abs(float64(a)), math.Abs(float64(b)))
}

// changes counts the steps of a schedule whose circuits differ from those before.
func (s *schedule) changes() int {
	count := 0
	for i := 1; i < len(s.choice); i++ {
		if !s.choice[i].same(s.choice[i-1]) {
			count++
		}
	}
	return count
}
