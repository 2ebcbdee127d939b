package bound_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// onGrid is the bound of an operation on a layout.
func onGrid(t *testing.T, layout string, nodes, ports int, op collective.Op, size units.Bytes) bound.Breakdown {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	if err := f.Set("switches", layout); err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	return bound.OfOperation(&f, &collective.Section{Op: op, Size: size, Space: collective.SpaceOf(op, nodes, 1)})
}

// An all-to-all on 2x2 with a port in each digit has only one topology, a two-way ring of four.
// Half of a GPU's bytes for the opposite one goes in each direction, so a circuit carries half
// of what a GPU holds, and paths have two hops: that takes exactly the bound.
func TestTheBoundOfAnExchangeOnFourGPUsIsReached(t *testing.T) {
	f := fabric.Default()
	size := 4 * units.MiB
	b := onGrid(t, "2x2", 4, 2, collective.AllToAll, size)
	want := f.Alpha.Time() + 2*f.Delta.Time() + f.Bandwidth.Transmit(float64(size)/2)
	if math.Abs(float64(b.Total()-want)) > 1e-6 {
		t.Errorf("%v, want %v", b.Total(), want)
	}
}

// Data crosses a digit over that digit's ports: in a grid of 8x8 with one port in the first
// digit and three in the second, the first has to carry 7/8 of all bytes.
func TestADigitWithFewPortsBoundsExchanges(t *testing.T) {
	f := fabric.Default()
	size := 64 * units.MiB
	b := onGrid(t, "8x8:1,3", 64, 4, collective.AllToAll, size)
	if least := f.Bandwidth.Transmit(float64(size) * 7 / 8); b.Total() < least {
		t.Errorf("%v, the first digit takes %v", b.Total(), least)
	}
}

// On a line of GPUs on which neighbours share a switch, data makes one hop per switch.
func TestSwitchesOnTheWayAreHops(t *testing.T) {
	f := fabric.Default()
	for _, op := range []collective.Op{collective.Broadcast, collective.AllGather} {
		b := onGrid(t, "table:0,0;0,1;1,2;2,3;3,3", 5, 2, op, 1)
		if least := f.Alpha.Time() + 4*f.Delta.Time(); b.Total() < least {
			t.Errorf("%s: %v, four hops take %v", op, b.Total(), least)
		}
	}
}
