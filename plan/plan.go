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
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Plan is a schedule of circuits and transfers. Stages, Fabric and Collective say what happens.
// The other fields are claims about it; Price computes them and package verify checks them.
type Plan struct {
	Fabric     fabric.Fabric
	Collective Collective
	Provenance
	// Independent says that planes do not wait for one another. Every stage is then a turn of one
	// plane, and sends only what GPUs had from the start.
	Independent bool
	Stages      []Stage

	Cost Cost
	// Reconfigurations counts the changes that were charged; if planes reconfigure independently,
	// it counts those of every plane.
	Reconfigurations int
	Bound            units.Time // no plan for this algorithm on this fabric is faster
	// Baselines has the fastest plan that does not reconfigure, by any planner (the glossary says
	// which are tried), and the fastest that reconfigures before every step, of any algorithm.
	// SameAlgorithm has the plans of planners static and every-step with this plan's algorithm.
	Baselines     Baselines
	SameAlgorithm Baselines
	// Simulated is how long the plan takes packet by packet, if it was simulated; if not,
	// Unsimulated may say why. SimulatedBaselines are the simulated times of the plans behind
	// Baselines. Rival is a plan that is slower than this one by the model but faster packet by
	// packet. The summary has all this, the file has none: a simulation finds it again.
	Simulated   units.Time
	Unsimulated string
	// Late gives the causes, the largest first, for which packets take longer than the model, if
	// they do so by at least a hundredth.
	Late         []Lateness
	BarriersCost *units.Time // how much longer packets take with barriers, if Simulated is without
	// Among says from which candidates the plan was chosen, if not from all.
	Among string
	// StaticAmong says among which plans Baselines.Static is the fastest, if not among all.
	StaticAmong        string
	SimulatedBaselines Baselines
	Rival              *Rival

	// File has what the plan's file claims beyond the plan itself, for package verify.
	File FileClaims

	known Known // resolves the names in the plan
}

// FileClaims has claims that only the file of a plan makes. The zero value is for a plan that
// was not read from a file.
type FileClaims struct {
	// Misstated lists where the file contradicts itself, such as a total that is not the sum of
	// its parts. Package verify then refuses the plan.
	Misstated []string
	// Asymmetric lists the steps that lack the symmetry that the file claims for them.
	Asymmetric     []int
	Gap            *float64
	Bound          *units.Time
	OperationBound *units.Time
	SameAlgorithm  *Baselines // older files have none
}

// Provenance says where a plan comes from: its planner, the request, the choices, how much the
// planner searched and what it proved. These are the planner's own statements.
type Provenance struct {
	Planner string
	// Strategy says how a planner that makes its own steps found them. Slots is the number of hop
	// slots of one chunk that an exchange takes. They are "" and 0 in other plans.
	Strategy string
	Slots    int
	// Approximate says that routing is optimal, but that the routes of some step were not proven to
	// be: others between the same GPUs may be faster.
	Approximate bool
	// Synthesis describes the search for topologies; nil if there was none.
	Synthesis *Synthesis
}

// Baselines are the times of the two extremes; zero if the plan is impossible or unknown.
type Baselines struct {
	Static    units.Time `json:"static,omitempty"`
	EveryStep units.Time `json:"every-step,omitempty"`
	// Direct is the static all-to-all that sends everything at once.
	Direct units.Time `json:"direct,omitempty"`
}

// Baseline names a kind of plan that others are compared with; "" is none.
type Baseline string

// The two extremes.
const (
	Static    Baseline = "static"     // stays on the base
	EveryStep Baseline = "every-step" // reconfigures before every step
)

// Set sets the time of a baseline.
func (b *Baselines) Set(which Baseline, time units.Time) {
	switch which {
	case Static:
		b.Static = time
	case EveryStep:
		b.EveryStep = time
	}
}

// Lateness is the part of the packets' delay against the model that one cause explains.
type Lateness struct {
	Cause string     `json:"cause"` // as simulate names it
	Ns    units.Time `json:"ns"`
	Why   string     `json:"why"` // the cause in words
}

// Rival is another plan.
type Rival struct {
	Algorithm   string     `json:"algorithm"`
	Planner     string     `json:"planner"`
	Strategy    string     `json:"strategy,omitempty"` // as in Provenance
	TotalNs     units.Time `json:"total_ns"`
	SimulatedNs units.Time `json:"simulated_ns"`
}

// Speedups say how many times as fast a plan is as the two extremes; zero if unknown.
type Speedups struct {
	Static    float64 `json:"static,omitempty"`
	EveryStep float64 `json:"every-step,omitempty"`
}

// Over returns how many times as fast as each of the extremes a plan of the given time is.
func (b *Baselines) Over(time units.Time) Speedups {
	if time == 0 {
		return Speedups{}
	}
	return Speedups{Static: float64(b.Static / time), EveryStep: float64(b.EveryStep / time)}
}

