package topology

// Keep returns g plus all circuits of old that still find a free port at both ends: what
// stays up if only the ports that g needs are reconfigured. With duplex, circuits are
// two-way and stay or go in both directions; old must then be two-way too. Circuits are
// considered in the order of their ends. If none stays, the result is g; otherwise its name
// is g's with "+kept".
func Keep(g, old *Graph, ports int, duplex bool) *Graph {
	out, in := make([]int, g.Nodes()), g.InDegrees()
	edges := make([]Edge, 0, g.Bundles()+old.Bundles())
	for e := range g.Edges() {
		out[e.From] += e.Count
		edges = append(edges, e)
	}
	for e := range old.Edges() {
		if duplex && e.From > e.To {
			continue
		}
		room := min(e.Count, ports-out[e.From], ports-in[e.To])
		if room <= 0 || e.From == e.To {
			continue
		}
		edges = append(edges, Edge{e.From, e.To, room})
		out[e.From] += room
		in[e.To] += room
		if duplex {
			edges = append(edges, Edge{e.To, e.From, room})
			out[e.To] += room
			in[e.From] += room
		}
	}
	if len(edges) == g.Bundles() {
		return g
	}
	return New(g.Nodes(), g.name+"+kept", edges)
}
