package server

import (
	"cmp"
	"errors"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/topology/wiring"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// Limits bound what clients may ask for. Zero fields mean the default.
type Limits struct {
	Body    units.Bytes   // of a request; default 64 MiB
	Nodes   int           // of a fabric or topology; default 4096
	Cells   int           // of a sweep; default 100 000
	Request time.Duration // until a request must be answered; default 1 minute
	Job     time.Duration // until a job must be done; default 1 hour
	CPU     time.Duration // processor time of a request, see threads.Account; default half of Request
	JobCPU  time.Duration // of a job; default half of Job for each of Running
	// Memory is the memory of the process above which the work that began last is stopped;
	// default 4 GiB.
	Memory units.Bytes
	// Running is how many requests run at once, and how many threads of jobs; default: all cores
	// but one.
	Running int
	Waiting int // requests that may wait for a place; default 64
	// Ranks is the number of ranks of an emulation, which are processes or goroutines of this
	// machine; default 256.
	Ranks   int
	Jobs    int // unfinished jobs of one client; default 16
	Clients int // connections at once; default 1024
}

func (l *Limits) complete() {
	l.Body = cmp.Or(l.Body, 64*units.MiB)
	l.Nodes = cmp.Or(l.Nodes, 4096)
	l.Cells = cmp.Or(l.Cells, 100_000)
	l.Request = cmp.Or(l.Request, time.Minute)
	l.Job = cmp.Or(l.Job, time.Hour)
	l.Memory = cmp.Or(l.Memory, 4*units.GiB)
	l.Running = cmp.Or(l.Running, max(1, runtime.GOMAXPROCS(0)-1))
	l.CPU = cmp.Or(l.CPU, l.Request/2)
	l.JobCPU = cmp.Or(l.JobCPU, l.Job/2*time.Duration(l.Running))
	l.Waiting = cmp.Or(l.Waiting, 64)
	l.Ranks = cmp.Or(l.Ranks, 256)
	l.Jobs = cmp.Or(l.Jobs, 16)
	l.Clients = cmp.Or(l.Clients, 1024)
}

// Busy returns how many threads may work at once, for requests and for jobs.
func (l *Limits) Busy() int { return 2 * l.Running }

// mostOperations is how many operations a plan may have in sequence: a few for every layer of
// a large model.
const mostOperations = 1024

// sizes are the sizes that a request asks for, by field.
type sizes struct {
	limit int
	err   error
}

func (s *sizes) nodes(path string, n int) {
	if n > s.limit && s.err == nil {
		s.err = field.Errorf(path, "%d nodes; this service takes at most %d", n, s.limit)
	}
}

// ranks limits the ranks of a workload that is only written and not planned, so the limit is
// higher.
func (s *sizes) ranks(path string, n int) {
	const more = 16
	if most := more * s.limit; (n > most || n < 0) && s.err == nil {
		s.err = field.Errorf(path, "%d ranks; this service takes at most %d", n, most)
	}
}

func (s *sizes) expr(path, text string) {
	if e, err := topology.ParseExpr(text); err == nil {
		s.nodes(path, e.Nodes())
	}
}

// fields examines all fields of a request. It recognises those that give a number of nodes by
// their type, or by their name, which is the same in all requests.
func (s *sizes) fields(path string, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch value := v.Interface().(type) {
	case fabric.Fabric:
		s.nodes(field.Join(path, "nodes"), value.Nodes)
		return
	case collective.PatternFile:
		s.nodes(path, value.Nodes)
		return
	case plan.Plan:
		s.nodes(path, value.Fabric.Nodes)
		return
	case workload.Workload:
		s.ranks(field.Join(path, "ranks"), value.Ranks)
		return
	case parallel.Config:
		s.ranks("dp", max(1, value.TP)*max(1, value.PP)*max(1, value.DP)*max(1, value.CP))
		return
	case harvest.Schedule:
		nodes, _ := value.Size()
		s.nodes(path, nodes)
		return
	case wiring.Link:
		s.nodes(path, max(value.From, value.To)+1)
		return
	case []lightpath.Operation:
		if n := len(value); n > mostOperations && s.err == nil {
			s.err = field.Errorf(path, "%d operations; this service takes at most %d", n, mostOperations)
		}
		return
	case int:
		if last(path) == "nodes" {
			s.nodes(path, value)
		}
		return
	case string:
		if name := last(path); name == "topology" || name == "base" {
			s.expr(path, value)
		}
		return
	}
	switch v.Kind() {
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct {
			for i := range v.Len() {
				s.fields(field.Index(path, i), v.Index(i))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous:
				s.fields(path, v.Field(i))
			case f.Type == reflect.TypeFor[*plan.Plan](): // without a name of its own, as it may be an ID
				s.fields(field.Join(path, "plan"), v.Field(i))
			case name != "" && name != "-":
				s.fields(field.Join(path, name), v.Field(i))
			}
		}
	}
}

// last returns the name at the end of a path.
func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// check returns an error for a request that is too large. It runs before anything is computed.
func (l *Limits) check(r lightpath.Request) error {
	s := sizes{limit: l.Nodes}
	s.fields("", reflect.ValueOf(r))
	if grid, ok := r.(*lightpath.SweepRequest); ok && s.err == nil {
		return l.checkSweep(grid, &s)
	}
	return s.err
}

// checkSweep counts the cells before any axis is multiplied out.
func (l *Limits) checkSweep(r *lightpath.SweepRequest, s *sizes) error {
	if r.Points > l.Cells {
		return field.Errorf("points", "%d; this service takes at most %d cells", r.Points, l.Cells)
	}
	if err := r.Complete(); err != nil {
		return err
	}
	cells := 1
	for i, a := range r.Axes {
		if cells *= max(1, len(a.Values)); cells > l.Cells {
			return field.Errorf("axes", "more than %d cells, the limit of this service", l.Cells)
		}
		for _, v := range a.Values {
			if n, err := strconv.Atoi(v); err == nil && a.Name == "nodes" {
				s.nodes(field.Index("axes", i), n)
			}
		}
	}
	return s.err
}

// lower makes an error that lists possible numbers of nodes list only those that this service
// accepts.
func (l *Limits) lower(err error) error {
	var wrong *field.Error
	var outside *field.OutOfRange
	if !errors.As(err, &wrong) || !errors.As(wrong.Err, &outside) || outside.Most <= l.Nodes || !strings.HasSuffix("."+wrong.Path, ".nodes") {
		return err
	}
	return field.In(wrong.Path, field.Range(outside.Value, outside.Least, l.Nodes))
}

// checkEmulation refuses a plan with more ranks than this machine may start, and one whose
// buffers would not fit: every rank holds its own buffers and the expected result.
func (l *Limits) checkEmulation(p *plan.Plan) error {
	if n := p.Fabric.Nodes; n > l.Ranks {
		return field.Errorf("plan", "%d ranks; this service emulates at most %d", n, l.Ranks)
	}
	const buffers = 4 // input, result, expectation, data in flight
	if need := float64(p.Fabric.Nodes) * float64(p.Collective.Size) * buffers; need > float64(l.Memory) {
		return field.Errorf("plan", "its buffers take about %s in all; this service takes at most %s", units.Bytes(need), l.Memory)
	}
	return nil
}

// checkIterations is checkEmulation for the plan of an iteration. A rank may hold the buffers of
// two communications at once: the one that it checks, and the next.
func (l *Limits) checkIterations(d *lightpath.Iteration) error {
	if d.Ranks > l.Ranks {
		return field.Errorf("iteration", "%d ranks; this service emulates at most %d", d.Ranks, l.Ranks)
	}
	const buffers = 8
	if need := float64(d.Ranks) * float64(d.Workload.Largest()) * buffers; need > float64(l.Memory) {
		return field.Errorf("iteration", "its buffers take about %s in all; this service takes at most %s", units.Bytes(need), l.Memory)
	}
	return nil
}
