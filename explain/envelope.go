package explain

// segment is the time of a plan as a function of a parameter: at0 + slope*x.
type segment struct{ slope, at0 float64 }

func (s segment) at(x float64) float64 { return s.at0 + s.slope*x }

type interval struct{ from, to float64 }

// optimalRange returns where a line is the lowest of all that the oracle knows, around a
// point where it is; nil if it is not even there. The best time is a concave function, the
// lower envelope of lines, so from a point at which the oracle has a lower line, one goes
// to where that line meets ours, until there is none: each time the envelope has one line
// less to hide behind (Newton's method, exact after as many steps as there are lines).
func optimalRange(here, least, most float64, ours segment, oracle func(x float64) (segment, error)) (*interval, error) {
	best, err := oracle(here)
	if err != nil {
		return nil, err
	}
	if best.at(here) < ours.at(here)*(1-rangeTolerance) {
		return nil, nil
	}
	r := &interval{least, most}
	for _, end := range []*float64{&r.from, &r.to} {
		for {
			best, err := oracle(*end)
			if err != nil {
				return nil, err
			}
			if best.at(*end) >= ours.at(*end)*(1-rangeTolerance) || best.slope == ours.slope {
				break
			}
			meet := (best.at0 - ours.at0) / (ours.slope - best.slope)
			if !(meet > min(here, *end) && meet < max(here, *end)) {
				*end = here
				break
			}
			*end = meet
		}
	}
	return r, nil
}

// rangeTolerance is the relative rounding of a total, and of sizes and delays to whole
// bytes and picoseconds.
const rangeTolerance = 1e-9
