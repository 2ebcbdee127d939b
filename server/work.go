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
)

// places are where work is done: a few at once, some wait, more are refused. It also
// watches the memory of the process, which Go cannot limit for one piece of work alone.
type places struct {
	free    chan struct{}
	waiting chan struct{}
	memory  uint64

	mu      sync.Mutex
	running []*piece // in the order in which they began
}

// piece is work that is under way.
type piece struct{ stop context.CancelCauseFunc }

func newPlaces(l *Limits) *places {
	return &places{free: make(chan struct{}, l.Running), waiting: make(chan struct{}, l.Waiting), memory: uint64(l.Memory)}
}

// enter waits for a place. Patient work, a job, waits as long as it takes.
func (p *places) enter(ctx context.Context, patient bool) error {
	select {
	case p.free <- struct{}{}:
		return nil
	default:
	}
	if !patient {
		select {
		case p.waiting <- struct{}{}:
			defer func() { <-p.waiting }()
		default:
			return errBusy
		}
	}
	select {
	case p.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *places) leave() { <-p.free }

func (p *places) begin(stop context.CancelCauseFunc) *piece {
	one := &piece{stop}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, one)
	return one
}

func (p *places) end(one *piece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(other *piece) bool { return other == one })
}

// watchEvery is how long memory may grow unseen.
const watchEvery = 200 * time.Millisecond

// watch stops the work that began last while the heap is above the limit. The collector is
// told to try hard before that.
func (p *places) watch(ctx context.Context) {
	debug.SetMemoryLimit(int64(p.memory))
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(sample)
		if sample[0].Value.Uint64() <= p.memory {
			continue
		}
		p.mu.Lock()
		if n := len(p.running); n > 0 {
			p.running[n-1].stop(errMemory)
		}
		p.mu.Unlock()
	}
}

// compute answers a question that the store has no answer for, and keeps the answer.
func (s *Server) compute(ctx context.Context, q *question, key string, request []byte, limit time.Duration, tooLong error, options ...lightpath.Option) (a answer, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, release := context.WithTimeoutCause(ctx, limit, tooLong)
	defer release()
	one := s.places.begin(stop)
	defer s.places.end(one)
	defer func() {
		if bug := recover(); bug != nil {
			s.log.ErrorContext(ctx, "panic", "command", q.command.name, "request", string(request[:min(len(request), 4096)]),
				"what", fmt.Sprint(bug), "stack", string(debug.Stack()))
			err = errInternal
		}
	}()
	value, err := q.ask(ctx, append(options, lightpath.WithPlans(s.store))...)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = cause
		}
		return a, err
	}
	a, whole, err := form(value)
	if err != nil {
		return a, err
	}
	if q.command.fresh {
		return a, nil
	}
	// What was computed is kept even if the client has gone meanwhile.
	return a, s.store.keep(context.WithoutCancel(ctx), q.command.name, key, request, a, whole)
}
