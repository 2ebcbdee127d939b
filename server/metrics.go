package server

import (
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lightpath-net/lightpath/internal/exposition"
)

// buckets of the durations of requests, in seconds.
var buckets = []float64{0.001, 0.005, 0.02, 0.1, 0.5, 2.5, 10, 60}

// meters holds the counters for Prometheus.
type meters struct {
	mu        sync.Mutex
	requests  map[[2]string]int64 // by route and status
	durations map[string]*exposition.Histogram
	hits      atomic.Int64 // answered from the store
	misses    atomic.Int64
}

func newMeters() *meters {
	return &meters{requests: map[[2]string]int64{}, durations: map[string]*exposition.Histogram{}}
}

func (m *meters) observe(route string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[[2]string{route, strconv.Itoa(status)}]++
	h := m.durations[route]
	if h == nil {
		h = &exposition.Histogram{Buckets: buckets}
		m.durations[route] = h
	}
	h.Observe(took.Seconds())
}

// write writes everything, in a fixed order.
func (m *meters) write(w io.Writer, s *Server) {
	about := func(name, kind, help string) { exposition.About(w, name, kind, help) }
	m.mu.Lock()
	defer m.mu.Unlock()
	about("lightpath_requests_total", "counter", "Requests by route and status.")
	for _, k := range slices.SortedFunc(maps.Keys(m.requests), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		fmt.Fprintf(w, "lightpath_requests_total{route=%q,status=%q} %d\n", k[0], k[1], m.requests[k])
	}
	about("lightpath_request_seconds", "histogram", "Time until a request was answered.")
	for _, route := range slices.Sorted(maps.Keys(m.durations)) {
		m.durations[route].Write(w, "lightpath_request_seconds", "route", route)
	}
	about("lightpath_store_total", "counter", "Questions by whether the store had the answer.")
	fmt.Fprintf(w, "lightpath_store_total{outcome=\"hit\"} %d\nlightpath_store_total{outcome=\"miss\"} %d\n", m.hits.Load(), m.misses.Load())
	about("lightpath_work", "gauge", "Pieces of work.")
	cpu, stuck := s.places.used()
	fmt.Fprintf(w, "lightpath_work{state=\"running\"} %d\nlightpath_work{state=\"waiting\"} %d\n", len(s.places.requests), len(s.places.waiting))
	fmt.Fprintf(w, "lightpath_work{state=\"stuck\"} %d\n", stuck) // told to stop, and not back yet
	about("lightpath_jobs", "gauge", "Jobs that are not done.")
	for _, state := range []State{Queued, Running} {
		fmt.Fprintf(w, "lightpath_jobs{state=%q} %d\n", state, s.jobs.count(state))
	}
	about("lightpath_work_cpu_seconds_total", "counter", "Processor time of work, over and under way.")
	fmt.Fprintf(w, "lightpath_work_cpu_seconds_total %g\n", cpu.Seconds())
	about("lightpath_recent_bytes", "gauge", "Memory of answers that need not be read from the store.")
	fmt.Fprintf(w, "lightpath_recent_bytes %d\n", s.store.recent.bytes())
	about("lightpath_recent_limit_bytes", "gauge", "What they may take.")
	fmt.Fprintf(w, "lightpath_recent_limit_bytes %d\n", recentBytes)
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	about("lightpath_heap_bytes", "gauge", "Memory of live and unswept objects.")
	fmt.Fprintf(w, "lightpath_heap_bytes %d\n", heap[0].Value.Uint64())
	about("lightpath_heap_live_bytes", "gauge", "Memory of objects that the last collection found alive.")
	fmt.Fprintf(w, "lightpath_heap_live_bytes %d\n", heap[1].Value.Uint64())
	if resident, ok := resident(); ok {
		about("lightpath_resident_bytes", "gauge", "Memory of the process that is in the machine's.")
		fmt.Fprintf(w, "lightpath_resident_bytes %d\n", resident)
	}
	about("lightpath_goroutines", "gauge", "Goroutines.")
	fmt.Fprintf(w, "lightpath_goroutines %d\n", runtime.NumGoroutine())
	about("lightpath_build_info", "gauge", "The version of the program.")
	fmt.Fprintf(w, "lightpath_build_info{version=\"%s\"} 1\n", strings.ReplaceAll(s.version, `"`, ""))
}

// resident returns the memory of the process as Linux counts it (proc_pid_statm(5)); other
// systems do not report it.
func resident() (int64, bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
