package collective

import (
	"fmt"
	"slices"
	"strings"
)

// Op is a collective operation.
type Op string

// The operations, and what the size of each means.
const (
	// AllReduce: every node ends with the reduction of all buffers; size is the buffer.
	AllReduce Op = "allreduce"
	// AllGather: every node ends with all blocks; size is the gathered result.
	AllGather Op = "allgather"
	// ReduceScatter: every node ends with its block of the reduction; size is the input buffer.
	ReduceScatter Op = "reducescatter"
	// AllToAll: every node has a block for every node; size is what one node holds,
	// its block for itself included.
	AllToAll Op = "alltoall"
	// Broadcast: every node ends with the buffer of node 0; size is the buffer.
	Broadcast Op = "broadcast"
	// RootReduce: node 0 ends with the reduction of all buffers; size is the buffer.
	RootReduce Op = "reduce"
	// Gather: node 0 ends with all blocks; size is the gathered result.
	Gather Op = "gather"
	// Scatter: every node ends with its block of node 0's buffer; size is that buffer.
	Scatter Op = "scatter"
)

// What a plan may be for besides one of the operations above.
const (
	// Sequence: several operations one after the other; size is the sum of theirs.
	Sequence Op = "sequence"
	// Pattern: whatever the chunks of a Listed space say; size is the sum of theirs.
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

// Known reports whether a plan may be for it.
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
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = string(op)
	}
	return strings.Join(names, sep)
}

// MinNodes is the smallest number of nodes of a collective.
const MinNodes = 2
