package direct_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/units"
)

// The square 0-1, 0-2, 1-3, 2-3 with 1>3 at half the bandwidth: what 0 sends to 3 in the second
// step goes by a third over 1 and by two thirds over 2, which takes 2/3 of a shard; halves
// would take a whole shard. The first step takes two shards, because the shard of 1 goes to 3.
func TestScheduleBalancesCircuitsThatDiffer(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Base = 4, 2, "Torus(2,2)"
	f.Alpha, f.Links = 0, fabrictest.Links("1>3:400Gbps")
	c := &collective.Collective{Op: collective.AllGather, Algorithm: direct.Algorithm, Nodes: 4, Space: collective.SpaceOf(collective.AllGather, 4, 1)}
	p, err := direct.New().Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: 12 * units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	shard := f.Bandwidth.Transmit(float64(3 * units.MiB))
	if want := 2*shard + 2*shard/3; math.Abs(float64(p.Cost.Transmission-want)) > 1e-6*float64(want) {
		t.Errorf("%v on circuits, want %v", p.Cost.Transmission, want)
	}
	if report, err := verify.Plan(t.Context(), p); err != nil || report.First() != nil {
		t.Errorf("%v, %+v", err, report.First())
	}
}
