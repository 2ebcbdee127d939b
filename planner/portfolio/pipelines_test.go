package portfolio

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Plans to derive others from are not sought among algorithms whose number of pieces is open: that
// search is run for every delay.
func TestDerivedOmitsPipelines(t *testing.T) {
	f := fabric.Default()
	for _, noPipelines := range []bool{false, true} {
		s := NewSearch(Options{Planners: Planners(), Bare: true})
		s.scope.noPipelines = noPipelines
		task, err := NewTask(collective.Operation{Op: collective.AllReduce, Size: units.MiB}, &f, s)
		if err != nil {
			t.Fatal(err)
		}
		ways, err := task.Ways(s.Planners().Best())
		if err != nil {
			t.Fatal(err)
		}
		open, listed := 0, 0
		for _, w := range ways {
			if w.Open != nil {
				open++
			} else {
				listed++
			}
		}
		if noPipelines == (open > 0) || listed == 0 {
			t.Errorf("without pipelines %v: %d ways with an open number of pieces, %d others", noPipelines, open, listed)
		}
	}
}
