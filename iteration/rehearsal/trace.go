package rehearsal

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// These are the tracks of a rank in a trace: its computations come first, then the kinds that
// communicate, then its ports.
const computeTrack = 0

// traceEvent is an event in the form of Chrome's traces, which Perfetto reads; times are in
// microseconds.
type traceEvent struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	Kind  string         `json:"cat,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Start *float64       `json:"ts,omitempty"`
	Takes *float64       `json:"dur,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// WriteTrace writes the last iteration in the JSON of Chrome's trace viewer: a process for each
// rank that was watched, with tracks for its computations, for every kind of group that
// communicates, and for the sending and the receiving side of every port, including dark times.
//
// Viewers require that events of a track nest, so communications of a kind that overlap get
// several tracks. Times are integer nanoseconds from the first event on: circuits may be set up
// before the iteration begins.
func (r *Result) WriteTrace(to io.Writer, a *iteration.Agenda) error {
	t := &tracer{Agenda: a, out: bufio.NewWriter(to), tracks: map[[2]int]bool{}, until: map[[2]int][]int64{}}
	spans := slices.Clone(r.Spans)
	slices.SortStableFunc(spans, func(x, y Span) int { return cmp.Compare(x.Start, y.Start) })
	if len(spans) > 0 {
		t.first = min(0, spans[0].Start)
	}
	fmt.Fprint(t.out, `{"displayTimeUnit":"ns","traceEvents":[`)
	t.kinds = slices.AppendSeq(t.kinds, maps.Keys(a.Workload.Kinds))
	slices.Sort(t.kinds)
	t.ranks(spans)
	for _, s := range spans {
		t.span(s)
	}
	fmt.Fprint(t.out, "\n]}\n")
	return cmp.Or(t.err, t.out.Flush())
}

type tracer struct {
	*iteration.Agenda
	out    *bufio.Writer
	kinds  []string
	tracks map[[2]int]bool
	until  map[[2]int][]int64 // by rank and kind: when its tracks are free, in nanoseconds
	first  units.Time         // origin of times
	wrote  bool
	err    error
}

func (t *tracer) event(e traceEvent) {
	text, err := json.Marshal(e)
	if err != nil {
		t.err = err
		return
	}
	if t.wrote {
		t.out.WriteByte(',')
	}
	t.wrote = true
	t.out.WriteByte('\n')
	t.out.Write(text)
}

// ranks names the processes.
func (t *tracer) ranks(spans []Span) {
	seen := map[int]bool{}
	for _, s := range spans {
		if seen[s.Rank] {
			continue
		}
		seen[s.Rank] = true
		class := &t.Classes[t.Graph.Of[s.Rank]]
		name := fmt.Sprintf("GPU %d (%s: ranks %v)", s.Rank, cmp.Or(class.Name, fmt.Sprint("class ", t.Graph.Of[s.Rank])), class.Ranks)
		t.event(traceEvent{Phase: "M", Name: "process_name", PID: s.Rank, Args: map[string]any{"name": name}})
		t.event(traceEvent{Phase: "M", Name: "process_sort_index", PID: s.Rank, Args: map[string]any{"sort_index": s.Rank}})
	}
}

// besides is the most tracks of a kind, one below the other.
const besides = 64

// track names a track of a rank, once. Tracks are in the order of their numbers.
func (t *tracer) track(rank, track int, name string) int {
	if key := [2]int{rank, track}; !t.tracks[key] {
		t.tracks[key] = true
		t.event(traceEvent{Phase: "M", Name: "thread_name", PID: rank, TID: track, Args: map[string]any{"name": name}})
		t.event(traceEvent{Phase: "M", Name: "thread_sort_index", PID: rank, TID: track, Args: map[string]any{"sort_index": track}})
	}
	return track
}

// kindTrack returns a track of a kind that is free for a span.
func (t *tracer) kindTrack(s Span, kind string) int {
	place := 1 + max(0, slices.Index(t.kinds, kind))
	key := [2]int{s.Rank, place}
	free := slices.IndexFunc(t.until[key], func(until int64) bool { return until <= t.nanoseconds(s.Start) })
	if free < 0 {
		free = len(t.until[key])
		t.until[key] = append(t.until[key], 0)
	}
	t.until[key][free] = t.nanoseconds(s.End)
	if free > 0 {
		kind = fmt.Sprintf("%s, %d", kind, free+1)
	}
	return t.track(s.Rank, place*besides+min(free, besides-1), kind)
}

// nanoseconds returns the time since the first event in nanoseconds. A time that is not an
// integer only by rounding becomes one.
func (t *tracer) nanoseconds(at units.Time) int64 {
	return int64(math.Floor(float64(at-t.first) + picosecond))
}

const picosecond = 1e-3

// apart is how many nanoseconds before the next event of its track an event ends: viewers add
// and subtract times in floating point, and lose events that seem to overlap.
const apart = 0.1

// span writes an item of a rank: on the track of its kind, and on those of its ports.
func (t *tracer) span(s Span) {
	if s.End <= s.Start {
		return
	}
	x := &t.Items[s.Item]
	class := t.Graph.Of[s.Rank]
	write := func(track int, name, kind string, args map[string]any) {
		from, to := t.nanoseconds(s.Start), t.nanoseconds(s.End)
		start, takes := float64(from)/1000, max(0, float64(to-from)-apart)/1000
		t.event(traceEvent{Phase: "X", Name: name, Kind: kind, PID: s.Rank, TID: track, Start: &start, Takes: &takes, Args: args})
	}
	name, kind := "dark", "rewiring"
	args := map[string]any{}
	switch {
	case x.Change != nil:
		args["circuits"] = t.Circuits[x.Change.Circuits-1].Name
		if x.Change.Before != "" {
			args["before"] = x.Change.Before
		}
	case !x.Communicates:
		write(t.track(s.Rank, computeTrack, "compute"), x.Op.ID, "compute", nil)
		return
	default:
		task := t.Task(x)
		name, kind = x.Op.ID, cmp.Or(task.Op.Kind, "send")
		args["op"], args["bytes"] = opName(task), int64(task.Op.Size)
		write(t.kindTrack(s, kind), name, kind, args)
	}
	for _, l := range x.Lanes {
		if l[0] != class {
			continue
		}
		side := [...]string{"sends", "receives", "both ways"}[l[1]]
		track := (1+len(t.kinds))*besides + 3*l[2] + l[1]
		write(t.track(s.Rank, track, fmt.Sprintf("port %d %s", l[2], side)), name, kind, args)
	}
}
