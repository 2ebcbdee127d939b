package network

// Errand brings a vector to one point from any of the points that have it.
type Errand struct {
	From []int
	To   int
}

// again is the number of rounds in which Run chooses routes, each route given those of all other
// errands.
const again = 3

// Run finds a shortest route for every errand, from the nearest point that has the vector. Among
// these it prefers links with less load. It takes O(errands * hops * degree).
func (n *Network) Run(errands []Errand) ([]Way, Tally) {
	load := make([]float64, len(n.Width))
	ways := make([]Way, len(errands))
	add := func(w Way, by float64) {
		for h := 1; h < len(w.Path); h++ {
			for _, a := range n.Out[w.Path[h-1]] {
				if a.Node == w.Path[h] {
					load[a.Class] += by
				}
			}
		}
	}
	distance := func(u, to int) int16 { return n.Distances(u)[to] }
	for round := range again {
		for i, e := range errands {
			if round > 0 {
				add(ways[i], -1)
			}
			nearest := e.From[0]
			for _, u := range e.From {
				if distance(u, e.To) < distance(nearest, e.To) {
					nearest = u
				}
			}
			least := distance(nearest, e.To)
			start, lightest := nearest, -1.0
			for _, u := range e.From { // of the nearest points, the one whose first link is lightest
				if distance(u, e.To) != least {
					continue
				}
				if a := n.lightest(u, e.To, load); lightest < 0 || load[a.Class] < lightest {
					start, lightest = u, load[a.Class]
				}
			}
			path := []int32{int32(start)}
			for at := start; at != e.To; {
				at = int(n.lightest(at, e.To, load).Node)
				path = append(path, int32(at))
			}
			ways[i] = Way{Source: start, Modulus: 1, Path: path}
			add(ways[i], 1)
		}
	}
	return ways, TallyOf(n, ways)
}

// TallyOf returns the tally of a step in which whole vectors take the given routes, on a network
// without symmetry.
func TallyOf(n *Network, ways []Way) Tally {
	load := make([]float64, len(n.Width))
	t := Tally{Pair: 1}
	for _, w := range ways {
		t.Hops = max(t.Hops, len(w.Path)-1)
		delay := 0.0
		for h := 1; h < len(w.Path); h++ {
			c := n.class(w.Path[h-1], w.Path[h])
			load[c]++
			delay += 1 / n.Width[c]
		}
		t.Dilation = max(t.Dilation, delay)
	}
	for c, l := range load {
		t.Peak = max(t.Peak, l/n.Width[c])
	}
	return t
}

// lightest returns the least loaded link on a shortest path from a point to another.
func (n *Network) lightest(at, to int, load []float64) arc {
	best := arc{-1, -1}
	left := n.Distances(at)[to]
	for _, a := range n.Out[at] {
		if n.Distances(int(a.Node))[to] != left-1 {
			continue
		}
		if best.Node < 0 || load[a.Class]/n.Width[a.Class] < load[best.Class]/n.Width[best.Class] {
			best = a
		}
	}
	return best
}
