package harvest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// Schedule is the content of a file.
type Schedule struct {
	Cost              float64 `json:"cost"`              // ns
	Reconfigs         int     `json:"num_of_reconfigs"`  //
	AlphaR            float64 `json:"alpha_r"`           // ns
	Collective        string  `json:"collective"`        //
	ReconfigCostTotal float64 `json:"reconf_cost_total"` // ns
	Steps             []Step  `json:"steps"`
}

// Step is the circuits of one step.
type Step struct {
	Step     int      `json:"step"`     // from 1
	Topology [][3]int `json:"topology"` // from, to, count
}

// Of returns the schedule of a priced plan.
func Of(p *plan.Plan) *Schedule {
	s := &Schedule{
		Cost: float64(p.Cost.Total()), Reconfigs: p.Reconfigurations, AlphaR: float64(p.Fabric.Reconfig.Base.Time()),
		Collective: fmt.Sprintf("%s-%s", p.Collective.Op, p.Collective.Algorithm), ReconfigCostTotal: float64(p.Cost.Reconfiguration),
	}
	for stage, step := range p.Steps() {
		one := Step{Step: step.Index, Topology: [][3]int{}}
		for e := range stage.Topology.Edges() {
			one.Topology = append(one.Topology, [3]int{e.From, e.To, e.Count})
		}
		s.Steps = append(s.Steps, one)
	}
	return s
}

// Write writes the schedule.
func (s *Schedule) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(s)
}

// Size returns how many nodes and ports the circuits need.
func (s *Schedule) Size() (nodes, ports int) {
	nodes, ports = 2, 1
	for _, step := range s.Steps {
		out, in := map[int]int{}, map[int]int{}
		for _, l := range step.Topology {
			out[l[0]] += l[2]
			in[l[1]] += l[2]
			nodes, ports = max(nodes, l[0]+1, l[1]+1), max(ports, out[l[0]], in[l[1]])
		}
	}
	return min(nodes, fabric.MaxNodes), min(ports, fabric.MaxPorts)
}

// Plan routes the steps of a collective over the circuits of the schedule, by the fabric's
// policy, and prices the plan.
func (s *Schedule) Plan(ctx context.Context, laid collective.Sized, f fabric.Fabric) (*plan.Plan, error) {
	if len(laid.Steps) != len(s.Steps) {
		return nil, fmt.Errorf("the schedule has %d steps, the collective %d", len(s.Steps), len(laid.Steps))
	}
	if laid.Nodes != f.Nodes {
		return nil, fmt.Errorf("the collective is for %d nodes, the fabric has %d", laid.Nodes, f.Nodes)
	}
	p := &plan.Plan{
		Fabric: f, Provenance: plan.Provenance{Planner: "imported"},
		Collective: plan.Collective{Op: laid.Op, Algorithm: laid.Algorithm, Size: laid.Size, Space: laid.Space},
	}
	for i := range s.Steps {
		g, err := s.Steps[i].graph(f.Nodes)
		if err != nil {
			return nil, err
		}
		if last := len(p.Stages) - 1; last >= 0 && p.Stages[last].Topology.Equal(g) {
			g = p.Stages[last].Topology
		} else {
			p.Stages = append(p.Stages, plan.Stage{Topology: g})
		}
		step, err := route(ctx, p, g, &laid.Steps[i])
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		stage := &p.Stages[len(p.Stages)-1]
		stage.Steps = append(stage.Steps, step)
	}
	if err := p.Price(); err != nil {
		return nil, err
	}
	return p, nil
}

// graph returns the circuits of a step.
func (s *Step) graph(nodes int) (*topology.Graph, error) {
	var edges []topology.Edge
	total := 0
	for _, l := range s.Topology {
		if l[0] < 0 || l[0] >= nodes || l[1] < 0 || l[1] >= nodes || l[2] < 0 || l[2] > fabric.MaxPorts {
			return nil, fmt.Errorf("step %d: %v is not [u,v,count] with nodes in 0..%d and count in 0..%d", s.Step, l, nodes-1, fabric.MaxPorts)
		}
		if total += l[2]; total > topology.MaxCircuits {
			return nil, fmt.Errorf("step %d: more than %d circuits", s.Step, topology.MaxCircuits)
		}
		edges = append(edges, topology.Edge{From: l[0], To: l[1], Count: l[2]})
	}
	return topology.New(nodes, fmt.Sprintf("step %d", s.Step), edges), nil
}

// route routes a step, using its symmetry if the circuits have it too.
func route(ctx context.Context, p *plan.Plan, g *topology.Graph, step *collective.Step) (plan.Step, error) {
	made := plan.Step{Group: step.Group, Base: make([]plan.Transfer, 0, len(step.Base))}
	transfers := step.Base
	if !step.Group.Invariant(g) {
		made.Group, transfers = topology.Translations{}, nil
		transfers = slices.AppendSeq(transfers, step.All(p.Collective.Space))
	}
	for _, t := range transfers {
		made.Base = append(made.Base, plan.Transfer{Transfer: t})
	}
	return made, p.RouteStep(ctx, g, made)
}
