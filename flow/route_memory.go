package flow

// routeMemory allocates routes from few large pieces of memory: there may be a million of them,
// of a few hops each. Most steps have few, so pieces begin small and grow.
type routeMemory struct {
	nodes  pieces[int32]
	routes pieces[Route]
}

// path returns memory for the nodes of a path.
func (m *routeMemory) path(nodes int) []int32 { return m.nodes.room(nodes) }

// list returns memory for a number of routes.
func (m *routeMemory) list(routes int) []Route { return m.routes.room(routes) }

// pieces allocates memory piece by piece.
type pieces[T any] struct {
	free []T // rest of the last piece
	size int // of the last piece
}

// These are the smallest and, unless more is requested, the largest size of a piece.
const (
	leastPiece = 1 << 5
	mostPiece  = 1 << 14
)

// room returns memory for n.
func (p *pieces[T]) room(n int) []T {
	if len(p.free) < n {
		p.size = min(mostPiece, max(leastPiece, 4*p.size))
		p.free = make([]T, max(p.size, n))
	}
	room := p.free[:n:n]
	p.free = p.free[n:]
	return room
}
