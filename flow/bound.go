package flow

// countingBound is a lower bound on the peak of every routing that needs no linear
// program: bytes leave a node over its own circuits, arrive over its own circuits,
// and occupy at least (amount x distance) of all circuits together. These are the
// dual solutions with equal lengths on the circuits out of one node, into one
// node, and everywhere. work is the total of amount x distance.
//
// With a group, nodes stand for their orbits and only one bundle per class counts.
func countingBound(p Problem, cl *classes, work float64) float64 {
	n := p.Graph.Nodes()
	orbit := make([]int, n)
	for u := range orbit {
		orbit[u] = u
		if !p.Group.Trivial() {
			_, orbit[u] = p.Group.Locate(u)
		}
	}
	out, in := make([]float64, n), make([]float64, n) // bytes per node of an orbit
	for _, d := range p.Demands {
		out[orbit[d.Src]] += d.Amount
		in[orbit[d.Dst]] += d.Amount
	}
	room := 0.0
	for _, c := range cl.circuits {
		room += c
	}
	outPorts, inPorts := make([]float64, n), make([]float64, n)
	for e := range p.Graph.Edges() {
		if e.From != e.To {
			outPorts[e.From] += float64(e.Count)
			inPorts[e.To] += float64(e.Count)
		}
	}
	bound := 0.0
	if work > 0 {
		bound = work / room
	}
	for u := range n {
		if out[u] > 0 {
			bound = max(bound, out[u]/outPorts[u])
		}
		if in[u] > 0 {
			bound = max(bound, in[u]/inPorts[u])
		}
	}
	return bound
}

// workOf is the total of amount x distance, by shortest routes.
func workOf(demands []Demand, shortest [][]Route) float64 {
	work := 0.0
	for i, d := range demands {
		work += d.Amount * float64(len(shortest[i][0].Path)-1)
	}
	return work
}
