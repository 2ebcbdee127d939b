package simtest

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

func TestBothLevelsKeepTheContract(t *testing.T) {
	for _, level := range []sim.Level{sim.PacketLevel, sim.FlowLevel} {
		for _, forwarding := range []fabric.Forwarding{fabric.CutThrough, fabric.StoreAndForward} {
			t.Run(string(level)+" "+string(forwarding), func(t *testing.T) {
				Run(t, Level(level), sim.Options{Forwarding: forwarding, Packet: 512})
			})
		}
	}
}

// Every clause is broken once, and found broken.
func TestTheSuiteFindsEveryBrokenClause(t *testing.T) {
	honest := Level(sim.PacketLevel)
	after := func(change func(r *sim.Result, o sim.Options)) Simulator {
		return func(ctx context.Context, p sim.Program, o sim.Options) (*sim.Result, error) {
			r, err := honest(ctx, p, o)
			if err == nil {
				change(r, o)
			}
			return r, err
		}
	}
	calls := 0
	liars := map[string]Simulator{
		"ordered":   after(func(r *sim.Result, _ sim.Options) { r.Completion-- }),
		"conserved": after(func(r *sim.Result, _ sim.Options) { r.Links[0].Bytes-- }),
		"bounded": after(func(r *sim.Result, _ sim.Options) {
			for i := range r.Phases[0].Flows {
				r.Phases[0].Flows[i] = r.Phases[0].Traffic
			}
		}),
		"deterministic": after(func(r *sim.Result, o sim.Options) { r.Packets += int64(o.Threads) }),
		"quicker": after(func(r *sim.Result, _ sim.Options) {
			r.Completion += units.Duration(calls) * units.Millisecond
			calls++
		}),
		"cancelled": func(_ context.Context, p sim.Program, o sim.Options) (*sim.Result, error) {
			return honest(context.Background(), p, o)
		},
	}
	c := &Case{Phases: []*sim.Phase{{
		Network: sim.Network{Graph: topology.DirectedCirculant(6, 1), Bandwidth: 100 * units.Gbps, Delay: 500 * units.Nanosecond},
		Flows:   Shift(6, 1, units.MiB),
	}}}
	for _, clause := range Clauses() {
		broken, err := Broken(t.Context(), liars[clause], c, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if broken[clause] == nil {
			t.Errorf("%s: found broken %v", clause, broken)
		}
	}
	if broken, err := Broken(t.Context(), honest, c, sim.Options{}); err != nil || len(broken) > 0 {
		t.Errorf("an honest simulator breaks %v, %v", broken, err)
	}
}
