package trees

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/cast"
	"github.com/lightpath-net/lightpath/topology"
)

// Name is the name of the planner, and of the algorithm in its plans.
const Name = "trees"

var errApart = fmt.Errorf("%w: circuits do not reach all GPUs", planner.ErrInfeasible)

// Limits on the work.
const (
	mostMoves = 1 << 20 // transfers of a plan
	// freePieces is the most pieces per tree if a step costs nothing but its bytes.
	freePieces = 1 << 12
	mostWork   = 1 << 34 // circuits looked at to find trees; a second looks at some hundred million
)

// New returns the planner.
func New() planner.Planner { return caster{} }

type caster struct{}

func (caster) Name() string { return Name }
func (caster) About() string {
	return "broadcast and reduce where switches cannot join all GPUs: pieces down spanning trees that share no circuit (Edmonds)"
}

// Traits implements planner.Described.
func (caster) Traits() planner.Traits {
	return planner.Traits{
		Applies: applies, Circuits: planner.CircuitsStay, Ops: ops,
		Composes: &planner.Composer{Algorithm: Name, Supports: supports},
	}
}

var ops = []collective.Op{collective.Broadcast, collective.RootReduce}

// applies reports why the planner makes no plan on a fabric. If any circuits can be set up,
// planner joint has forests that are as low as trees can be.
func applies(f *fabric.Fabric) error {
	if !f.Restricts() {
		return fmt.Errorf("any circuits can be set up")
	}
	if f.Alive() != nil || !f.Links.IsZero() {
		return fmt.Errorf("GPUs or circuits differ")
	}
	return nil
}

func supports(c *collective.Collective, f *fabric.Fabric) error {
	if err := applies(f); err != nil {
		return err
	}
	if c.Op != collective.Broadcast && c.Op != collective.RootReduce {
		return fmt.Errorf("planner %s does not do %s", Name, c.Op)
	}
	if c.Space.Members != nil {
		return fmt.Errorf("planner %s is for all GPUs", Name)
	}
	return nil
}

// Plan implements planner.Planner.
func (caster) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	return planner.FastestOf(graphs(&r.Fabric), errApart, func(g *topology.Graph) (*plan.Plan, error) { return On(ctx, &r, g) })
}

// graphs lists the circuits in which trees are searched.
func graphs(f *fabric.Fabric) []*topology.Graph {
	var all []*topology.Graph
	if g, err := f.BaseTopology(); err == nil {
		all = append(all, g)
	}
	if g := f.Mixed(); g != nil && f.Base == "" {
		all = append(all, g)
		all = append(all, f.MixedNarrow()...)
	}
	if up, err := f.InitialTopology(); err == nil && up != nil && up.Bundles() > 0 && f.Fits(up) == nil {
		all = append(all, up)
	}
	return all
}

// On makes the plan on given circuits. It tries every number of trees from one to as many as the
// circuits have.
func On(ctx context.Context, r *planner.Request, g *topology.Graph) (*plan.Plan, error) {
	on := g
	if r.Collective.Op == collective.RootReduce { // a reduction is a reversed broadcast
		on = g.Transpose(g.Name())
	}
	most := on.OutDegree(0)
	for work := on.Nodes() * on.Circuits(); most > 1 && most*most*work > mostWork; {
		most--
	}
	most = newPacking(on).connectivity(most)
	if most == 0 {
		return nil, errApart
	}
	var best *plan.Plan
	for count := 1; count <= most; count++ {
		p := newPacking(on)
		forest, err := p.pack(ctx, count)
		if err != nil {
			return nil, err
		}
		if count > 1 { // a single tree reaches every node as early as possible
			forest = p.lower(forest)
		}
		made, err := pipeline(ctx, r, g, forest)
		if err != nil {
			return nil, err
		}
		if best == nil || made.Cost.Total() < best.Cost.Total() {
			best = made
		}
	}
	return best, nil
}

// pipeline returns the plan in which pieces follow one another down trees. With depth D and K
// pieces per tree it takes D+K-1 steps of one hop.
func pipeline(ctx context.Context, r *planner.Request, g *topology.Graph, forest []tree) (*plan.Plan, error) {
	f := &r.Fabric
	depth := deepest(forest)
	whole := float64(f.Bandwidth.Transmit(float64(r.Size) / float64(len(forest))))
	each := float64(f.Alpha.Time() + f.Delta.Time())
	most := max(1, min(mostMoves/(f.Nodes*len(forest)), int(r.Size)/len(forest), collective.MaxParts/len(forest)))
	pieces := min(most, freePieces)
	if each > 0 {
		pieces = max(1, min(most, int(math.Sqrt(float64(depth-1)*whole/each))))
	}
	time := func(k int) float64 { return float64(depth-1+k) * (each + whole/float64(k)) }
	if pieces < most && time(pieces+1) < time(pieces) {
		pieces++
	}
	laid := cast.Laid{
		Stages: []plan.Stage{{Topology: g, Steps: steps(forest, depth, pieces)}},
		Space:  collective.SpaceOf(r.Collective.Op, f.Nodes, pieces*len(forest)),
	}
	if r.Collective.Op == collective.RootReduce {
		laid.Stages = cast.Reversed(laid)
		laid.Stages[0].Topology = g
	}
	p := &plan.Plan{
		Fabric: *f, Stages: laid.Stages,
		Provenance: plan.Provenance{Planner: Name, Strategy: fmt.Sprintf("%d pieces down %d trees of depth %d", pieces*len(forest), len(forest), depth)},
		Collective: plan.Collective{Op: r.Collective.Op, Algorithm: Name, Size: r.Size, Space: laid.Space},
	}
	if err := p.PriceContext(ctx); err != nil {
		return nil, err
	}
	p.Bound = min(p.OperationBound().Total(), p.Cost.Total())
	return p, nil
}

// steps lists the steps: a node of level l forwards piece k in step l+k.
func steps(forest []tree, depth, pieces int) []plan.Step {
	all := make([]plan.Step, depth+pieces-1)
	for i, t := range forest {
		for v := 1; v < len(t.parent); v++ {
			u := t.parent[v]
			for k := range pieces {
				step := &all[t.level[u]+k]
				step.Base = append(step.Base, plan.Transfer{
					Transfer: collective.Transfer{Src: int(u), Dst: v, Action: collective.Copy, Chunks: collective.Single(k*len(forest) + i)},
					Routes:   []flow.Route{{Path: []int32{u, int32(v)}, Share: 1}},
				})
			}
		}
	}
	return all
}
