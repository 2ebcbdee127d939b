package staged

import (
	"fmt"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// enough is a budget that no search of these tests uses up: a result must not depend on
// the machine.
const enough = time.Hour

// On cells of the grid of HARVEST's Fig. 5 (64 GPUs, one port) a search for topologies is
// never worse than the pool, nor than what the authors published, and for Swing it is better
// where staying on one ring is dear and rewiring is too.
func TestSearchIsNeverWorseThanThePool(t *testing.T) {
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		size      units.Bytes
		reconfig  string
		published units.Time // 0: none
		better    bool
	}{
		{collective.AllReduce, "recursive-doubling", 16 * units.KiB, "10us", 40552.998, false},
		{collective.AllReduce, "swing", 16 * units.KiB, "10us", 0, true},
		{collective.AllReduce, "swing", 4 * units.MiB, "10us", 0, true},
		{collective.AllReduce, "swing", 4 * units.MiB, "100us", 0, true},
	} {
		f := fabric.Default()
		f.Reconfig = reconfig(t, c.reconfig)
		r := request(t, f, c.op, c.algorithm, c.size)
		pool := planWith(t, "harvest", r).Cost.Total()
		r.Synthesis, r.Budget = planner.SynthesisSearch, enough
		p := planWith(t, "harvest", r)
		verify(t, p)
		name := fmt.Sprintf("%s %v %s", c.algorithm, c.size, c.reconfig)
		if found := p.Cost.Total(); found > pool*(1+1e-9) || (found < pool*0.99) != c.better {
			t.Errorf("%s: search %v, pool %v", name, found, pool)
		} else if c.published > 0 && found > c.published*(1+5e-5) {
			t.Errorf("%s: search %v, published %v", name, found, c.published)
		}
		if p.Synthesis == nil || p.Synthesis.Evaluations == 0 {
			t.Errorf("%s: nothing was looked at", name)
		}
	}
}

// Exact synthesis proves its plans, and neither pool nor search beats it.
func TestExactIsNeverWorseThanSearch(t *testing.T) {
	for _, c := range []struct {
		op        collective.Op
		algorithm string
		n, ports  int
		reconfig  string
	}{
		{collective.ReduceScatter, "swing", 8, 1, "1us"},
		{collective.ReduceScatter, "swing", 8, 1, "100us"},
		{collective.ReduceScatter, "recursive-doubling", 8, 1, "10us"},
		{collective.AllGather, "bruck", 6, 1, "3us"},
		{collective.Broadcast, "binomial", 6, 1, "2us"},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig = c.n, c.ports, reconfig(t, c.reconfig)
		r := request(t, f, c.op, c.algorithm, units.MiB)
		name := fmt.Sprintf("%s %s n=%d %s", c.op, c.algorithm, c.n, c.reconfig)
		times := map[planner.Synthesis]units.Time{}
		for _, how := range []planner.Synthesis{planner.SynthesisPool, planner.SynthesisSearch, planner.SynthesisExact} {
			r.Synthesis, r.Budget = how, enough
			p := planWith(t, "harvest", r)
			verify(t, p)
			times[how] = p.Cost.Total()
			if how == planner.SynthesisExact && !p.Synthesis.Proven {
				t.Errorf("%s: %v is not proven, bound %v", name, p.Cost.Total(), p.Synthesis.Bound)
			}
		}
		if times[planner.SynthesisExact] > times[planner.SynthesisSearch]*(1+1e-9) ||
			times[planner.SynthesisSearch] > times[planner.SynthesisPool]*(1+1e-9) {
			t.Errorf("%s: %v", name, times)
		}
	}
}
