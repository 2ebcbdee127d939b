package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Name is that of the planner and of the algorithm that its plans have.
const Name = "exchange"

// DefaultChunk is the largest chunk where none is given (Zhou et al., §5.1).
const DefaultChunk = 4 * units.MB

// New returns the planner: all-to-all with topologies and moves decided together.
func New() planner.Composer { return exchanger{} }

type exchanger struct{}

func (exchanger) Name() string     { return Name }
func (exchanger) Composes() string { return Name }
func (exchanger) About() string {
	return "all-to-all: topologies and what moves over them decided together, with relays (after Zhou et al.)"
}

// Supports implements planner.Composer.
func (exchanger) Supports(c *collective.Collective, f *fabric.Fabric) error {
	switch {
	case c.Op != collective.AllToAll:
		return fmt.Errorf("planner %s does alltoall, not %s", Name, c.Op)
	case c.Space.Members != nil:
		return fmt.Errorf("planner %s needs all GPUs to take part", Name)
	case f.Avoid != "":
		return fmt.Errorf("planner %s needs all GPUs, links and ports to work", Name)
	case f.Nodes > MaxNodes:
		return fmt.Errorf("planner %s does up to %d GPUs, not %d", Name, MaxNodes, f.Nodes)
	}
	return nil
}

// Plan implements planner.Planner. On a fabric that stores and forwards, a slot of the
// schedule is a step: every chunk that moves makes one hop. On one that cuts through, a
// stage is a step: every chunk goes all its hops of the stage at once, which takes the
// load of the busiest circuit and one start-up.
func (x exchanger) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := x.Supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	cut, err := cutIntoChunks(&r)
	if err != nil {
		return nil, err
	}
	problem := Problem{
		Demand: cut.demand, Ports: r.Fabric.Ports, Duplex: r.Fabric.Duplex, Stages: r.Stages, Strategy: r.Strategy, Progress: r.Progress,
	}
	problem.R, problem.T = prices(&r.Fabric, cut.bytes)
	s, err := Solve(ctx, problem)
	if errors.Is(err, ErrInfeasible) {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	if err != nil {
		return nil, err
	}
	return cut.plan(ctx, &r, s)
}

// prices returns what a stage and a slot cost.
func prices(f *fabric.Fabric, chunk float64) (stage, slot float64) {
	alpha, delta, send := float64(f.Alpha.Time()), float64(f.Delta.Time()), float64(f.Bandwidth.Transmit(chunk))
	wait := float64(f.Reconfig.Least() + f.Sync.Time())
	if uniform, ok := f.UniformWait(); ok {
		wait = float64(uniform)
	}
	if f.Forwarding == fabric.StoreAndForward {
		return wait, alpha + delta + send
	}
	return wait + alpha + delta, send
}

// chunked is an all-to-all cut into chunks.
type chunked struct {
	demand Demand
	space  collective.Space
	size   units.Bytes
	bytes  float64     // of the largest chunk
	first  map[int]int // number of a pair's first chunk, where pairs differ
}

// cutIntoChunks divides what every pair has into the fewest equal chunks that are not
// larger than asked for.
func cutIntoChunks(r *planner.Request) (*chunked, error) {
	most := float64(cmp.Or(r.Chunk, DefaultChunk))
	n := r.Fabric.Nodes
	sizes := r.Collective.Space.Sizes
	if sizes == nil {
		pair := float64(r.Size) / float64(n)
		parts := int(math.Ceil(pair / most))
		d, err := Uniform(n, parts)
		if err != nil {
			return nil, err
		}
		return &chunked{demand: d, space: collective.SpaceOf(collective.AllToAll, n, parts), size: r.Size, bytes: pair / float64(parts)}, nil
	}
	c := &chunked{size: r.Size, first: map[int]int{}, space: collective.Space{Kind: collective.Listed, Nodes: n, Sizes: sizes}}
	counts := make([][]int, n)
	for u, row := range sizes {
		counts[u] = make([]int, n)
		for v, bytes := range row {
			if u == v || bytes == 0 {
				continue
			}
			parts := int(math.Ceil(float64(bytes) / most))
			counts[u][v] = parts
			c.first[u*n+v] = len(c.space.Pieces)
			c.bytes = max(c.bytes, float64(bytes)/float64(parts))
			for range parts {
				c.space.Pieces = append(c.space.Pieces, collective.Piece{
					Bytes: float64(bytes) / float64(parts), From: []int{u}, To: []int{v},
				})
			}
		}
	}
	var err error
	c.demand, err = Counts(counts)
	return c, err
}

