package iterations

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

const opus = "Photonic Rails in ML Datacenters with Opus, arXiv 2602.12521"

// setting is an iteration in which rails are reconfigured at the boundaries of phases. The paper
// gives the policy and up to 2,048 GPUs; model, batch, rates and the single port are our choice.
type setting struct {
	data  int // data-parallel ranks
	batch int
}

// at plans the iteration at a delay: the answer has the times of all policies.
func (s setting) at(ctx context.Context, delay units.Duration) (*iteration.Document, error) {
	m, err := model.Named("llama3-70b")
	if err != nil {
		return nil, err
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = 32*s.data, 1, delay
	f.Island = fabric.Island{Size: 8, Bandwidth: 3600 * units.Gbps}
	return iterating.Iterate(ctx, iterating.IterateRequest{Model: m, Fabric: f,
		Config: parallel.Config{TP: 8, PP: 4, DP: s.data, GlobalBatch: s.batch, SequenceParallel: true}})
}

// opusClaims returns the claims on the overhead of reconfiguring at boundaries of phases,
// relative to no delay.
func opusClaims() []claim.Entry {
	var list []claim.Entry
	for _, c := range []struct {
		policy, about string
	}{
		{iteration.Phases, "when the next phase begins"},
		{iteration.PhasesAhead, "as soon as ports are free"},
	} {
		list = append(list, claim.Entry{
			ID: "iterations/opus/" + c.policy, Source: opus + ", abstract", Unit: "%", Published: 6, Sense: claim.AtMost, Recorded: claim.Matched, Full: true,
			Quantity: fmt.Sprintf("overhead of rewiring at the boundaries of phases, %s, 1.2 ms (the median of Palomar switches): Llama 3 70B on 2048 GPUs, one rail port of 800 Gbps", c.about),
			Ours: func(ctx context.Context) (float64, error) {
				s := setting{data: 64, batch: 1024}
				free, err := s.at(ctx, 0)
				if err != nil {
					return 0, err
				}
				made, err := s.at(ctx, 1200*units.Microsecond)
				if err != nil {
					return 0, err
				}
				return 100 * (float64(made.Baselines[c.policy]/free.Baselines[c.policy]) - 1), nil
			},
		})
	}
	return list
}

// opusPanel draws the times of Opus's policy and of ours over delays.
func opusPanel() claim.Panel {
	return claim.Panel{
		ID: "iterations/better/opus", Source: opus, Better: true,
		About: "Rewiring at the boundaries of phases, as Opus does, against a plan of the whole iteration. Llama 3 70B on 128 GPUs: TP 8 in islands, PP 4, DP 4, 32 sequences, one port of 800 Gbps; the model, the batch and the rates are ours. No iteration in which ranks use only their own ports is below the bound.",
		Draw: func(ctx context.Context, _ claim.Best) ([]claim.Drawing, error) {
			l := claim.DelayLines("An iteration of Llama 3 70B on 128 GPUs", "TP 8 in islands of 8, PP 4, DP 4, 1 port of 800 Gbps")
			l.Y.Label, l.Y.Log = "iteration", false
			l.Lines = []chart.Line{{Name: "one topology"}, {Name: "phases"}, {Name: "phases, rewired ahead"}, {Name: "our plan"}, {Name: "bound", Dashed: true}}
			for _, delay := range claim.Decades(units.Microsecond, 100*units.Millisecond) {
				d, err := setting{data: 4, batch: 32}.at(ctx, delay)
				if err != nil {
					return nil, err
				}
				for i, t := range []units.Time{d.Baselines[iteration.One], d.Baselines[iteration.Phases], d.Baselines[iteration.PhasesAhead], d.Iteration, d.Bound} {
					claim.Add(&l.Lines[i], delay, t)
				}
			}
			return []claim.Drawing{{Chart: l}}, nil
		},
	}
}
