package network

// Errand brings a vector that all of some points have to another.
type Errand struct {
	From []int
	To   int
}

// again is how often the routes of errands are chosen again, given those of all others.
const again = 3

// Run finds ways for errands, as short as there are, from the nearest point that has the
// vector; among these, over links that carry less. It takes O(errands * hops * degree).
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
			for _, u := range e.From { // of those as near, the one whose first link is the lightest
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

// TallyOf is what a step takes in which whole vectors go given ways, on a network without symmetry.
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

// lightest returns the link from a point towards another, on a shortest way, that carries
// the least.
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
