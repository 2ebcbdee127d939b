package joint

// profile is how far the points of a network are from each other.
type profile struct {
	points int
	levels []int   // pairs at every distance, per source that stands for others
	links  float64 // in total, of such a source

	// diameter is the largest distance, 0 if some point cannot reach another, or is too far.
	diameter int
}

// least is what a step takes at least: every link carries the same.
func (p *profile) least(low, high int) tally {
	t := tally{hops: high - low}
	sum := 0.0
	for d := low + 1; d <= high; d++ {
		sum += float64(p.levels[d] * (d - low))
	}
	t.peak = sum / p.links
	return t
}
