package iteration_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// TestStaticFitsWhereItCan: policy static has a plan exactly if circuits for all works fit on
// the ports at the same time, by exhaustive search. Pipelines may share a ring.
func TestStaticFitsWhereItCan(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 21))
	fits, rings := 0, 0
	shape := &model.Model{Name: "small", Layers: 8, Hidden: 256, Heads: 4, FFN: 1024, Words: 1000, Length: 512}
	if err := shape.Complete(); err != nil {
		t.Fatal(err)
	}
	for range samples.Draws(12, 24) {
		c := parallel.Config{TP: 1 + random.IntN(2), PP: 1 + random.IntN(4), DP: 1 + random.IntN(3), GlobalBatch: 12}
		w, err := parallel.Make(shape, c)
		if err != nil {
			t.Fatal(err)
		}
		f := small(1+random.IntN(3), 10*units.Microsecond)
		f.Duplex = random.IntN(4) == 0
		if c.TP == 2 && random.IntN(2) == 0 && w.Ranks > 2 {
			f.Island = fabric.Island{Size: 2, Bandwidth: 3600 * units.Gbps}
		}
		if w.Ranks == 1 {
			continue
		}
		p := newPlanner(t, w)
		d, made := p.plan(t, f, iteration.Static)
		f.Nodes = w.Ranks
		can, _ := iteration.FitsAtOnce(p.program, p.known[f.Key()])
		if (d != nil) != can {
			t.Errorf("%+v on %d ports, two-way %t, islands of %d: static has a plan: %t; circuits fit: %t", c, f.Ports, f.Duplex, f.Island.Size, d != nil, can)
		}
		if d == nil {
			continue
		}
		fits++
		if report, err := iteration.Verify(t.Context(), reread(t, d)); err != nil || !report.OK {
			t.Errorf("%+v: %v, %v", c, report.First(), err)
		}
		for i := range d.Circuits {
			if d.Circuits[i].Ring != 0 && made.Iteration > 0 {
				rings++
				break
			}
		}
	}
	if fits < samples.Draws(4, 8) || rings == 0 {
		t.Errorf("%d cases fit, %d on rings; want more", fits, rings)
	}
}
