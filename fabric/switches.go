package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/topology"
)

// anyRadix is the value of the setting radix for switches with as many ports as are plugged in.
const anyRadix = "any"

// maxRadix is far above any switch: all ports of all GPUs.
const maxRadix = MaxNodes * MaxPorts

// checkLayout reports a layout that does not match the fabric.
func (f *Fabric) checkLayout() error {
	if f.Radix < 0 || f.Radix > maxRadix {
		return field.In("radix", field.Range(f.Radix, 1, maxRadix))
	}
	if failed := f.Avoid.Switches(); f.Layout.IsZero() && len(failed) > 0 {
		return field.Errorf("avoid", "switch:%d: all ports are on one ideal switch; name a layout in `switches`", failed[0])
	}
	if _, whole := f.Reconfig.Parallel(); (whole || f.Overlap.Kind == OverlapPlanes) && f.Avoid.namesPorts() {
		return field.Errorf("avoid", "ports by their number (%.40s) are not for planes or delays of whole switches, where a port is a switch's",
			cmp.Or(f.Avoid.Held(), f.Avoid.String()))
	}
	if f.Layout.IsZero() {
		if need := f.Nodes * f.AllPorts(); f.Radix > 0 && f.Radix < need {
			return field.Errorf("radix", "%d: one ideal switch has all %d ports; name a layout of smaller ones in `switches`", f.Radix, need)
		}
		return nil
	}
	p, err := f.Layout.Plug(f.Nodes, f.AllPorts())
	if err != nil {
		return field.In("switches", err)
	}
	for _, s := range f.Avoid.Switches() {
		if s >= p.Switches() {
			return field.Errorf("avoid", "switch:%d: %s has switches 0..%d", s, f.Layout.Short(), p.Switches()-1)
		}
	}
	if need := p.Radix(); f.Radix > 0 && f.Radix < need {
		return field.Errorf("radix", "%d: %s plugs %d ports into one switch", f.Radix, f.Layout.Short(), need)
	}
	switches, whole := f.Reconfig.Parallel()
	planes := f.Overlap.Kind == OverlapPlanes
	flat := f.Flat() // neither hiding nor charging a change moves circuits
	flat.Charge = ChargeChanges
	switch _, uniform := flat.UniformWait(); {
	case (whole || planes) && f.Duplex:
		return field.Errorf("switches", "%s: planes and delays of whole switches have one-way circuits; use a constant delay without planes", f.Layout.Short())
	case whole && switches != 0 && switches != f.AllPorts():
		return field.Errorf("switches", "%s: the delay %s says %d switches; with one port of every GPU each there are %d", f.Layout.Short(), f.Reconfig.Model, switches, f.AllPorts())
	case planes && !f.Layout.Parallel():
		return field.Errorf("switches", "%s: planes are switches with one port of every GPU; use rails or ideal", f.Layout.Short())
	case whole && !f.Layout.Parallel():
		return field.Errorf("switches", "%s: the delay %s is for switches with one port of every GPU; use rails or ideal", f.Layout.Short(), f.Reconfig.Model)
	case whole || uniform || p.Forced():
		return nil
	}
	const moves = "%s: circuits that stay may have to move to other ports, which %s does not count; use %s, or a layout in which a line has one port of every GPU, such as %s"
	count, instead := "this delay", "a constant delay (reconfig)"
	if still := flat; f.Overlap.Kind != OverlapNone {
		still.Overlap = Overlap{}
		count = "overlap " + f.Overlap.String()
		if _, uniform := still.UniformWait(); uniform {
			instead = "overlap none"
		} else {
			instead += " and overlap none"
		}
	}
	return field.Errorf("switches", moves, f.Layout.Short(), count, instead, "8x8:1,1")
}

// plugged returns the plugging without lost ports; a GPU that has lost ports without a number
// loses its last ones. It is nil for the ideal switch.
func (f *Fabric) plugged() (*layout.Plugging, error) {
	if f.Layout.IsZero() {
		return nil, nil
	}
	p, err := f.Layout.Plug(f.Nodes, f.AllPorts())
	if err != nil || !f.unplugs() {
		return p, err
	}
	return p.Without(func(u, port, s int) bool { return f.Avoid.Port(u, port, f.AllPorts()) || f.Avoid.Switch(s) }), nil
}

// unplugs reports whether failures leave ports without a switch.
func (f *Fabric) unplugs() bool { return len(f.Avoid.LostPorts()) > 0 || len(f.Avoid.Switches()) > 0 }

// fitsLayout reports why the switches cannot set up the circuits.
func (f *Fabric) fitsLayout(g *topology.Graph) error {
	if f.Open() {
		return nil
	}
	p, err := f.plugged()
	if p == nil || err != nil {
		return err
	}
	if err := p.Check(g, f.twoWay()); err != nil {
		return fmt.Errorf("%w (switches %s)", err, f.Layout.Short())
	}
	return nil
}

// Open reports whether any circuits that the ports allow can be up: nothing has failed, and the
// switches restrict nothing. Rails do not restrict one-way circuits: a bipartite graph with at
// most d circuits out and in of every GPU is the union of d matchings (König).
func (f *Fabric) Open() bool { return f.Avoid.IsZero() && !f.Restricts() }

// Restricts reports whether switches cannot set up all circuits that the ports allow.
func (f *Fabric) Restricts() bool {
	return !f.Layout.IsZero() && (!f.Layout.Parallel() || f.twoWay() || f.unplugs())
}

