package islands

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// Within returns the plan that carries out the steps of an algorithm within one island that has
// all GPUs. Every transfer is one hop, and there are no circuits.
func Within(laid collective.Sized, f *fabric.Fabric) (*plan.Plan, error) {
	none := topology.New(f.Nodes, "none", nil)
	stage := plan.Stage{Topology: none}
	for i := range laid.Steps {
		s := &laid.Steps[i]
		step := plan.Step{Group: s.Group}
		for _, t := range s.Base {
			step.Base = append(step.Base, plan.Transfer{Transfer: t, Routes: hop(t.Src, t.Dst)})
		}
		stage.Steps = append(stage.Steps, step)
	}
	made := &plan.Plan{
		Fabric: *f,
		Collective: plan.Collective{
			Op: laid.Op, Algorithm: Algorithm(f, laid.Algorithm), Size: laid.Size, Space: laid.Space,
		},
		Stages: []plan.Stage{stage},
	}
	if err := made.Price(); err != nil {
		return nil, fmt.Errorf("islands: %w", err)
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return made, nil
}
