package emulate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
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
	"github.com/lightpath-net/lightpath/sim"
)

// Launcher starts the processes of a run: the switch and all ranks. It reports processes that
// end; when stop returns, none is left.
type Launcher interface {
	Start(ctx context.Context, w Workers) (exits <-chan coordinator.Exit, stop func(), err error)
}

// Workers is what processes are started for.
type Workers struct {
	Plan        *plan.Plan
	Coordinator string  // address
	Secret      string  // of the run
	Groups      [][]int // ranks of each process
	BadSecret   []int   // ranks that are given another secret
}

// settle is how long the cause of a fault is looked for.
const settle = 300 * time.Millisecond

// Run executes a plan, which must be correct. If something goes wrong in the run, it is the
// report's Fault. The error is for invalid options, processes that cannot be started, and a
// cancelled context.
func Run(ctx context.Context, p *plan.Plan, o Options) (*Report, error) {
	r, err := prepare(ctx, p, o)
	if err != nil {
		return nil, err
	}
	outcome, err := r.run(ctx)
	if err != nil {
		return nil, err
	}
	return r.describe(r.processes, outcome), nil
}

// Lead is Run for ranks that a launcher starts, on this machine or others: it is only the
// coordinator and the switch. They listen at the address, HOST:PORT, and at another port of the
// host.
func Lead(ctx context.Context, p *plan.Plan, o Options, address, secret string, processes int) (*Report, error) {
	r, err := prepare(ctx, p, o)
	if err != nil {
		return nil, err
	}
	r.secret = secret
	outcome, err := r.lead(ctx, address)
	if err != nil {
		return nil, err
	}
	return r.describe(processes, outcome), nil
}

// prepare checks what is asked for and lays the plan out.
func prepare(ctx context.Context, p *plan.Plan, o Options) (*run, error) {
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
	digest, err := p.ID()
	if err != nil {
		return nil, err
	}
	r := &run{o: o, program: g, digest: digest, secret: newSecret(), clock: NewClock()}
	if r.simulated, r.level, err = simulate(ctx, g, r.o.Asynchronous); err != nil {
		return nil, err
	}
	return r, nil
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
	simulated *sim.Result
	level     sim.Level
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
	server := r.server(listener)
	if r.o.Launcher == nil {
		stop := r.goroutines(ctx, network, listener.Address())
		defer stop()
		r.processes = 1
		return coordinator.Serve(ctx, server)
	}
	w := Workers{Plan: r.program.Plan, Coordinator: listener.Address(), Secret: r.secret, Groups: r.groups()}
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

// lead is run without starting any ranks.
func (r *run) lead(ctx context.Context, address string) (*coordinator.Outcome, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	listener, err := wire.TCP{}.Listen(address)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithCancel(ctx)
	var worker sync.WaitGroup
	defer worker.Wait()
	defer cancel()
	worker.Go(func() {
		crossbar.Serve(within, crossbar.Options{
			Network: wire.TCP{}, Listen: net.JoinHostPort(host, "0"), Coordinator: listener.Address(), Secret: []byte(r.secret), Clock: r.clock,
		})
	})
	return coordinator.Serve(ctx, r.server(listener))
}

// server is the coordinator of the run.
func (r *run) server(listener wire.Listener) coordinator.Server {
	s := coordinated(r.program, &r.o)
	s.RankEnded = r.o.RankEnded
	if tell, more := s.Progress, r.o.Ended; more != nil {
		s.Progress = func(t coordinator.StepTimes) {
			if tell != nil {
				tell(t)
			}
			more(r.step(t.Index-1, &t))
		}
	}
	s.Listener, s.Secret, s.Digest, s.Clock = listener, []byte(r.secret), r.digest, r.clock
	return s
}

// groups deals the ranks out to processes.
func (r *run) groups() [][]int {
	return slices.Collect(slices.Chunk(r.program.Ranks(), r.o.RanksPerProcess))
}

// coordinated is what a coordinator needs to run a program, except for its listener, secret,
// digest and clock.
func coordinated(g *program.Program, o *Options) coordinator.Server {
	f := &g.Plan.Fabric
	s := coordinator.Server{
		Config: coordinator.Config{Program: g, Slow: o.Slow, Patience: o.Patience, Rendezvous: o.Rendezvous, Settle: settle, Asynchronous: o.Asynchronous},
		Switch: wire.SwitchConfig{
			Nodes: f.Nodes, Ports: f.Ports, Ranks: g.Ranks(), Beat: o.beat(), Cuts: cuts(o.Faults, o.Slow),
			PicosecondsPerByte: float64(f.Bandwidth.Transmit(1)) * 1000 * o.Slow,
			Delta:              time.Duration(float64(f.Delta.Time()) * o.Slow),
			Beside:             g.Switch(func(ps float64) float64 { return ps * o.Slow }),
		},
	}
	common := wire.RankConfig{
		Type: string(o.Type), Seed: o.Seed, Packet: packet(g.Plan, o.Slow), Beat: o.beat(), Through: f.Forwarding == fabric.CutThrough,
		Free: o.Asynchronous, Carry: g.Carries() && !o.Asynchronous, Startup: time.Duration(float64(f.Alpha.Time()) * o.Slow),
	}
	if f.Tiered() {
		common.Slow = o.Slow
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
