package exploring

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// CollectiveRequest asks for the steps of an algorithm.
type CollectiveRequest struct {
	Op        collective.Op `json:"op"`
	Algorithm string        `json:"algorithm" help:"algorithm ${NAME}"`
	Nodes     int           `json:"nodes,omitempty" help:"number of GPUs" default:"64"`
	Ports     int           `json:"ports,omitempty" help:"number of ports per GPU" default:"1"`
	Demand    Demand        `json:"demand,omitzero" help:"bytes of every pair of an all-to-all, ${WHAT}: uniform, random, zipf:S or moe:K"`
	Seed      *uint64       `json:"seed,omitempty" help:"seed of the random demand" default:"1"`
}

// Demand is the bytes of every pair of an all-to-all, or the name of a generator. The zero value
// gives all pairs the same number of bytes.
type Demand = collective.DemandValue

// layoutSize is the bytes per GPU of a generated demand. The answer shows only shares of it, so
// it need only be large enough for rounding not to show.
const layoutSize = units.GiB

// UnmarshalJSON reads the JSON form.
func (r *CollectiveRequest) UnmarshalJSON(data []byte) error {
	type plain CollectiveRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *CollectiveRequest) Complete() error {
	f := fabric.Default()
	r.Nodes, r.Ports = cmp.Or(r.Nodes, f.Nodes), cmp.Or(r.Ports, f.Ports)
	f.Nodes, f.Ports = r.Nodes, r.Ports
	if err := f.Validate(); err != nil {
		return err
	}
	o := r.operation()
	if err := o.Complete(r.Nodes); err != nil {
		return err
	}
	if r.Algorithm == "" {
		var names []string
		for _, a := range algorithms.For(r.Op, collective.Shape{Nodes: r.Nodes, Ports: r.Ports}) {
			names = append(names, a.Name)
		}
		return field.Errorf("algorithm", "which one? use %s", strings.Join(names, ", "))
	}
	return nil
}

func (r *CollectiveRequest) operation() collective.Operation {
	return collective.Operation{
		Op: r.Op, Algorithm: r.Algorithm, Size: layoutSize, Demand: r.Demand.Bytes, Generator: r.Demand.Generator, Seed: r.Seed,
	}
}

// AlgorithmSteps is the steps of an algorithm, before any circuit is chosen for them.
type AlgorithmSteps struct {
	Schema    string           `json:"schema"`
	Op        collective.Op    `json:"op"`
	Algorithm string           `json:"algorithm"`
	Nodes     int              `json:"nodes"`
	Ports     int              `json:"ports"`
	Chunks    collective.Space `json:"chunks"`
	Steps     []AlgorithmStep  `json:"steps"`
}

// StepsSchema names the JSON form of a layout and its version.
const StepsSchema = "lightpath.collective/v1"

// AlgorithmStep summarizes one step. Shares are of the collective's size.
type AlgorithmStep struct {
	Index     int                 `json:"index"`
	Actions   []collective.Action `json:"actions"`
	Transfers int                 `json:"transfers"`
	Peers     int                 `json:"peers"` // the most to which a node sends
	Sent      float64             `json:"sent"`  // the most that a node sends, over the size
	// Message is the size of the largest transfer, over the collective's size.
	Message float64 `json:"message"`
	// Offsets are the distances from sender to receiver, modulo the number of nodes; absent if
	// they differ between nodes.
	Offsets []int `json:"offsets,omitempty"`
	// Example is the source and target of the first transfer.
	Example [2]int `json:"example"`
}

// LayOut lays out an algorithm and summarizes its steps. Of a symmetric step it examines only
// the representative transfers.
func LayOut(ctx context.Context, r CollectiveRequest, options ...command.Option) (*AlgorithmSteps, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	f := fabric.Default()
	f.Nodes, f.Ports = r.Nodes, r.Ports
	t, err := portfolio.NewTask(r.operation(), &f, command.NewRun(options).Search)
	if err != nil {
		return nil, err
	}
	c, err := t.Lay(ctx, r.Algorithm)
	if err != nil {
		return nil, err
	}
	l := &AlgorithmSteps{
		Schema: StepsSchema, Op: c.Op, Algorithm: c.Algorithm, Nodes: c.Nodes, Ports: r.Ports, Chunks: c.Space,
	}
	for i, step := range c.Steps {
		l.Steps = append(l.Steps, layStep(c, i, step))
	}
	return l, nil
}

func layStep(c collective.Sized, i int, step collective.Step) AlgorithmStep {
	s := AlgorithmStep{Index: i + 1, Transfers: step.Len(), Example: [2]int{step.Base[0].Src, step.Base[0].Dst}}
	peers := map[int]map[int]bool{}
	sent := map[int]float64{}
	for _, t := range step.Base {
		if !slices.Contains(s.Actions, t.Action) {
			s.Actions = append(s.Actions, t.Action)
		}
		share := c.Space.Bytes(float64(c.Size), t.Chunks) / float64(c.Size)
		s.Message = max(s.Message, share)
		// Under a group, a node sends what all base transfers in its orbit send.
		k, home := step.Group.Locate(t.Src)
		sent[home] += share
		s.Sent = max(s.Sent, sent[home])
		if peers[home] == nil {
			peers[home] = map[int]bool{}
		}
		peers[home][step.Group.Back(k, t.Dst)] = true
		s.Peers = max(s.Peers, len(peers[home]))
	}
	if g := step.Group; len(g.Dims) == 1 && g.Stride[0] == 1 {
		for _, t := range step.Base {
			s.Offsets = append(s.Offsets, (t.Dst-t.Src+c.Nodes)%c.Nodes)
		}
		slices.Sort(s.Offsets)
		s.Offsets = slices.Compact(s.Offsets)
	}
	return s
}
