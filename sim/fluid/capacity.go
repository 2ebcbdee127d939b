package fluid

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/sim/traffic"
)

// resizing is a change of a bundle's capacity.
type resizing struct {
	at       int64
	bundle   int32
	capacity float64 // bytes per ps
}

// capacities returns, for every bundle, the properties of its circuits and their capacity when
// traffic starts, and all later changes in order of time.
func (f *fluid) capacities() (lines []traffic.Line, capacity []float64, changes []resizing, err error) {
	var circuits []traffic.Uptime
	latest := f.Begin
	for i := range f.Streams {
		latest = max(latest, f.Streams[i].Start)
	}
	work := float64(latest)
	for i := range f.Used {
		var on traffic.Line
		if on, circuits, err = f.Line(i, circuits[:0]); err != nil {
			return nil, nil, nil, err
		}
		lines = append(lines, on)
		each := float64(on.Bps) / traffic.PerByte
		capacity = append(capacity, each*float64(countUp(circuits, f.Begin)))
		for _, at := range switches(circuits, f.Begin) {
			changes = append(changes, resizing{at, int32(i), each * float64(countUp(circuits, at))})
		}
	}
	for i := range f.Streams {
		for h := f.Streams[i].First; h != traffic.Arrived; h = f.Hops[h].Next {
			l := &lines[f.Class[f.Hops[h].Bundle]]
			work += float64(f.Streams[i].Bytes+f.options.Packet)*traffic.PerByte/float64(l.Bps) + float64(l.Delay)
		}
	}
	if work > traffic.Longest {
		return nil, nil, nil, traffic.ErrTooLong
	}
	slices.SortStableFunc(changes, func(a, b resizing) int { return cmp.Compare(a.at, b.at) })
	return lines, capacity, changes, nil
}

// countUp returns how many circuits are up at a time.
func countUp(circuits []traffic.Uptime, at int64) int {
	count := 0
	for i := range circuits {
		if on, off := circuits[i].Around(at); at >= on && at < off {
			count++
		}
	}
	return count
}

// switches returns when circuits go up or down after begin.
func switches(circuits []traffic.Uptime, begin int64) []int64 {
	var times []int64
	add := func(t int64) {
		if t > begin && t < traffic.Never {
			times = append(times, t)
		}
	}
	for i := range circuits {
		c := &circuits[i]
		add(c.On)
		add(c.Off)
		for _, up := range c.Later {
			add(up.Start)
			add(up.End)
		}
	}
	slices.Sort(times)
	return slices.Compact(times)
}
