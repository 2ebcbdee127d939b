package pricing

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// offsetSum sums up the demands of a step between nodes whose numbers differ by the same offset.
type offsetSum struct {
	offset int     // of the destination from the source, modulo the nodes
	bytes  float64 // of all such demands
	most   float64 // of the largest demand
}

// farApart is the demands of a whole step, grouped by the offsets of their nodes. Steps have many
// demands but usually few offsets, and on a ring of equal jumps the offset determines the number
// of hops.
type farApart struct {
	sums []offsetSum
	of   []int32 // index in sums, by demand; nil if demands are not kept
}

// apart returns the demands of a step on n nodes by offset, in the order in which the offsets
// first occur.
func (w *Workload) apart(c *Class, n int) *farApart {
	if c.far == nil {
		far := &farApart{}
		at := make([]int32, n) // 1 plus the index in far.sums, by offset
		for d := range w.whole(c) {
			offset := arithmetic.Offset(d.Src, d.Dst, n)
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
