package lines

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// mostParts is the largest number of parts of a block into which pieces are cut to fit the plans
// for lines.
const mostParts = 1 << 10

// mostWholeParts is the same limit for data that is not divided into blocks.
const mostWholeParts = 1 << 15

// mostMoved limits the transfers that a plan may list, including the runs of chunks that they
// carry.
const mostMoved = 1 << 22

// part is the plan of a line for a phase of a piece.
type part struct {
	visit
	piece, digit int
	plan         *plan.Plan
	// slices is the number of steps into which each step of the plan is cut, so that it does not
	// end long before the plans of other digits, in longer steps than theirs.
	slices int
}

// composition is a plan for the grid that is being made from plans for lines.
type composition struct {
	*grid
	op    collective.Op
	space collective.Space
	first []int // the part of a block at which each piece begins
	parts []int // number of parts of each piece

	stages []merged
	moved  int
}

// merged is a step of the plan: the matching step of every part of a phase, and the circuits of
// each digit, nil if a digit never has any.
type merged struct {
	phase []part
	at    int // which step of the phase
	up    []*topology.Graph
	step  plan.Step
}

// Usable reports why a plan for a line cannot be part of one for the grid.
func Usable(p *plan.Plan) error {
	if p.Staggered() || p.Independent {
		return fmt.Errorf("%w: planes of a line do not wait for one another", planner.ErrInfeasible)
	}
	if s := p.Collective.Space; !s.Homogeneous() || s.Kind != collective.Blocks && s.Kind != collective.Pairs && s.Kind != collective.Whole {
		return fmt.Errorf("%w: chunks of a line differ", planner.ErrInfeasible)
	}
	for _, step := range p.Steps() {
		for _, t := range step.Base {
			if t.Part != collective.WholePart {
				return fmt.Errorf("%w: a GPU has more than its own to contribute", planner.ErrInfeasible)
			}
		}
	}
	return nil
}

