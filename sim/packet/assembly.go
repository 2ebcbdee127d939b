package packet

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/sim/traffic"
)

// Options say how packets are sent.
type Options struct {
	Packet     int64 // bytes
	CutThrough bool  // else a node has a whole packet before it forwards it
	Relay      int64 // limit on the forwarded bytes that wait for a bundle; 0 is none
	Priorities bool  // serve by priority
}

// assembly makes a kernel for streams.
type assembly struct {
	*traffic.Traffic
	k *Kernel
}

// New builds the kernel of the packet level.
func New(t *traffic.Traffic, o Options) (*Kernel, error) {
	b := &assembly{Traffic: t}
	b.k = &Kernel{
		packet: o.Packet,
		cut:    o.CutThrough,
		relay:  o.Relay,
		ranked: o.Priorities && b.hasPriorities(),
		done:   make([]int64, len(b.Streams)),
	}
	if err := b.makeBundles(); err != nil {
		return nil, err
	}
	smallest, err := b.measure()
	if err != nil {
		return nil, err
	}
	if err := b.makePipes(smallest); err != nil {
		return nil, err
	}
	b.makeSources()
	if b.Pace {
		return b.k, b.makePace()
	}
	return b.k, nil
}

// hasPriorities reports whether any two streams differ in priority.
func (b *assembly) hasPriorities() bool {
	return slices.ContainsFunc(b.Streams, func(s traffic.Stream) bool { return s.Priority != b.Streams[0].Priority })
}

// makeBundles makes queues and circuits.
func (b *assembly) makeBundles() error {
	k := b.k
	k.bundles = make([]bundle, len(b.Used))
	k.clock = make([]int64, len(b.Used))
	k.next = make([]int64, len(b.Used))
	k.blocks = make([]int64, arithmetic.CeilDiv(len(b.Used), blockSize))
	if k.ranked {
		k.queues = make([]ranking, len(b.Used))
	}
	var up []traffic.Uptime
	for i, e := range b.Used {
		line, circuits, err := b.Line(i, up[:0])
		if err != nil {
			return err
		}
		tx, ok := traffic.Transmit(k.packet, line.Bps)
		if !ok {
			return traffic.ErrTooLong
		}
		if k.cut && line.Delay == 0 {
			return traffic.Invalid("circuit %d -> %d has no delay: cut-through needs at least 1ps", b.From[e], b.To[e])
		}
		first := int32(len(k.circuits))
		for _, c := range circuits {
			k.circuits = append(k.circuits, circuit{Uptime: c})
		}
		up = circuits
		k.bundles[i] = bundle{
			firstCircuit: first, lastCircuit: int32(len(k.circuits)),
			bps: line.Bps, tx: tx, delay: line.Delay, cut: k.cut || line.Cut,
		}
		if k.ranked {
			k.bundles[i].queue = &k.queues[i]
		}
		k.next[i] = traffic.Never
	}
	k.alike = !slices.ContainsFunc(k.bundles, func(b bundle) bool { return b.bps != k.bundles[0].bps })
	return nil
}

// measure counts packet-hops and returns the size of the smallest packet. It checks that no
// time can exceed 64 bits: nothing takes longer than all packets one after another.
func (b *assembly) measure() (smallest int64, err error) {
	k := b.k
	total, latest := 0.0, int64(0)
	smallest = k.packet
	over := make([]float64, len(b.Class)) // time of one packet, by bundle of the graph
	for e, i := range b.Class {
		if i >= 0 {
			over[e] = float64(k.bundles[i].tx) + float64(k.bundles[i].delay)
		}
	}
	for i := range b.Streams {
		s := &b.Streams[i]
		packets := traffic.Packets(s.Bytes, k.packet)
		each := 0.0
		for h := s.First; h != traffic.Arrived; h = b.Hops[h].Next {
			each += over[b.Hops[h].Bundle]
			k.total += packets
		}
		total += float64(packets) * each
		latest = max(latest, s.Start)
		if rest := s.Bytes % k.packet; rest > 0 {
			smallest = min(smallest, rest)
		}
	}
	if total+float64(latest) > traffic.Longest {
		return 0, traffic.ErrTooLong
	}
	return smallest, nil
}

// makeSources gives every bundle the streams that start there, in order of time and then of the
// phase. The kernel numbers streams in this order, so that streams that are used together are
// close in memory.
func (b *assembly) makeSources() {
	k := b.k
	at := make([]int32, len(b.Streams)) // the bundle where each starts
	for i := range at {
		at[i] = b.Class[b.Hops[b.Streams[i].First].Bundle]
	}
	start, list := traffic.GroupBy(len(b.InTime), len(k.bundles), func(i int) int { return int(at[b.InTime[i]]) })
	k.number = list
	k.streams = make([]traffic.Stream, len(list))
	for j, i := range list {
		list[j] = b.InTime[i]
		k.streams[j] = b.Streams[list[j]]
	}
	k.sources = make([]feed, len(k.bundles))
	for i := range k.sources {
		first, last := start[i], start[i+1]
		k.sources[i] = feed{next: first, last: last}
		if first < last {
			k.next[i] = k.streams[first].Start
		}
	}
}
