package sim

import (
	"cmp"
	"slices"
)

// line is what the circuits of a bundle are like.
type line struct{ bps, delay int64 }

// resizing is a change of a bundle's capacity.
type resizing struct {
	at       int64
	bundle   int32
	capacity float64 // bytes per ps
}

// capacities returns, for every bundle, what its circuits are like, their capacity
// when traffic starts, and its changes in order of time.
func (b *builder) capacities() (lines []line, capacity []float64, changes []resizing, err error) {
	up := &outages{b.phase, b.begin}
	latest := b.begin
	for i := range b.streams {
		latest = max(latest, b.streams[i].start)
	}
	work := float64(latest)
	for i, e := range b.used {
		u, v := int(b.from[e]), int(b.to[e])
		bps, delay, err := b.phase.Network.between(u, v)
		if err != nil {
			return nil, nil, nil, err
		}
		lines = append(lines, line{int64(bps), int64(delay)})
		each := float64(bps) / perByte
		circuits := up.circuits(nil, u, v, b.graph.Count(u, v))
		capacity = append(capacity, each*float64(countUp(circuits, b.begin)))
		for _, at := range switches(circuits, b.begin) {
			changes = append(changes, resizing{at, int32(i), each * float64(countUp(circuits, at))})
		}
	}
	for i := range b.streams {
		for h := b.streams[i].first; h != arrived; h = b.hops[h].next {
			l := &lines[b.class[b.hops[h].bundle]]
			work += float64(b.streams[i].bytes+int64(b.options.Packet))*perByte/float64(l.bps) + float64(l.delay)
		}
	}
	if work > longest {
		return nil, nil, nil, errTooLong
	}
	slices.SortStableFunc(changes, func(a, b resizing) int { return cmp.Compare(a.at, b.at) })
	return lines, capacity, changes, nil
}

// countUp returns how many circuits are up at a time.
func countUp(circuits []circuit, at int64) int {
	count := 0
	for i := range circuits {
		if on, off := circuits[i].around(at); at >= on && at < off {
			count++
		}
	}
	return count
}

// switches returns when, after begin, circuits go up or down.
func switches(circuits []circuit, begin int64) []int64 {
	var times []int64
	add := func(t int64) {
		if t > begin && t < never {
			times = append(times, t)
		}
	}
	for i := range circuits {
		c := &circuits[i]
		add(c.on)
		add(c.off)
		for _, up := range c.later {
			add(up.start)
			add(up.end)
		}
	}
	slices.Sort(times)
	return slices.Compact(times)
}
