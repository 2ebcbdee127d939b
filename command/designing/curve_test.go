package designing_test

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/units"
)

// A curve is what plans take that are made for a delay alone, also where pieces meet, and it is
// flat from where circuits stay.
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
		delays := []units.Time{0, 37, 1000, 12345, 1e6, 3e9}
		for _, p := range c.Pieces {
			delays = append(delays, p.FromNs*0.9, p.FromNs, p.FromNs*1.1)
		}
		for _, delay := range delays {
			f := r.Fabric
			f.Ports, f.Reconfig.Base = c.Ports, units.Duration(math.Round(float64(delay)*1000))
			if f.Island.Size = c.Island; c.Island == 1 {
				f.Island.Size, f.Island.Bandwidth = 0, 0
			}
			sum := units.Time(0)
			for i, o := range []lightpath.Operation{{Op: collective.AllReduce, Size: 4 * units.MiB}, {Op: collective.AllToAll, Size: units.MiB}} {
				p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{o}}, lightpath.WithoutBaselines())
				if err != nil {
					t.Fatal(err)
				}
				sum += p.Cost.Total() * units.Time([]int{2, 3}[i])
			}
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

// What a port is worth is where a packet fabric that is as fast costs as much: at that price of a
// switch with that delay, its best fabric costs what that packet fabric costs.
func TestPortsAreWorthWhatPacketsCost(t *testing.T) {
	t.Parallel()
	a := design(t, request())
	if len(a.BreakEven) == 0 || a.BreakEven[0].FromNs != 0 {
		t.Fatalf("%+v", a.BreakEven)
	}
	for k, b := range a.BreakEven {
		if k > 0 && (b.PortUSD > a.BreakEven[k-1].PortUSD || b.FromNs <= a.BreakEven[k-1].FromNs) {
			t.Errorf("a slower switch is worth more: %+v", a.BreakEven)
		}
		to := units.Time(math.Inf(1))
		if k+1 < len(a.BreakEven) {
			to = a.BreakEven[k+1].FromNs
		}
		for _, delay := range []units.Time{b.FromNs, (b.FromNs + min(to, 1e9)) / 2} {
			most := math.Inf(-1)
			for c := range a.Curves {
				curve := &a.Curves[c]
				rest, ports := 0.0, 0.0
				for _, l := range bills(a, curve.Ports, curve.Island) {
					switch l.Kind {
					case "switches":
					case "transceivers":
						ports = float64(l.Count)
						fallthrough
					default:
						rest += l.CostUSD.Likely
					}
				}
				least := math.Inf(1)
				for i := range a.Choices {
					if o := &a.Choices[i]; o.Kind != designing.Optical && o.IterationNs <= curve.At(delay)*(1+1e-9) {
						least = min(least, o.CostUSD.Likely)
					}
				}
				most = max(most, (least-rest)/ports)
			}
			if math.Abs(most-b.PortUSD) > 1e-6*math.Abs(most) {
				t.Errorf("delay %v: %v, want %v", delay, b.PortUSD, most)
			}
		}
	}
}
