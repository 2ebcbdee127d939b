package network

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

// Narrows is the ends that differ, of what comes to points and of what leaves them.
type Narrows struct {
	*Network
	into, outOf []ends
	bundle      int // links in every bundle; 0 if that differs
}

// Narrow finds these, in O(points^2), when it is first asked for them.
func (n *Network) Narrow() Narrows {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.narrows == nil {
		found := n.findNarrows()
		n.narrows = &found
	}
	return *n.narrows
}

func (n *Network) findNarrows() Narrows {
	into, outOf := make([]ends, n.Points), make([]ends, n.Points)
	width := n.Diameter + 1
	room := make([]int, 2*n.Points*width)
	for v := range n.Points {
		into[v].within, outOf[v].within = room[2*v*width:(2*v+1)*width], room[(2*v+1)*width:(2*v+2)*width]
		for _, a := range n.In[v] {
			into[v].links += int(n.Width[a.Class])
		}
		for _, a := range n.Out[v] {
			outOf[v].links += int(n.Width[a.Class])
		}
	}
	for source := range n.Points {
		for v, d := range n.Distances(source) {
			into[v].within[d]++
			outOf[source].within[d]++
		}
	}
	found := Narrows{Network: n, into: unlike(into), outOf: unlike(outOf), bundle: int(n.Width[0])}
	if slices.ContainsFunc(n.Width, func(w float64) bool { return w != n.Width[0] }) {
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

// Turned is that of the network with all links the other way, which is as wide.
func (n Narrows) Turned() Narrows {
	n.into, n.outOf = n.outOf, n.into
	return n
}

// Least is the load that the busiest link has at least in a step.
func (n Narrows) Least(low, high int) float64 {
	sum := 0
	for d := low + 1; d <= high; d++ {
		sum += n.Levels[d] * (d - low)
	}
	most := n.busiest(sum, int(n.Links), low, high)
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
func (n Narrows) busiest(data, links, low, high int) float64 {
	if n.bundle == 0 {
		return float64(data) / float64(links)
	}
	parts := 1
	if n.spreads(Towards{Low: low, High: high}) {
		parts = spreadParts
	}
	bundles := links / n.bundle
	return float64((data*parts+bundles-1)/bundles) / float64(parts) / float64(n.bundle)
}
