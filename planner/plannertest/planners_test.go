package plannertest_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/plannertest"
	"github.com/lightpath-net/lightpath/planner/staged"
)

func TestEveryPlannerKeepsTheContract(t *testing.T) {
	all := lightpath.Planners()
	for i, p := range all {
		s := plannertest.Of(p, plan.Known{})
		var err error
		if s.Covers, err = plannertest.Covering(p, all, plan.Known{}); err != nil {
			t.Fatal(err)
		}
		for j, c := range plannertest.Cases() {
			if samples.Every() || (i+j)%2 == 0 { // in turn
				plannertest.Run(t, s, c)
			}
		}
	}
}

// effort is enough for a few intervals, and ten times that for all of small cases.
const effort = 3_000_000

func TestHarvestWithSynthesisKeepsTheContract(t *testing.T) {
	for _, how := range []staged.Synthesis{staged.SynthesisSearch, staged.SynthesisExact} {
		with := func(effort int64) plannertest.Subject {
			s := plannertest.Of(staged.Harvest(staged.HarvestOptions{Synthesis: how, Effort: effort}), plan.Known{})
			s.Name = string(how)
			return s
		}
		s := with(effort)
		s.More = []plannertest.Subject{with(10 * effort)}
		s.Covers = []plannertest.Subject{plannertest.Of(staged.Harvest(staged.HarvestOptions{}), plan.Known{})}
		plannertest.Run(t, s, plannertest.Cases()[1:4]...)
	}
}

// The whole program, which also chooses the algorithm, is never slower than any planner that it
// chooses from, nor with one more port.
func TestAutoKeepsTheContract(t *testing.T) {
	whole := plannertest.Subject{Name: "lightpath", Plan: planned(lightpath.Auto)}
	for _, p := range lightpath.Planners() {
		whole.Covers = append(whole.Covers, plannertest.Of(p, plan.Known{}))
	}
	for _, c := range plannertest.Cases() {
		if c.Algorithm == "binomial" && c.Op == collective.Broadcast && !samples.Every() {
			// 5 to 9 take a second and more for each of 13 plans. Planners by themselves plan for 9.
			c.Fabric.Nodes = 4
		}
		whole.Ports = c.Fabric.Initial == fabric.InitialFree || c.Fabric.Initial == fabric.InitialDark
		plannertest.Run(t, whole, c)
	}
}

// With its baselines, too, the same request gives the same plan.
func TestPlansWithBaselinesAreTheSameTwice(t *testing.T) {
	for _, c := range samples.Few(1, plannertest.Cases()[1:3]) {
		var files [2]bytes.Buffer
		for i := range files {
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: c.Fabric, Operations: []lightpath.Operation{{Op: c.Op, Size: c.Size}}})
			if err != nil {
				t.Fatal(err)
			}
			if p.Baselines.Static == 0 || p.Encode(&files[i]) != nil {
				t.Fatalf("%s: baselines %+v", c.Name, p.Baselines)
			}
		}
		if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
			t.Errorf("%s: the same request gives two plans", c.Name)
		}
	}
}

// planned makes plans as the command line does.
func planned(name string) func(context.Context, plannertest.Case) (*plan.Plan, error) {
	return func(ctx context.Context, c plannertest.Case) (*plan.Plan, error) {
		return lightpath.Plan(ctx, lightpath.PlanRequest{
			Fabric: c.Fabric, Planner: name, Operations: []lightpath.Operation{{Op: c.Op, Size: c.Size}},
		}, lightpath.WithoutBaselines())
	}
}
