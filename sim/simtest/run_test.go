package simtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Simulator runs a program. Programs may be run again.
type Simulator func(ctx context.Context, program sim.Program, options sim.Options) (*sim.Result, error)

// Level returns a level of package sim as a simulator.
func Level(level sim.Level) Simulator {
	return func(ctx context.Context, program sim.Program, options sim.Options) (*sim.Result, error) {
		return sim.Run(ctx, level, program, options)
	}
}

// clauses are the clauses of the contract. Each returns what is wrong with a result.
var clauses = []struct {
	name  string
	check func(ctx context.Context, s Simulator, c *Case, o sim.Options, r *sim.Result) error
}{
	{"ordered", ordered},     // phases follow each other, flows end after they start
	{"conserved", conserved}, // what is sent crosses as many circuits as its route has
	// Nothing is faster than the circuits, nor slower than one by one.
	{"bounded", bounded},
	{"deterministic", deterministic}, // repeatable, with any number of threads
	// Twice the bandwidth never slows down flows that share no circuit.
	{"quicker", quicker},
	{"cancelled", cancelled}, // once the context is done it stops with the context's error
}

// Clauses lists the clauses of the contract by name.
func Clauses() []string {
	names := make([]string, len(clauses))
	for i, c := range clauses {
		names[i] = c.name
	}
	return names
}

// Seeds is the number of cases that Run draws.
const Seeds = 30

// Run checks a simulator, with a subtest for each case.
func Run(t *testing.T, s Simulator, o sim.Options) {
	t.Helper()
	for seed := range uint64(Seeds) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			broken, err := Broken(t.Context(), s, Draw(seed), o)
			if err != nil {
				t.Fatal(err)
			}
			for clause, why := range broken {
				t.Errorf("%s: %v", clause, why)
			}
		})
	}
}

// Broken returns the clauses that a simulator breaks on a case, and how.
func Broken(ctx context.Context, s Simulator, c *Case, o sim.Options) (map[string]error, error) {
	o.FlowTimes = true
	r, err := s(ctx, c.Program(), o)
	if err != nil {
		return nil, err
	}
	broken := map[string]error{}
	for _, clause := range clauses {
		if err := clause.check(ctx, s, c, o, r); err != nil {
			broken[clause.name] = err
		}
	}
	return broken, nil
}

func ordered(_ context.Context, _ Simulator, c *Case, _ sim.Options, r *sim.Result) error {
	if len(r.Phases) != len(c.Phases) {
		return fmt.Errorf("%d phases of %d", len(r.Phases), len(c.Phases))
	}
	now := units.Duration(0)
	for i, p := range c.Phases {
		got := r.Phases[i]
		if got.Start != now || got.Traffic != now+p.Reconfiguration+p.Startup || len(got.Flows) != len(p.Flows) {
			return fmt.Errorf("phase %d starts at %v with traffic at %v and %d flows, after one that ends at %v", i, got.Start, got.Traffic, len(got.Flows), now)
		}
		last := got.Traffic
		for k, f := range p.Flows {
			if got.Flows[k] < got.Traffic+f.Start {
				return fmt.Errorf("phase %d, flow %d ends at %v, before it starts", i, k, got.Flows[k])
			}
			last = max(last, got.Flows[k])
		}
		if got.End != last {
			return fmt.Errorf("phase %d ends at %v, its last flow at %v", i, got.End, last)
		}
		now = got.End
	}
	if r.Completion != now {
		return fmt.Errorf("it ends at %v, its last phase at %v", r.Completion, now)
	}
	return nil
}

func conserved(_ context.Context, _ Simulator, c *Case, _ sim.Options, r *sim.Result) error {
	want, got := units.Bytes(0), units.Bytes(0)
	for i, p := range c.Phases {
		for _, f := range p.Flows {
			want += f.Bytes * units.Bytes(c.hops(i, f))
		}
	}
	for _, l := range r.Links {
		got += l.Bytes
	}
	if got != want {
		return fmt.Errorf("circuits have carried %d bytes, the routes are %d long", got, want)
	}
	return nil
}

// bounded compares every flow with its time by itself, on circuits that each carry all of it, and
// with the time of all flows of its phase one after another.
func bounded(_ context.Context, _ Simulator, c *Case, o sim.Options, r *sim.Result) error {
	packet := o.Packet
	if packet == 0 {
		packet = sim.DefaultPacket
	}
	for i, p := range c.Phases {
		oneByOne := units.Time(0)
		for _, f := range p.Flows {
			packets := math.Ceil(float64(f.Bytes) / float64(packet))
			each := p.Network.Bandwidth.Transmit(float64(f.Bytes)) + p.Network.Delay.Time() + units.Time(packets)*rounded
			oneByOne += units.Time(c.hops(i, f)) * each
		}
		for k, f := range p.Flows {
			start := r.Phases[i].Traffic + f.Start
			took := (r.Phases[i].Flows[k] - start).Time()
			hops := units.Time(c.hops(i, f))
			width := float64(c.widest(i))
			least := p.Network.Bandwidth.Transmit(float64(f.Bytes)/width) + hops*p.Network.Delay.Time()
			if hops > 0 && f.Bytes > 0 && took < least*(1-1e-12)-rounded {
				return fmt.Errorf("phase %d, flow %d takes %v, alone it would take %v", i, k, took, least)
			}
			if took > oneByOne+c.lastStart(i)+rounded {
				return fmt.Errorf("phase %d, flow %d takes %v, all one after the other %v", i, k, took, oneByOne)
			}
		}
	}
	return nil
}

// rounded is the rounding of a packet, or a rate: a picosecond, in ns.
const rounded = units.Time(0.001)

func deterministic(ctx context.Context, s Simulator, c *Case, o sim.Options, r *sim.Result) error {
	for _, threads := range []int{o.Threads, 1, 3} {
		o.Threads = threads
		again, err := s(ctx, c.Program(), o)
		if err != nil {
			return err
		}
		// The work may be divided differently.
		again.Events = r.Events
		if !reflect.DeepEqual(again, r) {
			return fmt.Errorf("another result with %d threads", threads)
		}
	}
	return nil
}

func quicker(ctx context.Context, s Simulator, c *Case, o sim.Options, r *sim.Result) error {
	if !c.apart() {
		return nil
	}
	twice := *c
	twice.Phases = nil
	for _, p := range c.Phases {
		q := *p
		q.Network.Bandwidth *= 2
		twice.Phases = append(twice.Phases, &q)
	}
	faster, err := s(ctx, twice.Program(), o)
	if err != nil {
		return err
	}
	if faster.Completion > r.Completion {
		return fmt.Errorf("%v with twice the bandwidth, %v without", faster.Completion, r.Completion)
	}
	return nil
}

func cancelled(ctx context.Context, s Simulator, c *Case, o sim.Options, _ *sim.Result) error {
	whole := countdown.New(ctx, math.MaxInt)
	if _, err := s(whole, c.Program(), o); err != nil {
		return err
	}
	if whole.Asked() == 0 {
		return errors.New("it never asks whether it is to stop")
	}
	const most = 100 // checks of the context after it has ended, over all threads
	for _, after := range []int{0, whole.Asked() / 2} {
		stop := countdown.New(ctx, after)
		if _, err := s(stop, c.Program(), o); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("told to stop at question %d of %d: %v", after+1, whole.Asked(), err)
		}
		if stop.After() > most {
			return fmt.Errorf("told to stop, it asks %d times more", stop.After())
		}
	}
	return nil
}
