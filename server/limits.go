package server

import (
	"cmp"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Limits say how much one may ask for. Zero fields mean the default.
type Limits struct {
	Body    units.Bytes   // of a request; default 64 MiB
	Nodes   int           // of a fabric or topology; default 4096
	Cells   int           // of a sweep; default 100 000
	Request time.Duration // until a request must be answered; default 1 minute
	Job     time.Duration // until a job must be done; default 1 hour
	CPU     time.Duration // processor time of a request, see threads.Account; default half of Request
	JobCPU  time.Duration // of a job; default half of Job for each of Running
	Memory  units.Bytes   // of the process: above it, the work that began last is stopped; default 4 GiB
	Running int           // requests worked on at once, and threads of jobs; default: the cores but one
	Waiting int           // that wait for a place; default 64
	Ranks   int           // of an emulation, which are processes or goroutines of this machine; default 256
	Jobs    int           // of one client that are not done; default 16
	Clients int           // connections at once; default 1024
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

// Busy is how many threads may work at once, for requests and for jobs.
func (l *Limits) Busy() int { return 2 * l.Running }

// mostOperations is how many operations a plan may have in sequence: a few for every layer of
// a large model.
const mostOperations = 1024

// sizes is what a request asks for, by the field that says it.
type sizes struct {
	limit int
	err   error
}

func (s *sizes) nodes(path string, n int) {
	if n > s.limit && s.err == nil {
		s.err = field.Errorf(path, "%d nodes; this service takes at most %d", n, s.limit)
	}
}

func (s *sizes) expr(path, text string) {
	if e, err := topology.ParseExpr(text); err == nil {
		s.nodes(path, e.Nodes())
	}
}

func (s *sizes) fabric(path string, f *fabric.Fabric) { s.nodes(path+".nodes", f.Nodes) }

func (s *sizes) pattern(p *collective.PatternFile) {
	if p != nil {
		s.nodes("pattern", p.Nodes)
	}
}

func (s *sizes) plan(p *plan.Plan) {
	if p != nil {
		s.nodes("plan", p.Fabric.Nodes)
	}
}

// check reports a request that is too large. It is asked before anything is computed.
func (l *Limits) check(r lightpath.Request) error {
	s := sizes{limit: l.Nodes}
	switch r := r.(type) {
	case *lightpath.PlanRequest:
		if n := len(r.Operations); n > mostOperations {
			return field.Errorf("operations", "%d; this service takes at most %d", n, mostOperations)
		}
		s.fabric("fabric", &r.Fabric)
		s.pattern(r.Pattern)
	case *lightpath.CompareRequest:
		s.fabric("fabric", &r.Fabric)
		s.pattern(r.Pattern)
	case *lightpath.FrontierRequest:
		s.fabric("fabric", &r.Fabric)
	case *lightpath.AdviseRequest:
		if n := 1 + len(r.More); n > mostOperations {
			return field.Errorf("more", "%d operations; this service takes at most %d", n, mostOperations)
		}
		s.fabric("fabric", &r.Fabric)
	case *lightpath.TuneRequest:
		s.fabric("fabric", &r.Fabric)
		for i := range r.For {
			s.fabric(field.Index("for", i)+".fabric", &r.For[i].Fabric)
		}
	case *lightpath.TrainRequest:
		s.fabric("fabric", &r.Fabric)
		s.expr("topology", r.Topology)
	case *lightpath.CheckRequest:
		s.fabric("fabric", &r.Fabric)
		s.expr("base", r.Base)
		s.pattern(r.Pattern)
	case *lightpath.ExplainRequest:
		s.plan(r.Plan)
	case *lightpath.VerifyRequest:
		s.plan(r.Plan)
	case *lightpath.CompileRequest:
		s.plan(r.Plan)
	case *lightpath.SimulateRequest:
		s.plan(r.Plan)
		s.expr("topology", r.Topology)
	case *lightpath.EmulateRequest:
		s.plan(r.Plan)
	case *lightpath.TopologyRequest:
		s.expr("topology", r.Topology)
	case *lightpath.ScheduleRequest:
		s.expr("topology", r.Topology)
		for i, link := range r.Links {
			s.nodes(field.Index("links", i), max(link.From, link.To)+1)
		}
	case *lightpath.FindRequest:
		s.nodes("nodes", r.Nodes)
	case *lightpath.CalibrateRequest:
		s.nodes("nodes", r.Nodes)
	case *lightpath.CollectiveRequest:
		s.nodes("nodes", r.Nodes)
	case *lightpath.SweepRequest:
		return l.checkSweep(r, &s)
	}
	return s.err
}

// checkSweep counts the cells before any axis is multiplied out.
func (l *Limits) checkSweep(r *lightpath.SweepRequest, s *sizes) error {
	s.fabric("fabric", &r.Fabric)
	if r.Points > l.Cells {
		return field.Errorf("points", "%d; this service takes at most %d cells", r.Points, l.Cells)
	}
	if err := r.Complete(); err != nil {
		return err
	}
	cells := 1
	for i, a := range r.Axes {
		if cells *= max(1, len(a.Values)); cells > l.Cells {
			return field.Errorf("axes", "more than %d cells, which is what this service takes", l.Cells)
		}
		for _, v := range a.Values {
			if n, err := strconv.Atoi(v); err == nil && a.Name == "nodes" {
				s.nodes(field.Index("axes", i), n)
			}
		}
	}
	return s.err
}

// lower has an error that says which numbers of nodes there are say which of them this service
// takes.
func (l *Limits) lower(err error) error {
	var wrong *field.Error
	var outside *field.OutOfRange
	if !errors.As(err, &wrong) || !errors.As(wrong.Err, &outside) || outside.Most <= l.Nodes || !strings.HasSuffix("."+wrong.Path, ".nodes") {
		return err
	}
	return field.In(wrong.Path, field.Range(outside.Value, outside.Least, l.Nodes))
}

// checkEmulation refuses a plan with more ranks than this machine is to start, and one whose
// buffers would not fit: every rank holds its own, and what it should become.
func (l *Limits) checkEmulation(p *plan.Plan) error {
	if n := p.Fabric.Nodes; n > l.Ranks {
		return field.Errorf("plan", "%d ranks; this service emulates at most %d", n, l.Ranks)
	}
	const buffers = 4 // input, result, expectation, what is on its way
	if need := float64(p.Fabric.Nodes) * float64(p.Collective.Size) * buffers; need > float64(l.Memory) {
		return field.Errorf("plan", "its buffers take about %s in all; this service takes at most %s", units.Bytes(need), l.Memory)
	}
	return nil
}
