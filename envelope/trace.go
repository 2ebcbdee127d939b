package envelope

// Oracle returns the line that is the lowest of all at x.
type Oracle func(x float64) (Line, error)

// Trace returns the envelope between two points, flattest line first. It asks for the lowest
// line where two known neighbours meet; if nothing is lower there, they are neighbours on the
// envelope (Eisner and Severance, Mathematical Methods for Segmenting Data, J. ACM 1976). It
// asks at most twice for every line, and for no point beyond the two: an oracle that misses the
// lowest line at one of them may give lines that meet outside.
func Trace(near, far float64, oracle Oracle) ([]Line, error) {
	first, err := oracle(near)
	if err != nil {
		return nil, err
	}
	last, err := oracle(far)
	if err != nil {
		return nil, err
	}
	within := func(x float64) bool { return x > near && x < far }
	lines, err := between([]Line{first, last}, first, last, within, oracle)
	if err != nil {
		return nil, err
	}
	return Lowest(lines), nil
}

// between adds the lines between two that meet.
func between(lines []Line, a, b Line, within func(x float64) bool, oracle Oracle) ([]Line, error) {
	if a.Slope <= b.Slope {
		return lines, nil
	}
	x := a.Meets(b)
	if !within(x) {
		return lines, nil
	}
	found, err := oracle(x)
	if err != nil {
		return nil, err
	}
	if found.At(x) >= a.At(x)*(1-Tolerance) {
		return lines, nil
	}
	if lines, err = between(append(lines, found), a, found, within, oracle); err != nil {
		return nil, err
	}
	return between(lines, found, b, within, oracle)
}
