package lift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Options say where a program runs.
type Options struct {
	Fabric    fabric.Fabric // ranks store and forward, whatever the fabric says
	Size      units.Bytes
	Algorithm string // its name
	Planner   string // the name of what made the program
	// Topologies are the circuits of each stage, and Nodes the GPU of each rank (nil: rank r is
	// GPU r).
	Topologies []*topology.Graph
	Nodes      []int
	// Stages has the stage of each program, ascending; nil: each program is a stage.
	Stages []int
}

// stage returns the stage of a program.
func (o *Options) stage(program int) int {
	if o.Stages == nil {
		return program
	}
	return o.Stages[program]
}

// ErrInexpressible means that a plan cannot express what a program does, though it may be correct:
// a plan has steps with barriers between them, and one value of every chunk at a GPU.
var ErrInexpressible = errors.New("no plan shows the steps of the program")

// Lift returns the plan of programs that follow one another on the same buffers and have
// passed the checker. It is priced, but has no bound. The error may wrap ErrInexpressible.
func Lift(ctx context.Context, graphs []*check.Graph, o Options) (*plan.Plan, error) {
	if len(graphs) == 0 || len(graphs) != len(o.Topologies) && o.Stages == nil || o.Stages != nil && len(o.Stages) != len(graphs) {
		return nil, fmt.Errorf("%d programs for %d topologies", len(graphs), len(o.Topologies))
	}
	topologies := make([]*topology.Graph, len(graphs))
	for i := range topologies {
		topologies[i] = o.Topologies[o.stage(i)]
	}
	l := graphs[0].BufferMap()
	f, err := followed(ctx, graphs, topologies, o.Nodes, false)
	if errors.Is(err, errOrder) {
		f, err = followed(ctx, graphs, topologies, o.Nodes, true)
	}
	if err != nil {
		return nil, err
	}
	p := &plan.Plan{Fabric: o.Fabric, Provenance: plan.Provenance{Planner: o.Planner}}
	p.Fabric.Forwarding = fabric.StoreAndForward
	space, times := spaceOf(&l, o.Fabric.Nodes, o.Nodes)
	p.Collective = plan.Collective{Op: l.Op, Algorithm: o.Algorithm, Size: o.Size, Space: space}
	stages, err := f.stages(len(graphs), times, o.Nodes)
	if err != nil {
		return nil, err
	}
	last := -1
	for i, steps := range stages {
		stage := plan.Stage{Topology: topologies[i]}
		for _, transfers := range steps {
			if err := route(ctx, p, stage.Topology, transfers); err != nil {
				return nil, fmt.Errorf("stage %d: %w", o.stage(i)+1, err)
			}
			stage.Steps = append(stage.Steps, plan.Step{Base: transfers})
		}
		switch at := len(p.Stages) - 1; {
		case len(stage.Steps) == 0:
		case last == o.stage(i):
			p.Stages[at].Steps = append(p.Stages[at].Steps, stage.Steps...)
		default:
			p.Stages = append(p.Stages, stage)
			last = o.stage(i)
		}
	}
	if err := p.Price(); err != nil {
		return nil, err
	}
	return p, nil
}

// followed finds the transfers of programs and their order.
func followed(ctx context.Context, graphs []*check.Graph, topologies []*topology.Graph, nodes []int, stored bool) (*follower, error) {
	f := newFollower(graphs[0].BufferMap())
	f.nodes, f.stored = nodes, stored
	for i, g := range graphs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.follow(g, i); err != nil {
			return nil, err
		}
	}
	if err := f.end(); err != nil {
		return nil, err
	}
	return f, f.levels(topologies)
}

// spaceOf returns the chunk space of a layout, and how many of its chunks make one chunk of the
// program: blocks of members need a multiple of their number.
func spaceOf(l *program.BufferMap, nodes int, members []int) (space collective.Space, times int) {
	space = collective.SpaceOf(l.Op, nodes, 1)
	space.Members = members
	if space.Kind == collective.Whole {
		space.Parts = l.Chunks
		return space, 1
	}
	times = 1
	for l.Chunks*times%l.Nodes != 0 {
		times++
	}
	space.Parts = l.Chunks * times / l.Nodes
	return space, times
}

// chunkOf returns the chunk of an item, in units of times.
func chunkOf(l *program.BufferMap, item program.Item) int {
	rank, offset := l.Origin(item)
	switch l.Op {
	case collective.AllGather, collective.Gather:
		return rank*l.Block() + offset
	case collective.AllToAll:
		return rank*l.Chunks + offset
	}
	return offset
}

// action returns what a transfer does at its receiver.
func (t *transfer) action() collective.Action {
	switch {
	case t.replace:
		return collective.Replace
	case t.reduce:
		return collective.Reduce
	}
	return collective.Copy
}

// stages groups transfers by stage and level, and joins chunks that take the same route.
func (f *follower) stages(count, times int, nodes []int) ([][][]plan.Transfer, error) {
	order := arithmetic.UpTo(len(f.transfers))
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &f.transfers[a], &f.transfers[b]
		return cmp.Or(cmp.Compare(x.stage, y.stage), cmp.Compare(x.level, y.level), slices.Compare(x.path, y.path),
			cmp.Compare(x.action(), y.action()), cmp.Compare(x.part, y.part), cmp.Compare(x.sides, y.sides), cmp.Compare(x.item, y.item))
	})
	stages := make([][][]plan.Transfer, count)
	for i := 0; i < len(order); {
		first := &f.transfers[order[i]]
		steps := &stages[first.stage]
		if i == 0 || f.transfers[order[i-1]].stage != first.stage || f.transfers[order[i-1]].level != first.level {
			*steps = append(*steps, nil)
		}
		var ids []int
		for ; i < len(order); i++ {
			t := &f.transfers[order[i]]
			if t.stage != first.stage || t.level != first.level || t.action() != first.action() || t.part != first.part || t.sides != first.sides || !slices.Equal(t.path, first.path) {
				break
			}
			for k := range times {
				ids = append(ids, chunkOf(&f.layout, t.item)*times+k)
			}
		}
		path := slices.Clone(first.path)
		for h := range path {
			if nodes != nil {
				path[h] = int32(nodes[path[h]])
			}
		}
		slices.Sort(ids)
		if len(slices.Compact(slices.Clone(ids))) != len(ids) {
			return nil, fmt.Errorf("%w: a chunk goes from rank %d to rank %d twice in one step", ErrInexpressible, first.path[0], first.path[len(first.path)-1])
		}
		last := len(*steps) - 1
		(*steps)[last] = append((*steps)[last], plan.Transfer{
			Transfer: collective.Transfer{Src: int(path[0]), Dst: int(path[len(path)-1]), Action: first.action(), Part: first.part, Sides: first.sides, Chunks: collective.Of(ids)},
			Routes:   []flow.Route{{Path: path, Share: 1}},
		})
	}
	return stages, nil
}

// route keeps the routes of a step if all its messages have circuits, fixed links or islands;
// otherwise it routes all transfers over the actual circuits.
func route(ctx context.Context, p *plan.Plan, g *topology.Graph, transfers []plan.Transfer) error {
	direct := true
	for i := range transfers {
		path := transfers[i].Routes[0].Path
		for h := range len(path) - 1 {
			direct = direct && plan.TierOf(&p.Fabric, g, int(path[h]), int(path[h+1])) != plan.NoWay
		}
	}
	if direct {
		return nil
	}
	return p.RouteStep(ctx, g, plan.Step{Base: transfers})
}
