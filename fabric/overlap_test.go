package fabric_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

func TestOverlapIsReadAsItIsWritten(t *testing.T) {
	for _, text := range []string{"none", "compute:20us", "ports", "circuits", "planes"} {
		o, err := fabric.ParseOverlap(text)
		if err != nil || o.String() != text {
			t.Errorf("%q: %v, %v", text, o, err)
		}
	}
	for _, text := range []string{"", "compute", "compute:", "compute:20", "compute:-1us", "ports:1us", "none:1us", "all", "PORTS", ":"} {
		o, err := fabric.ParseOverlap(text)
		if err == nil || o != (fabric.Overlap{}) || !strings.Contains(err.Error(), "compute:TIME") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, %v", text, o, err)
		}
	}
}

// A change costs the delay, less its hidden part, plus the barrier.
func TestWaits(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Sync = 8, 2, 3_000_000
	one, two, both := topology.DirectedCirculant(8, 1), topology.DirectedCirculant(8, 2), topology.DirectedCirculant(8, 1, 2)
	if got := f.Wait(one, topology.DirectedCirculant(8, 1), 0); got != 0 {
		t.Errorf("nothing changes: %v", got)
	}
	if got := f.Wait(one, two, 0); got != 13_000 {
		t.Errorf("a delay of 10us and a barrier of 3us: %v", got)
	}
	if got := f.Wait(one, two, 4000); got != 9000 {
		t.Errorf("4us of it hidden: %v", got)
	}
	if got := f.Wait(one, two, 40_000); got != 3000 {
		t.Errorf("all of it hidden: %v", got)
	}
	f.Overlap = fabric.Overlap{Kind: fabric.OverlapCompute, Compute: 4_000_000}
	if got, ok := f.UniformWait(); got != 9000 || !ok {
		t.Errorf("computation of 4us: %v, %v", got, ok)
	}
	f.Overlap = fabric.Overlap{Kind: fabric.OverlapPorts}
	for _, c := range []struct {
		from, to *topology.Graph
		hidden   units.Time
	}{
		{one, two, 700},  // side by side on the two ports
		{both, one, 700}, // it is there already
		{both, topology.DirectedCirculant(8, 3), 0},
		{topology.DirectedCirculant(8, 1, 1), two, 0},
		{topology.DirectedCirculant(8, 1, 1), both, 0}, // one of the two is in the way
	} {
		if got := f.Hidden(c.from, c.to, 700); got != c.hidden {
			t.Errorf("%s to %s: %v hidden, want %v", c.from.Name(), c.to.Name(), got, c.hidden)
		}
	}
	if got := f.LeastWait(); got != 3000 {
		t.Errorf("at least the barrier: %v", got)
	}
}

// A switch is charged if its matching changes, at any port.
func TestPerSwitchCountsTheSwitchesThatChange(t *testing.T) {
	for _, c := range []struct {
		model    string
		from, to *topology.Graph
		switches units.Time
	}{
		{"per-switch:0ns+1us", topology.DirectedCirculant(8, 1, 2), topology.DirectedCirculant(8, 1, 3), 1},
		{"per-switch:0ns+1us", topology.DirectedCirculant(8, 1, 2), topology.DirectedCirculant(8, 2, 3), 1},
		{"per-switch:0ns+1us", topology.DirectedCirculant(8, 1, 2), topology.DirectedCirculant(8, 3, 5), 2},
		{"per-switch:0ns+1us", topology.DirectedCirculant(8, 1, 1), topology.DirectedCirculant(8, 1, 2), 1},
		{"per-switch:0ns+1us", topology.DirectedCirculant(8, 1, 2), topology.DirectedCirculant(8, 1), 1},
		{"per-switch/1:0ns+1us", topology.DirectedCirculant(8, 1, 2), topology.DirectedCirculant(8, 3, 5), 1},
		{"per-switch/2:0ns+1us", topology.DirectedCirculant(8, 1, 2, 3, 4), topology.DirectedCirculant(8, 1, 3, 5, 6), 2},
		{"per-switch/2:5us+1us", topology.Torus(4, 4), topology.Torus(4, 4), -5},
	} {
		r, err := fabric.ParseReconfig(c.model)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := r.Delay(c.from, c.to), r.Base.Time()+c.switches*1000; got != want {
			t.Errorf("%s: %s to %s takes %v, want %v", c.model, c.from.Name(), c.to.Name(), got, want)
		}
	}
	f := fabric.Default()
	f.Reconfig = fabric.Reconfig{Model: fabric.PerSwitch, Switches: 2}
	if err := f.Validate(); err == nil {
		t.Error("two switches for one port")
	}
}
