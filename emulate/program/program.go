package program

import (
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Program is a plan as its ranks execute it. It must not be changed.
type Program struct {
	Plan    *plan.Plan
	Type    number.Type
	Initial *Wiring   // before the first stage; nil: not specified
	Wirings []*Wiring // of every stage
	Steps   []Place   // of the plan
	Parts   []Part    // of the stages
	Beside  Beside    // paths besides circuits
	// Depth bounds the number of additions that a contribution goes through.
	Depth int
	// Apart says that some transfer carries what its source has received without its own
	// contribution, so that ranks must keep that sum separately.
	Apart bool
	// Sides are the side sums that some transfer carries, which ranks therefore keep.
	Sides collective.Sides

	sizes *sizes
	duty  func(chunk int) collective.Duty
}

// Place is the position of a step in the plan. Stages count from 0.
type Place struct {
	Stage int
	Step  *plan.Step
}

// maxRoutes is the number of routes that a frame can number; the hops of a route have the same
// number of bits.
const maxRoutes = 1 << 16

// New turns a plan into a program for elements of a type. The plan must be correct.
func New(p *plan.Plan, t number.Type) (*Program, error) {
	g, err := Unwired(p, t)
	if err != nil {
		return nil, err
	}
	initial, err := p.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	if initial != nil {
		if g.Initial, err = Assign(&p.Fabric, initial, nil); err != nil {
			return nil, fmt.Errorf("initial: %w", err)
		}
		g.Initial.date(-1, nil, p.Fabric.Ports)
	}
	before := g.Initial
	for i := range p.Stages {
		w, err := assign(p, i, before)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i+1, err)
		}
		w.date(i, before, p.Fabric.Ports)
		g.Wirings = append(g.Wirings, w)
		before = w
	}
	return g, nil
}

// Unwired is New without the ports of circuits, which the caller assigns.
func Unwired(p *plan.Plan, t number.Type) (*Program, error) {
	if p.Staggered() {
		return nil, errors.New("the software switch reconfigures all planes together, but those of this plan reconfigure independently; plan with an `overlap` other than planes")
	}
	g := &Program{
		Plan: p, Type: t, Beside: NewBeside(&p.Fabric), sizes: newSizes(&p.Collective.Space, p.Collective.Size),
		duty: collective.Duties(p.Collective.Op, &p.Collective.Space),
	}
	for i := range p.Stages {
		for j := range p.Stages[i].Steps {
			step := &p.Stages[i].Steps[j]
			g.Steps = append(g.Steps, Place{i, step})
			g.Depth += deepest(step, &p.Collective.Space, p.Fabric.Nodes)
			for k := range step.Base {
				g.Apart = g.Apart || step.Base[k].Part == collective.ReceivedPart
				if side, _ := step.Base[k].Part.Side(); side > 0 {
					g.Sides |= collective.SidesOf(side)
				}
				if routes := step.Base[k].Routes; len(routes) > maxRoutes {
					return nil, fmt.Errorf("step %d: a transfer over %d routes; at most %d", step.Index, len(routes), maxRoutes)
				}
			}
		}
	}
	if len(g.Steps) == 0 {
		return nil, errors.New("the plan has no steps")
	}
	g.Parts = g.parts()
	g.Depth = min(g.Depth, p.Fabric.Nodes-1)
	return g, nil
}

// deepest returns a bound on how often one node adds to one chunk in a step.
func deepest(step *plan.Step, space *collective.Space, nodes int) int {
	into := make([]int, nodes)
	most := 0
	for t := range step.All(*space) {
		if t.Action.Adds() {
			into[t.Dst]++
			most = max(most, into[t.Dst])
		}
	}
	return most
}

// Carries reports whether transfers over unchanged circuits go on while other circuits change.
func (g *Program) Carries() bool { return g.Plan.Fabric.Overlap.Kind == fabric.OverlapCircuits }

// Dark returns how long the changing ports of a stage are dark: the time that the plan waits
// and, if transfers over other circuits go on, the time hidden by them.
func (g *Program) Dark(stage int) units.Time {
	s := &g.Plan.Stages[stage]
	if g.Carries() {
		return s.Reconfiguration + s.Hidden
	}
	for i, part := range g.Parts {
		if part.Stage == stage && part.Waits && i > 0 && g.Parts[i-1].Stage == stage {
			// Steps without circuits come first and may hide all of the dark time.
			open := g.Steps[part.First].Step.Start - s.Start
			return min(open, s.Hidden+open-g.span(g.Parts[i-1]))
		}
	}
	return s.Reconfiguration
}

// Ranks lists the nodes that take part: all except those that the plan avoids.
func (g *Program) Ranks() []int { return g.Plan.Fabric.Present() }

// Bytes returns the size of a chunk.
func (g *Program) Bytes(chunk int) int {
	size := g.Type.Size()
	return g.sizes.elements(chunk, size) * size
}

// Duty returns what the operation requires of a chunk.
func (g *Program) Duty(chunk int) collective.Duty { return g.duty(chunk) }

// Chunks returns the number of chunks.
func (g *Program) Chunks() int { return g.Plan.Collective.Space.Chunks() }

// Wiring returns the circuits of a step, counted from 0.
func (g *Program) Wiring(step int) *Wiring { return g.Wirings[g.Steps[step].Stage] }

// Route is a part of a transfer's bytes and its path.
type Route struct {
	Path     []int32
	From, To int // bytes of the transfer
}

// Transfer is chunks that are sent one after the other.
type Transfer struct {
	Number   int // within the step
	Src, Dst int
	Action   collective.Action
	Part     collective.Part
	Sides    collective.Sides
	Chunks   collective.Chunks
	Bytes    int
	Routes   []Route
}

// transfer divides the bytes of a transfer among its routes.
func (g *Program) transfer(number int, t plan.Transfer) *Transfer {
	own := &Transfer{Number: number, Src: t.Src, Dst: t.Dst, Action: t.Action, Part: t.Part, Sides: t.Sides, Chunks: t.Chunks}
	for c := range t.Chunks.All() {
		own.Bytes += g.Bytes(c)
	}
	share, from := 0.0, 0
	for i, r := range t.Routes {
		share += r.Share
		to := min(own.Bytes, int(math.Round(share*float64(own.Bytes))))
		if i == len(t.Routes)-1 {
			to = own.Bytes
		}
		own.Routes = append(own.Routes, Route{Path: r.Path, From: from, To: max(from, to)})
		from = max(from, to)
	}
	return own
}
