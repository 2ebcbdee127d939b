package launch

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/rank"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
)

// Worker is a process with ranks of a run that another process coordinates.
type Worker struct {
	Plan        *plan.Plan
	Iteration   *iteration.Document // instead of a plan
	Ranks       []int
	Coordinator string // address
	Secret      []byte
	// Patience is how long to wait for the coordinator to listen, which may start later.
	Patience time.Duration
}

// Run runs the ranks to their end. It returns the first error of a rank.
func (w Worker) Run(ctx context.Context) error {
	o := rank.Options{
		Network: Persistent{Patience: w.Patience}, Coordinator: w.Coordinator, Secret: w.Secret, Clock: emulate.NewClock(),
	}
	var err error
	if d := w.Iteration; d != nil {
		o.Programs, o.Fabric = iterations.NewPrograms(d).Of, &d.Fabric
		o.Digest, err = iterations.Digest(d)
	} else {
		o.Program = shared(w.Plan)
		o.Digest, err = w.Plan.ID()
	}
	if err != nil {
		return err
	}
	if len(w.Ranks) == 1 {
		o.Misbehave = misbehave
	}
	errs := make([]error, len(w.Ranks))
	var all sync.WaitGroup
	for i, id := range w.Ranks {
		all.Go(func() { errs[i] = rank.Run(ctx, id, o) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// shared returns a function that makes the program of a plan once for all ranks of the process.
func shared(p *plan.Plan) func(number.Type) (*program.Program, error) {
	var mu sync.Mutex
	made := map[number.Type]*program.Program{}
	return func(t number.Type) (*program.Program, error) {
		mu.Lock()
		defer mu.Unlock()
		if made[t] == nil {
			g, err := program.New(p, t)
			if err != nil {
				return nil, err
			}
			made[t] = g
		}
		return made[t], nil
	}
}

// Switch is a process that is the switch of a run.
func Switch(ctx context.Context, coordinator, listen string, secret []byte) error {
	return crossbar.Serve(ctx, crossbar.Options{
		Network: Persistent{Patience: emulate.DefaultRendezvous}, Listen: listen, Coordinator: coordinator,
		Secret: secret, Clock: emulate.NewClock(), Misbehave: misbehave,
	})
}

// Persistent is the machine's network for clients that may start before their server.
type Persistent struct {
	wire.TCP
	Patience time.Duration
}

// Dial implements wire.Network: it retries until someone listens.
func (p Persistent) Dial(ctx context.Context, address string) (wire.Conn, error) {
	deadline := time.Now().Add(p.Patience)
	for {
		c, err := p.TCP.Dial(ctx, address)
		if err == nil || !errors.Is(err, syscall.ECONNREFUSED) || time.Now().After(deadline) {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(retry):
		}
	}
}

const retry = 50 * time.Millisecond
