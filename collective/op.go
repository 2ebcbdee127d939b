package collective

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// Op is a collective operation.
type Op string

// These are the operations, with the meaning of their size.
const (
	// AllReduce gives every node the reduction of all buffers; size is the buffer.
	AllReduce Op = "allreduce"
	// AllGather gives every node all blocks; size is the gathered result.
	AllGather Op = "allgather"
	// ReduceScatter gives every node its block of the reduction; size is the input buffer.
	ReduceScatter Op = "reducescatter"
	// AllToAll sends a block from every node to every node; size is what one node holds, including
	// its block for itself.
	AllToAll Op = "alltoall"
	// Broadcast gives every node the buffer of node 0; size is the buffer.
	Broadcast Op = "broadcast"
	// RootReduce gives node 0 the reduction of all buffers; size is the buffer.
	RootReduce Op = "reduce"
	// Gather gives node 0 all blocks; size is the gathered result.
	Gather Op = "gather"
	// Scatter gives every node its block of node 0's buffer; size is that buffer.
	Scatter Op = "scatter"
)

// A plan may also be for these.
const (
	// Sequence is several operations one after another; size is the sum of theirs.
	Sequence Op = "sequence"
	// Pattern is whatever the chunks of a Listed space say; size is the sum of theirs.
	Pattern Op = "pattern"
)

// Ops lists the operations in the order of their documentation.
func Ops() []Op {
	return []Op{AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast, RootReduce, Gather, Scatter}
}

// ParseOp returns the operation of that name.
func ParseOp(name string) (Op, error) {
	if op := Op(name); slices.Contains(Ops(), op) {
		return op, nil
	}
	return "", fmt.Errorf("unknown operation %q; use %s", name, JoinOps(Ops(), ", "))
}

// Known reports an error unless a plan may be for the operation.
func (o Op) Known() error {
	if o == Sequence || o == Pattern {
		return nil
	}
	_, err := ParseOp(string(o))
	return err
}

// Reduces reports whether the operation combines contributions of several nodes.
func (o Op) Reduces() bool { return o == AllReduce || o == ReduceScatter || o == RootReduce }

// Rooted reports whether the operation has a root, node 0, and so does not look the
// same from every node.
func (o Op) Rooted() bool {
	return o == Broadcast || o == RootReduce || o == Gather || o == Scatter
}

// JoinOps writes operations with a separator between them.
func JoinOps(ops []Op, sep string) string {
	names := each.Of(ops, func(op Op) string { return string(op) })
	return strings.Join(names, sep)
}

// MinNodes is the smallest number of nodes of a collective.
const MinNodes = 2
