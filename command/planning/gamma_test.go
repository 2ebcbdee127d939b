package planning_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// refereed returns the time of a plan without overlap. It uses only the plan's circuits and
// transfers, and sums step by step the loads of circuits and the reductions of GPUs.
func refereed(p *plan.Plan) float64 {
	f := &p.Fabric
	perByte := 8e9 / float64(f.Bandwidth) // ns
	chunk := float64(p.Collective.Size) / float64(p.Collective.Space.Chunks())
	total, up := 0.0, ""
	if f.Initial == fabric.InitialFree {
		up = fmt.Sprint(links(p, 0))
	}
	for s := range p.Stages {
		now := fmt.Sprint(links(p, s))
		if now != up {
			total += float64(f.Reconfig.Base) / 1000
		}
		up = now
		for _, step := range p.Stages[s].Steps {
			carried, added := map[[2]int32]float64{}, map[int]float64{}
			hops, busiest, longest := 0, 0.0, 0.0
			for t := range step.All(p.Collective.Space) {
				bytes := chunk * float64(t.Chunks.Len())
				if t.Action == collective.Reduce {
					added[t.Dst] += bytes
					longest = max(longest, added[t.Dst])
				}
				for _, r := range t.Routes {
					hops = max(hops, len(r.Path)-1)
					for h := 1; h < len(r.Path); h++ {
						at := [2]int32{r.Path[h-1], r.Path[h]}
						carried[at] += r.Share * bytes
						busiest = max(busiest, carried[at]/float64(p.Stages[s].Topology.Count(int(at[0]), int(at[1]))))
					}
				}
			}
			total += float64(f.Alpha)/1000 + float64(hops)*float64(f.Delta)/1000 + busiest*perByte
			if f.Gamma.Time > 0 {
				total += float64(f.Gamma.Time) / 1000 * longest / float64(f.Gamma.Per)
			}
		}
	}
	return total
}

func links(p *plan.Plan, stage int) [][3]int {
	var all [][3]int
	for e := range p.Stages[stage].Topology.Edges() {
		all = append(all, [3]int{e.From, e.To, e.Count})
	}
	return all
}

// If reductions cost time, the plans of every planner take the time that a referee computes from
// their data. The plans verify, bounds hold, a smaller gamma is never worse, and packets take at
// least as long as the reductions. The time that a planner states is the plan's time.
func TestReducingTakesItsTime(t *testing.T) {
	t.Parallel()
	ops := []collective.Op{collective.AllReduce, collective.ReduceScatter, collective.RootReduce, collective.AllGather}
	for seed := range uint64(28) {
		rng := rand.New(rand.NewPCG(22, seed))
		f := commandtest.DrawPlain(rng, 2, 8, 3*units.Microsecond, 3)
		f.Gamma = fabric.Gamma{Time: units.Duration(1+rng.IntN(40)) * 100 * units.Microsecond, Per: units.GiB}
		r := lightpath.PlanRequest{
			Operations: []lightpath.Operation{{Op: ops[seed%4], Size: units.Bytes(1000) << rng.IntN(14)}}, Fabric: f,
			Planner: []string{"static", "every-step", "light-bends", "harvest", "joint", "direct-connect", "auto"}[seed%7],
		}
		if r.Planner == "direct-connect" && r.Operations[0].Op == collective.RootReduce {
			continue
		}
		where := fmt.Sprintf("seed %d: %s by %s on %d GPUs", seed, r.Operations[0].Op, r.Planner, f.Nodes)
		p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines()) // which verifies it
		if err != nil {
			t.Fatal(where, err)
		}
		if want, got := refereed(p), float64(p.Cost.Total()); math.Abs(want-got) > 1e-9*want {
			t.Errorf("%s, %s: %v, the referee has %v", where, p.Collective.Algorithm, got, want)
		}
		if reduces := r.Operations[0].Op != collective.AllGather; reduces != (p.Cost.Reduction > 0) {
			t.Errorf("%s: reduction %v", where, p.Cost.Reduction)
		}
		if bound := p.OperationBound().Total(); p.Bound > p.Cost.Total()*(1+1e-9) || bound > p.Cost.Total()*(1+1e-9) {
			t.Errorf("%s: takes %v, bounds %v and %v", where, p.Cost.Total(), p.Bound, bound)
		}
		r.Fabric.Gamma.Time /= 2
		if less, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines()); err != nil || less.Cost.Total() > p.Cost.Total()*(1+1e-9) {
			t.Errorf("%s: half of gamma takes longer: %v", where, err)
		}
		simulated, err := lightpath.Simulate(t.Context(), lightpath.SimulateRequest{Plan: p})
		if err != nil {
			t.Fatal(where, err)
		}
		if time := float64(simulated.CompletionNs); time < float64(p.Cost.Reduction) || time > 1.2*float64(p.Cost.Total())+2000*float64(p.CountSteps()) {
			t.Errorf("%s: simulated %v, planned %v, reduction %v", where, time, p.Cost.Total(), p.Cost.Reduction)
		}
		// Who leaves the reductions out is found out.
		if p.Cost.Reduction == 0 {
			continue
		}
		p.Cost.Reduction = 0
		for s := range p.Stages {
			for i := range p.Stages[s].Steps {
				step := &p.Stages[s].Steps[i]
				step.Cost.Transmission += step.Cost.Reduction
				step.Cost.Reduction = 0
			}
		}
		if report, err := verify.Plan(t.Context(), p); err != nil || report.First() == nil {
			t.Errorf("%s: a plan that reduces in no time is taken for right", where)
		}
	}
}

// Corollary 8.1 of Zhao et al.: a bandwidth-optimal allreduce reduces (n-1)/n of the buffer.
// Theorem 8: no reduce-scatter reduces more than its bandwidth time implies.
func TestDirectConnectReductions(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	f.Gamma = fabric.Gamma{Time: units.Millisecond, Per: units.GiB}
	for _, algorithm := range []string{"ring", "halving-doubling"} {
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
			Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: units.GiB, Algorithm: algorithm}}, Fabric: f, Planner: "harvest",
		}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if want := 1e6 * 7 / 8.0; math.Abs(float64(p.Cost.Reduction)-want) > 1e-6*want {
			t.Errorf("%s: reduction %v, want %v ns", algorithm, p.Cost.Reduction, want)
		}
	}
	for _, ports := range []int{1, 2, 4} {
		f.Ports = ports
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
			Operations: []lightpath.Operation{{Op: collective.ReduceScatter, Size: units.GiB}}, Fabric: f, Planner: "direct-connect",
		}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		node := float64(f.Bandwidth) * float64(ports) / 8e9 // bytes in a ns
		if most := 1e6 * float64(p.Cost.Transmission) * node / float64(units.GiB); float64(p.Cost.Reduction) > most*(1+1e-9) {
			t.Errorf("%d ports: reduction %v, transmission %v allows %v ns", ports, p.Cost.Reduction, p.Cost.Transmission, most)
		}
	}
}
