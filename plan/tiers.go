package plan

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// A hop of a route goes over a circuit if the stage has one there, else over a fixed link if
// there is one, else through the island of both GPUs. If the fixed link is worse than the
// island in any respect, the hop goes through the island instead, so that fixed links never
// make a plan slower. On fabrics with islands or fixed links, a step takes
//
//	the largest start-up of the tiers that it uses + the longest sum of delays along a route
//	+ the longest time of a circuit, of a fixed link, of what a GPU sends into its island, and of
//	what it receives there

// Tier is what carries a hop.
type Tier int

// The tiers, in the order in which they are tried.
const (
	NoWay       Tier = iota // the GPUs are not connected
	OverCircuit             // a circuit of the stage
	OverLink                // a fixed link
	OverIsland              // the island of both GPUs
)

// TierOf returns the tier of a hop from one GPU to another.
func TierOf(f *fabric.Fabric, circuits *topology.Graph, u, v int) Tier {
	switch {
	case circuits.Count(u, v) > 0:
		return OverCircuit
	case f.OverFixed(u, v) > 0:
		return OverLink
	case f.SameIsland(u, v):
		return OverIsland
	}
	return NoWay
}

// Electrical reports whether a hop between two GPUs goes through their island.
func Electrical(f *fabric.Fabric, circuits *topology.Graph, u, v int) bool {
	return TierOf(f, circuits, u, v) == OverIsland
}

// AlwaysUp reports whether a hop between two GPUs uses a fixed link or an island, which are
// always up, and no circuit.
func AlwaysUp(f *fabric.Fabric, circuits *topology.Graph, u, v int) bool {
	return TierOf(f, circuits, u, v) > OverCircuit
}

// Grounded reports whether a step uses no circuit, and so waits for none.
func (p *Plan) Grounded(stage *Stage, step *Step) bool {
	if !p.Fabric.Tiered() {
		return false
	}
	for i := range step.Base {
		for _, r := range step.Base[i].Routes {
			for h := 1; h < len(r.Path); h++ {
				if !AlwaysUp(&p.Fabric, stage.Topology, int(r.Path[h-1]), int(r.Path[h])) {
					return false
				}
			}
		}
	}
	return true
}

// tiers adds up the load of a step's routes on circuits, fixed links and islands. One GPU, link
// or circuit stands for all its images under the step's group.
type tiers struct {
	fabric   *fabric.Fabric
	circuits *fabric.Circuits // nil if all are equal
	graph    *topology.Graph
	group    topology.Translations

	bytes    []float64 // by bundle of circuits
	fixed    []float64 // by bundle of fixed links, block after block
	enter    []float64 // by GPU, what it sends into its island
	leave    []float64 // by GPU, what it receives there
	visited  []int     // by GPU, the number of the last route there
	route    int
	flight   units.Time // of the slowest route
	serial   units.Time // of the slowest route, hop after hop
	hops     int
	optical  bool // some hop uses a circuit
	static   bool // some hop uses a fixed link
	internal bool // some hop is within an island
}

// transfersBetweenQuestions is how many transfers are added up between two checks of the
// context.
const transfersBetweenQuestions = 1 << 12

// priceTiers prices a step on a fabric with islands or fixed links.
func (p *pricer) priceTiers(ctx context.Context, stage *Stage, step *Step) (StepCost, error) {
	g := stage.Topology
	kinds := g
	if p.circuits != nil {
		kinds = p.circuits.On(g).Kinds
	}
	if !step.Group.Invariant(kinds) {
		return StepCost{}, flow.ErrNotInvariant
	}
	n := g.Nodes()
	t := &tiers{
		fabric: &p.Fabric, circuits: p.circuits, graph: g, group: step.Group,
		bytes: make([]float64, g.Bundles()), enter: make([]float64, n), leave: make([]float64, n), visited: make([]int, n),
	}
	if block := p.Fabric.Fixed.Links.Block(); block != nil {
		t.fixed = make([]float64, n/block.Nodes()*block.Bundles())
	}
	for i := range step.Base {
		if i%transfersBetweenQuestions == 0 {
			if err := ctx.Err(); err != nil {
				return StepCost{}, err
			}
		}
		if err := t.add(&step.Base[i], p.Bytes(step.Base[i].Chunks)); err != nil {
			return StepCost{}, err
		}
	}
	if t.internal && !p.Fabric.KeepsIslands(step.Group) {
		return StepCost{}, fmt.Errorf("%w: it takes GPUs of one island to several", flow.ErrNotInvariant)
	}
	if t.static && !p.Fabric.KeepsFixed(step.Group) {
		return StepCost{}, fmt.Errorf("%w: it takes fixed links to where there are none", flow.ErrNotInvariant)
	}
	return t.cost(p.busiestPair(n, step), p.reduced(step)), nil
}

