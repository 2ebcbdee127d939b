package msccl

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/program"
)

// Dialect is the loader that a file is for.
type Dialect string

// The dialects.
const (
	MSCCL Dialect = "msccl"
	RCCL  Dialect = "rccl"
)

// Limits returns the limits of the loader and its kernel: MSCCL of September 2023, RCCL of
// October 2024.
func (d Dialect) Limits() *program.Limits {
	l := &program.Limits{
		Runtime:    "MSCCL",
		Ranks:      1024, // children of an element: an array without a bounds check
		Blocks:     216,
		Channels:   32,
		Steps:      256,
		Count:      71,
		Offset:     1<<15 - 1, // 16-bit numbers
		Awaited:    1<<7 - 1,  // an 8-bit number
		PerChannel: 32,
		Elements:   4096,
		Fusion:     16,
		Merged:     15, // its kernel takes 16 sources; the last one is the target
		Fused:      true,
	}
	if d == RCCL {
		l.Runtime = "RCCL"
		l.Blocks, l.Channels, l.Steps = 64, 128, 64
		l.Fused = false // refused at launch
		l.Merged = 0    // its kernel adds sources one by one
	}
	return l
}

// names of the operations; the two dialects differ in one.
func (d Dialect) names() map[collective.Op]string {
	names := map[collective.Op]string{
		collective.AllReduce: "allreduce", collective.AllGather: "allgather", collective.RootReduce: "reduce",
		collective.Broadcast: "broadcast", collective.AllToAll: "alltoall", collective.ReduceScatter: "reduce_scatter",
	}
	if d == RCCL {
		names[collective.ReduceScatter] = "reducescatter"
		names[collective.Gather], names[collective.Scatter] = "gather", "scatter"
	}
	return names
}

// Supports returns an error for an operation that the runtime cannot name.
func (d Dialect) Supports(op collective.Op) error {
	if _, known := d.names()[op]; !known {
		return fmt.Errorf("%s has no %s", d.Limits().Runtime, op)
	}
	return nil
}
