package staged

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// A plan is the same whether or not its searches are remembered.
func TestAMemoryOfSearchesChangesNoPlan(t *testing.T) {
	m := planner.NewMemory()
	for _, parts := range []int{5, 6, 11} {
		f := fabric.Default()
		f.Nodes, f.Reconfig = 6, stagedtest.Reconfig(t, "3us")
		r := stagedtest.Request(t, f, collective.Broadcast, fmt.Sprintf("binary:parts=%d", parts), units.MiB)
		alone := planWith(t, "harvest", r)
		r.Kept = m
		with := planWith(t, "harvest", r)
		stagedtest.Verify(t, with)
		if alone.Cost != with.Cost || alone.Reconfigurations != with.Reconfigurations {
			t.Errorf("%d pieces: %v, alone %v", parts, with.Cost, alone.Cost)
		}
	}
}
