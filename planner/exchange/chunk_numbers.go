package exchange

import (
	"github.com/lightpath-net/lightpath/collective"
)

// numbers gives chunks their numbers in the space of the plan: by pair if all pairs have the
// same amount of data, and otherwise in a list.
type numbers struct {
	task   *task
	pieces []collective.Piece
	next   []int32 // number of the next part of each pair, if pairs do not differ; nil: the first
}

func newNumbers(t *task) *numbers { return &numbers{task: t} }

// add returns the number of a chunk that has all data of a pair.
func (x *numbers) add(u, v int) int {
	if x.task.sizes == nil {
		return u*x.task.nodes + v
	}
	return x.addPart(u, v, 1, 1, 1)
}

// addPart returns the number of the first of count chunks of a pair that is cut into the given
// parts. If pairs differ, it returns the number of one chunk that has a share of the pair's
// data.
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

// space returns the space to which the numbers belong.
func (x *numbers) space(parts int) collective.Space {
	t := x.task
	if t.sizes == nil {
		s := collective.SpaceOf(collective.AllToAll, t.request.Fabric.Nodes, parts)
		s.Members = t.members
		return s
	}
	return collective.Space{Kind: collective.Listed, Nodes: t.request.Fabric.Nodes, Members: t.members, Sizes: t.sizes, Pieces: x.pieces}
}
