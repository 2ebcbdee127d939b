package availability

import "math"

// Speed is how fast a system works in a state, relative to one in which nothing is missing: 1
// is full speed, 0 is down. It is between Low and High, which are equal if it is known.
type Speed struct{ Low, High float64 }

// Shares are the fractions of time in different kinds of states.
type Shares struct {
	Full    float64 `json:"full"`    // at full speed
	Reduced float64 `json:"reduced"` // slower
	Down    float64 `json:"down"`
	// Unknown is the share of time in states that may be up or down, and in states with more
	// missing parts than were examined.
	Unknown float64 `json:"unknown"`
	// SpeedLow and SpeedHigh bound the mean speed.
	SpeedLow  float64 `json:"speed_low"`
	SpeedHigh float64 `json:"speed_high"`
	// Sampled is how far each share and speed may be off because states were drawn at random, with
	// a confidence of 95%; 0 if none were.
	Sampled float64 `json:"sampled"`
}

// confidence is the probability that the truth is within Sampled of the answer.
const confidence = 0.95

// full is the least speed that counts as full, and stopped the largest that counts as down;
// both allow for rounding.
const full, stopped = 1 - 1e-9, 1e-9

// Shares sums up the time in states of a scenario, given the speed of the states with each key.
func (s *Strata) Shares(of *Scenario, speed func(key string) Speed) Shares {
	var a Shares
	squares, known := 0.0, 0.0
	for i, chance := range s.Chances(of) {
		known += chance
		for _, share := range s.List[i].Shares {
			v, p := speed(share.Key), chance*share.Of
			a.SpeedLow += p * v.Low
			a.SpeedHigh += p * v.High
			switch {
			case v.Low >= full:
				a.Full += p
			case v.High <= stopped:
				a.Down += p
			case v.Low <= stopped:
				a.Unknown += p
			default:
				a.Reduced += p
			}
		}
		if n := s.List[i].Drawn; n > 0 {
			squares += chance * chance / float64(n)
		}
	}
	rest := max(0, 1-known)
	a.Unknown += rest
	a.SpeedHigh = min(1, a.SpeedHigh+rest)
	// Let draws be independent, each within an interval of length chance/n. Their sum is off by
	// more than Sampled with a probability of at most 1-confidence (Hoeffding 1963).
	a.Sampled = math.Sqrt(math.Log(2/(1-confidence)) / 2 * squares)
	return a
}

// Whole returns the fraction of time in which nothing is missing.
func Whole(groups []Group, of *Scenario) float64 {
	share := 1.0
	for i, missing := range of.missing(groups) {
		share *= math.Pow(missing[0], float64(groups[i].Pools))
	}
	return share
}

// Weights returns how likely states with each key are in a scenario.
func (s *Strata) Weights(of *Scenario) map[string]float64 {
	weights := map[string]float64{}
	for i, chance := range s.Chances(of) {
		for _, share := range s.List[i].Shares {
			weights[share.Key] += chance * share.Of
		}
	}
	return weights
}
