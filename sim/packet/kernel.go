package packet

import "github.com/lightpath-net/lightpath/sim/traffic"

// Kernel is the packet-level simulation of one phase.
//
// A bundle of circuits has one queue, first in, first out. A packet is in the queue from its
// arrival (or its injection) until its last bit has left. Service is in order of arrival, so
// its departure is known as soon as all earlier arrivals are; it needs no event. What remains
// to be done for every bundle is to merge the arrivals from its pipes. That is possible up to
// the first moment at which an empty pipe could still bring something: the time at which the
// circuit behind it is next free, plus the time from a packet's start there to its arrival
// here. On busy circuits this reaches far ahead, so whole trains of packets are merged at once,
// and no central event queue exists.
//
// A bundle that many circuits feed has an inbox instead of pipes, and can look less far ahead.
//
// The time is O(r (p + 1)) for r merged trains and p pipes into a queue. p is at most
// manyPipes; beyond that it is O(r log r). r is at most the number of packets times hops. The
// memory is that of the trains that wait in pipes; a message's packets need none until it is
// divided into trains.
type Kernel struct {
	packet   int64 // bytes
	cut      bool  // cut-through
	alike    bool  // all circuits have the same bandwidth
	relay    int64 // limit on the forwarded bytes that wait for a bundle; 0 is none
	ranked   bool  // by priority, not by arrival
	lookout  int64 // the smallest lag
	bundles  []bundle
	circuits []circuit
	queues   []ranking // of bundles, if ranked
	inlets   []inlet
	outlets  []outlet
	rings    []ring
	steps    []step
	streams  []traffic.Stream // by the bundle where they start, then by time
	number   []int32          // of each stream in the layout
	done     []int64          // arrival of the last packet so far, by stream
	sources  []feed           // by bundle
	pace     *pacing          // of streams, or nil
	clock    []int64          // when a circuit of the bundle is next free, after the last round
	next     []int64          // when the bundle next starts a packet, as far as known
	blocks   []int64          // smallest of next, by block
	workers  []*worker
	owner    []int32 // worker of a bundle, by block
	total    int64   // packet-hops
	observe  func(Transmission)
}

// bundle is a queue and the circuits that serve it.
type bundle struct {
	firstInlet, lastInlet     int32  // the first inlet is its source
	inbox                     *inbox // in place of the other inlets, or nil
	firstCircuit, lastCircuit int32
	bps                       int64 // of one circuit
	tx                        int64 // of a full packet
	delay                     int64
	cut                       bool // the node where it starts cuts through

	bytes   int64 // carried
	packets int64
	busy    int64    // ps, over all circuits
	peak    int64    // most work ever in the queue, in ps of one circuit
	last    int64    // start of the last packet, with several circuits or priorities
	queue   *ranking // if ranked

	relayed   int64 // waiting bytes from other nodes, if these are limited
	relayPeak int64
}

// circuit is one server of a bundle.
type circuit struct {
	free int64 // when the last packet taken has left
	traffic.Uptime
	idle []traffic.Interval // times when the circuit was dark and packets waited for it
	held departures         // of relayed packets, if their bytes are limited
}

// step is one hop of a route: after it, packets queue at step next, or have arrived. They go
// into an outlet, one per circuit of the bundle, or directly to an inbox. An inbox has no
// outlets: there might be as many as pairs of circuits, and looking one up would take longer
// than everything else.
type step struct {
	outlet int32 // or arrived, at the end of the route; if lower, an inbox: see toInbox
	next   int32
	rank   int32 // of the bundle's first circuit among those into the inbox
}

// toInbox returns the code, in place of an outlet, for the inbox of a bundle; inboxOf returns
// the bundle for such a code.
func toInbox(bundle int32) (outlet int32) { return traffic.Arrived - 1 - bundle }
func inboxOf(outlet int32) (bundle int32) { return traffic.Arrived - 1 - outlet }

// feed injects the streams that start at a bundle, in order of time.
type feed struct {
	next, last int32 // streams that have not yet begun
	left       int64 // full packets of the current stream
	current    int32
	begun      bool // the current stream still has a packet to inject
}

// Transmission is what an observer gets: n packets on a circuit of the bundle. The first starts at
// start, each further one gap later.
type Transmission struct {
	Bundle, Circuit, Stream  int32
	Start, Gap, Each         int64
	Packets                  int64
	First                    bool  // hop of its route
	Bytes, Queued, QueuedGap int64 // size of each, when queued first, and gap between them
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

// restOf returns the bytes of a stream's last packet, if it is not full, in as many bits as a
// train has for it.
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
	tx, _ = traffic.Transmit(bytes, b.bps) // less than a full packet's time, which was checked
	return tx, bytes
}