// number returns the number of a chunk in the space.
func (c *chunked) number(x Chunk) int {
	n := c.space.Nodes
	pair := int(x.Origin)*n + int(x.Dest)
	if c.first != nil {
		return c.first[pair] + int(x.Index)
	}
	return pair*c.space.Parts + int(x.Index)
}

// plan turns a schedule into a plan.
func (c *chunked) plan(ctx context.Context, r *planner.Request, s *Schedule) (*plan.Plan, error) {
	group, ok := s.translations()
	if !ok || c.first != nil {
		s, group = s.Expand(), topology.Translations{}
	}
	p := &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: Name, Slots: s.Slots(), Strategy: s.Strategy},
		Collective: plan.Collective{Op: collective.AllToAll, Algorithm: Name, Size: c.size, Space: c.space},
	}
	for i := range s.Stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		stage := plan.Stage{Topology: s.named(i)}
		if r.Fabric.Forwarding == fabric.StoreAndForward {
			stage.Steps = c.slots(s, i, group)
		} else if step := c.whole(s, i, group); len(step.Base) > 0 {
			stage.Steps = []plan.Step{step}
		}
		if len(stage.Steps) > 0 {
			p.Stages = append(p.Stages, stage)
		}
	}
	if err := p.Price(); err != nil {
		return nil, err
	}
	p.Bound = min(plan.OperationBound(&p.Fabric, &p.Collective), p.Cost.Total())
	return p, nil
}

// translations returns the group of a symmetric schedule, if it commutes.
func (s *Schedule) translations() (topology.Translations, bool) {
	switch {
	case !s.Symmetric() || !s.Group.Commutative():
		return topology.Translations{}, false
	case s.Group.Q == 1:
		return topology.Rotations(s.Nodes, 1), true
	}
	return topology.Translation(s.Group.Q, s.Group.M), true
}

// named returns the topology of a stage under the name of its expression, if it has one.
func (s *Schedule) named(stage int) *topology.Graph {
	g := s.Graph(stage)
	if jumps, ok := g.Jumps(); ok {
		return topology.DirectedCirculant(s.Nodes, jumps...)
	}
	return topology.New(s.Nodes, fmt.Sprintf("exchange:%d", stage+1), slices.Collect(g.Edges()))
}

// slots makes a step of every slot.
func (c *chunked) slots(s *Schedule, stage int, group topology.Translations) []plan.Step {
	var steps []plan.Step
	for _, moves := range s.Moves(stage) {
		step := plan.Step{Group: group}
		for _, m := range moves {
			step.Base = append(step.Base, plan.Transfer{
				Transfer: collective.Transfer{
					Src: m.Src, Dst: m.Dst, Action: collective.Copy, Chunks: collective.Single(c.number(m.Chunk)),
				},
				Routes: []flow.Route{{Path: []int32{int32(m.Src), int32(m.Dst)}, Share: 1}},
			})
		}
		if len(step.Base) > 0 { // an empty slot of a stage takes no time if nothing waits for it
			steps = append(steps, step)
		}
	}
	return steps
}

// whole makes one step of a stage: every chunk goes its way through it. Chunks that go
// the same way are one transfer.
func (c *chunked) whole(s *Schedule, stage int, group topology.Translations) plan.Step {
	paths := map[Chunk][]int32{}
	var order []Chunk
	for _, moves := range s.Moves(stage) {
		for _, m := range moves {
			if paths[m.Chunk] == nil {
				paths[m.Chunk] = []int32{int32(m.Src)}
				order = append(order, m.Chunk)
			}
			paths[m.Chunk] = append(paths[m.Chunk], int32(m.Dst))
		}
	}
	slices.SortFunc(order, func(a, b Chunk) int { return cmp.Compare(c.number(a), c.number(b)) })
	step := plan.Step{Group: group}
	same := map[string]int{}
	for _, chunk := range order {
		path := paths[chunk]
		key := fmt.Sprint(path)
		i, ok := same[key]
		if !ok {
			i = len(step.Base)
			same[key] = i
			step.Base = append(step.Base, plan.Transfer{
				Transfer: collective.Transfer{Src: int(path[0]), Dst: int(path[len(path)-1]), Action: collective.Copy},
				Routes:   []flow.Route{{Path: path, Share: 1}},
			})
		}
		t := &step.Base[i]
		t.Chunks = append(t.Chunks, collective.Single(c.number(chunk))...)
	}
	for i := range step.Base {
		step.Base[i].Chunks = collective.Of(slices.Collect(step.Base[i].Chunks.All()))
	}
	return step
}
