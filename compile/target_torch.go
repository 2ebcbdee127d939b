package compile

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/torch"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// TorchOptions are the options of PyTorch modules.
type TorchOptions struct {
	// InPlace makes modules for input and output in the same buffer, or in one that is part of the
	// other.
	InPlace bool `json:"in_place,omitempty" help:"input and output share a buffer, or one is part of the other"`
}

// Complete always returns nil.
func (*TorchOptions) Complete() error { return nil }

var torchTarget = target[TorchOptions, *TorchOptions]{
	Torch, "Python module for PyTorch, all stages in one", Transfers, compileTorch,
}

func compileTorch(ctx context.Context, p *plan.Plan, o *TorchOptions) (*Result, error) {
	if err := together(Torch, p); err != nil {
		return nil, err
	}
	rounds, err := lower.ListRounds(ctx, p, o.InPlace)
	if err != nil {
		return nil, err
	}
	m := &torch.Module{Rounds: rounds, Name: label(p), Size: p.Collective.Size, GPUs: p.Collective.Space.Members}
	for i := range p.Stages {
		s := &p.Stages[i]
		stage := torch.Stage{Topology: s.Topology.Name(), Reconfiguration: s.Reconfiguration, Circuits: circuitsOf(s)}
		m.Stages = append(m.Stages, stage)
	}
	elements := fmt.Sprintf("a multiple of %d elements", rounds.Chunks)
	if m.Padded() {
		elements = "any number of elements"
	}
	m.Notes = append(m.Notes, validity(&rounds.BufferMap, elements))
	m.Notes = append(m.Notes, changes(p, rounds.Parts, rounds.Rounded)...)
	r := &Result{Format: Torch, Notes: m.Notes, Files: []File{{Write: m.Write}}}
	carried, err := timed(func(costs costing) (units.Time, error) {
		total := costs.change * p.Cost.Reconfiguration
		for i := range p.Stages {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			total += rounds.Carry(i, network(p, i, rounds.Chunks, costs))
		}
		return total, nil
	})
	if err != nil {
		return nil, err
	}
	r.carries(p, carried, "predicted: every hop is a message with its own start-up; a rank begins a round of messages when its last round is over")
	return r, nil
}
