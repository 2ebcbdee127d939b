package subring

import "github.com/lightpath-net/lightpath/units"

// Costs returns C(R) for R = 0..s-1.
func (s *Model) Costs(t Timing, size units.Bytes) []units.Time {
	hop := t.hop(s.share, size)
	costs := make([]units.Time, s.Phases())
	for r := range costs {
		costs[r] = s.cost(r, t, hop)
	}
	return costs
}
