package traffic

import (
	"math/big"

	"github.com/lightpath-net/lightpath/topology"
)

// Stream is the part of a flow that takes one route.
type Stream struct {
	Bytes    int64
	Start    int64
	First    int32 // first hop
	Priority int32
}

// Hop is one bundle of circuits on a route and the index of the next hop, or Arrived. Routes
// with the same end may share hops.
type Hop struct{ Bundle, Next int32 }

// Arrived takes the place of a hop at the end of the route.
const Arrived = -1

// Traffic is a set of flows divided into streams, with their routes.
type Traffic struct {
	Streams []Stream
	Hops    []Hop
	Flows   []int32 // the streams of flow i are Flows[i] up to Flows[i+1]
	Images  int     // images per flow, which are consecutive
	From    []int32 // node at which a bundle of the graph starts
	To      []int32 // node at which it ends
	Class   []int32 // by bundle of the graph: its number in the simulation, or -1
	Used    []int32 // by bundle of the simulation: its number in the graph
	InTime  []int32 // streams by their starts, then in the order of the phase
	Begin   int64   // when traffic starts
	Group   topology.Translations
	Pace    bool // streams keep a pace: see package packet
	// Line returns the properties of a simulated bundle's circuits, and appends to up when each of
	// them is up.
	Line func(i int, up []Uptime) (Line, []Uptime, error)
}

// Line has the properties of a bundle's circuits.
type Line struct {
	Bps   int64 // of one circuit
	Delay int64 // ps
	Cut   bool  // the node where they start cuts through, even if others store packets
}

// Tally is the result of simulating streams.
type Tally struct {
	Done    []int64  // when each stream is complete
	Sum     *big.Int // of the arrivals of packets, or nil
	Packets int64
	Hops    int64
	Events  int64
	Kept    int64     // the longest time for which rates were kept
	Carried []Carried // by bundle of the simulation
}

// Carried has the statistics of one bundle.
type Carried struct {
	Bytes     int64
	Packets   int64
	Busy      int64 // ps, over all circuits
	Peak      int64 // most work ever in the queue, in ps of one circuit
	RelayPeak int64 // most forwarded bytes that ever waited
}
