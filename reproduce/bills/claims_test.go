package bills

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/fabric/parts"
)

// The twin counts ports by hand: an endpoint of a fat tree of k tiers has 2k-1 ports of switches,
// 2k transceivers and 2k fibres, if the tree is full.
func TestRatiosAreThoseOfPortsCountedByHand(t *testing.T) {
	c := parts.Standard()
	fibre := c.Fibres["single-mode"].Price.Likely
	fat := func(tiers, port, transceiver, card float64) float64 {
		return (2*tiers-1)*port + 2*tiers*(transceiver+fibre) + card
	}
	flat := func(port, transceiver, card float64) float64 { return port + transceiver + 2*fibre + card }
	want := map[string]float64{
		"bills/opus/cost": fat(2, 1090, 659, 0) / flat(520, 659, 0),
		// Two tiers of switches of 12 W, four transceivers of 10 W; the other has one of each.
		"bills/opus/power":      (3*12 + 4*10) / (0.2 + 10),
		"bills/opus/power/best": (3*12 + 3*10) / 0.2,
		"bills/railx/injection": 100 * 6500 / (9 * fat(3, 1600, 1250, 0)),
		"bills/mixnet/100Gbps":  fat(2, 187, 99, 659) / (fat(2, 187, 99, 659)/4 + 3*flat(520, 99, 659)/4),
		"bills/mixnet/400Gbps":  fat(2, 1090, 659, 1499) / (fat(2, 1090, 659, 1499)/4 + 3*flat(520, 659, 1499)/4),
	}
	entries := Paper().Entries
	for _, e := range entries {
		if e.Best != nil {
			best := e
			best.ID, best.Ours, best.Best = e.ID+"/best", e.Best.Ours, nil
			entries = append(entries, best)
		}
	}
	for _, e := range entries {
		w, ok := want[e.ID]
		if !ok {
			continue
		}
		got, err := e.Ours(t.Context())
		if err != nil || math.Abs(got/w-1) > 1e-9 {
			t.Errorf("%s: %v, %v; want %v", e.ID, got, err, w)
		}
		delete(want, e.ID)
	}
	if len(want) > 0 {
		t.Errorf("no rows for %v", want)
	}
}
