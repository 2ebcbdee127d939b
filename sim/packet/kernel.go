package packet

import "github.com/lightpath-net/lightpath/sim/traffic"

// Kernel is the packet-level simulation of one phase.
//
// A bundle of circuits has one queue, first in, first out. A packet is in the queue
// from its arrival (or its injection) until its last bit has left, and since service
// is in order of arrival, its departure is known as soon as all earlier arrivals
// are: there is no event for it. What is left to do is to merge, for every bundle,
// the arrivals that its pipes bring. A bundle may do that up to the first moment at
// which a pipe that is empty could still bring something: the time at which the
// circuit behind it is next free, plus the time that a packet takes from its start
// there to its arrival here. On busy circuits this reaches far ahead, so whole
// trains of packets are merged at once; no central queue of events exists.
//
// A bundle that many circuits feed has an inbox instead of pipes, and looks less far
// ahead.
//
// The time is O(r (p + 1)) for r trains that are merged and p pipes into a queue, where
// p is at most manyPipes, or O(r log r) beyond, and r is at most the number of packets
// times hops. Runs that wait in pipes are the
// memory; the packets of a message need none before they are cut apart.
type Kernel struct {
	packet   int64 // bytes
	cut      bool  // cut-through
	alike    bool  // all circuits have the same bandwidth
	relay    int64 // bytes of others' traffic that may wait for a bundle; 0 is no limit
	ranked   bool  // by priority, not by arrival
	lookout  int64 // the smallest lag
	bundles  []bundle
	circuits []circuit
	queues   []ranking // of bundles, if by priority
	inlets   []inlet
	outlets  []outlet
	rings    []ring
	steps    []step
	streams  []traffic.Stream // by the bundle where they start and then by time
	number   []int32          // of each in the layout
	done     []int64          // arrival of the last packet so far, by stream
	sources  []feed           // by bundle
	pace     *pacing          // of streams, or nil
	clock    []int64          // when a circuit of the bundle is next free, as of the last round
	next     []int64          // when the bundle next starts a packet, as far as it is known
	blocks   []int64          // smallest of next, by block
	workers  []*worker
	owner    []int32 // worker of a bundle, by block
	total    int64   // packet-hops
	observe  func(Transmission)
}

// bundle is a queue and the circuits that serve it.
type bundle struct {
	firstInlet, lastInlet     int32  // its inlets; the first one is its source
	inbox                     *inbox // in place of the other inlets, or nil
	firstCircuit, lastCircuit int32
	bps                       int64 // of one circuit
	tx                        int64 // of a full packet
	delay                     int64
	cut                       bool // the node where it starts cuts through

	bytes   int64 // carried
	packets int64
	busy    int64    // ps, over all circuits
	peak    int64    // most work that ever was in the queue, in ps of one circuit
	last    int64    // start of the last packet, with several circuits or priorities
	queue   *ranking // if by priority

	relayed   int64 // bytes that wait and came from elsewhere, if these are bounded
	relayPeak int64
}

// circuit is one server of a bundle.
type circuit struct {
	free int64 // when the last packet taken has left
	traffic.Uptime
	idle []traffic.Interval // in which it waits, dark, for packets that wait for it
	held departures         // of relayed packets, if these are bounded
}

// step is one hop of a route: after it, packets queue at step next, or have arrived. They go
// into the outlet, one per circuit of the bundle, or to an inbox, which needs no outlet: there
// may be as many as pairs of circuits, and to look one up would take longer than all else.
type step struct {
	outlet int32 // arrived at the end of the route; below, an inbox: see toInbox
	next   int32
	rank   int32 // of the first circuit of the bundle among those into the inbox
}

// toInbox returns what stands in place of an outlet for the inbox of a bundle, and inboxOf the
// bundle that it stands for.
func toInbox(bundle int32) (outlet int32) { return traffic.Arrived - 1 - bundle }
func inboxOf(outlet int32) (bundle int32) { return traffic.Arrived - 1 - outlet }

// feed injects the streams that start at a bundle, in order of time.
type feed struct {
	next, last int32 // streams that have not yet begun
	left       int64 // full packets of the current stream
	current    int32
	begun      bool // the current stream still has a packet to inject
}

// Transmission is what an observer is told: n packets, the first of which starts at
// start on a circuit of the bundle, each further one gap later.
type Transmission struct {
	Bundle, Circuit, Stream  int32
	Start, Gap, Each         int64
	Packets                  int64
	First                    bool  // hop of its route
	Bytes, Queued, QueuedGap int64 // the size of each, when the first came and how far apart they did
}

// inject puts the next injected train at the head of the bundle's source.
func (k *Kernel) inject(b int32, in *inlet) bool {
	f := &k.sources[b]
	if !f.begun {
		if f.next == f.last {
			in.head.n = 0
			return false
		}
		f.current = f.next
		f.next++
		f.left = k.streams[f.current].Bytes / k.packet
		f.begun = true
	}
	s := &k.streams[f.current]
	in.head = train{at: s.Start, stream: f.current, step: s.First}
	if f.left == 0 {
		in.head.n, in.head.gap = tail, restOf(s, k.packet)
		f.begun = false
		return true
	}
	n := min(f.left, longestTrain)
	in.head.n = int32(n)
	f.left -= n
	f.begun = f.left > 0 || s.Bytes%k.packet != 0
	return true
}

// restOf returns the bytes of the last packet of a stream, if it is not full, as far as a
// train can say it.
func restOf(s *traffic.Stream, packet int64) uint32 { return uint32(min(s.Bytes%packet, widestGap)) }

// txOf returns how long the packets of a train take on a circuit of the bundle, and
// how many bytes each has.
func (k *Kernel) txOf(b *bundle, r *train) (tx, bytes int64) {
	if r.n != tail {
		return b.tx, k.packet
	}
	if bytes = int64(r.gap); bytes == widestGap {
		bytes = k.streams[r.stream].Bytes % k.packet
	}
	tx, _ = traffic.Transmit(bytes, b.bps) // less than a full packet, which was checked
	return tx, bytes
}
