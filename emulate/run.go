package emulate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/emulate/coordinator"
	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/emulate/program"
	"github.com/lightpath-net/lightpath/emulate/rank"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
)

// Launcher starts the processes of a run: the switch and all ranks. It tells of processes
// that end, and when stop returns none of them is left.
type Launcher interface {
	Start(ctx context.Context, w Workers) (exits <-chan coordinator.Exit, stop func(), err error)
}

// Workers is what processes are started for.
type Workers struct {
	Coordinator string  // address
	Secret      string  // of the run
	Groups      [][]int // ranks of each process
	BadSecret   []int   // ranks that are given another secret
}

// settle is how long the cause of a fault is looked for.
const settle = 300 * time.Millisecond

// Run carries a plan out, which must be correct. What goes wrong in the run is the
// report's Fault; the error is for options that make no sense, for processes that cannot be
// started and for a context that was cancelled.
func Run(ctx context.Context, p *plan.Plan, o Options) (*Report, error) {
	if err := o.fill(p.Fabric.Nodes); err != nil {
		return nil, err
	}
	g, err := program.New(p, o.Type)
	if err != nil {
		return nil, err
	}
	for _, f := range o.Faults {
		if err := f.Check(p.Fabric.Nodes, len(g.Steps)); err != nil {
			return nil, err
		}
	}
	digest, err := Digest(p)
	if err != nil {
		return nil, err
	}
	run := &run{o: o, program: g, digest: digest, secret: newSecret(), clock: NewClock()}
	outcome, err := run.run(ctx)
	if err != nil {
		return nil, err
	}
	return describe(ctx, g, &o, run.processes, outcome)
}

// Digest names a plan: ranks that have another one are refused.
func Digest(p *plan.Plan) (string, error) {
	h := sha256.New()
	if err := p.Encode(h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// NewClock returns a clock that does not run backwards.
func NewClock() func() time.Duration {
	begin := time.Now()
	return func() time.Duration { return time.Since(begin) }
}

func newSecret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

type run struct {
	o         Options
	program   *program.Program
	digest    string
	secret    string
	clock     func() time.Duration
	processes int
}

func (r *run) run(ctx context.Context) (*coordinator.Outcome, error) {
	var network wire.Network = wire.TCP{}
	if r.o.Launcher == nil {
		network = wire.NewMemory()
	}
	listener, err := network.Listen("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := Coordinator(r.program, &r.o)
	server.Listener, server.Secret, server.Digest, server.Clock = listener, []byte(r.secret), r.digest, r.clock
	if r.o.Launcher == nil {
		stop := r.goroutines(ctx, network, listener.Address())
		defer stop()
		r.processes = 1
		return coordinator.Serve(ctx, server)
	}
	w := Workers{Coordinator: listener.Address(), Secret: r.secret, Groups: r.groups()}
	for _, f := range r.o.Faults {
		if f.Kind == fault.Secret {
			w.BadSecret = append(w.BadSecret, f.From)
		}
	}
	exits, stop, err := r.o.Launcher.Start(ctx, w)
	if err != nil {
		listener.Close()
		return nil, err
	}
	defer stop()
	r.processes = len(w.Groups)
	server.Exits = exits
	return coordinator.Serve(ctx, server)
}

// groups deals the ranks out to processes.
func (r *run) groups() [][]int {
	return slices.Collect(slices.Chunk(r.program.Ranks(), r.o.RanksPerProcess))
}

// Coordinator returns what a coordinator needs to run a program, but for its listener,
// secret, digest and clock.
func Coordinator(g *program.Program, o *Options) coordinator.Server {
	f := &g.Plan.Fabric
	s := coordinator.Server{
		Config: coordinator.Config{Program: g, Slow: o.Slow, Patience: o.Patience, Rendezvous: o.Rendezvous, Settle: settle},
		Switch: wire.SwitchConfig{
			Nodes: f.Nodes, Ports: f.Ports, Ranks: g.Ranks(), Beat: o.beat(), Cuts: cuts(o.Faults, o.Slow),
			PicosecondsPerByte: float64(f.Bandwidth.Transmit(1)) * 1000 * o.Slow,
			Delta:              time.Duration(float64(f.Delta.Time()) * o.Slow),
		},
	}
	common := wire.RankConfig{
		Type: string(o.Type), Seed: o.Seed, Packet: packet(g.Plan, o.Slow), Beat: o.beat(), Through: f.Forwarding == fabric.CutThrough,
	}
	s.Rank = func(id int) wire.RankConfig {
		c := common
		for _, f := range o.Faults {
			if f.From == id && f.Kind != fault.Cut && f.Kind != fault.Secret {
				c.Injected, c.InStep, c.At = string(f.Kind), f.Step, injectedAt(f, o.Slow)
			}
		}
		return c
	}
	for _, f := range o.Faults {
		if f.Kind == fault.SwitchDied {
			s.Switch.Injected, s.Switch.InStep, s.Switch.At = string(f.Kind), f.Step, injectedAt(f, o.Slow)
		}
	}
	if o.Progress != nil {
		s.Progress = func(t coordinator.StepTimes) { o.Progress(t.Index, len(g.Steps)) }
	}
	return s
}

// goroutines starts the switch and all ranks within this process.
func (r *run) goroutines(ctx context.Context, network wire.Network, address string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	workers.Go(func() {
		// How it ends is seen by the coordinator.
		crossbar.Serve(ctx, crossbar.Options{Network: network, Coordinator: address, Secret: []byte(r.secret), Clock: r.clock})
	})
	for _, id := range r.program.Ranks() {
		o := rank.Options{
			Network: network, Coordinator: address, Secret: []byte(r.secret), Digest: r.digest, Clock: r.clock,
			Program: func(number.Type) (*program.Program, error) { return r.program, nil }, Results: r.o.Results,
		}
		if slices.ContainsFunc(r.o.Faults, func(f fault.Injection) bool { return f.Kind == fault.Secret && f.From == id }) {
			o.Secret = []byte("another secret")
		}
		workers.Go(func() { rank.Run(ctx, id, o) })
	}
	return func() {
		cancel()
		workers.Wait()
	}
}