// Synthesis describes a search for topologies. It is the planner's statement: package verify
// could check it only in as much time as the search took.
type Synthesis struct {
	Mode        string `json:"mode"`
	Evaluations int    `json:"evaluations"` // topologies that were evaluated
	// Effort is the work that was counted. Spent says that the search ended at its limit.
	Effort int64 `json:"effort,omitempty"`
	Spent  bool  `json:"spent,omitempty"`
	// Proven says that no topologies give the algorithm a faster schedule.
	Proven bool `json:"proven"`
	// Bound is a time that no schedule beats, by its proof; 0 if there is none.
	Bound units.Time `json:"bound_ns,omitempty"`
}

// Collective says what the plan has to achieve.
type Collective struct {
	Op        collective.Op
	Algorithm string
	Size      units.Bytes // as the operation defines it
	Space     collective.Space
}

// Section returns the collective as an operation that can be part of a sequence.
func (c *Collective) Section() *collective.Section { return (*collective.Section)(c) }

// Reduces reports whether the operation combines contributions.
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

// Rebuild lays out the algorithm again from its name. A sequence must have no more than the
// given number of steps, because a few bytes can name very many.
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

// Stage is a set of steps on the same circuits. A reconfiguration leads from one stage to the
// next; the package comment says what can be sent meanwhile.
type Stage struct {
	Topology *topology.Graph
	Steps    []Step
	// Lanes, one for each plane, are set if planes reconfigure independently. Then every stage has
	// them, and exactly one step. Topology is then the union of all lanes' circuits.
	Lanes []Lane
	// Circuits gives Topology its ports and switches, if the fabric has a layout and a file names
	// them; nil: as SetUp finds them.
	Circuits []layout.Circuit

	Start units.Time // when the previous steps have ended
	// Reconfiguration is how long the first step waits for circuits; 0 if none changes or the
	// change is free.
	Reconfiguration units.Time
	Hidden          units.Time // the part of the change that runs while something else does
}

// Wait returns how long the steps of the stage wait for circuits: Reconfiguration, plus the
// waits of later steps if the change is still going on then.
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

// Step is the set of transfers between two barriers. Base stands for its images under every
// element of Group, including their routes; with the trivial group it is the whole step. All
// transfers read what nodes held when the step began.
type Step struct {
	Index int // 1, 2, .. through the whole plan
	Group topology.Translations
	Base  []Transfer

	Start units.Time // after the wait for circuits, if any
	Cost  StepCost
}

// Transfer is a move of chunks over circuits. The shares of its routes add up to 1.
type Transfer struct {
	collective.Transfer
	Routes []flow.Route
}

// Len returns the number of transfers in the step.
func (s *Step) Len() int { return s.Group.Order() * len(s.Base) }

// All yields every transfer of the step: the images of Base under element 0, then under element
// 1, and so on. The images under element 0 share memory with the plan.
func (s *Step) All(space collective.Space) iter.Seq[Transfer] {
	return s.Among(space, func(int, int) bool { return true })
}

// Among is All, restricted to transfers between GPUs that are wanted.
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

// numbers allocates space for the images of all nodes under an element of the group, if the
// step has so many chunks that computing them once pays off; else it returns nil.
func (s *Step) numbers(space *collective.Space) []int {
	if len(s.Group.Dims) < 2 || space.Members != nil || space.Kind != collective.Blocks && space.Kind != collective.Pairs {
		return nil
	}
	chunks := each.SumBelow(len(s.Base), func(i int) int { return s.Base[i].Chunks.Len() })
	if chunks < space.Nodes {
		return nil
	}
	return make([]int, space.Nodes)
}

// Image returns the image of base transfer i under element k of the group.
func (s *Step) Image(space *collective.Space, k, i int) Transfer { return s.image(*space, k, i, nil) }

// image is Image with to, the images of all nodes, if they are known.
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

// RenumberRoutes returns the routes with other node numbers: node u becomes to[u].
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
	return each.Sum(p.Stages, func(stage Stage) int { return len(stage.Steps) })
}

// Bytes returns the size of the given chunks.
func (p *Plan) Bytes(chunks collective.Chunks) float64 {
	return p.Collective.Space.Bytes(float64(p.Collective.Size), chunks)
}

// OperationBound returns a time that no plan for the same operation can beat on this fabric,
// whatever its algorithm.
func (p *Plan) OperationBound() bound.Breakdown {
	return bound.OfOperation(&p.Fabric, p.Collective.Section())
}

// Gap returns an upper bound on how far the plan is from the best: total/bound - 1.
func (p *Plan) Gap() float64 {
	if p.Bound <= 0 || Near(p.Bound, p.Cost.Total()) {
		return 0
	}
	return min(float64(p.Cost.Total()/p.Bound)-1, math.MaxFloat64)
}

// Laid returns the steps of the plan's algorithm, by name, or, if the name is unknown or the
// context has ended, the plan's own.
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
