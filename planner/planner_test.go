package planner_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// idle is a planner in name only.
type idle string

func (p idle) Name() string  { return string(p) }
func (p idle) About() string { return "does nothing" }

func (p idle) Plan(context.Context, planner.Request) (*plan.Plan, error) { return nil, nil }

func TestRegistryLookup(t *testing.T) {
	registry := planner.Registry{idle("one"), idle("two")}
	if got := registry.Names(); len(got) != 2 || got[0] != "one" || got[1] != "two" {
		t.Errorf("names %v", got)
	}
	if p, err := registry.Lookup("two"); err != nil || p != idle("two") {
		t.Errorf("two: %v, %v", p, err)
	}
	_, err := registry.Lookup("Two")
	if want := `unknown planner "Two"; use one, two`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func valid(t *testing.T) planner.Request {
	t.Helper()
	f := fabric.Default()
	f.Nodes = 8
	c, err := algorithms.New(collective.AllReduce, "ring", 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	return planner.Request{Fabric: f, Collective: c, Size: units.KiB}
}

func TestRequestValidate(t *testing.T) {
	r := valid(t)
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(r *planner.Request){
		"size: must be above 0B": func(r *planner.Request) { r.Size = 0 },
		"size: ":                 func(r *planner.Request) { r.Size = -1 },
		"ports: ":                func(r *planner.Request) { r.Fabric.Ports = 0 },
		"the collective is for 8 nodes, the fabric has 9": func(r *planner.Request) { r.Fabric.Nodes = 9 },
	} {
		r := valid(t)
		change(&r)
		if err := r.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestRequestReport(t *testing.T) {
	r := valid(t)
	r.Report(1, 2) // nobody listens
	var got [2]int
	r.Progress = func(done, total int) { got = [2]int{done, total} }
	r.Report(3, 4)
	if got != [2]int{3, 4} {
		t.Errorf("reported %v", got)
	}
}
