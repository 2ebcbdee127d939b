package flow

// routeMemory makes routes of few large pieces of memory: there may be a million of them, of a
// few hops each.
type routeMemory struct {
	nodes  []int32
	routes []Route
}

// pieceOfMemory is how many nodes or routes are made room for at once.
const pieceOfMemory = 1 << 14

// path returns room for the nodes of a path.
func (m *routeMemory) path(nodes int) []int32 {
	if len(m.nodes) < nodes {
		m.nodes = make([]int32, max(pieceOfMemory, nodes))
	}
	path := m.nodes[:nodes:nodes]
	m.nodes = m.nodes[nodes:]
	return path
}

// list returns room for so many routes.
func (m *routeMemory) list(routes int) []Route {
	if len(m.routes) < routes {
		m.routes = make([]Route, max(pieceOfMemory, routes))
	}
	list := m.routes[:routes:routes]
	m.routes = m.routes[routes:]
	return list
}
