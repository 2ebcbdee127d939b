package traffic

import (
	"math/big"

	"github.com/lightpath-net/lightpath/topology"
)

// Stream is the part of a flow that takes one route.
type Stream struct {
	Bytes    int64
	Start    int64
	First    int32 // hop
	Priority int32
}

// Hop is one circuit bundle of a route and the index of the hop after it, or
// Arrived. Routes that end alike may share hops.
type Hop struct{ Bundle, Next int32 }

// Arrived in place of a hop is the end of the route.
const Arrived = -1

// Traffic is flows cut into streams, with their routes.
type Traffic struct {
	Streams []Stream
	Hops    []Hop
	Flows   []int32 // the streams of flow i are Flows[i] up to Flows[i+1]
	Images  int     // images per flow, which follow one another
	From    []int32 // node at which a bundle of the graph starts
	To      []int32 // and at which it ends
	Class   []int32 // number in the simulation of each bundle of the graph, or -1
	Used    []int32 // bundle of the graph for each of the simulation
	InTime  []int32 // streams by when they start, and then in the order of the phase
	Begin   int64   // when traffic starts
	Group   topology.Translations
	Pace    bool // streams keep a pace: see the packet level
	// Line returns what the circuits of a bundle of the simulation are like, and appends to up
	// when each of them is up.
	Line func(i int, up []Uptime) (Line, []Uptime, error)
}

// Line is what the circuits of a bundle are like.
type Line struct {
	Bps   int64 // of one
	Delay int64 // ps
	Cut   bool  // the node where they start cuts through, also if others store packets
}

// Tally is what simulating streams gives.
type Tally struct {
	Done    []int64  // when each stream is complete
	Sum     *big.Int // of the arrivals of packets, or nil
	Packets int64
	Hops    int64
	Events  int64
	Kept    int64     // the longest that rates were kept
	Carried []Carried // by bundle of the simulation
}

// Carried is what one bundle did.
type Carried struct {
	Bytes     int64
	Packets   int64
	Busy      int64 // ps, over all circuits
	Peak      int64 // most work that ever was in the queue, in ps of one circuit
	RelayPeak int64 // most bytes of others' traffic that ever waited
}
