package exchange

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// Where ports do not divide the matchings of an all-to-all, those left over share all ports: the
// plan has as many stages as it takes to keep all ports busy, and no pair sends more than it has.
func TestMatchingsLeftOverShareAllPorts(t *testing.T) {
	for _, c := range []struct {
		nodes, ports, stages int
		duplex               bool
	}{{6, 3, 3, false}, {6, 3, 3, true}, {12, 7, 3, false}, {9, 5, 3, false}, {8, 4, 3, true}, {12, 8, 3, true}, {20, 8, 4, false}} {
		s := setting{nodes: c.nodes, ports: c.ports, size: 64 * units.MiB, set: map[string]string{"reconfig": "1us", "duplex": fmt.Sprint(c.duplex)}}
		p := s.planned(t, Options{})
		f := &p.Fabric
		want := units.Time(c.stages-1)*f.LeastBarrier() + units.Time(c.stages)*(f.Alpha.Time()+f.Delta.Time()) +
			f.Bandwidth.Transmit(float64(s.size)/float64(c.nodes)*float64(c.nodes-1)/float64(c.ports))
		if !stagedtest.Near(p.Cost.Total(), want, 1e-9) {
			t.Errorf("%v: %v in %d stages, want %v in %d", s, p.Cost.Total(), len(p.Stages), want, c.stages)
		}
	}
}
