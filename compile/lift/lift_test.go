package lift_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/internal/everyplan"
	"github.com/lightpath-net/lightpath/compile/lift"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
)

func graphsOf(t *testing.T, programs []*program.Program) []*check.Graph {
	t.Helper()
	graphs := make([]*check.Graph, len(programs))
	for i, p := range programs {
		var err error
		if graphs[i], err = check.NewGraph(p); err != nil {
			t.Fatal(err)
		}
	}
	return graphs
}

func optionsFor(p *plan.Plan) lift.Options {
	o := lift.Options{Fabric: p.Fabric, Size: p.Collective.Size, Algorithm: p.Collective.Algorithm, Planner: p.Planner}
	for i := range p.Stages {
		o.Topologies = append(o.Topologies, p.Stages[i].Topology)
	}
	return o
}

// The program of every plan can be lifted to a plan again, which the verifier accepts.
func TestProgramsBecomePlansThatVerify(t *testing.T) {
	ctx := context.Background()
	turn, same := 0, 0
	for _, cell := range everyplan.Cells() {
		everyplan.Each(t, cell[0], cell[1], func(name string, p *plan.Plan) {
			turn++
			dialect := []msccl.Dialect{msccl.MSCCL, msccl.RCCL}[turn%2]
			low, err := lower.Lower(ctx, p, lower.Options{Limits: dialect.Limits(), Protocol: program.Simple, InPlace: turn/2%2 == 0})
			if errors.Is(err, lower.ErrRefused) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			lifted, err := lift.Lift(ctx, graphsOf(t, low.Programs), optionsFor(p))
			if err != nil {
				t.Errorf("%s: %s: %v", name, dialect, err)
				return
			}
			report, err := verify.Plan(ctx, lifted)
			if err != nil {
				t.Fatal(err)
			}
			if bad := report.First(); bad != nil {
				t.Errorf("%s: %s: %s: %s", name, dialect, bad.Name, bad.Detail)
			}
			if lifted.CountSteps() == p.CountSteps() {
				same++
			}
			var file bytes.Buffer
			if err := lifted.Encode(&file); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Logf("%d plans, %d with as many steps as before", turn, same)
}
