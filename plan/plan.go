package plan

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Plan is a schedule of circuits and transfers. Stages, Fabric and Collective say
// what happens; the other fields are claims about it, which Price computes and
// package verify checks.
type Plan struct {
	Fabric     fabric.Fabric
	Collective Collective
	Provenance
	// Independent: planes do not wait for one another. Every stage is then a turn of one plane,
	// and sends only what GPUs had from the start.
	Independent bool
	Stages      []Stage

	Cost Cost
	// Reconfigurations counts changes that were charged; of single planes if these reconfigure
	// independently.
	Reconfigurations int
	Bound            units.Time // no plan for this algorithm on this fabric is faster
	// Baselines are the fastest plan of any planner that does not reconfigure (the glossary says
	// which are tried), and the fastest that reconfigures before every step, of any algorithm.
	// SameAlgorithm are those of planners static and every-step with this plan's algorithm.
	Baselines     Baselines
	SameAlgorithm Baselines
	// Simulated is how long its packets take, if that has been found out, and otherwise
	// Unsimulated may say why not; SimulatedBaselines are the packets of the plans behind
	// Baselines, and Rival is a plan that is slower than this one by the model and faster
	// packet by packet. All this is in the summary and not in the file: a simulation finds
	// it again.
	Simulated   units.Time
	Unsimulated string
	// Late says why packets take longer than the model has it, if by a hundredth or more, the
	// largest cause first.
	Late         []Lateness
	BarriersCost *units.Time // how much longer they take with barriers, if Simulated is without
	// Among says what the plan was chosen from, if not from everything.
	Among string
	// StaticAmong says what Baselines.Static is the fastest of, if not of everything.
	StaticAmong        string
	SimulatedBaselines Baselines
	Rival              *Rival

	// File is what a file says of the plan beyond what the plan does, for package verify.
	File FileClaims

	known Known // what names stand for
}

// FileClaims is what only the file of a plan says. The zero value is that of a plan which was
// not read from one.
type FileClaims struct {
	// Misstated is what a file says twice and not the same way, such as a total that is
	// not the sum of its parts; package verify refuses the plan for it.
	Misstated []string
	// Asymmetric are the steps that lack the symmetry that is claimed for them.
	Asymmetric     []int
	Gap            *float64
	Bound          *units.Time
	OperationBound *units.Time
	SameAlgorithm  *Baselines // older files have none
}

// Provenance tells where a plan comes from: the planner, what it was asked for and chose,
// how much it looked at and what it has proven. It is the planner's word.
type Provenance struct {
	Planner string
	// Strategy tells how planners that make their own steps found them, and Slots of an
	// exchange the hop slots of one chunk that it takes; "" and 0 in other plans.
	Strategy string
	Slots    int
	// Synthesis tells of the search for topologies; nil where none was made.
	Synthesis *Synthesis
}

// Baselines are the times of the two extremes; zero where one is not possible or not known.
type Baselines struct {
	Static    units.Time `json:"static,omitempty"`
	EveryStep units.Time `json:"every-step,omitempty"`
	// Direct is the static all-to-all that sends everything at once.
	Direct units.Time `json:"direct,omitempty"`
}

// Baseline is a kind of plan that others are compared with, as Baselines call it; "" is none.
type Baseline string

// The two extremes.
const (
	Static    Baseline = "static"     // stays on the base
	EveryStep Baseline = "every-step" // reconfigures before every step
)

// Set enters the time of a baseline.
func (b *Baselines) Set(which Baseline, time units.Time) {
	switch which {
	case Static:
		b.Static = time
	case EveryStep:
		b.EveryStep = time
	}
}

// Lateness is how much one cause makes packets later than the model.
type Lateness struct {
	Cause string     `json:"cause"` // as simulate names it
	Ns    units.Time `json:"ns"`
	Why   string     `json:"why"` // the cause in words
}

// Rival is another plan.
type Rival struct {
	Algorithm   string     `json:"algorithm"`
	Planner     string     `json:"planner"`
	Strategy    string     `json:"strategy,omitempty"` // as a plan has it
	TotalNs     units.Time `json:"total_ns"`
	SimulatedNs units.Time `json:"simulated_ns"`
}

// Speedups are how many times as fast a plan is as the two extremes; zero where that is
// not known.
type Speedups struct {
	Static    float64 `json:"static,omitempty"`
	EveryStep float64 `json:"every-step,omitempty"`
}

// Over returns how many times as fast as each of the extremes something is that takes a
// time.
func (b *Baselines) Over(time units.Time) Speedups {
	if time == 0 {
		return Speedups{}
	}
	return Speedups{Static: float64(b.Static / time), EveryStep: float64(b.EveryStep / time)}
}

