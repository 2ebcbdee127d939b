package pricing

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"

	"github.com/lightpath-net/lightpath/flow"
)

// The ways in which the loads of a step on a candidate are found.
const (
	byWalk    = iota // every node has one successor
	byFloors         // one search for all nodes
	bySearch         // a search for every destination
	byProgram        // a linear program
)

// loads finds the loads of a step on a candidate, unless the request's memory has them for the
// same step with other bytes: auto asks for a pipeline with one number of pieces after another.
func (w *Workload) loads(c *Candidate, class *Class, way int, find func() (floor, shortest flow.Load, connected bool, err error)) (floor, shortest flow.Load, connected bool, err error) {
	if w.memory == nil {
		return find()
	}
	return w.memory.Loads(flow.Case{Circuits: c.digest(), Demands: class.digest(), Way: way}, class.pair, find)
}

// digest identifies the circuits.
func (c *Candidate) digest() [sha256.Size]byte {
	if c.digested == nil {
		d := digest(func(put func(...int64)) {
			put(int64(c.N), int64(c.Jump.Jump), int64(c.Jump.Count))
			if c.Jump.Count == 0 {
				for e := range c.Topology().Edges() {
					put(int64(e.From), int64(e.To), int64(e.Count))
				}
			}
		})
		c.digested = &d
	}
	return *c.digested
}

// digest identifies a step up to a common factor of all its demands.
func (c *Class) digest() [sha256.Size]byte {
	if c.digested == nil {
		d := digest(func(put func(...int64)) {
			for i, dim := range c.Step.Group.Dims {
				put(int64(dim), int64(c.Step.Group.Stride[i]))
			}
			put(-1)
			for _, d := range c.Demands {
				put(int64(d.Src), int64(d.Dst), int64(d.Amount/c.pair*amountSteps+0.5))
			}
		})
		c.digested = &d
	}
	return *c.digested
}

// amountSteps is the resolution of demands in digests, relative to the largest: far finer than
// matters, and far coarser than the rounding of pieces of the same size.
const amountSteps = 1 << 40

func digest(write func(put func(...int64))) (sum [sha256.Size]byte) {
	h := sha256.New()
	out := bufio.NewWriter(h)
	var buffer [8]byte
	write(func(numbers ...int64) {
		for _, v := range numbers {
			binary.LittleEndian.PutUint64(buffer[:], uint64(v))
			_, _ = out.Write(buffer[:]) // writing to a hash never fails
		}
	})
	_ = out.Flush()
	h.Sum(sum[:0])
	return sum
}
