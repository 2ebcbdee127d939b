package layout_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile/timetable"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// One file and one line in the list of kinds add a layout. It can then be read and written,
// error messages show its syntax, a fabric takes it, plans use only circuits that it can set up,
// the plans verify, and their timetables name its switches.
func TestALayoutIsAddedInOneFile(t *testing.T) {
	defer layout.Add(layout.Pairwise)()
	if _, err := layout.Parse("nothing"); err == nil || !strings.Contains(err.Error(), ", pairwise, or @FILE.csv") {
		t.Errorf("%v", err)
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 8, 2, units.Microsecond
	if err := f.Set("switches", "pairwise"); err != nil || f.Layout.String() != "pairwise" {
		t.Fatalf("%q, %v", f.Layout, err)
	}
	r := planner.Request{Fabric: f, Size: units.MiB}
	var err error
	if r.Collective, err = algorithms.New(collective.AllReduce, "recursive-doubling", f.Nodes, f.Ports); err != nil {
		t.Fatal(err)
	}
	made, err := staged.Harvest(staged.HarvestOptions{}).Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := made.Encode(&file); err != nil {
		t.Fatal(err)
	}
	read, err := plan.Decode(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	if result, err := verify.Plan(t.Context(), read); err != nil || !result.OK {
		t.Errorf("%+v, %v", result, err)
	}
	table, err := timetable.Of(read)
	if err != nil {
		t.Fatal(err)
	}
	if table.Layout != "pairwise" || table.Switches != 5 {
		t.Errorf("%s with %d switches", table.Layout, table.Switches)
	}
}
