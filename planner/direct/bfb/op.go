package bfb

import "fmt"

// Op is the collective that a schedule performs.
type Op int

const (
	// AllGather gives every node the shards of all others.
	AllGather Op = iota
	// ReduceScatter gives every node the sum over all nodes of its own shard. It is the
	// allgather of the transposed graph run backwards. (Zhao et al., Corollary 3.1.)
	ReduceScatter
	// AllReduce is a ReduceScatter followed by an AllGather.
	AllReduce
)

// String returns the name that commands use.
func (op Op) String() string {
	switch op {
	case AllGather:
		return "allgather"
	case ReduceScatter:
		return "reducescatter"
	case AllReduce:
		return "allreduce"
	}
	return fmt.Sprintf("Op(%d)", int(op))
}

// halves returns the collectives that op runs one after the other.
func (op Op) halves() []Op {
	if op == AllReduce {
		return []Op{ReduceScatter, AllGather}
	}
	return []Op{op}
}
