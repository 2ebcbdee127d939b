package network

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// This file bounds loads by the links of single points. What a step delivers to a point arrives
// over that point's own links, and what a source sends in a step that begins at the source leaves
// over the source's links. Some points have fewer links than others, because a self-loop of a
// generalised Kautz or de Bruijn graph needs no circuit; some get data later than others. There
// the bound is far above the mean over all links (Profile.Least). It needs only the distances,
// and rules out most networks that are too slow before any route is laid on them.

// A link carries whole data, or eighths where spread cuts them, so the mean load of some links is
// rounded up to such a unit. All numbers are integers up to the last division, so that not even
// rounding can lift a bound above the actual load.

// ends describes points of a network that have the same surroundings: how many other points are
// within each number of hops, and how many links lead in from those, or out to them.
type ends struct {
	within []int // by hops
	links  int
}

// Narrows lists the distinct ends of a network, for data that reaches points and data that leaves
// them.
type Narrows struct {
	*Network
	into, outOf []ends
	bundle      int // links in every bundle; 0 if that differs
}

// Narrow returns the narrows of a network. The first call finds them, in O(points^2).
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

// unlike makes the counts cumulative over hops, and leaves out duplicates.
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

// Turned returns the narrows of the network with all links reversed, whose diameter is the same.
func (n Narrows) Turned() Narrows {
	n.into, n.outOf = n.outOf, n.into
	return n
}

// Least returns a lower bound on the load of the busiest link in a step.
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

// busiest returns a lower bound on the load of the busiest of a number of links, given the data
// that they carry together in a step.
func (n Narrows) busiest(data, links, low, high int) float64 {
	if n.bundle == 0 {
		return float64(data) / float64(links)
	}
	parts := 1
	if n.spreads(Towards{Low: low, High: high}) {
		parts = spreadParts
	}
	bundles := links / n.bundle
	return float64(arithmetic.CeilDiv(data*parts, bundles)) / float64(parts) / float64(n.bundle)
}