func (t *tiers) add(x *Transfer, bytes float64) error {
	sum := 0.0
	for _, r := range x.Routes {
		if err := t.follow(x, r, bytes*r.Share); err != nil {
			return err
		}
		sum += r.Share
	}
	if !(math.Abs(sum-1) <= flow.ShareTolerance) {
		return fmt.Errorf("%w: shares of %d -> %d sum to %v", flow.ErrRoute, x.Src, x.Dst, sum)
	}
	return nil
}

// follow adds the bytes of one route.
func (t *tiers) follow(x *Transfer, r flow.Route, bytes float64) error {
	t.route++
	if err := r.Check(x.Src, x.Dst, t.visited, t.route); err != nil {
		return err
	}
	path := r.Path
	flight, serial := units.Time(0), units.Time(0)
	for h := 1; h < len(path); h++ {
		takes, delay, err := t.hop(int(path[h-1]), int(path[h]), bytes)
		if err != nil {
			return fmt.Errorf("%w: %d -> %d passes %w", flow.ErrRoute, x.Src, x.Dst, err)
		}
		flight, serial = flight+delay, serial+takes
	}
	t.flight, t.serial, t.hops = max(t.flight, flight), max(t.serial, serial), max(t.hops, len(path)-1)
	return nil
}

// hop adds the bytes of one hop. It returns how long the hop takes by itself, and how long a
// byte travels over it.
func (t *tiers) hop(u, v int, bytes float64) (takes, delay units.Time, err error) {
	k, home := t.group.Locate(u)
	to := t.group.Back(k, v)
	if b := t.graph.Find(home, to); b >= 0 {
		t.optical = true
		t.bytes[b] += bytes
		rate, delay := t.of(u, v)
		return rate.Transmit(bytes) / units.Time(t.graph.Count(u, v)), delay.Time(), nil
	}
	if count := t.fabric.OverFixed(u, v); count > 0 {
		t.static = true
		t.fixed[t.link(home, to)] += bytes
		return t.fabric.FixedBandwidth().Transmit(bytes) / units.Time(count), t.fabric.FixedDelta().Time(), nil
	}
	if !t.fabric.SameIsland(u, v) {
		return 0, 0, fmt.Errorf("%d -> %d, where there is neither a circuit nor %s", u, v, beside(t.fabric))
	}
	t.internal = true
	t.enter[home] += bytes
	_, end := t.group.Locate(v)
	t.leave[end] += bytes
	return t.fabric.Island.Bandwidth.Transmit(bytes), t.fabric.IslandDelta().Time(), nil
}

// beside names what a fabric has in addition to circuits.
func beside(f *fabric.Fabric) string {
	switch {
	case f.Fixed.IsZero():
		return "an island"
	case f.Island.IsZero():
		return "a fixed link"
	}
	return "a fixed link nor an island"
}

// link returns the number of the fixed links from one GPU to another. If the group does not
// preserve the links there may be none; any number will then do, because the step is refused.
func (t *tiers) link(u, v int) int {
	block := t.fabric.Fixed.Links.Block()
	size := block.Nodes()
	return u/size*block.Bundles() + max(0, block.Find(u%size, v%size))
}

// of returns the bandwidth and the delay of one circuit between two GPUs.
func (t *tiers) of(u, v int) (units.Bandwidth, units.Duration) {
	if t.circuits != nil {
		return t.circuits.Of(u, v)
	}
	return t.fabric.Bandwidth, t.fabric.Delta
}

func (t *tiers) cost(pairBytes, reduced float64) StepCost {
	f, busy := t.fabric, units.Time(0)
	for e := range t.graph.Edges() {
		if b := t.bytes[t.graph.Find(e.From, e.To)]; b > 0 {
			rate, _ := t.of(e.From, e.To)
			busy = max(busy, rate.Transmit(b)/units.Time(e.Count))
		}
	}
	for u := range t.enter {
		if most := max(t.enter[u], t.leave[u]); most > 0 {
			busy = max(busy, f.Island.Bandwidth.Transmit(most))
		}
	}
	if block := f.Fixed.Links.Block(); t.static {
		for first := 0; first < len(t.visited); first += block.Nodes() {
			for e := range block.Edges() {
				if b := t.fixed[t.link(first+e.From, first+e.To)]; b > 0 {
					busy = max(busy, f.FixedBandwidth().Transmit(b)/units.Time(e.Count))
				}
			}
		}
	}
	if f.Forwarding == fabric.StoreAndForward {
		busy = max(busy, t.serial)
	}
	if f.CapTheta && t.optical {
		busy = max(busy, f.Bandwidth.Transmit(pairBytes))
	}
	alpha := units.Duration(0)
	if t.optical {
		alpha = f.Alpha
	}
	if t.internal {
		alpha = max(alpha, f.IslandAlpha())
	}
	if t.static {
		alpha = max(alpha, f.FixedAlpha())
	}
	return StepCost{
		Startup: alpha.Time(), Propagation: t.flight, Transmission: busy, Reduction: f.Gamma.Of(reduced), Hops: t.hops,
		Congestion: float64(busy / f.Bandwidth.Transmit(pairBytes)),
	}
}
