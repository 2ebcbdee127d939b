package digit

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Networks and what is known about them are kept.
func TestNetworksAreKept(t *testing.T) {
	memory := planner.NewMemory()
	r := jointtest.Request(collective.AllReduce, 24, 3, 256*units.KiB)
	s := NewSearch(Question{
		Machine: NewMachine(&r.Fabric, 3, 24), Limits: unlimited, Keep: 1, Nodes: 24, Bytes: float64(r.Size), Memory: memory, Stopped: never,
	})
	if len(s.Solve(Task{Op: AllReduce, Nodes: 24, Scale: 1, Changes: AnyChanges})) == 0 {
		t.Fatal("nothing is found")
	}
	planner.Kept(memory, programsKey{points: 24, ports: 3, parts: 6}, func() (*wired, bool) {
		t.Error("the networks of 24 GPUs were not kept")
		return nil, false
	})
}

// unlimited excludes nothing.
var unlimited = Limits{Changes: AnyChanges}
