package flow

// routeMemory makes routes of few large pieces of memory: there may be a million of them, of a
// few hops each. Of most steps there are few, so pieces begin small and grow.
type routeMemory struct {
	nodes         []int32
	routes        []Route
	many, several int // nodes and routes of the last piece
}

// A piece of memory has room for so many nodes or routes at least, and at most unless more are
// asked for.
const (
	leastPiece = 1 << 5
	mostPiece  = 1 << 14
)

// path returns room for the nodes of a path.
func (m *routeMemory) path(nodes int) []int32 {
	if len(m.nodes) < nodes {
		m.many = grown(m.many)
		m.nodes = make([]int32, max(m.many, nodes))
	}
	path := m.nodes[:nodes:nodes]
	m.nodes = m.nodes[nodes:]
	return path
}

// list returns room for so many routes.
func (m *routeMemory) list(routes int) []Route {
	if len(m.routes) < routes {
		m.several = grown(m.several)
		m.routes = make([]Route, max(m.several, routes))
	}
	list := m.routes[:routes:routes]
	m.routes = m.routes[routes:]
	return list
}

// grown is the size of the piece after one.
func grown(piece int) int { return min(mostPiece, max(leastPiece, 4*piece)) }
