package rank

import (
	"context"
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// jumped is how far an injected fault moves the clock.
const jumped = time.Hour

// timer returns a timer for a fault at a time, counted from now, when the first step is about to
// begin.
func (r *station) timer() *time.Timer {
	if r.config.Injected == "" || r.config.InStep > 0 {
		t := time.NewTimer(time.Hour)
		t.Stop()
		return t
	}
	return time.NewTimer(r.config.At)
}

// isDue reports whether the rank is in the step in which it is to misbehave.
func (r *station) isDue() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config.Injected != "" && r.config.InStep > 0 && !r.injected && r.duty.due()
}

// misbehave does the injected fault that the coordinator has requested. In a process of its own,
// a rank really dies or stalls; otherwise it pretends to.
func (r *station) misbehave(ctx context.Context) error {
	r.mu.Lock()
	done := r.injected
	r.injected = true
	r.mu.Unlock()
	if done {
		return nil
	}
	kind := fault.Kind(r.config.Injected)
	if r.o.Misbehave != nil && (kind == fault.Died || kind == fault.Stalled) {
		r.o.Misbehave(kind)
	}
	switch kind {
	case fault.Died:
		return fmt.Errorf("rank %d: died, as asked", r.id)
	case fault.Restarted:
		return errRestart
	case fault.Garbage:
		r.ports[0].Send(&wire.Frame{Kind: wire.Data, Step: ^uint32(0), Transfer: ^uint32(0), Payload: []byte("garbage")})
	case fault.Clock:
		r.mu.Lock()
		r.jump = jumped
		r.mu.Unlock()
	case fault.Stalled:
		r.mu.Lock()
		r.stalled = true
		r.mu.Unlock()
	}
	return nil
}
