package extend_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/plannertest"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"

	"example.com/extend"
)

// known is what names stand for in this program.
func known() plan.Known {
	algorithms, err := algorithms.NewRegistry(extend.BothWays())
	if err != nil {
		panic(err)
	}
	families, err := topologies()
	if err != nil {
		panic(err)
	}
	return plan.Known{Algorithms: algorithms, Families: families}
}

func topologies() (*topology.Registry, error) {
	return topology.NewRegistry(extend.Ladder(), extend.Coxeter())
}

// machine has three ports and, as its base, a topology of our own.
func machine(k plan.Known) fabric.Fabric {
	f := fabric.Default().With(k.Fabric())
	f.Nodes, f.Ports, f.Base = 8, 3, "Ladder(8)"
	return f
}

// One of each: the whole program with our planner beside its own, for our algorithm, on our
// topology; what it returns is proven by the verifier.
func Example() {
	k := known()
	ours := extend.OnLadder{Families: k.Families}
	planners := append(lightpath.Planners(), ours)
	p, err := lightpath.Plan(context.Background(), lightpath.PlanRequest{
		Fabric: machine(k), Planner: ours.Name(),
		Operations: []lightpath.Operation{{Op: collective.AllGather, Algorithm: "both-ways", Size: 8 * units.MiB}},
	}, lightpath.WithRegistry(planners), lightpath.WithKnown(k))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Collective.Algorithm, "by", p.Planner, "on", p.Stages[0].Topology.Name(), "takes", p.Cost.Total())
	// Output: both-ways by on-ladder on Ladder(8) takes 44.82us
}

// Where the algorithm is left open, ours is one of those that are tried.
func TestOurAlgorithmIsTriedWithTheOthers(t *testing.T) {
	k := known()
	c, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{
		Fabric: machine(k), Operation: lightpath.Operation{Op: collective.AllGather, Size: units.MiB},
	}, lightpath.WithRegistry(append(planner.Registry(staged.Planners()), extend.OnLadder{Families: k.Families})), lightpath.WithKnown(k))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, row := range c.Rows {
		if row.Algorithm == "both-ways" || row.Planner == "on-ladder" {
			found++
		}
	}
	if found < 6 {
		t.Errorf("%d rows with our algorithm or our planner: %+v", found, c.Rows)
	}
}

func TestOurPlannerKeepsTheContract(t *testing.T) {
	k := known()
	plannertest.Run(t, plannertest.Of(extend.OnLadder{Families: k.Families}, k), plannertest.Case{
		Name: "both-ways on a ladder", Fabric: machine(k), Op: collective.AllGather, Algorithm: "both-ways", Size: units.MiB,
	})
}

func TestAPlanFileWithOurNamesIsReadWithThem(t *testing.T) {
	k := known()
	f := machine(k)
	gather, err := k.Algorithms.New(collective.AllGather, "both-ways", f.Nodes, f.Ports)
	if err != nil {
		t.Fatal(err)
	}
	p, err := extend.OnLadder{Families: k.Families}.Plan(t.Context(), planner.Request{Fabric: f, Collective: gather, Size: units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := p.Encode(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Decode(bytes.NewReader(file.Bytes())); err == nil || !strings.Contains(err.Error(), "Ladder") {
		t.Errorf("without our names: %v", err)
	}
	read, err := k.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	report, err := verify.Plan(t.Context(), read)
	if err != nil || !report.OK {
		t.Fatalf("%+v, %v", report, err)
	}
	// The verifier does not take the name's word for it.
	read.Stages[0].Topology = topology.Circulant(8, 1).Named("Ladder(8)")
	if report, err = verify.Plan(t.Context(), read); err != nil || report.OK {
		t.Errorf("circuits that are not a ladder pass: %+v, %v", report, err)
	}
}
