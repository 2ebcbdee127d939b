package sim

import (
	"bufio"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/units"
)

// Trace is an Observer that writes events in the JSON of Chrome's trace viewer, which Perfetto
// reads, too: a track for the phases, one for every circuit with its packets, and the flows. It
// writes as events arrive, and remembers only which circuits it has seen. Close ends it.
type Trace struct {
	out    *bufio.Writer
	tracks map[[3]int]int
	events int
}

// These are the processes of a trace.
const (
	tracePhases = iota
	traceCircuits
	traceFlows
	traceLinks
)

// NewTrace begins a trace.
func NewTrace(w io.Writer) *Trace {
	t := &Trace{out: bufio.NewWriter(w), tracks: map[[3]int]int{}}
	fmt.Fprint(t.out, `{"displayTimeUnit":"ns","traceEvents":[`)
	for pid, name := range []string{"phases", "circuits", "flows"} {
		t.event(`"ph":"M","name":"process_name","pid":%d,"args":{"name":%q}`, pid, name)
	}
	return t
}

// event writes one event. The writer keeps errors until Close.
func (t *Trace) event(format string, args ...any) {
	separator := "\n{"
	if t.events > 0 {
		separator = ",\n{"
	}
	t.events++
	fmt.Fprint(t.out, separator)
	fmt.Fprintf(t.out, format, args...)
	fmt.Fprint(t.out, "}")
}

// span writes an event with a duration, given in ps and written in us.
func (t *Trace) span(pid, tid int, name string, start, length int64) {
	t.event(`"ph":"X","pid":%d,"tid":%d,"name":%q,"ts":%s,"dur":%s`, pid, tid, name, decimals(start, 6), decimals(length, 6))
}

// Phase implements Observer.
func (t *Trace) Phase(index int, p *Phase, r *PhaseResult) {
	start, traffic := int64(r.Start), int64(r.Traffic)
	if p.Reconfiguration > 0 {
		t.span(tracePhases, p.Track, fmt.Sprintf("reconfiguration %d", index), start, int64(p.Reconfiguration))
	}
	if p.Startup > 0 {
		t.span(tracePhases, p.Track, fmt.Sprintf("start-up %d", index), traffic-int64(p.Startup), int64(p.Startup))
	}
	t.span(tracePhases, p.Track, fmt.Sprintf("phase %d", index), traffic, int64(r.End)-traffic)
	order := p.Group.Order()
	for i, end := range r.Flows {
		f := &p.Flows[i/order]
		src, dst := p.Group.Apply(i%order, int(f.Src)), p.Group.Apply(i%order, int(f.Dst))
		name := fmt.Sprintf("%d -> %d", src, dst)
		begin := traffic + int64(f.Start)
		t.event(`"ph":"b","cat":"flow","id":"%d.%d","pid":%d,"tid":%d,"name":%q,"ts":%s`,
			index, i, traceFlows, src, name, decimals(begin, 6))
		t.event(`"ph":"e","cat":"flow","id":"%d.%d","pid":%d,"tid":%d,"name":%q,"ts":%s`,
			index, i, traceFlows, src, name, decimals(int64(end), 6))
	}
}

// Transmission implements Observer.
func (t *Trace) Transmission(x Transmission) {
	circuit := [3]int{x.From, x.To, x.Circuit}
	tid, ok := t.tracks[circuit]
	if !ok {
		tid = len(t.tracks)
		t.tracks[circuit] = tid
		t.event(`"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":"%d -> %d (%d)"}`,
			traceCircuits, tid, x.From, x.To, x.Circuit)
	}
	spans, each := x.Packets, x.Each
	if x.Gap == x.Each { // back to back
		spans, each = 1, units.Duration(x.Packets)*x.Each
	}
	name := fmt.Sprintf("flow %d.%d, %d packets", x.Phase, x.Flow, x.Packets/spans)
	for i := range spans {
		t.span(traceCircuits, tid, name, int64(x.Start)+i*int64(x.Gap), int64(each))
	}
}

// Close ends the trace and reports the first error of writing it.
func (t *Trace) Close() error {
	fmt.Fprint(t.out, "\n]}\n")
	return t.out.Flush()
}
