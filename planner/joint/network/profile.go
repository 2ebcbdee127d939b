package network

// Profile is how far the points of a network are from each other.
type Profile struct {
	Points int
	Levels []int   // pairs at every distance, per source that stands for others
	Links  float64 // in all, of such a source

	// diameter is the largest distance, 0 if some point cannot reach another, or is too far.
	Diameter int
}

// Least is what a step takes at least: every link carries the same.
func (p *Profile) Least(low, high int) Tally {
	t := Tally{Hops: high - low}
	sum := 0.0
	for d := low + 1; d <= high; d++ {
		sum += float64(p.Levels[d] * (d - low))
	}
	t.Peak = sum / p.Links
	return t
}
