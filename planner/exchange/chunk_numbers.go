package exchange

import (
	"github.com/lightpath-net/lightpath/collective"
)

// numbers gives chunks their numbers in the space of the plan: by pair where all pairs have
// the same, else in a list.
type numbers struct {
	task   *task
	pieces []collective.Piece
	next   []int32 // number of the next part of each pair, where all have the same; nil: the first
}

func newNumbers(t *task) *numbers { return &numbers{task: t} }

// add returns the number of a chunk that is all that a pair has.
func (x *numbers) add(u, v int) int {
	if x.task.sizes == nil {
		return u*x.task.nodes + v
	}
	return x.addPart(u, v, 1, 1, 1)
}

// addPart returns the first of count chunks of a pair that is cut into so many parts, or of
// one chunk that is a share of what the pair has.
func (x *numbers) addPart(u, v, count, parts int, share float64) int {
	t := x.task
	if t.sizes == nil {
		if x.next == nil {
			x.next = make([]int32, t.nodes*t.nodes)
		}
		pair := u*t.nodes + v
		first := pair*parts + int(x.next[pair])
		x.next[pair] += int32(count)
		return first
	}
	x.pieces = append(x.pieces, collective.Piece{
		Bytes: float64(t.sizes[u][v]) * share, From: []int{t.gpu(u)}, To: []int{t.gpu(v)},
	})
	return len(x.pieces) - 1
}

// space returns what the numbers stand for.
func (x *numbers) space(parts int) collective.Space {
	t := x.task
	if t.sizes == nil {
		s := collective.SpaceOf(collective.AllToAll, t.request.Fabric.Nodes, parts)
		s.Members = t.members
		return s
	}
	return collective.Space{Kind: collective.Listed, Nodes: t.request.Fabric.Nodes, Members: t.members, Sizes: t.sizes, Pieces: x.pieces}
}
