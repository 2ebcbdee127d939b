package compile

import (
	"context"
	"fmt"
	"io"

	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/mscclpp"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
)

// MSCCLPPOptions are the options of MSCCL++.
type MSCCLPPOptions struct {
	BufferOptions
	// Channel is the channel type of MSCCL++; "": memory within an island, port elsewhere.
	Channel mscclpp.ChannelType `json:"channel,omitempty" placeholder:"TYPE" help:"channel type: port | memory" default:"port, memory within an island"`
}

// Complete reports the first invalid field.
func (o *MSCCLPPOptions) Complete() error {
	switch o.Channel {
	case "", mscclpp.Memory, mscclpp.Port:
	default:
		return field.Errorf("channel", "%q is not %s or %s", o.Channel, mscclpp.Port, mscclpp.Memory)
	}
	return o.BufferOptions.Complete()
}

// Between says how bytes move between two ranks of a plan: GPUs of an island write to each
// other's memory; over circuits and fixed links, a proxy sends.
func Between(p *plan.Plan) func(stage, from, to int) mscclpp.ChannelType {
	gpu := func(rank int) int {
		if m := p.Collective.Space.Members; m != nil {
			return m[rank]
		}
		return rank
	}
	return func(stage, from, to int) mscclpp.ChannelType {
		one, other := gpu(from), gpu(to)
		g := p.Stages[stage].Topology
		if plan.Electrical(&p.Fabric, g, one, other) && plan.Electrical(&p.Fabric, g, other, one) {
			return mscclpp.Memory // both ways: channels are pairs
		}
		return mscclpp.Port
	}
}

// loweredPuts is a lowered plan with its documents.
type loweredPuts struct {
	*lower.OneSided
	documents []*mscclpp.Document
	graphs    []*check.Graph
}

func lowerPuts(ctx context.Context, p *plan.Plan, o *MSCCLPPOptions, parts int) (*cut[*loweredPuts], error) {
	list, documents, err := mscclpp.Make(ctx, p, o.InPlace, mscclpp.Options{
		Channel: o.Channel, Between: Between(p), Name: label(p), MinBytes: int64(o.MinBytes), MaxBytes: int64(o.MaxBytes), MaxParts: parts,
	})
	if err != nil {
		return nil, err
	}
	graphs, err := mscclpp.Graphs(documents...)
	if err != nil {
		return nil, err
	}
	layout, _, err := documents[0].BufferMap()
	if err != nil {
		return nil, err
	}
	takes, err := programsTake(ctx, p, graphs, list.Stages, layout.Chunks, allCosts)
	return &cut[*loweredPuts]{&loweredPuts{list, documents, graphs}, list.Parts, takes}, err
}

var mscclppTarget = target[MSCCLPPOptions, *MSCCLPPOptions]{
	MSCCLPP, "MSCCL++ execution plan, JSON", Transfers, compileMSCCLPP,
}

func compileMSCCLPP(ctx context.Context, p *plan.Plan, o *MSCCLPPOptions) (*Result, error) {
	if err := together(MSCCLPP, p); err != nil {
		return nil, err
	}
	made, note, err := fastestCut(func(parts int) (*cut[*loweredPuts], error) { return lowerPuts(ctx, p, o, parts) })
	if err != nil {
		return nil, err
	}
	documents := made.documents
	r := &Result{Format: MSCCLPP}
	layout, _, err := documents[0].BufferMap()
	if err != nil {
		return nil, err
	}
	if err := r.runs(ctx, p, made.graphs, made.Stages, layout.Chunks); err != nil {
		return nil, err
	}
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
	low, high := documents[0].Meant()
	r.Notes = append(r.Notes, validity(&layout, fmt.Sprintf("a multiple of %d bytes", layout.Chunks*documents[0].BufferAlignment)), meant(int64(low), int64(high)))
	r.Notes = append(r.Notes, changes(p, made.Parts, made.Rounded)...)
	scratch := make([]int, layout.Nodes)
	for _, d := range documents {
		for rank := range scratch {
			scratch[rank] = max(scratch[rank], d.GPUs[rank].ScratchChunks)
		}
	}
	if more := len(documents) - len(p.Stages); more > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("stages with too many operations for one program are divided: %d programs for %d stages", len(documents), len(p.Stages)))
	}
	writer := func(stage int) func(w io.Writer) error { return documents[stage].Write }
	return r, r.stages(p, &pieces{&layout, scratch, made.ScratchLives, made.Stages, ".json", writer})
}
