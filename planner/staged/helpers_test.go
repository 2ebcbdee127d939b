package staged

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
)

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

// changes counts the steps of a schedule whose circuits differ from those before.
func changes(s *pass.Schedule) int {
	count := 0
	for i := 1; i < len(s.Choice); i++ {
		if !s.Choice[i].Same(s.Choice[i-1]) {
			count++
		}
	}
	return count
}
