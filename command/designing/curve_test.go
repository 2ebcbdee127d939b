package designing_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// At every delay, even where pieces meet, a curve has the time of a plan made for that delay. It
// is flat from the delay on at which plans stop reconfiguring.
func TestCurvesAreWhatPlansTakeAtAnyDelay(t *testing.T) {
	t.Parallel()
	r := request()
	r.Island, r.Fabric.Island.Bandwidth = []int{1, 4}, 3600*units.Gbps
	a := design(t, r)
	if len(a.Curves) != 4 {
		t.Fatalf("%d curves", len(a.Curves))
	}
	pieces := 0
	for k := range a.Curves {
		c := &a.Curves[k]
		pieces += len(c.Pieces)
		delays := samples.Few(3, []units.Time{0, 37, 1000, 12345, 1e6, 3e9})
		for _, p := range c.Pieces {
			delays = append(delays, p.FromNs, p.FromNs*1.1)
			if samples.Every() {
				delays = append(delays, p.FromNs*0.9)
			}
		}
		for _, delay := range delays {
			f := r.Fabric
			f.Ports, f.Reconfig.Base = c.Ports, units.Duration(math.Round(float64(delay)*1000))
			if f.Island.Size = c.Island; c.Island == 1 {
				f.Island.Size, f.Island.Bandwidth = 0, 0
			}
			sum := alone(t, f)
			if got := c.At(f.Reconfig.Base.Time()); math.Abs(float64(got/sum)-1) > 1e-9 {
				t.Errorf("%d ports, island %d, delay %v: %v, planned alone %v", c.Ports, c.Island, delay, got, sum)
			}
		}
		last := c.Pieces[len(c.Pieces)-1]
		if c.PaysUpToNs == nil || *c.PaysUpToNs != last.FromNs || last.Changes != 0 {
			t.Errorf("%+v", c)
		}
	}
	if pieces < 2*len(a.Curves) {
		t.Errorf("%d pieces: the test shows nothing", pieces)
	}
}

// At the stated worth of a port, the named fabric has the same value as packet switches. At a
// slightly lower price it has a better value, and at a slightly higher price a worse one.
func TestPortsAreWorthWhatPacketsCost(t *testing.T) {
	t.Parallel()
	r := request()
	r.Technology = []string{"polatis"}
	a := design(t, r)
	if len(a.BreakEven) != 6 { // 100 ns to 10 ms, which is polatis' delay
		t.Fatalf("%+v", a.BreakEven)
	}
	value := func(c *lightpath.DesignChoice) float64 { return float64(c.IterationNs) * c.CostUSD.Likely }
	for k, b := range a.BreakEven {
		if k > 0 && (b.PortUSD > a.BreakEven[k-1].PortUSD || b.DelayNs <= a.BreakEven[k-1].DelayNs) {
			t.Errorf("a slower switch is worth more: %+v", a.BreakEven)
		}
		for _, factor := range []float64{0.999, 1.001} {
			own := r.Parts.Switches["polatis"]
			own.Ports = r.Fabric.Nodes * b.Ports // all in use
			own.Switching, own.Price = units.Duration(float64(b.DelayNs)*1000), parts.Quantity{Range: parts.Exactly(b.PortUSD * factor), Unit: parts.DollarsPerPort}
			priced := r
			priced.Parts = &parts.Catalogue{Switches: map[string]parts.Part{"polatis": own}}
			priced.Ports = []int{b.Ports}
			got := design(t, priced)
			for i := range got.Choices {
				if c := &got.Choices[i]; c.Technology == "polatis" && (value(c) < value(&a.Choices[b.Than])) != (factor < 1) {
					t.Errorf("delay %v, %v of %v USD: %v, packets %v", b.DelayNs, factor, b.PortUSD, value(c), value(&a.Choices[b.Than]))
				}
			}
		}
	}
}
