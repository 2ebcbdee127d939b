package staged

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/stagedtest"
	"github.com/lightpath-net/lightpath/units"
)

// Speed-ups over the best of static and every-step, as Fig. 8 and 9 of HARVEST map them: 64 GPUs,
// sizes against reconfiguration delays. Reconfiguring only when it pays is never slower than
// either extreme, and faster than both somewhere in between. The maps are printed with -v. A row
// takes one frontier instead of a plan for every cell.
//
// Multi-port Swing keeps all ports of a torus busy, so neighbouring steps need the same circuits.
// Every-step pays only if circuits change, so it reconfigures only twice and is optimal wherever
// the static torus is not.
func TestHeatMapsOfMultiPortCollectives(t *testing.T) {
	sizes := []units.Bytes{16 * units.KiB, 64 * units.MiB}
	delays := []units.Duration{100 * units.Nanosecond, units.Microsecond, 10 * units.Microsecond, 100 * units.Microsecond, units.Millisecond}
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		ports     int
		between   bool // somewhere both extremes lose
	}{
		{collective.AllReduce, "swing:8x8", 4, false},
		{collective.AllGather, "bruck:r=4", 4, true},
		{collective.Broadcast, "binary", 2, true},
	} {
		var text strings.Builder
		fmt.Fprintf(&text, "%s by %s, %d ports\n%10s", c.op, c.algorithm, c.ports, "")
		for _, delay := range delays {
			fmt.Fprintf(&text, "%8v", delay)
		}
		best := 0.0
		for _, size := range sizes {
			fmt.Fprintf(&text, "\n%10v", size)
			f := fabric.Default()
			f.Ports, f.Reconfig.Base = c.ports, 0
			r := stagedtest.Request(t, f, c.op, c.algorithm, size)
			frontier, err := Frontier(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			static, every := planWith(t, "static", r).Cost.Total(), planWith(t, "every-step", r)
			for _, delay := range delays {
				extreme := min(static, every.Cost.Total()+units.Time(every.Reconfigurations)*delay.Time())
				ours := extreme * 2
				for _, p := range frontier {
					ours = min(ours, p.Communication+units.Time(p.Reconfigurations)*delay.Time())
				}
				gain := float64(extreme / ours)
				fmt.Fprintf(&text, "%8.2f", gain)
				if gain < 1-1e-9 {
					t.Errorf("%s %v %v: slower than an extreme: %v of %v", c.algorithm, size, delay, gain, extreme)
				}
				best = max(best, gain)
			}
		}
		t.Log(text.String())
		if (best > 1.01) != c.between {
			t.Errorf("%s: the largest gain over both extremes is %.3f", c.algorithm, best)
		}
	}
}
