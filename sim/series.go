package sim

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// Series is an Observer that records, at packet level, how busy circuits are over time and how
// much waits for them. For the circuits between two nodes and the i-th interval, of length d,
//
//	utilization = time that they send in [i d, (i+1) d) / (d x circuits)
//	queue       = bytes that wait at i d: packets that have arrived by then and start later
//	relayed     = the bytes among them that came from another node
//
// A node's own packets wait from when the message is handed over.
type Series struct {
	interval int64
	links    map[[2]int]*linkSeries
	last     int   // last interval in which something happens
	end      int64 // of the last transmission, ps
	limit    int64 // rows
	over     bool  // limit exceeded; only links and end are kept from then on
}

// MaxSeriesRows is the largest number of rows, links times intervals, of a series: half a
// gigabyte of memory, and a file twice as large.
const MaxSeriesRows = 20_000_000

// linkSeries is the series of one link.
type linkSeries struct {
	circuits int
	busy     []int64 // ps, by interval
	queue    []int64 // from each interval on: bytes that come less bytes that go
	relayed  []int64
}

// NewSeries returns an empty series.
func NewSeries(interval units.Duration) (*Series, error) {
	if interval <= 0 {
		return nil, errors.New("sim: the interval of a series must be above 0s")
	}
	return &Series{interval: int64(interval), links: map[[2]int]*linkSeries{}, limit: MaxSeriesRows}, nil
}

// Check reports a series with more than MaxSeriesRows rows, whose rows are dropped, and names
// an interval that would fit.
func (s *Series) Check() error {
	if !s.over {
		return nil
	}
	links := int64(len(s.links))
	if links > s.limit {
		return fmt.Errorf("the series of %d links has more than %d rows with any interval", links, s.limit)
	}
	return fmt.Errorf("%v is too short: %v on %d links in more than %d rows; %v would do",
		units.Duration(s.interval), units.Duration(s.end), links, s.limit, units.Duration(roundUp((s.end-1)/(s.limit/links)+1)))
}

// roundUp returns the next of 1, 2, 5, 10, 20, ..
func roundUp(n int64) int64 {
	for unit := int64(1); unit < math.MaxInt64/10; unit *= 10 {
		for _, k := range []int64{1, 2, 5} {
			if k*unit >= n {
				return k * unit
			}
		}
	}
	return n
}

// fits records a transmission, and reports whether the series is still within the limit.
func (s *Series) fits(t *Transmission) bool {
	s.end = max(s.end, int64(t.Start)+(t.Packets-1)*int64(t.Gap)+int64(t.Each))
	if !s.over && (s.end-1)/s.interval+1 > s.limit/int64(len(s.links)) {
		s.over = true
		for _, l := range s.links {
			*l = linkSeries{}
		}
	}
	return !s.over
}

// Phase implements Observer.
func (s *Series) Phase(int, *Phase, *PhaseResult) {}

// Transmission implements Observer.
func (s *Series) Transmission(t Transmission) {
	key := [2]int{t.From, t.To}
	l := s.links[key]
	if l == nil {
		l = &linkSeries{}
		s.links[key] = l
	}
	if !s.fits(&t) {
		return
	}
	l.circuits = max(l.circuits, t.Circuit+1)
	if t.Gap == t.Each { // back to back
		s.send(l, int64(t.Start), int64(t.Each)*t.Packets)
	}
	for i := range t.Packets {
		start := int64(t.Start) + i*int64(t.Gap)
		if t.Gap != t.Each {
			s.send(l, start, int64(t.Each))
		}
		s.wait(&l.queue, int64(t.Queued)+i*int64(t.QueuedGap), start, int64(t.Bytes))
		if t.Relayed {
			s.wait(&l.relayed, int64(t.Queued)+i*int64(t.QueuedGap), start, int64(t.Bytes))
		}
	}
}

// send adds a time during which a circuit sends.
func (s *Series) send(l *linkSeries, start, length int64) {
	for length > 0 {
		i := start / s.interval
		part := min(length, (i+1)*s.interval-start)
		*at(&l.busy, int(i)) += part
		s.last = max(s.last, int(i))
		start, length = start+part, length-part
	}
}

// wait adds bytes that wait from one time to another.
func (s *Series) wait(into *[]int64, from, until, bytes int64) {
	if first, end := arithmetic.CeilDiv(from, s.interval), arithmetic.CeilDiv(until, s.interval); first < end {
		*at(into, int(first)) += bytes
		*at(into, int(end)) -= bytes
	}
}

// at returns an element of a list, which grows as needed.
func at(list *[]int64, i int) *int64 {
	if i >= len(*list) {
		*list = append(*list, make([]int64, i+1-len(*list))...)
	}
	return &(*list)[i]
}

// point is one link in one interval.
type point struct {
	from, to       int
	at             int64 // ps
	utilization    float64
	queue, relayed int64
}

// points visits the links that carried anything in order, each through all intervals.
func (s *Series) points(visit func(p point) error) error {
	ends := slices.SortedFunc(maps.Keys(s.links), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for _, e := range ends {
		l := s.links[e]
		p := point{from: e[0], to: e[1]}
		for i := range s.last + 1 {
			p.at = int64(i) * s.interval
			p.utilization = float64(*at(&l.busy, i)) / (float64(s.interval) * float64(l.circuits))
			p.queue += *at(&l.queue, i)
			p.relayed += *at(&l.relayed, i)
			if err := visit(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// Write writes the series as CSV.
func (s *Series) Write(w io.Writer) error {
	if err := s.Check(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	row := []string{"time_ns", "from", "to", "utilization", "queue_bytes", "relayed_bytes"}
	if err := out.Write(row); err != nil {
		return err
	}
	err := s.points(func(p point) error {
		row[0], row[1], row[2] = decimals(p.at, 3), strconv.Itoa(p.from), strconv.Itoa(p.to)
		row[3], row[4] = strconv.FormatFloat(p.utilization, 'g', 6, 64), strconv.FormatInt(p.queue, 10)
		row[5] = strconv.FormatInt(p.relayed, 10)
		return out.Write(row)
	})
	out.Flush()
	return cmp.Or(err, out.Error())
}

// Count adds the series to a trace, as counters of every link.
func (t *Trace) Count(s *Series) {
	t.event(`"ph":"M","name":"process_name","pid":%d,"args":{"name":"links"}`, traceLinks)
	// The writer keeps its errors.
	_ = s.points(func(p point) error {
		t.event(`"ph":"C","pid":%d,"name":"%d -> %d","ts":%s,"args":{"utilization":%s,"queue_bytes":%d}`,
			traceLinks, p.from, p.to, decimals(p.at, 6), strconv.FormatFloat(p.utilization, 'g', 6, 64), p.queue)
		return nil
	})
}
