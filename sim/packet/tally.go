package packet

import (
	"math/big"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// Watch tells an observer of every transmission. It needs a single thread.
func (k *Kernel) Watch(tell func(Transmission)) {
	k.observe = func(t Transmission) {
		t.Stream = k.number[t.Stream]
		tell(t)
	}
	for i := range k.queues {
		k.queues[i].apart = true
	}
}

// Gaps returns how far apart the packets of each stream are, or nil without pace.
func (k *Kernel) Gaps() []int64 {
	if k.pace == nil {
		return nil
	}
	return k.numbered(k.pace.gap)
}

// Tally returns the kernel's counts.
func (k *Kernel) Tally() *traffic.Tally {
	out := &traffic.Tally{Done: k.numbered(k.done), Sum: new(big.Int), Carried: make([]traffic.Carried, len(k.bundles))}
	for _, w := range k.workers {
		out.Sum.Add(out.Sum, w.sum.big())
		out.Hops += w.hops
		out.Events += w.events
	}
	for i := range k.streams {
		out.Packets += traffic.Packets(k.streams[i].Bytes, k.packet)
	}
	for i := range k.bundles {
		c := &k.bundles[i]
		out.Carried[i] = traffic.Carried{Bytes: c.bytes, Packets: c.packets, Busy: c.busy, Peak: c.peak, RelayPeak: c.relayPeak}
	}
	return out
}

// numbered returns values of streams in the order in which they were given.
func (k *Kernel) numbered(values []int64) []int64 {
	list := make([]int64, len(values))
	for i, v := range values {
		list[k.number[i]] = v
	}
	return list
}
