package fabric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Forwarding is how a GPU forwards traffic that passes through it.
type Forwarding string

// The ways of forwarding.
const (
	// CutThrough forwards bytes as they arrive: a route of h hops adds h times delta.
	CutThrough Forwarding = "cut-through"
	// StoreAndForward forwards only what has arrived completely: every hop of a route serialises
	// its bytes again.
	StoreAndForward Forwarding = "store-and-forward"
)

// These say which circuits are up before the first step.
const (
	InitialFree = "free" // the first configuration costs nothing
	InitialDark = "dark" // no circuit is up: the first configuration is a reconfiguration
	InitialBase = "base" // the base topology is up
)

// These limit the size of a fabric. MaxPorts is far above any transceiver count per GPU; it
// keeps degree arithmetic within 32 bits.
const (
	MinNodes = 2
	MaxNodes = 1 << 16
	MaxPorts = 1 << 10
)

// Fabric is the machine. Start from Default: the zero value is not valid, and means "none
// given" (IsZero). Copies are cheap and share nothing that changes. A Fabric cannot be a map
// key: use Key.
type Fabric struct {
	Nodes      int             // GPUs, MinNodes..MaxNodes
	Ports      int             // per GPU, 1..MaxPorts; a port is one transmit and one receive fibre
	Bandwidth  units.Bandwidth // per port and direction, > 0
	Alpha      units.Duration  // start-up of a step
	Delta      units.Duration  // propagation, per hop
	Gamma      Gamma           // reducing what was received
	Reconfig   Reconfig        // delay of a change of circuits
	Charge     Charge          // which steps pay for a reconfiguration
	Sync       units.Duration  // barrier of all GPUs, per change of circuits
	Overlap    Overlap         // what goes on during a change
	Duplex     bool            // circuits are two-way: the graph must be symmetric
	Forwarding Forwarding
	Initial    string      // InitialFree, InitialDark, InitialBase or a topology expression
	Routing    flow.Policy // how a step's demands are routed over its circuits
	Base       string      // topology expression, or "" for the default of the port count
	// CapTheta keeps a step's throughput theta at or below 1, as in HARVEST's text: no step sends
	// faster than its busiest pair could over one circuit. Otherwise the cap is the number of
	// ports, as all ports may lead to the same peer.
	CapTheta bool
	Avoid    Failures // what has failed, such as "gpu:5,link:3-4,port:7"
	// Links gives some circuits of the base a bandwidth or a delay of their own, such as
	// "0>1:400Gbps+2us,2-3:+1us". They keep it in every stage that contains them; all other
	// circuits have Bandwidth and Delta.
	Links Links
	// Island is the electrical switch that consecutive GPUs share, if any.
	Island Island
	// Fixed are links that are always up, in addition to the circuits, if any.
	Fixed Fixed
	// Layout says which ports are plugged into the same switch: a circuit joins two of these. The
	// zero value is one ideal switch with all ports. Radix is the number of ports of a switch; 0:
	// as many as needed.
	Layout layout.Layout
	Radix  int
	// Spares replace what has failed; Validate puts them in place.
	Spares Spares

	known Known // names in addition to the built-in ones
	// If plans leave ports unused (Narrowed), idle is the number of these ports, in addition to
	// Ports, and oneWay says that circuits need not be two-way although Duplex is set.
	idle   int
	oneWay bool
}

// Default is the setting of HARVEST's simulations (§6.1: 64 GPUs with one 800 Gbps
// port, 500 ns start-up, 500 ns per hop) with a switch that rewires in 10 us, the
// middle of the range in which neither extreme wins.
func Default() Fabric {
	return Fabric{
		Nodes:      64,
		Ports:      1,
		Bandwidth:  800_000_000_000,
		Alpha:      500_000,
		Delta:      500_000,
		Reconfig:   Reconfig{Model: Constant, Base: 10_000_000},
		Forwarding: CutThrough,
		Initial:    InitialFree,
		Routing:    flow.Optimal,
	}
}

// Validate reports the first invalid setting, including a base or initial topology that does
// not fit. It puts spares in place (Spares).
func (f *Fabric) Validate() error {
	switch {
	case f.Nodes < MinNodes || f.Nodes > MaxNodes:
		return field.In("nodes", field.Range(f.Nodes, MinNodes, MaxNodes))
	case f.Ports < 1 || f.Ports > MaxPorts:
		return field.In("ports", field.Range(f.Ports, 1, MaxPorts))
	case f.Bandwidth <= 0:
		return field.Errorf("bandwidth", "must be above 0")
	case f.Alpha < 0:
		return field.Errorf("alpha", "must not be negative")
	case f.Delta < 0:
		return field.Errorf("delta", "must not be negative")
	case f.Gamma.validate() != nil:
		return field.In("gamma", f.Gamma.validate())
	case f.Sync < 0:
		return field.Errorf("sync", "must not be negative")
	case f.Forwarding != CutThrough && f.Forwarding != StoreAndForward:
		return field.Errorf("forwarding", "%q is not %s or %s", f.Forwarding, CutThrough, StoreAndForward)
	}
	if _, err := flow.ParsePolicy(string(f.Routing)); err != nil {
		return field.Errorf("routing", "%w", err)
	}
	if err := f.Reconfig.validate(); err != nil {
		return field.Errorf("reconfig", "%w", err)
	}
	if s := f.Reconfig.Switches; s > f.AllPorts() {
		return field.Errorf("reconfig", "%d switches for %s", s, units.Count(f.AllPorts(), "port"))
	}
	if err := f.Overlap.validate(); err != nil {
		return field.Errorf("overlap", "%w", err)
	}
	if err := f.Avoid.within(f); err != nil {
		return err
	}
	if err := f.Island.validate(f.Nodes); err != nil {
		return err
	}
	if err := f.Fixed.validate(f.Nodes); err != nil {
		return err
	}
	if err := f.checkSpares(); err != nil {
		return err
	}
	f.putInPlace()
	if alive := f.Alive(); alive != nil && len(alive) < MinNodes {
		blamed := "avoid"
		if f.Avoid.String() == "" {
			blamed = "held"
		}
		return field.Errorf(blamed, "%s left", units.Count(len(alive), "GPU"))
	}
	if err := f.checkLayout(); err != nil {
		return err
	}
	if f.Base != "" {
		if _, err := f.BaseTopology(); err != nil {
			return err
		}
	}
	if err := f.checkLinks(); err != nil {
		return err
	}
	if err := f.checkCharge(); err != nil {
		return err
	}
	_, err := f.InitialTopology()
	return err
}

