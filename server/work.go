package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/threads"
)

// places are where work is done: a few pieces at once, some wait, more are refused. Jobs have
// places of their own, so that one that takes an hour keeps no request waiting.
//
// It also watches what the work uses. Processor time is charged to each piece, by the
// threads that work for it. Memory is that of the process, which Go cannot tell apart.
type places struct {
	requests, waiting, jobs chan struct{}
	turns                   threads.Turns // of the threads of jobs
	memory                  uint64

	mu      sync.Mutex
	running []*piece // in the order in which they began
}

// piece is work that is under way.
type piece struct {
	stop   context.CancelCauseFunc
	used   *threads.Account
	most   time.Duration // of processor time
	excess error         // what it is told when it has used more
}

// kind is what requests and jobs do not have in common.
type kind struct {
	time, cpu    time.Duration // that a piece may take
	late, excess error         // what it is told when it takes more
	lower        int           // the priority of its threads
	threads      int           // that it may use
}

// Priorities, in steps of nice below what is known already, which is answered at once. A
// step is about a quarter of the processor where both want it.
const (
	requestLower = 3
	jobLower     = 7
)

func newPlaces(l *Limits) *places {
	return &places{
		requests: make(chan struct{}, l.Running), waiting: make(chan struct{}, l.Waiting),
		jobs: make(chan struct{}, max(2, l.Running)), turns: make(threads.Turns, l.Running), memory: uint64(l.Memory),
	}
}

// enter waits for a place of a request, if not too many wait already.
func (p *places) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-p.requests }
	select {
	case p.requests <- struct{}{}:
		return leave, nil
	default:
	}
	select {
	case p.waiting <- struct{}{}:
		defer func() { <-p.waiting }()
	default:
		return nil, errBusy
	}
	return leave, wait(ctx, p.requests)
}

// enterJob waits for a place of a job as long as it takes.
func (p *places) enterJob(ctx context.Context) (leave func(), err error) {
	return func() { <-p.jobs }, wait(ctx, p.jobs)
}

func wait(ctx context.Context, free chan<- struct{}) error {
	select {
	case free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *places) begin(one *piece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, one)
}

func (p *places) end(one *piece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(other *piece) bool { return other == one })
}

// watchEvery is how long memory may grow and processors be used unseen.
const watchEvery = 200 * time.Millisecond

// watch stops the work that began last while the heap is above the limit, and work that has
// used its processor time. The collector is told to try hard before that.
func (p *places) watch(ctx context.Context) {
	debug.SetMemoryLimit(int64(p.memory))
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for collect := newCollector(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(sample)
		p.look(sample[0].Value.Uint64() > p.memory)
		collect.adapt(sample[1].Value.Uint64())
	}
}

func (p *places) look(full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.running); full && n > 0 {
		p.running[n-1].stop(errMemory)
	}
	for _, one := range p.running {
		if one.used.Spent() > one.most {
			one.stop(one.excess)
		}
	}
}

// carry does a piece of work within the limits of its kind, on threads of its own. The error
// is the limit that stopped it, if one did. A bug in it is logged with what tells of it.
func (s *Server) carry(ctx context.Context, k *kind, about []any, f func(ctx context.Context) error) (err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, release := context.WithTimeoutCause(ctx, k.time, k.late)
	defer release()
	one := &piece{stop: stop, used: new(threads.Account), most: k.cpu, excess: k.excess}
	s.places.begin(one)
	defer s.places.end(one)
	defer func() { s.metrics.cpu.Add(int64(one.used.Spent())) }()
	ctx = threads.Charge(threads.Limit(ctx, k.threads), one.used, k.lower)
	threads.Run(ctx, func() {
		defer func() {
			if bug := recover(); bug != nil {
				s.log.ErrorContext(ctx, "panic", append(about, "what", fmt.Sprint(bug), "stack", string(debug.Stack()))...)
				err = errInternal
			}
		}()
		err = f(ctx)
	})
	if cause := context.Cause(ctx); err != nil && ctx.Err() != nil && cause != nil && errors.Is(err, ctx.Err()) {
		err = cause
	}
	return err
}

// serveWork does work for a request in a place for it.
func (s *Server) serveWork(ctx context.Context, what string, f func(ctx context.Context) error) error {
	leave, err := s.places.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.carry(ctx, &s.request, []any{"for", what}, f)
}

// largeNodes is from how many nodes on drawing something is work that waits for a place.
const largeNodes = 256

// serveLarge does work for a request: at once if it is about few nodes, else in a place.
func (s *Server) serveLarge(ctx context.Context, what string, nodes int, f func(ctx context.Context) error) error {
	if nodes <= largeNodes {
		return f(ctx)
	}
	return s.serveWork(ctx, what, f)
}

// compute answers a question that the store has no answer for, and keeps the answer.
func (s *Server) compute(ctx context.Context, k *kind, q *question, key string, request []byte, options ...lightpath.Option) (a answer, err error) {
	about := []any{"command", q.command.name, "request", string(request[:min(len(request), 4096)])}
	err = s.carry(ctx, k, about, func(ctx context.Context) error {
		value, err := q.ask(ctx, append(options, lightpath.WithPlans(s.store))...)
		if err != nil {
			return err
		}
		var whole *wholePlan
		if a, whole, err = form(value); err != nil || q.command.fresh {
			return err
		}
		// What was computed is kept even if the client has gone meanwhile.
		return s.store.keep(context.WithoutCancel(ctx), q.command.name, key, request, a, whole)
	})
	return a, err
}
