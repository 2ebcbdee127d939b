package designing

import "github.com/lightpath-net/lightpath/fabric/parts"

// Certainty is how certain it is that an uncertain number is within a limit.
type Certainty string

// The certainties.
const (
	Surely   Certainty = "surely"   // even at worst
	Likely   Certainty = "likely"   // at the likely value, but not at worst
	Possibly Certainty = "possibly" // only at best
	Never    Certainty = "no"       // not even at best
)

// within says how certain it is that a number is at most a limit; "" if there is no limit.
func within(r *parts.Range, most float64) Certainty {
	switch {
	case most <= 0 || r == nil:
		return ""
	case r.High <= most:
		return Surely
	case r.Likely <= most:
		return Likely
	case r.Low <= most:
		return Possibly
	}
	return Never
}

// lit says how certain it is that a link through one switch has enough light.
func lit(s parts.Stages) Certainty {
	switch {
	case s.Low >= 1:
		return Surely
	case s.Likely >= 1:
		return Likely
	case s.High >= 1:
		return Possibly
	}
	return Never
}
