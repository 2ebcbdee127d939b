package network

// Profile describes how far the points of a network are from each other.
type Profile struct {
	Points int
	Levels []int   // number of pairs at each distance, over the sources that stand for all
	Links  float64 // number of links, over the same sources

	// Diameter is the largest distance, 0 if some point cannot reach another, or is too far.
	Diameter int
}

// Least returns a lower bound on the tally of a step, as if every link carried the same.
func (p *Profile) Least(low, high int) Tally {
	t := Tally{Hops: high - low}
	sum := 0.0
	for d := low + 1; d <= high; d++ {
		sum += float64(p.Levels[d] * (d - low))
	}
	t.Peak = sum / p.Links
	return t
}
