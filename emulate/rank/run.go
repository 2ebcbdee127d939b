package rank

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
)

// Options are what a rank needs to begin; the coordinator sends the rest.
type Options struct {
	Network     wire.Network
	Coordinator string // address
	Secret      []byte
	Digest      string // of the plan
	// Program returns the plan's program for elements of a type. Ranks of one process
	// share it.
	Program func(number.Type) (*program.Program, error)
	// Programs returns the program of a communication of an iteration, and Fabric is the fabric
	// of the iteration. Ranks of one process share them.
	Programs func(number.Type, wire.ProgramID) (*program.Program, error)
	Fabric   *fabric.Fabric
	// Clock returns a time that does not run backwards.
	Clock func() time.Duration
	// Results, if not nil, is called with the rank's final data, by chunk.
	Results func(rank int, chunks map[int][]byte)
	// Misbehave, if not nil, makes a rank that is a process of its own die or stall. It is
	// called when the coordinator requests it, in tests of faults.
	Misbehave func(fault.Kind)
}

// errRestart makes a rank begin again, as if its process had been restarted.
var errRestart = errors.New("restart")

// Run runs a rank from beginning to end.
func Run(ctx context.Context, id int, o Options) error {
	err := runOnce(ctx, id, o)
	if errors.Is(err, errRestart) {
		err = runOnce(ctx, id, o)
	}
	return err
}

func runOnce(ctx context.Context, id int, o Options) error {
	s := newStation(id, o)
	defer s.workers.Wait()
	defer s.hangUp()
	stop := context.AfterFunc(ctx, s.hangUp)
	defer stop()
	err := s.run(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// runner is a rank that goes through the steps of a plan.
type runner struct {
	*station
	rank   *program.Rank
	memory *memory

	step     int // current step, from 0; -1 before the first
	inboxes  map[int]*inbox
	progress map[int]*progress // of steps that are not done
	told     int               // number of steps reported to the coordinator as done
	wired    int               // the last step whose circuits are up, in a free run
	held     []packet          // to forward when their circuits are up
	lit      map[int]bool      // stages whose circuits are up, if steps do not wait for them
	dim      map[int][]waiting // frames for circuits of a stage that are not up
	relayed  int64
}

func newRunner(s *station) *runner {
	return &runner{station: s, step: -1, wired: -1, inboxes: map[int]*inbox{}, progress: map[int]*progress{}, lit: map[int]bool{-1: true}, dim: map[int][]waiting{}}
}

// prepare sets up everything that the steps need.
func (r *runner) prepare(t number.Type) (plugs int, err error) {
	g, err := r.o.Program(t)
	if err != nil {
		return 0, err
	}
	r.rank = g.For([]int{r.id})[0]
	r.memory = newMemory(g, r.config.Seed, r.id)
	return r.rank.Plugs(), nil
}

// obey executes an order; over says that it was the last.
func (r *runner) obey(f *wire.Frame) (over bool, err error) {
	switch f.Kind {
	case wire.Step:
		var m wire.StepMessage
		if err := wire.Decode(f, wire.Step, &m); err != nil {
			return true, fmt.Errorf("rank %d: coordinator: %w", r.id, err)
		}
		if r.config.Free { // circuits are up; wait for the start-up here
			r.later.Reset(r.startup(m.Step - 1))
			return false, r.release(m.Step - 1)
		}
		return false, r.begin(m.Step - 1)
	case wire.Connected:
		var m wire.ConnectedMessage
		if err := wire.Decode(f, wire.Connected, &m); err != nil {
			return true, fmt.Errorf("rank %d: coordinator: %w", r.id, err)
		}
		r.workers.Go(func() { r.light(m.Stage) })
		return false, nil
	}
	return r.end(f)
}

// at returns the rank's current step, from 1, and the peer it waits for. The lock must be held.
func (r *runner) at() (step, peer int) {
	if b := r.inboxes[r.step]; b != nil {
		return r.step + 1, b.lacks()
	}
	return r.step + 1, fault.Nobody
}

// due reports whether the rank is in the step in which it is to misbehave. The lock must be held.
func (r *runner) due() bool { return r.step+1 >= r.config.InStep }

// late begins the next step when its timer goes off.
func (r *runner) late() error { return r.begin(r.step + 1) }

// left records that a frame has been sent. The lock must be held.
func (r *runner) left(f *wire.Frame) {
	p := r.of(int(f.Step) - 1)
	if f.Hop == 1 {
		p.unsent--
	} else {
		p.relaying -= len(f.Payload)
	}
	if p.unsent == 0 && p.relaying == 0 {
		r.nudge()
	}
}

// take handles a frame from a port: data for this rank is kept, other data is forwarded.
func (r *runner) take(port int, f *wire.Frame) bool {
	if f.Kind != wire.Data {
		r.blame(port, fmt.Errorf("a frame of kind %d came in at port %d", f.Kind, port))
		return false
	}
	t, next, err := r.rank.Place(f, port)
	if err != nil {
		r.blame(port, err)
		return false
	}
	if next >= 0 {
		if err := r.relay(next, onward(f, t)); err != nil {
			r.fail(fault.Internal, next, err)
			return false
		}
		return true
	}
	if err := r.keep(f); err != nil {
		r.blame(port, err)
		return false
	}
	return true
}

// onward returns a frame of a transfer as it is forwarded.
func onward(f *wire.Frame, t *program.Transfer) *wire.Frame {
	on := *f // others may still use the frame
	on.Hop++
	if int(on.Hop) == len(t.Routes[f.Route].Path)-1 {
		on.Flags &^= wire.Through
	}
	return &on
}
