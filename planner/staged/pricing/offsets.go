package pricing

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// offsetSum is the demands of a step between nodes that are equally far apart by number.
type offsetSum struct {
	offset int     // of the destination from the source, modulo the nodes
	bytes  float64 // of all
	most   float64 // of one
}

// farApart is the demands of a whole step by the offsets of their nodes. Steps have many
// demands and mostly few offsets, and on a ring of equal jumps the offset says how many hops
// there are.
type farApart struct {
	sums []offsetSum
	of   []int32 // where the sum is, by demand; nil where demands are not kept
}

// apart returns the demands of a step on so many nodes by offset, in the order in which these
// first occur.
func (w *Workload) apart(c *Class, n int) *farApart {
	if c.far == nil {
		far := &farApart{}
		at := make([]int32, n) // and 1
		for d := range w.whole(c) {
			offset := (d.Dst - d.Src + n) % n
			if at[offset] == 0 {
				far.sums = append(far.sums, offsetSum{offset: offset})
				at[offset] = int32(len(far.sums))
			}
			if !w.streams {
				far.of = append(far.of, at[offset]-1)
			}
			s := &far.sums[at[offset]-1]
			s.bytes += d.Amount
			s.most = max(s.most, d.Amount)
		}
		c.far = far
	}
	return c.far
}

// whole yields the demands of the whole step of a class.
func (w *Workload) whole(c *Class) iter.Seq[flow.Demand] {
	if w.streams {
		return c.each(topology.Translations{})
	}
	return slices.Values(c.All())
}
