package directconnect

import (
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// The checks of theorems on schedules cover the claimed number of schedules, some that meet the
// conditions and some that do not, and detect wrong schedules.
func TestTheoremsOnSchedulesAreTriedBothWays(t *testing.T) {
	all, err := anyAllgathers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	least, even, smallest, largest := 0, 0, all[0].Graph.Nodes(), 0
	for _, l := range all {
		n := l.Graph.Nodes()
		smallest, largest = min(smallest, n), max(largest, n)
		if l.bandwidth().Cmp(l.Bandwidth) != 0 {
			t.Errorf("%s: transfers take %v, said is %v", l.Derivation, l.bandwidth(), l.Bandwidth)
		}
		if l.BandwidthOptimal {
			least++
		}
		if l.even() {
			even++
		}
	}
	if len(all) != 36 || smallest != 4 || largest != 49 {
		t.Errorf("%d schedules on %d to %d nodes", len(all), smallest, largest)
	}
	if least == 0 || least == len(all) || even == 0 || even == len(all) {
		t.Errorf("of %d, %d have the least bandwidth and %d are even", len(all), least, even)
	}
	wrong := all[0]
	wrong.steps[0] = wrong.steps[0][1:]
	if addsUpBackwards(wrong) {
		t.Error("a schedule that lacks a transfer adds up")
	}
	tight, loose := 0, 0
	for _, expr := range []string{"C(15;1,4,5)", "Q(3)"} {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		for step := 1; step <= 2; step++ {
			for _, at := range arrivalsOf(g, step) {
				if at.tight() {
					tight++
				} else {
					loose++
				}
			}
		}
	}
	if tight == 0 || loose == 0 {
		t.Errorf("%d sets of links are too few, %d are enough", tight, loose)
	}
}
