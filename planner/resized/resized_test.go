package resized_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/resized"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// sum returns an allreduce of all GPUs.
func sum(nodes int) *collective.Collective {
	return &collective.Collective{Op: collective.AllReduce, Nodes: nodes, Space: collective.SpaceOf(collective.AllReduce, nodes, 1)}
}

// joined returns the plan by which joint sums up, with whole values.
func joined(ctx context.Context, f fabric.Fabric, nodes int, size units.Bytes) (*plan.Plan, error) {
	f.Nodes = nodes
	return joint.New().Plan(ctx, planner.Request{Fabric: f, Collective: sum(nodes), Size: size, Whole: true})
}

// drawn draws a fabric and a size.
func drawn(random *rand.Rand, least, most int) (fabric.Fabric, units.Bytes) {
	f := fabric.Default()
	f.Nodes, f.Ports, f.Duplex = least+random.IntN(most-least+1), 1+random.IntN(2), false
	f.Duplex = f.Ports > 1 && random.IntN(2) == 0
	f.Reconfig.Base = units.Duration(1<<random.IntN(8)) * units.Microsecond
	return f, units.Bytes(1) << (10 + random.IntN(11))
}

// Plans made from those for any number of GPUs nearby are correct, whatever the fabric.
func TestResizedPlansAreProven(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 36))
	grown, shrunk := 0, 0
	for range samples.Of(160) {
		f, size := drawn(random, 5, 26)
		if random.IntN(4) == 0 {
			f.Forwarding = fabric.StoreAndForward
		}
		other := 0
		find := func(ctx context.Context, nodes int, r planner.Request) ([]*plan.Plan, error) {
			other = nodes
			p, err := joined(ctx, r.Fabric, nodes, r.Size)
			return []*plan.Plan{p}, err
		}
		p, err := resized.New(find).Plan(t.Context(), planner.Request{Fabric: f, Collective: sum(f.Nodes), Size: size})
		what := fmt.Sprintf("%d GPUs, %d ports, two-way %v, %v, %v", f.Nodes, f.Ports, f.Duplex, size, f.Reconfig)
		if errors.Is(err, planner.ErrInfeasible) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if _, err := fmt.Sscanf(p.Strategy, "from %d", &other); err != nil {
			t.Fatal(err)
		}
		if grown++; other > f.Nodes {
			grown--
			shrunk++
		}
		report, err := verify.Plan(t.Context(), p)
		if err != nil || report.First() != nil {
			t.Fatalf("%s, %s: %v, %v", what, p.Strategy, err, report.First())
		}
		if p.Cost.Total() < p.OperationBound().Total()*(1-1e-9) {
			t.Errorf("%s, %s: %v is below the bound", what, p.Strategy, p.Cost.Total())
		}
	}
	if grown == 0 || shrunk == 0 {
		t.Errorf("%d plans grew, %d shrank", grown, shrunk)
	}
}

// folded makes an allreduce from one for a GPU less, with nothing from the package: the new GPU
// sits on the circuits to GPU 0, adds its vector to that of GPU 0 in a step before all others, and
// gets the sum from the GPU before it in a step after all others.
func folded(t *testing.T, p *plan.Plan) *plan.Plan {
	t.Helper()
	f, x := p.Fabric, p.Fabric.Nodes
	f.Nodes++
	chunks := p.Collective.Space.Chunks()
	space := collective.SpaceOf(collective.AllReduce, x+1, chunks)
	made := &plan.Plan{Fabric: f, Collective: plan.Collective{Op: collective.AllReduce, Algorithm: resized.Name, Size: p.Collective.Size, Space: space}}
	all := collective.Every(0, 1, chunks*(x+1))
	before := -1
	for i := range p.Stages {
		stage := &p.Stages[i]
		ends := i == 0 || i == len(p.Stages)-1
		var edges []topology.Edge
		for e := range stage.Topology.Edges() {
			switch {
			case ends && e.To == 0 && (!f.Duplex || e.From == x-1):
				before = e.From
				edges = append(edges, topology.Edge{From: e.From, To: x, Count: e.Count}, topology.Edge{From: x, To: 0, Count: e.Count})
			case ends && f.Duplex && e.From == 0 && e.To == x-1:
				edges = append(edges, topology.Edge{From: 0, To: x, Count: e.Count}, topology.Edge{From: x, To: e.To, Count: e.Count})
			default:
				edges = append(edges, e)
			}
		}
		g := topology.New(x+1, "with one GPU more", edges)
		through := func(u, v int32) bool { return g.Count(int(u), int(v)) == 0 }
		next := plan.Stage{Topology: g}
		one := func(src, dst int, action collective.Action) plan.Step {
			transfer := collective.Transfer{Src: src, Dst: dst, Action: action, Chunks: all}
			return plan.Step{Base: []plan.Transfer{{Transfer: transfer, Routes: []flow.Route{{Path: []int32{int32(src), int32(dst)}, Share: 1}}}}}
		}
		if i == 0 {
			next.Steps = append(next.Steps, one(x, 0, collective.Reduce))
		}
		for j := range stage.Steps {
			var step plan.Step
			for transfer := range stage.Steps[j].All(p.Collective.Space) {
				var wide collective.Chunks
				for c := range transfer.Chunks.All() {
					wide = append(wide, collective.Run{First: c * (x + 1), Count: x + 1, Stride: 1})
				}
				transfer.Chunks = wide
				var routes []flow.Route
				for _, r := range transfer.Routes {
					path := r.Path[:1:1]
					for h := 1; h < len(r.Path); h++ {
						if through(r.Path[h-1], r.Path[h]) {
							path = append(path, int32(x))
						}
						path = append(path, r.Path[h])
					}
					routes = append(routes, flow.Route{Path: path, Share: r.Share})
				}
				transfer.Routes = routes
				step.Base = append(step.Base, transfer)
			}
			next.Steps = append(next.Steps, step)
		}
		if i == len(p.Stages)-1 {
			next.Steps = append(next.Steps, one(before, x, collective.Copy))
		}
		made.Stages = append(made.Stages, next)
	}
	if err := made.Price(); err != nil {
		t.Fatal(err)
	}
	return made
}

