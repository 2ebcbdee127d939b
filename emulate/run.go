package emulate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
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
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
)

// Launcher starts the processes of a run: the switch and all ranks. It reports processes that
// end; when stop returns, none is left.
type Launcher interface {
	Start(ctx context.Context, w Workers) (exits <-chan coordinator.Exit, stop func(), err error)
}

// Workers describes the processes to start.
type Workers struct {
	Plan        *plan.Plan
	Iteration   *iteration.Document // instead of a plan
	Coordinator string              // address
	Secret      string              // of the run
	Groups      [][]int             // ranks of each process
	BadSecret   []int               // ranks that get a wrong secret
}

// settle is how long a run looks for the cause of a fault.
const settle = 300 * time.Millisecond

// Run executes a plan, which must be correct. If something goes wrong in the run, it is in the
// report's Fault. An error means invalid options, processes that cannot be started, or a
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

// Lead is Run for ranks that a launcher starts, on this machine or others: it runs only the
// coordinator and the switch. These listen at the address, HOST:PORT, and at another port of
// that host.
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

// prepare checks the options and makes the program of the plan.
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
	meeting := &meeting{o: &r.o, secret: r.secret, clock: r.clock, ranks: r.program.Ranks(), rank: rank.Options{
		Digest: r.digest, Results: r.o.Results, Program: func(number.Type) (*program.Program, error) { return r.program, nil },
	}}
	host, stop, err := meeting.begin(ctx, Workers{Plan: r.program.Plan})
	if err != nil {
		return nil, err
	}
	defer stop()
	r.processes = meeting.processes
	server := r.server(host.Listener)
	server.Exits = host.Exits
	return coordinator.Serve(ctx, server)
}

// lead runs the coordinator without starting any ranks.
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

// server returns the coordinator of the run.
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

// coordinated returns what a coordinator needs to run a program, except for its listener,
// secret, digest and clock.
func coordinated(g *program.Program, o *Options) coordinator.Server {
	f := &g.Plan.Fabric
	s := coordinator.Server{
		Config: coordinator.Config{Program: g, Slow: o.Slow, Watch: coordinator.Watch{Patience: o.Patience, Rendezvous: o.Rendezvous, Settle: settle}, Asynchronous: o.Asynchronous},
		Host:   coordinator.Host{Switch: switched(f, g.Ranks(), &g.Beside, o)},
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
		injected(&c, id, o)
		return c
	}
	if o.Progress != nil {
		s.Progress = func(t coordinator.StepTimes) { o.Progress(t.Index, len(g.Steps)) }
	}
	return s
}

// switched returns the configuration of a run's switch.
func switched(f *fabric.Fabric, ranks []int, beside *program.Beside, o *Options) wire.SwitchConfig {
	c := wire.SwitchConfig{
		Nodes: f.Nodes, Ports: f.Ports, Ranks: ranks, Beat: o.beat(), Harms: harms(o.Faults, o.Slow), Control: o.Control,
		PicosecondsPerByte: float64(f.Bandwidth.Transmit(1)) * 1000 * o.Slow,
		Delta:              time.Duration(float64(f.Delta.Time()) * o.Slow),
		Beside:             beside.Switch(f, func(ps float64) float64 { return ps * o.Slow }),
	}
	for _, f := range o.Faults {
		if f.Kind == fault.SwitchDied {
			c.Injected, c.InStep, c.At = string(f.Kind), f.Step, injectedAt(f, o.Slow)
		}
	}
	return c
}
