package program

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
)

// BufferMap says what the chunks of the buffers mean, in a collective of Nodes ranks. With
// b = Chunks/Nodes and input and output the buffers that the operation has at a rank:
//
//	allreduce      out[j] is the sum of in[j] of all ranks
//	allgather      out[q*b+j] is in[j] of rank q
//	reducescatter  out[j] of rank r is the sum of in[r*b+j] of all ranks
//	alltoall       out[q*b+j] of rank r is in[r*b+j] of rank q
//	broadcast      out[j] is in[j] of rank 0
//	reduce         out[j] of rank 0 is the sum of in[j] of all ranks
//	gather         out[q*b+j] of rank 0 is in[j] of rank q
//	scatter        out[j] of rank r is in[r*b+j] of rank 0
//
// In place, the smaller of the two buffers is rank r's block of the larger one (allgather,
// reducescatter), or both are the same.
type BufferMap struct {
	Op      collective.Op
	Nodes   int
	Chunks  int // K: in the larger buffer
	InPlace bool
}

// Check returns an error if the layout is impossible.
func (l *BufferMap) Check() error {
	if _, err := collective.ParseOp(string(l.Op)); err != nil {
		return err
	}
	if l.Nodes < collective.MinNodes {
		return fmt.Errorf("%d ranks: at least %d are needed", l.Nodes, collective.MinNodes)
	}
	if l.Chunks < 1 {
		return fmt.Errorf("%d chunks: at least 1 is needed", l.Chunks)
	}
	if l.blocked() && l.Chunks%l.Nodes != 0 {
		return fmt.Errorf("%d chunks of %s do not divide by its %d ranks", l.Chunks, l.Op, l.Nodes)
	}
	return nil
}

// blocked reports whether buffers consist of a block for every rank.
func (l *BufferMap) blocked() bool {
	switch l.Op {
	case collective.AllReduce, collective.Broadcast, collective.RootReduce:
		return false
	}
	return true
}

// Block returns the chunks of a rank's block.
func (l *BufferMap) Block() int { return l.Chunks / l.Nodes }

// InputChunks returns the size of the buffer that a rank begins with.
func (l *BufferMap) InputChunks(rank int) int {
	switch l.Op {
	case collective.AllGather, collective.Gather:
		return l.Block()
	case collective.Broadcast, collective.Scatter:
		if rank != 0 {
			return 0
		}
	}
	return l.Chunks
}

// OutputChunks returns the size of the buffer that a rank ends with.
func (l *BufferMap) OutputChunks(rank int) int {
	switch l.Op {
	case collective.ReduceScatter, collective.Scatter:
		return l.Block()
	case collective.RootReduce, collective.Gather:
		if rank != 0 {
			return 0
		}
	}
	return l.Chunks
}

// Reserved returns the chunks of memory that input and output take together, with room for the
// largest buffer of any rank.
func (l *BufferMap) Reserved() int { return 2 * l.Chunks }

// Address returns where in the memory of a rank a location is. Input and output of a
// program in place are the same memory. Addresses are below Reserved plus the scratch.
func (l *BufferMap) Address(rank int, at Loc) int {
	off := int(at.Offset)
	switch {
	case at.Buffer == Scratch:
		return l.Reserved() + off
	case at.Buffer == Output && !l.InPlace:
		return l.Chunks + off
	case !l.InPlace:
		return off
	case at.Buffer == Input && (l.Op == collective.AllGather || l.Op == collective.Gather),
		at.Buffer == Output && (l.Op == collective.ReduceScatter || l.Op == collective.Scatter):
		return rank*l.Block() + off
	}
	return off
}

// Item identifies the data of a chunk, from 0: data to which all ranks contribute or, if nothing
// is reduced, data with which one rank begins.
type Item int32

// Begins returns the item to which an input chunk of a rank contributes.
func (l *BufferMap) Begins(rank, offset int) Item {
	if l.Op.Reduces() {
		return Item(offset)
	}
	return Item(rank*l.Chunks + offset)
}

// Due returns what an output chunk of a rank must be in the end: an item, and whether it has the
// contributions of all ranks.
func (l *BufferMap) Due(rank, offset int) (item Item, all bool) {
	b := l.Block()
	switch l.Op {
	case collective.AllReduce, collective.RootReduce:
		return Item(offset), true
	case collective.ReduceScatter:
		return Item(rank*b + offset), true
	case collective.AllGather, collective.Gather:
		return Item(offset/b*l.Chunks + offset%b), false
	case collective.AllToAll:
		return Item(offset/b*l.Chunks + rank*b + offset%b), false
	case collective.Scatter:
		return Item(rank*b + offset), false
	}
	return Item(offset), false // broadcast
}

// Origin returns the input chunk of an item and, if nothing is reduced, its rank.
func (l *BufferMap) Origin(item Item) (rank, offset int) {
	if l.Op.Reduces() {
		return 0, int(item)
	}
	return int(item) / l.Chunks, int(item) % l.Chunks
}