// Fits reports why the circuits of g cannot be up on this fabric, or nil: too few
// or too many nodes, a node with more circuits than ports, a one-way circuit on a
// duplex fabric, circuits that the switches cannot join. Self-loops occupy a port.
func (f *Fabric) Fits(g *topology.Graph) error {
	if g.Nodes() != f.Nodes {
		return fmt.Errorf("has %d nodes, the fabric %d", g.Nodes(), f.Nodes)
	}
	for u, in := range g.InDegrees() {
		ports := f.portsOf(u)
		if out := g.OutDegree(u); out > ports || in > ports {
			return fmt.Errorf("node %d has %d circuits out and %d in, but %s", u, out, in, units.Count(ports, "port"))
		}
	}
	for _, link := range f.Avoid.Links() {
		if g.Count(link[0], link[1]) > 0 {
			return fmt.Errorf("circuit %d->%d has failed", link[0], link[1])
		}
	}
	if f.Duplex {
		_, alike := g.Jumps()
		for e := range g.Edges() {
			if alike && e.From > 0 {
				break // every node looks like the first
			}
			if g.Count(e.To, e.From) != e.Count {
				return fmt.Errorf("circuit %d-%d is one-way, but the fabric is duplex", e.From, e.To)
			}
		}
	}
	return f.fitsLayout(g)
}

// InitialTopology returns the circuits that are up before the first step: an empty graph if the
// fabric is dark, nil if the first configuration is free.
func (f *Fabric) InitialTopology() (*topology.Graph, error) {
	switch f.Initial {
	case InitialFree:
		return nil, nil
	case InitialDark:
		return topology.New(f.Nodes, InitialDark, nil), nil
	}
	whole := f.whole()
	if f.Initial == InitialBase {
		return whole.BaseTopology()
	}
	return whole.parse("initial", f.Initial)
}

// Known has the names that the settings of a fabric may use in addition to the built-in ones.
// The zero value has none.
type Known struct {
	Families *topology.Registry // for Initial and Base
	Models   []DelayModel       // for Reconfig
}

// Families returns the families given to With, which Initial and Base may name.
func (f *Fabric) Families() *topology.Registry { return f.known.Families }

// With returns the fabric with more known names, which its settings may then use.
func (f Fabric) With(known Known) Fabric {
	f.known = known
	return f
}

func (f *Fabric) parse(setting, expr string) (*topology.Graph, error) {
	parsed, err := f.known.Families.ParseExpr(expr)
	if err != nil {
		return nil, field.In(setting, err)
	}
	if parsed.Nodes() != f.Nodes { // before building anything large
		return nil, field.Errorf(setting, "%s: has %d nodes, the fabric %d", expr, parsed.Nodes(), f.Nodes)
	}
	g, err := parsed.Build()
	if err != nil {
		return nil, field.In(setting, err)
	}
	g = f.Without(g)
	if err := f.Fits(g); err != nil {
		return nil, field.Errorf(setting, "%s: %w", expr, err)
	}
	return g, nil
}

// oneOf checks that a word is one of those that are accepted.
func oneOf[T ~string](value string, accepted ...T) (T, error) {
	if slices.Contains(accepted, T(value)) {
		return T(value), nil
	}
	words := each.Of(accepted, func(a T) string { return string(a) })
	return "", fmt.Errorf("unknown %q; use %s", value, strings.Join(words, " or "))
}

// Narrowed returns the fabric for plans that leave ports unused, or use two-way circuits
// although they need not. Reconfigurations cost the same as on the whole fabric, the same
// circuits are up at the start, and unused ports can be set up ahead. So a plan takes the same
// time on both.
func (f Fabric) Narrowed(ports int, duplex bool) Fabric {
	f.idle += f.Ports - ports
	f.oneWay = f.oneWay || duplex && !f.Duplex
	f.Ports, f.Duplex = ports, duplex
	return f
}

// AllPorts returns how many ports a GPU has, including those that plans leave unused.
func (f *Fabric) AllPorts() int { return f.Ports + f.idle }

// whole returns the fabric including what plans leave unused.
func (f *Fabric) whole() Fabric {
	w := *f
	w.Ports, w.Duplex = f.AllPorts(), f.Duplex && !f.oneWay
	w.idle, w.oneWay = 0, false
	return w
}
