package joint

import "slices"

// Loads that points bound. What a step delivers to a point comes in over the point's own
// links, and what a source sends in a step that begins with it goes out over the source's:
// where points have fewer links than others, because those of generalised Kautz and de Bruijn
// graphs that lead back to themselves need no circuit, or are late to get what others have,
// that is far more than the mean over all links (least). It costs a look at the distances,
// and most networks that are too slow are known to be so before a way is laid on them.

// A link carries whole data, or eighths where spread cuts them: a mean of what some links
// carry is rounded up to that. All numbers are whole except for the last division, so that a
// bound is not above what is counted, not even by rounding.

// ends is what points of a network have in common: the others within so many hops, and the
// links over which those come, or are reached.
type ends struct {
	within []int // by hops
	links  int
}

// narrows is the ends that differ, of what comes to points and of what leaves them.
type narrows struct {
	*network
	into, outOf []ends
	bundle      int // links in every bundle; 0 if that differs
}

// narrow finds these, in O(points^2), when it is first asked for them.
func (n *network) narrow() narrows {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.narrows == nil {
		found := n.findNarrows()
		n.narrows = &found
	}
	return *n.narrows
}

func (n *network) findNarrows() narrows {
	into, outOf := make([]ends, n.points), make([]ends, n.points)
	width := n.diameter + 1
	room := make([]int, 2*n.points*width)
	for v := range n.points {
		into[v].within, outOf[v].within = room[2*v*width:(2*v+1)*width], room[(2*v+1)*width:(2*v+2)*width]
		for _, a := range n.in[v] {
			into[v].links += int(n.width[a.class])
		}
		for _, a := range n.out[v] {
			outOf[v].links += int(n.width[a.class])
		}
	}
	for source := range n.points {
		for v, d := range n.distances(source) {
			into[v].within[d]++
			outOf[source].within[d]++
		}
	}
	found := narrows{network: n, into: unlike(into), outOf: unlike(outOf), bundle: int(n.width[0])}
	if slices.ContainsFunc(n.width, func(w float64) bool { return w != n.width[0] }) {
		found.bundle = 0
	}
	return found
}

// unlike adds up the counts of the hops, and leaves out what is there already.
func unlike(all []ends) []ends {
	var list []ends
	for _, e := range all {
		for d := 1; d < len(e.within); d++ {
			e.within[d] += e.within[d-1]
		}
		same := func(o ends) bool { return o.links == e.links && slices.Equal(o.within, e.within) }
		if !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	return list
}

// turned is that of the network with all links the other way, which is as wide.
func (n narrows) turned() narrows {
	n.into, n.outOf = n.outOf, n.into
	return n
}

// least is the load that the busiest link has at least in a step.
func (n narrows) least(low, high int) float64 {
	sum := 0
	for d := low + 1; d <= high; d++ {
		sum += n.levels[d] * (d - low)
	}
	most := n.busiest(sum, int(n.links), low, high)
	for _, e := range n.into {
		most = max(most, n.busiest(e.within[high]-e.within[low], e.links, low, high))
	}
	if low == 0 {
		for _, e := range n.outOf {
			most = max(most, n.busiest(e.within[high]-e.within[0], e.links, low, high))
		}
	}
	return most
}

// busiest is the load of the busiest of so many links that carry so many data in a step.
func (n narrows) busiest(data, links, low, high int) float64 {
	if n.bundle == 0 {
		return float64(data) / float64(links)
	}
	parts := 1
	if n.spreads(towards{low: low, high: high}) {
		parts = spreadParts
	}
	bundles := links / n.bundle
	return float64((data*parts+bundles-1)/bundles) / float64(parts) / float64(n.bundle)
}
