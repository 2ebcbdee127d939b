package iteration_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// shuffled is a random workload of six ranks whose groups of two kinds are drawn at random, and in
// which all ranks send to the one that is so many further on. Operations wait for any before them,
// or for none.
func shuffled(random *rand.Rand, ops int) *workload.Workload {
	const ranks = 6
	w := &workload.Workload{Schema: workload.Schema, Ranks: ranks, Kinds: map[string][][]int{}}
	for _, kind := range []string{"a", "b"} {
		order, size := random.Perm(ranks), 2+random.IntN(2)
		for i := 0; i < ranks; i += size {
			w.Kinds[kind] = append(w.Kinds[kind], order[i:i+size])
		}
	}
	all := []collective.Op{collective.AllReduce, collective.AllGather, collective.AllToAll, collective.Broadcast}
	w.Programs = make([]workload.Program, ranks)
	for r := range w.Programs {
		w.Programs[r].Ranks = workload.NewRankSet([]int{r})
	}
	var ids []string
	for k := range ops {
		var after []string
		for _, id := range ids {
			if random.IntN(3) == 0 {
				after = append(after, id)
			}
		}
		id := fmt.Sprint("x", k)
		op := workload.Op{ID: id, After: after, Size: []units.Bytes{64, 100_000, 3_000_000}[random.IntN(3)]}
		pick, on := random.IntN(5), 1+random.IntN(ranks-1)
		time := units.Duration(random.IntN(100)) * units.Microsecond
		switch pick {
		case 0, 1:
			op.Size, op.Compute = 0, &time
		case 2, 3:
			op.Op, op.Kind = all[random.IntN(len(all))], []string{"a", "b"}[random.IntN(2)]
		}
		for r := range w.Programs {
			p := &w.Programs[r]
			if pick == 4 {
				op.SendTo = &workload.Peer{Rank: (r + on) % ranks}
				from := &workload.Peer{Rank: (r + ranks - on) % ranks}
				p.Ops = append(p.Ops, workload.Op{ID: "r" + id, Receive: id, From: from, After: after})
			}
			p.Ops = append(p.Ops, op)
		}
		if pick == 4 {
			id = "r" + id
		}
		ids = append(ids, id)
	}
	return w
}

// TestSendsOnRailsAreProven: plans of collectives of groups drawn at random and of sends between
// all ranks are correct by the proof, where circuits must stay on rails.
func TestSendsOnRailsAreProven(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 31))
	for range samples.Draws(4, 8) {
		p := newPlanner(t, shuffled(random, 4+random.IntN(4)))
		f := small(2, []units.Duration{units.Microsecond, 20 * units.Microsecond, 50 * units.Microsecond}[random.IntN(3)])
		f.Layout, f.Duplex = layout.Rails(), random.IntN(4) == 0
		if random.IntN(3) == 0 {
			f.Island = fabric.Island{Size: 2, Bandwidth: 3000 * units.Gbps}
		}
		proven(t, p, f)
	}
}

// proven checks that the best plan is correct, and returns it.
func proven(t *testing.T, p *planner, f fabric.Fabric) *iteration.Document {
	t.Helper()
	d, _ := p.plan(t, f, iteration.Best)
	report, err := iteration.Verify(t.Context(), reread(t, d))
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		t.Errorf("%v, %d ports: %s: %s", f.Layout, f.Ports, bad.Name, bad.Detail)
	}
	return d
}

// TestCircuitsReturnAfterTheirLastUse: circuits that are up before an iteration, and then on other
// ports, are set up again at its end where they were, but not before they were used elsewhere for
// the last time, though the ports are free earlier.
func TestCircuitsReturnAfterTheirLastUse(t *testing.T) {
	t.Parallel()
	const ranks = 6
	short, middle, long := 5*units.Microsecond, 20*units.Microsecond, 400*units.Microsecond
	w := &workload.Workload{Schema: workload.Schema, Ranks: ranks, Kinds: map[string][][]int{"a": {{0, 5, 4}, {3, 2, 1}}, "c": {{0, 2, 4}, {1, 3, 5}}}}
	for r := range ranks {
		to, from := workload.Peer{Rank: (r + ranks - 1) % ranks}, workload.Peer{Rank: (r + 1) % ranks}
		w.Programs = append(w.Programs, workload.Program{Ranks: workload.NewRankSet([]int{r}), Ops: []workload.Op{
			{ID: "c0", Compute: &middle},
			{ID: "c1", Compute: &short, After: []string{"c0"}},
			{ID: "c2", Compute: &middle, After: []string{"c0"}},
			{ID: "broadcast", Op: collective.Broadcast, Kind: "a", Size: 1, After: []string{"c1", "c2"}},
			{ID: "gather", Op: collective.AllGather, Kind: "c", Size: 64, After: []string{"c2", "broadcast"}},
			{ID: "c3", Compute: &long, After: []string{"gather"}},
			{ID: "send", SendTo: &to, Size: 3_000_000, After: []string{"c0"}},
			{ID: "receive", Receive: "send", From: &from, After: []string{"c0"}},
			{ID: "exchange", Op: collective.AllToAll, Kind: "c", Size: 1_000_000},
		}})
	}
	p := newPlanner(t, w)
	f := small(2, 50*units.Microsecond)
	islands := f
	islands.Island = fabric.Island{Size: 2, Bandwidth: 3000 * units.Gbps}
	for _, on := range []fabric.Fabric{f, islands} {
		for _, switches := range []layout.Layout{{}, layout.Rails()} {
			on.Layout = switches
			returns := 0
			d := proven(t, p, on)
			for i := range d.Changes {
				c := &d.Changes[i]
				if c.Before != "" {
					continue
				}
				for k := range d.Ops {
					if o := &d.Ops[k]; o.Circuits == c.Circuits {
						returns++
						if o.End > c.Start+1e-3 {
							t.Errorf("circuits return at %v, but %s of class %d uses them until %v", c.Start, o.ID, o.Class, o.End)
						}
					}
				}
			}
			if returns == 0 {
				t.Error("no circuits return")
			}
		}
	}
}

// TestCircuitsAreSetUpAheadAfterTheirLastUse: circuits that are set up for the beginning of the
// next iteration, but are on other ports at the end of this one, are not set up while something
// uses them there.
func TestCircuitsAreSetUpAheadAfterTheirLastUse(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(141, 77))
	p := newPlanner(t, shuffled(random, 4+random.IntN(5)))
	f := small(2, 20*units.Microsecond)
	f.Layout, f.Duplex = layout.Rails(), true
	f.Island = fabric.Island{Size: 2, Bandwidth: 3000 * units.Gbps}
	d := proven(t, p, f)
	for i := range d.Changes {
		for k := range d.Ops {
			c, o := &d.Changes[i], &d.Ops[k]
			if c.Start < 0 && o.Circuits == c.Circuits && o.End > c.Start+d.Iteration+1e-3 {
				t.Errorf("the change before %s begins at %v, but %s of class %d uses the circuits until %v", c.Before, c.Start+d.Iteration, o.ID, o.Class, o.End)
			}
		}
	}
}