// Synthesis tells of a search for topologies. It is the planner's word, which package
// verify cannot check in less time than the search took.
type Synthesis struct {
	Mode        string `json:"mode"`
	Evaluations int    `json:"evaluations"` // topologies that were looked at
	// Effort is the counted work, and Spent says that the search ended because it reached its
	// limit.
	Effort int64 `json:"effort,omitempty"`
	Spent  bool  `json:"spent,omitempty"`
	// Proven: no topologies at all give the algorithm a faster schedule.
	Proven bool `json:"proven"`
	// Bound is a time that no schedule beats, by its proof; 0 if there is none.
	Bound units.Time `json:"bound_ns,omitempty"`
}

// Collective says what the plan is to achieve.
type Collective struct {
	Op        collective.Op
	Algorithm string
	Size      units.Bytes // as the operation defines it
	Space     collective.Space
}

// Section returns the same as an operation that may stand in a sequence.
func (c *Collective) Section() *collective.Section { return (*collective.Section)(c) }

// Reduces reports whether contributions are combined.
func (c *Collective) Reduces() bool {
	for i := range c.Space.Sections {
		if c.Space.Sections[i].Op.Reduces() {
			return true
		}
	}
	for i := range c.Space.Pieces {
		if c.Space.Pieces[i].Reduces {
			return true
		}
	}
	return c.Op.Reduces()
}

// ErrFewerSteps says that a plan has fewer steps than the algorithms that it names.
var ErrFewerSteps = errors.New("the plan has fewer steps than its algorithms")

// Rebuild lays out the algorithm again, from its name. A sequence must not have more steps
// than most: a few bytes can name very many.
func (c *Collective) Rebuild(ctx context.Context, known *algorithms.Registry, ports, most int) (collective.Sized, error) {
	if c.Space.Kind != collective.Sections {
		s := collective.Section{Op: c.Op, Algorithm: c.Algorithm, Size: c.Size, Space: c.Space}
		return known.Rebuild(ctx, &s, ports)
	}
	parts := make([]collective.Sized, len(c.Space.Sections))
	for i := range parts {
		var err error
		if parts[i], err = known.Rebuild(ctx, &c.Space.Sections[i], ports); err != nil {
			return collective.Sized{}, err
		}
		if most -= len(parts[i].Steps); most < 0 {
			return collective.Sized{}, ErrFewerSteps
		}
	}
	return collective.InSequence(parts...)
}

// Stage is steps on the same circuits. Going from one stage to the next is a
// reconfiguration; the comment on the package says what can be sent meanwhile.
type Stage struct {
	Topology *topology.Graph
	Steps    []Step
	// Lanes, one for each plane, are set if planes reconfigure independently; then all stages
	// have them, and one step each. Topology is then the circuits of all lanes.
	Lanes []Lane
	// Circuits are Topology with ports and switches, where the fabric has a layout and a file
	// says so; nil: as SetUp finds them.
	Circuits []layout.Circuit

	Start units.Time // when the steps before have ended
	// Reconfiguration is how long the first step waits for circuits; 0 where none changes or it
	// is free.
	Reconfiguration units.Time
	Hidden          units.Time // part of the change that goes on while something else does
}

// Wait returns how long the steps of the stage wait for circuits: Reconfiguration, and what
// steps after the first do where a change goes on beyond it.
func (s *Stage) Wait() units.Time {
	wait := s.Reconfiguration
	for j := 1; j < len(s.Steps); j++ {
		before := &s.Steps[j-1]
		if gap := s.Steps[j].Start - before.Start - before.Cost.Total(); !Near(before.Start+gap, before.Start) {
			wait += gap
		}
	}
	return wait
}

// Step is the transfers between two barriers. Base stands for its images under
// every element of Group, routes included; with the trivial group it is the whole
// step. All transfers read what nodes held when the step began.
type Step struct {
	Index int // 1, 2, .. through the whole plan
	Group topology.Translations
	Base  []Transfer

	Start units.Time // after the wait for circuits, if there is one
	Cost  StepCost
}

// Transfer is a move of chunks over circuits. The shares of its routes add up to 1.
type Transfer struct {
	collective.Transfer
	Routes []flow.Route
}

// Len returns the number of transfers of the step.
func (s *Step) Len() int { return s.Group.Order() * len(s.Base) }

// All yields every transfer of the step: the images of Base under element 0, then
// under element 1, and so on. Those of element 0 share memory with the plan.
func (s *Step) All(space collective.Space) iter.Seq[Transfer] {
	return s.Among(space, func(int, int) bool { return true })
}

// Among is All for transfers between some GPUs.
func (s *Step) Among(space collective.Space, wanted func(src, dst int) bool) iter.Seq[Transfer] {
	return func(yield func(Transfer) bool) {
		to := s.numbers(&space)
		for k := range s.Group.Order() {
			for u := range to {
				to[u] = s.Group.Apply(k, u)
			}
			for i := range s.Base {
				t := &s.Base[i]
				if wanted(s.Group.Apply(k, t.Src), s.Group.Apply(k, t.Dst)) && !yield(s.image(space, k, i, to)) {
					return
				}
			}
		}
	}
}

