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
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/threads"
)

// places limits the work: a few pieces run at once, some wait, more are refused. Jobs have
// places of their own, so that a job that takes an hour keeps no request waiting.
//
// It also watches the resources that work uses. Processor time is charged to each piece, by the
// threads that work for it. Memory is that of the whole process, because Go cannot attribute it.
type places struct {
	requests, waiting, jobs chan struct{}
	turns                   threads.Turns // for the threads of jobs
	memory                  uint64
	grace                   time.Duration // how long work may take to stop

	mu      sync.Mutex
	running []*piece      // in the order in which they began
	spent   time.Duration // processor time of finished work
}

// piece is running work.
type piece struct {
	what    string
	stop    context.CancelCauseFunc
	used    *threads.Account
	most    time.Duration // limit of processor time
	excess  error         // its error when it has used more
	stopped time.Time     // when it was given up, because it did not stop when told; else zero
}

// kind holds the settings in which requests and jobs differ.
type kind struct {
	time, cpu    time.Duration // limits of a piece
	late, excess error         // its errors when it takes more
	lower        int           // the priority of its threads
	threads      int           // threads that it may use
}

// Priorities, in steps of nice below requests with known answers, which are answered at once.
// One step costs about a quarter of the processor when both want it.
const (
	requestLower = 3
	jobLower     = 7
)

func newPlaces(l *Limits) *places {
	return &places{
		requests: make(chan struct{}, l.Running), waiting: make(chan struct{}, l.Waiting),
		jobs: make(chan struct{}, max(2, l.Running)), turns: make(threads.Turns, l.Running), memory: uint64(l.Memory),
		grace: stopGrace,
	}
}

// enter waits for a place for a request, unless too many are already waiting.
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

// enterJob waits for a place for a job as long as it takes.
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

// end reports whether the piece was given up before it came back.
func (p *places) end(one *piece) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(other *piece) bool { return other == one })
	p.spent += one.used.Spent()
	return !one.stopped.IsZero()
}

// giveUp records that a piece of work did not stop when told to. It reports whether its slot may
// be reused: at most as many abandoned threads may run as there are slots.
func (p *places) giveUp(one *piece) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	one.stopped = time.Now()
	return len(p.stuck()) <= cap(p.requests)
}

// stuck lists the pieces that were given up. The caller holds the lock.
func (p *places) stuck() (list []*piece) {
	for _, one := range p.running {
		if !one.stopped.IsZero() {
			list = append(list, one)
		}
	}
	return list
}

// trouble returns an error that names work that does not stop, or nil.
func (p *places) trouble() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.stuck()
	if len(list) == 0 {
		return nil
	}
	first := list[0]
	return fmt.Errorf("%w: %d, the first of them %s, which was to stop %s ago", errStuck, len(list), first.what,
		(p.grace + time.Since(first.stopped)).Round(time.Second))
}

// used returns the processor time of all work, finished and running, and how many pieces were
// given up and have not come back.
func (p *places) used() (sum time.Duration, stuck int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum = p.spent
	sum += each.Sum(p.running, func(one *piece) time.Duration { return one.used.Spent() })
	return sum, len(p.stuck())
}

// stopGrace is how long work may take to stop before it is given up. Planners check their
// context many times a second.
const stopGrace = 3 * time.Second

// watchEvery is the interval at which memory and processor time are checked.
const watchEvery = 200 * time.Millisecond

// watch stops the work that began last while the heap is above the limit, and work that has used
// its processor time. Before that, it makes the collector try hard.
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
	for _, one := range slices.Backward(p.running) {
		if full && one.stopped.IsZero() {
			one.stop(errMemory)
			break
		}
	}
	for _, one := range p.running {
		if one.used.Spent() > one.most {
			one.stop(one.excess)
		}
	}
}

// seat is the slot of a piece of work, with the limits of its kind, and a function that frees
// the slot.
type seat struct {
	*kind
	leave func()
}

// carry does a piece of work within the limits of its seat, on its own threads, and frees the seat
// when it is done. The error is the limit that stopped it, if one did. A panic is logged with the
// attributes in about.
//
// Work that does not stop when told to is abandoned: its client is told why, and its slot is
// freed, while its thread continues. So f must not write to memory that its caller reads.
func carry[T any](ctx context.Context, s *Server, k seat, what string, about []any, f func(ctx context.Context) (T, error)) (T, error) {
	ctx, stop := context.WithCancelCause(ctx)
	ctx, release := context.WithTimeoutCause(ctx, k.time, k.late)
	one := &piece{what: what, stop: stop, used: new(threads.Account), most: k.cpu, excess: k.excess}
	s.places.begin(one)
	leave := sync.OnceFunc(k.leave)
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			leave()
			if s.places.end(one) {
				s.log.WarnContext(ctx, "work that was given up has come back", append(about, "cpu", one.used.Spent())...)
			}
			done <- r
			release()
			stop(nil)
		}()
		threads.Run(threads.Charge(threads.Limit(ctx, k.threads), one.used, k.lower), func() {
			defer func() {
				if bug := recover(); bug != nil {
					s.log.ErrorContext(ctx, "panic", append(about, "what", fmt.Sprint(bug), "stack", string(debug.Stack()))...)
					r.err = errInternal
				}
			}()
			r.value, r.err = f(threads.Charge(threads.Limit(ctx, k.threads), one.used, k.lower))
			if cause := context.Cause(ctx); r.err != nil && ctx.Err() != nil && cause != nil && errors.Is(r.err, ctx.Err()) {
				r.err = cause
			}
		})
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(s.places.grace):
	}
	select { // the context also ends after the work
	case r := <-done:
		return r.value, r.err
	default:
	}
	if s.places.giveUp(one) {
		leave()
	}
	s.log.ErrorContext(ctx, "work does not stop", append(about, "why", cause, "cpu", one.used.Spent())...)
	var none T
	return none, cause
}

// serveWork does work for a request in a place.
func serveWork[T any](ctx context.Context, s *Server, what string, f func(ctx context.Context) (T, error)) (T, error) {
	leave, err := s.places.enter(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return carry(ctx, s, seat{&s.request, leave}, what, []any{"for", what}, f)
}

// largeNodes is the number of nodes from which drawing is work that waits for a place.
const largeNodes = 256

// serveLarge does work for a request: at once if there are few nodes, otherwise in a place.
func serveLarge[T any](ctx context.Context, s *Server, what string, nodes int, f func(ctx context.Context) (T, error)) (T, error) {
	if nodes <= largeNodes {
		return f(ctx)
	}
	return serveWork(ctx, s, what, f)
}

// compute answers a question for which the store has no answer, and stores the answer.
func (s *Server) compute(ctx context.Context, k seat, q *question, key string, request []byte, options ...lightpath.Option) (answer, error) {
	about := []any{"command", q.command.Name, "request", string(request[:min(len(request), 4096)])}
	return carry(ctx, s, k, q.command.Name, about, func(ctx context.Context) (answer, error) {
		value, err := q.ask(ctx, append(options, lightpath.WithPlans(s.store))...)
		if err != nil {
			return answer{}, err
		}
		a, whole, err := s.form(value)
		if err != nil || q.command.Measures {
			return a, err
		}
		// The answer is stored even if the client has gone meanwhile.
		return a, s.store.keep(context.WithoutCancel(ctx), q.command.Name, key, request, a, whole)
	})
}