// compose makes a single plan from plans for lines, phase by phase.
func compose(ctx context.Context, g *grid, op collective.Op, sizes []int, phases [][]part) (*composition, error) {
	c := &composition{grid: g, op: op, first: make([]int, len(sizes)), parts: make([]int, len(sizes))}
	whole, err := slice(op, phases)
	if err != nil {
		return nil, err
	}
	total := 0
	for k, size := range sizes {
		c.first[k], c.parts[k] = total, size*whole
		total += c.parts[k]
	}
	c.space = collective.SpaceOf(op, g.nodes, total)
	for _, phase := range phases {
		for at := range longest(phase) {
			m := merged{phase: phase, at: at, up: make([]*topology.Graph, len(g.sides))}
			for i := range phase {
				m.up[phase[i].digit], _ = phase[i].at(at)
			}
			c.stages = append(c.stages, m)
		}
	}
	c.settle() // before the steps, whose symmetry is that of all circuits that are up
	for i := range c.stages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.step(&c.stages[i]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// slice sets into how many slices the steps of each part are cut, and returns the number of parts
// into which a part of a piece is cut. If that would be too many, steps are not cut.
func slice(op collective.Op, phases [][]part) (whole int, err error) {
	most := mostParts
	if collective.SpaceOf(op, 1, 1).Kind == collective.Whole {
		most = mostWholeParts
	}
	for _, cut := range []bool{true, false} {
		if whole = cutInto(phases, cut, most); whole <= most {
			return whole, nil
		}
	}
	return 0, fmt.Errorf("%w: pieces of over %d parts", planner.ErrInfeasible, most)
}

// cutInto is slice with or without cutting steps. It ends once there are more than most parts.
func cutInto(phases [][]part, cut bool, most int) int {
	whole := 1
	for _, phase := range phases {
		steps := longest(phase)
		for i := range phase {
			p := &phase[i]
			if p.slices = 1; cut {
				p.slices = max(1, steps/max(1, p.plan.CountSteps()))
			}
			in := p.in() * p.slices
			if whole = arithmetic.LCM(whole, in); whole > most {
				return whole
			}
		}
	}
	return whole
}

// in returns the number of parts into which a plan for a line cuts a block, or the whole data.
func (p *part) in() int {
	space := &p.plan.Collective.Space
	if p.whole() {
		return space.Chunks() // even if these are its blocks
	}
	return space.Parts
}

// longest returns the most steps of any plan of the phase.
func longest(phase []part) int {
	return each.Max(0, phase, func(p part) int { return p.plan.CountSteps() })
}

// at returns the step of a line's plan that runs together with a step of the phase, and its
// circuits. The step is nil if the line has nothing left to do.
func (p *part) at(step int) (*topology.Graph, *plan.Step) {
	k := step / p.slices
	for i := range p.plan.Stages {
		stage := &p.plan.Stages[i]
		if k < len(stage.Steps) {
			return stage.Topology, &stage.Steps[k]
		}
		k -= len(stage.Steps)
	}
	return p.plan.Stages[len(p.plan.Stages)-1].Topology, nil
}

// step combines what the lines of all digits send in a step.
func (c *composition) step(m *merged) error {
	of := make([]topology.Translations, len(c.sides))
	lines := make([]*plan.Step, len(m.phase))
	idle := slices.Repeat([]bool{true}, len(c.sides))
	for i := range m.phase {
		p := &m.phase[i]
		if _, lines[i] = p.at(m.at); lines[i] != nil {
			if c.op.Rooted() { // a root stays in place
				whole := *lines[i]
				whole.Unfold(p.plan.Collective.Space)
				lines[i] = &whole
			}
			of[p.digit], idle[p.digit] = lines[i].Group, false
		}
	}
	for d, side := range c.sides {
		// An idle line has circuits, too, and these need not look the same from every place.
		if all := rotations(side); idle[d] && (m.up[d] == nil || all.Invariant(m.up[d])) {
			of[d] = all
		}
		if c.op.Rooted() {
			of[d] = topology.Translations{}
		}
	}
	var reps [][]int
	m.step.Group, reps = c.group(of)
	for i, p := range m.phase {
		if lines[i] == nil {
			continue
		}
		for _, u := range c.origins(p.digit, reps, c.digits(p.piece, p.zero)) {
			for _, t := range lines[i].Base {
				lifted := c.lift(&p, u, m.at%p.slices, t)
				if c.moved += 1 + len(lifted.Chunks)/8; c.moved > mostMoved {
					return fmt.Errorf("%w: over %d transfers without symmetry", planner.ErrInfeasible, mostMoved)
				}
				m.step.Base = append(m.step.Base, lifted)
			}
		}
	}
	return nil
}

// lift turns a slice of a transfer of a line into one of the grid, on the line through GPU u.
func (c *composition) lift(p *part, u, slice int, t plan.Transfer) plan.Transfer {
	t.Src, t.Dst = c.move(u, p.digit, t.Src), c.move(u, p.digit, t.Dst)
	routes := make([]flow.Route, len(t.Routes))
	for r, route := range t.Routes {
		path := make([]int32, len(route.Path))
		for h, place := range route.Path {
			path[h] = int32(c.move(u, p.digit, int(place)))
		}
		routes[r] = flow.Route{Path: path, Share: route.Share}
	}
	t.Routes = routes
	in := p.in()
	each := c.parts[p.piece] / in
	var ids []int
	for chunk := range t.Chunks.All() {
		first := c.first[p.piece] + chunk%in*each + slice*each/p.slices
		for _, block := range p.blocks(c.grid, p.piece, u, chunk/in) {
			for i := range each / p.slices {
				ids = append(ids, block*c.space.Parts+first+i)
			}
		}
	}
	t.Chunks = collective.AppendOf(nil, ids)
	return t
}

// plan returns the composition as a priced plan.
func (c *composition) plan(ctx context.Context, r *planner.Request, about string) (*plan.Plan, error) {
	made := &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: Name, Strategy: about},
		Collective: plan.Collective{Op: c.op, Algorithm: Name, Size: r.Size, Space: c.space},
	}
	for i, m := range c.stages {
		if i > 0 && slices.Equal(m.up, c.stages[i-1].up) {
			last := &made.Stages[len(made.Stages)-1]
			last.Steps = append(last.Steps, m.step)
			continue
		}
		circuits := c.circuits(m.up)
		if err := r.Fabric.Fits(circuits); err != nil {
			return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
		}
		made.Stages = append(made.Stages, plan.Stage{Topology: circuits, Steps: []plan.Step{m.step}})
	}
	if err := made.PriceContext(ctx); err != nil {
		return nil, err
	}
	made.Bound = min(made.OperationBound().Total(), made.Cost.Total())
	return made, nil
}

// settle lets idle lines keep their circuits, or set up those that they will need. Equal circuits
// become one graph.
func (c *composition) settle() {
	var known []*topology.Graph
	for d := range c.sides {
		var last *topology.Graph
		fill := func(i int) {
			up := &c.stages[i].up[d]
			*up = cmp.Or(*up, last)
			last = *up
		}
		for i := range c.stages {
			if up := c.stages[i].up[d]; up != nil {
				k := slices.IndexFunc(known, func(g *topology.Graph) bool { return g.Equal(up) })
				if k < 0 {
					k, known = len(known), append(known, up)
				}
				c.stages[i].up[d] = known[k]
			}
			fill(i)
		}
		for i := len(c.stages) - 1; i >= 0; i-- {
			fill(i)
		}
	}
}

// circuits returns the circuits of all lines as one graph.
func (c *composition) circuits(up []*topology.Graph) *topology.Graph {
	var edges []topology.Edge
	name := ""
	for d, g := range up {
		if g == nil {
			continue
		}
		if name != "" {
			name += " x "
		}
		name += g.Name()
		for u := range c.nodes {
			if c.at(u, d) != 0 {
				continue
			}
			for e := range g.Edges() {
				edges = append(edges, topology.Edge{From: c.move(u, d, e.From), To: c.move(u, d, e.To), Count: e.Count})
			}
		}
	}
	return topology.New(c.nodes, name, edges)
}

// startsAnew reports whether no particular circuits are up before the first step.
func startsAnew(f *fabric.Fabric) bool {
	return f.Initial == fabric.InitialFree || f.Initial == fabric.InitialDark
}
