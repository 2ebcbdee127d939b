package envelope

// Around returns the interval within least..most, around a point, in which no line of the oracle
// is below ours; ok is false if one is below even at that point. Because the envelope is
// concave, the search starts at an end where the oracle has a lower line and moves to where that
// line meets ours, until there is no lower line. Each move discards a line (Newton's method,
// exact after as many questions as there are lines). Values may differ by the relative
// tolerance, because the oracle may round, for instance x to whole bytes.
func Around(here, least, most float64, ours Line, tolerance float64, oracle Oracle) (from, to float64, ok bool, err error) {
	below := func(x float64) (Line, bool, error) {
		best, err := oracle(x)
		return best, best.At(x) < ours.At(x)*(1-tolerance), err
	}
	if _, beaten, err := below(here); err != nil || beaten {
		return 0, 0, false, err
	}
	from, to = least, most
	for _, end := range []*float64{&from, &to} {
		for {
			best, beaten, err := below(*end)
			if err != nil {
				return 0, 0, false, err
			}
			if !beaten || best.Slope == ours.Slope {
				break
			}
			meet := ours.Meets(best)
			if !(meet > min(here, *end) && meet < max(here, *end)) {
				*end = here
				break
			}
			*end = meet
		}
	}
	return from, to, true, nil
}