// No allreduce takes longer than the plan for a GPU less, into which the last GPU is folded.
func TestNoAllreduceIsSlowerThanOneFewerFolded(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 1))
	compared := 0
	for range samples.Of(48) {
		f, size := drawn(random, 8, 40)
		if f.Ports == 2 && !f.Duplex {
			f.Ports = 1 // a GPU is folded into one circuit
		}
		less, err := joined(t.Context(), f, f.Nodes-1, size)
		if err != nil {
			t.Fatal(err)
		}
		if f.Duplex && less.Stages[0].Topology.Count(0, f.Nodes-2) != less.Stages[len(less.Stages)-1].Topology.Count(0, f.Nodes-2) {
			continue // GPU 0 and the last one are not neighbours at both ends
		}
		if f.Duplex && less.Stages[0].Topology.Count(0, f.Nodes-2) == 0 {
			continue
		}
		twin := folded(t, less)
		if report, err := verify.Plan(t.Context(), twin); err != nil || report.First() != nil {
			t.Fatalf("the twin: %v, %v", err, report.First())
		}
		compared++
		s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
		r := portfolio.Request{Fabric: f, Operations: []collective.Operation{{Op: collective.AllReduce, Size: size}}}
		p, err := r.Fastest(t.Context(), s.Planners().Best(), s)
		if err != nil {
			t.Fatal(err)
		}
		if planner.Above(p.Cost.Total(), twin.Cost.Total()) {
			t.Errorf("%d GPUs, %d ports, two-way %v, %v, %v: %v; folded into %d (%s) %v", f.Nodes, f.Ports, f.Duplex, size, f.Reconfig,
				p.Cost.Total(), f.Nodes-1, less.Strategy, twin.Cost.Total())
		}
	}
	if compared < 8 {
		t.Errorf("only %d compared", compared)
	}
}

// Numbers without small factors take the plans of others.
func TestPrimesTakeThePlansOfOtherNumbers(t *testing.T) {
	for _, x := range []struct {
		nodes, ports int
		twoWay       bool
		size         units.Bytes
		delay        units.Duration
		most         units.Time
	}{
		{31, 1, false, 64 * units.KiB, 100 * units.Microsecond, 26060}, // 36.76 us before
		{37, 1, false, 64 * units.KiB, 100 * units.Microsecond, 30670}, // 43.07 us
		{37, 2, true, 64 * units.KiB, 100 * units.Microsecond, 16780},  // 22.13 us
	} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex, f.Reconfig.Base = x.nodes, x.ports, x.twoWay, x.delay
		s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
		r := portfolio.Request{Fabric: f, Operations: []collective.Operation{{Op: collective.AllReduce, Size: x.size}}}
		p, err := r.Fastest(t.Context(), s.Planners().Best(), s)
		if err != nil {
			t.Fatal(err)
		}
		if p.Planner != resized.Name || p.Cost.Total() > x.most {
			t.Errorf("%+v: %s takes %v", x, p.Planner, p.Cost.Total())
		}
	}
}

// A limit just above a plan's time does not change the plan: what is estimated before plans are
// resized leaves none of them out.
func TestALimitAboveTheTimeDoesNotChangeIt(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 41))
	made := 0
	for range samples.Of(120) {
		f, size := drawn(random, 5, 40)
		find := func(ctx context.Context, nodes int, r planner.Request) ([]*plan.Plan, error) {
			p, err := joined(ctx, r.Fabric, nodes, r.Size)
			return []*plan.Plan{p}, err
		}
		r := planner.Request{Fabric: f, Collective: sum(f.Nodes), Size: size}
		p, err := resized.New(find).Plan(t.Context(), r)
		if errors.Is(err, planner.ErrInfeasible) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		made++
		r.Limit = p.Cost.Total() * (1 + 1e-6)
		again, err := resized.New(find).Plan(t.Context(), r)
		if err != nil || again.Cost.Total() > r.Limit {
			t.Errorf("%d GPUs, %d ports, two-way %v, %v, %v, %s: none within %v: %v",
				f.Nodes, f.Ports, f.Duplex, size, f.Reconfig, p.Strategy, r.Limit, err)
		}
	}
	if made == 0 {
		t.Error("no plan was made")
	}
}