// numbers makes room for the images of all nodes under an element of the group where a step has so
// many chunks that it pays to know them; nil elsewhere.
func (s *Step) numbers(space *collective.Space) []int {
	if len(s.Group.Dims) < 2 || space.Members != nil || space.Kind != collective.Blocks && space.Kind != collective.Pairs {
		return nil
	}
	chunks := 0
	for i := range s.Base {
		chunks += s.Base[i].Chunks.Len()
	}
	if chunks < space.Nodes {
		return nil
	}
	return make([]int, space.Nodes)
}

// Image returns what element k of the group makes of base transfer i.
func (s *Step) Image(space *collective.Space, k, i int) Transfer { return s.image(*space, k, i, nil) }

// image is Image. to is the images of all
// nodes, if they are known.
func (s *Step) image(space collective.Space, k, i int, to []int) Transfer {
	t := s.Base[i]
	if k == 0 {
		return t
	}
	t.Src, t.Dst = s.Group.Apply(k, t.Src), s.Group.Apply(k, t.Dst)
	if to != nil {
		t.Chunks = space.Renumber(to, t.Chunks)
	} else {
		t.Chunks = space.Translate(s.Group, k, t.Chunks)
	}
	t.Routes = MoveRoutes(s.Group, k, t.Routes)
	return t
}

// MoveRoutes returns the image of routes under element k of a group.
func MoveRoutes(group topology.Translations, k int, routes []flow.Route) []flow.Route {
	return eachNode(routes, func(u int) int { return group.Apply(k, u) })
}

// RenumberRoutes returns routes over nodes that have other numbers: node u becomes to[u].
func RenumberRoutes(to []int, routes []flow.Route) []flow.Route {
	return eachNode(routes, func(u int) int { return to[u] })
}

func eachNode(routes []flow.Route, to func(u int) int) []flow.Route {
	moved := make([]flow.Route, len(routes))
	for r, route := range routes {
		path := make([]int32, len(route.Path))
		for h, u := range route.Path {
			path[h] = int32(to(int(u)))
		}
		moved[r] = flow.Route{Path: path, Share: route.Share}
	}
	return moved
}

// Backward returns the step reversed in time: every transfer goes from its target to its source,
// over the same nodes, with the given action.
func (s *Step) Backward(action collective.Action) Step {
	back := Step{Group: s.Group, Base: make([]Transfer, len(s.Base))}
	for k, t := range s.Base {
		routes := make([]flow.Route, len(t.Routes))
		for r, route := range t.Routes {
			path := slices.Clone(route.Path)
			slices.Reverse(path)
			routes[r] = flow.Route{Path: path, Share: route.Share}
		}
		back.Base[k] = Transfer{
			Transfer: collective.Transfer{Src: t.Dst, Dst: t.Src, Action: action, Chunks: t.Chunks},
			Routes:   routes,
		}
	}
	return back
}

// Steps yields every step with its stage.
func (p *Plan) Steps() iter.Seq2[*Stage, *Step] {
	return func(yield func(*Stage, *Step) bool) {
		for i := range p.Stages {
			for j := range p.Stages[i].Steps {
				if !yield(&p.Stages[i], &p.Stages[i].Steps[j]) {
					return
				}
			}
		}
	}
}

// CountSteps returns the number of steps.
func (p *Plan) CountSteps() int {
	count := 0
	for _, stage := range p.Stages {
		count += len(stage.Steps)
	}
	return count
}

// Bytes returns the size of some chunks.
func (p *Plan) Bytes(chunks collective.Chunks) float64 {
	return p.Collective.Space.Bytes(float64(p.Collective.Size), chunks)
}

// OperationBound returns a time that no plan for the same operation can beat on this fabric,
// whatever its algorithm.
func (p *Plan) OperationBound() bound.Breakdown {
	return bound.OfOperation(&p.Fabric, p.Collective.Section())
}

// Gap returns how far the plan may be from the best: total/bound - 1.
func (p *Plan) Gap() float64 {
	if p.Bound <= 0 || Near(p.Bound, p.Cost.Total()) {
		return 0
	}
	return min(float64(p.Cost.Total()/p.Bound)-1, math.MaxFloat64)
}

// Laid returns what the plan performs: the steps of its algorithm, by name, or, if the name is
// unknown or the context has ended, those of the plan.
func (p *Plan) Laid(ctx context.Context) collective.Sized {
	if laid, err := p.Collective.Rebuild(ctx, p.known.Algorithms, p.Fabric.Ports, p.CountSteps()); err == nil {
		return laid
	}
	c := &collective.Collective{
		Op: p.Collective.Op, Algorithm: p.Collective.Algorithm, Nodes: p.Fabric.Nodes, Space: p.Collective.Space,
	}
	for _, step := range p.Steps() {
		c.Steps = append(c.Steps, step.Unrouted())
	}
	return collective.Sized{Collective: c, Size: p.Collective.Size}
}

// Unrouted returns the step without its routes.
func (s *Step) Unrouted() collective.Step {
	base := make([]collective.Transfer, len(s.Base))
	for i, t := range s.Base {
		base[i] = t.Transfer
	}
	return collective.Step{Group: s.Group, Base: base}
}
