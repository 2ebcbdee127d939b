package direct

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct/paced"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

func requestFor(op collective.Op, nodes, ports int) planner.Request {
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	return planner.Request{Fabric: f, Size: 4 * units.MiB, Collective: &collective.Collective{
		Op: op, Algorithm: Algorithm, Nodes: nodes, Space: collective.SpaceOf(op, nodes, 1),
	}}
}

// TestPlansForManyGPUsAreCorrect: plans of whole shards, also on topologies with GPUs inserted
// or removed, pass the verifier and take the time of their schedule. Nothing in them depends on
// the number of GPUs, so the test uses few.
func TestPlansForManyGPUsAreCorrect(t *testing.T) {
	for i, ports := range []int{2, 3, 4, 8}[:samples.Of(4)] {
		for j, nodes := range []int{61, 128, 257} {
			for k, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter} {
				if (i+j+k)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				r := requestFor(op, nodes, ports)
				s, err := broadcastOf(t.Context(), &r)
				if err != nil {
					t.Fatal(err)
				}
				p, err := many(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				report, err := verify.Plan(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				if wrong := report.First(); wrong != nil {
					t.Errorf("%s, %d GPUs, %d ports, %s: %s: %s", op, nodes, ports, p.Stages[0].Topology.Name(), wrong.Name, wrong.Detail)
				}
				if !plan.Near(p.Cost.Total(), s.least(&r)) {
					t.Errorf("%s, %d GPUs, %d ports: the plan takes %v, its schedule %v", op, nodes, ports, p.Cost.Total(), s.least(&r))
				}
			}
		}
	}
}

// TestCompactNumbersMakeFewRuns: on a line graph of n GPUs, the n^2 shards that cross circuits
// form about n^1.5 runs in the compact numbering.
func TestCompactNumbersMakeFewRuns(t *testing.T) {
	expr, err := topology.ParseExpr("Line(DC(8;1,3),7)")
	if err != nil {
		t.Fatal(err)
	}
	r := requestFor(collective.AllReduce, 1024, 2)
	count := func(g *topology.Graph, stride int) (runs int) {
		s, err := broadcast(t.Context(), &r, g)
		if err != nil {
			t.Fatal(err)
		}
		s.stride = stride
		steps, err := s.listed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range steps {
			for k := range steps[i].Base {
				runs += len(steps[i].Base[k].Chunks)
			}
		}
		return runs
	}
	g, stride, err := compact(expr)
	if err != nil {
		t.Fatal(err)
	}
	if _, same, err := topology.Isomorphic(t.Context(), g, mustBuild(t, expr)); !same || err != nil {
		t.Errorf("the numbers change the topology: %v", err)
	}
	compactly, plain := count(g, stride), count(mustBuild(t, expr), 1)
	if most := int(8 * math.Pow(1024, 1.5)); compactly > most || 2*compactly > plain {
		t.Errorf("%d runs, at most %d; %d in the numbers of the line graph", compactly, most, plain)
	}
}

func mustBuild(t *testing.T, e topology.Expr) *topology.Graph {
	t.Helper()
	g, err := e.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestRefittedTopologiesKeepTheirPorts: every GPU has as many circuits as before, and reaches
// all others.
func TestRefittedTopologiesKeepTheirPorts(t *testing.T) {
	for _, text := range []string{"Line(DC(8;1,3),6)", "GenKautz(4,500)", "Line(Cayley(8,2,7,1,6,10,13),2)"} {
		e, err := topology.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		g := mustBuild(t, e)
		for by := -5; by <= 5; by++ {
			other := refitted(g, g.Nodes()+by, rand.New(rand.NewPCG(1, uint64(by+10))))
			if other == nil {
				t.Errorf("%s: not by %d", text, by)
				continue
			}
			back := other.Transpose("")
			for u := range other.Nodes() {
				if other.OutDegree(u) != g.Degree() || back.OutDegree(u) != g.Degree() {
					t.Fatalf("%s by %d: GPU %d has %d and %d circuits", text, by, u, other.OutDegree(u), back.OutDegree(u))
				}
			}
			if _, err := paced.Solve(t.Context(), other, 1); err != nil || other.Nodes() != g.Nodes()+by {
				t.Errorf("%s by %d: %d GPUs, %v", text, by, other.Nodes(), err)
			}
		}
	}
}