// twoWay reports whether circuits must be two-way. It is false if plans only choose to use
// two-way circuits (Narrowed).
func (f *Fabric) twoWay() bool { return f.Duplex && !f.oneWay }

// SetUp returns the circuits of a topology with their ports and switches; nil for the ideal
// switch.
func (f *Fabric) SetUp(g *topology.Graph) ([]layout.Circuit, error) {
	p, err := f.plugged()
	if p == nil || err != nil {
		return nil, err
	}
	if f.Restricts() {
		return p.Assign(g, f.twoWay())
	}
	// Rails: each matching has its own switch, as PerSwitch counts them.
	var made []layout.Circuit
	for port, m := range matchings(g) {
		for _, c := range m {
			made = append(made, layout.Circuit{From: c[0], FromPort: port, To: c[1], ToPort: port, Switch: port})
		}
	}
	slices.SortFunc(made, func(a, b layout.Circuit) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Switch, b.Switch))
	})
	return made, nil
}

// Plugging returns which port is plugged into which switch, including failed ports; nil for the
// ideal switch. The fabric must be valid.
func (f *Fabric) Plugging() *layout.Plugging {
	if f.Layout.IsZero() {
		return nil
	}
	p, err := f.Layout.Plug(f.Nodes, f.AllPorts())
	if err != nil {
		return nil
	}
	return p
}

// Unplugged reports why a port of a GPU cannot have a circuit, or nil: it has failed, or is not
// plugged in.
func (f *Fabric) Unplugged(gpu, port int) error {
	switch p := f.Plugging(); {
	case p == nil:
		return nil
	case f.Avoid.HeldPort(gpu, port):
		return fmt.Errorf("port %d of GPU %d is held by another job", port, gpu)
	case f.Avoid.GPU(gpu) || f.Avoid.Port(gpu, port, f.AllPorts()):
		return fmt.Errorf("port %d of GPU %d has failed", port, gpu)
	case f.Avoid.Switch(p.Switch(gpu, port)):
		return fmt.Errorf("port %d of GPU %d is plugged into switch %d, which has failed", port, gpu, p.Switch(gpu, port))
	case p.Switch(gpu, port) < 0:
		return fmt.Errorf("port %d of GPU %d is not plugged in", port, gpu)
	}
	return nil
}

// Meet returns where circuits between two GPUs can be, as a number: pairs with the same number
// share the same switches, and -1 means nowhere. It is nil if one switch has all ports, or if
// rails restrict nothing.
func (f *Fabric) Meet() func(u, v int) int {
	p, err := f.plugged()
	if p == nil || err != nil || !f.Restricts() {
		return nil
	}
	return p.Meet
}

// Lost reports whether a port of a GPU cannot have a circuit: it has failed, its switch has
// failed, or another job holds it.
func (f *Fabric) Lost(gpu, port int) bool {
	if f.Avoid.IsZero() {
		return false
	}
	if f.Avoid.GPU(gpu) || f.Avoid.Port(gpu, port, f.AllPorts()) {
		return true
	}
	p := f.Plugging()
	return p != nil && p.Switch(gpu, port) >= 0 && f.Avoid.Switch(p.Switch(gpu, port))
}

// Possible returns the topology without circuits that have failed, and without those that the
// switches cannot set up in addition to the others. If nothing is removed, the result is g.
func (f *Fabric) Possible(g *topology.Graph) *topology.Graph {
	g = f.Without(g)
	if !f.Restricts() {
		return g
	}
	p, err := f.plugged()
	if err != nil {
		return g // Validate has reported it
	}
	return p.Keep(g, f.twoWay())
}

// Apart names two of the given GPUs (nil: all that take part) that neither the switches nor
// islands and fixed links connect, not even through other GPUs, or returns "".
func (f *Fabric) Apart(members []int) string {
	p, err := f.plugged()
	if p == nil || err != nil {
		return ""
	}
	near := make([]int, f.Nodes) // a connected GPU nearer to the first one
	for u := range near {
		near[u] = u
	}
	first := func(u int) int {
		for near[u] != u {
			near[u] = near[near[u]]
			u = near[u]
		}
		return u
	}
	join := func(u, v int) {
		a, b := first(u), first(v)
		near[max(a, b)] = min(a, b)
	}
	for group := range p.Groups() {
		last := -1
		for _, u := range group.GPUs {
			if f.Avoid.GPU(u) {
				continue
			}
			if last >= 0 {
				join(last, u)
			}
			last = u
		}
	}
	for u := range f.Nodes {
		if v := u - 1; u > 0 && f.Island.Size > 0 && u%f.Island.Size != 0 {
			for v > u-u%f.Island.Size && !f.InIsland(v) {
				v--
			}
			if f.SameIsland(u, v) {
				join(v, u)
			}
		}
	}
	if links := f.FixedGraph(); links != nil {
		for e := range links.Edges() {
			join(e.From, e.To)
		}
	}
	if members == nil {
		members = arithmetic.UpTo(f.Nodes)
	}
	one := -1
	for _, u := range members {
		switch {
		case f.Avoid.GPU(u):
		case one < 0:
			one = u
		case first(u) != first(one):
			return fmt.Sprintf("switches %s do not connect GPU %d with GPU %d", f.Layout.Short(), one, u)
		}
	}
	return ""
}
