package evaluation

import "math"

// peak returns the largest part of the baselines' time that a strategy saves at any R, and the
// ratio of R and T where it does. Both times are minima of lines in R. So between points where
// two lines meet, their quotient is a quotient of two lines, which has no maximum inside, and
// only those points and R = 0 need checking. Beyond the last point, one topology is best for
// all, and the quotient tends to 1; this requires that the strategy has a schedule of one
// topology.
func (t contest) peak(c curves) (saved, at float64) {
	type line struct{ stages, slots float64 }
	var lines []line
	for _, name := range append([]string{t.ours}, t.baselines...) {
		for _, p := range c[name] {
			lines = append(lines, line{float64(p.Stages), float64(p.Slots)})
		}
	}
	saved = math.Inf(-1)
	try := func(ratio float64) {
		if now := t.reduction(c, ratio); now > saved {
			saved, at = now, ratio
		}
	}
	try(0)
	for i, a := range lines {
		for _, b := range lines[:i] {
			if a.stages == b.stages {
				continue
			}
			if ratio := (a.slots - b.slots) / (b.stages - a.stages); ratio > 0 {
				try(ratio)
			}
		}
	}
	return saved, at
}
