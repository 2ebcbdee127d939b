package flow

// routeMemory makes routes of few large pieces of memory: there may be a million of them, of a
// few hops each. Of most steps there are few, so pieces begin small and grow.
type routeMemory struct {
	nodes  pieces[int32]
	routes pieces[Route]
}

// path returns room for the nodes of a path.
func (m *routeMemory) path(nodes int) []int32 { return m.nodes.room(nodes) }

// list returns room for so many routes.
func (m *routeMemory) list(routes int) []Route { return m.routes.room(routes) }

// pieces is memory that is made piece by piece.
type pieces[T any] struct {
	free []T // of the last piece
	size int // of the last piece
}

// A piece of memory has room for so many at least, and at most unless more are asked for.
const (
	leastPiece = 1 << 5
	mostPiece  = 1 << 14
)

// room returns room for n.
func (p *pieces[T]) room(n int) []T {
	if len(p.free) < n {
		p.size = min(mostPiece, max(leastPiece, 4*p.size))
		p.free = make([]T, max(p.size, n))
	}
	room := p.free[:n:n]
	p.free = p.free[n:]
	return room
}
