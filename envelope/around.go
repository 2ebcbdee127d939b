package envelope

// Around returns the part of least..most, around a place, in which no line of the oracle is
// below ours; ok is false if one is even there. The envelope is concave, so from an end at
// which the oracle has a lower line one goes to where that line meets ours, until there is
// none: each time the envelope has one line less to hide behind (Newton's method, exact
// after as many questions as there are lines). What the oracle rounds, such as x to whole
// bytes, may make two values differ by tolerance, relatively.
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
