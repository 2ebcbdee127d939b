package program

import (
	"time"

	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Beside is what ranks are plugged into besides the optical switch. Port numbers continue: after
// the optical ports comes the island's, if there is one, and then one for each fixed link.
type Beside struct {
	Island int       // ranks of an island; 0: there are none
	Links  [][4]int  // fixed links, with the fields of wire.Circuit
	Plugs  int       // total number of ports of a rank
	out    linkPorts // of fixed links, by the ranks at their ends
	in     map[[2]int]int32
	first  int // port of the island, or of the first fixed link
}

// linkPorts are ports by pair of ranks.
type linkPorts map[[2]int][]int

// NewBeside numbers the ports that a fabric has besides its optical ports.
func NewBeside(f *fabric.Fabric) Beside {
	b := Beside{Island: f.Island.Size, Plugs: f.Ports, first: f.Ports, out: linkPorts{}, in: map[[2]int]int32{}}
	next := f.Ports
	if b.Island > 0 {
		next++
	}
	b.Plugs = next
	if f.Fixed.IsZero() {
		return b
	}
	sends, receives := make([]int, f.Nodes), make([]int, f.Nodes)
	for e := range f.FixedGraph().Edges() {
		for range e.Count {
			from, to := next+sends[e.From], next+receives[e.To]
			sends[e.From]++
			receives[e.To]++
			b.Links = append(b.Links, [4]int{e.From, from, e.To, to})
			pair := [2]int{e.From, e.To}
			b.out[pair] = append(b.out[pair], from)
			b.in[[2]int{e.To, to}] = int32(e.From)
			b.Plugs = max(b.Plugs, from+1, to+1)
		}
	}
	return b
}

// Inside reports whether a port is that of the island.
func (b *Beside) Inside(port int) bool { return b.Island > 0 && port == b.first }

// ports returns the ports of u that lead to v in a stage without a circuit between them.
func (b *Beside) ports(f *fabric.Fabric, u, v int) []int {
	if f.OverFixed(u, v) > 0 {
		return b.LinkPorts(u, v)
	}
	if f.SameIsland(u, v) {
		return []int{b.first}
	}
	return nil
}

// LinkPorts returns the ports of a rank from which fixed links lead to another.
func (b *Beside) LinkPorts(from, to int) []int { return b.out[[2]int{from, to}] }

// IslandPort returns the port of the island, -1 if there is none, and the seat of a rank there.
func (b *Beside) IslandPort(to int) (port int, seat uint16) {
	if b.Island == 0 {
		return -1, 0
	}
	return b.first, uint16(to % b.Island)
}

// fits reports whether data from one rank to another may arrive at a port that is not optical.
func (b *Beside) fits(f *fabric.Fabric, from, to, port int) bool {
	if b.Inside(port) {
		return f.SameIsland(from, to)
	}
	feeds, known := b.in[[2]int{to, port}]
	return known && int(feeds) == from
}

// Switch returns what the software switch has besides circuits.
func (g *Program) Switch(scale func(ps float64) float64) wire.Beside {
	return g.Beside.Switch(&g.Plan.Fabric, scale)
}

// Switch returns what the software switch of a fabric has besides circuits.
func (b *Beside) Switch(f *fabric.Fabric, scale func(ps float64) float64) wire.Beside {
	made := wire.Beside{Plugs: b.Plugs, Island: b.Island, Links: b.Links}
	if b.Island > 0 {
		made.IslandPace = wire.Pace{PicosecondsPerByte: scale(float64(f.Island.Bandwidth.Transmit(1)) * 1000), Delta: nanoseconds(scale(float64(f.IslandDelta())))}
	}
	if len(b.Links) > 0 {
		made.LinkPace = wire.Pace{PicosecondsPerByte: scale(float64(f.FixedBandwidth().Transmit(1)) * 1000), Delta: nanoseconds(scale(float64(f.FixedDelta())))}
	}
	return made
}

// nanoseconds converts picoseconds to a duration.
func nanoseconds(ps float64) time.Duration { return time.Duration(ps / 1000) }

// Waits reports whether a step uses circuits and so waits for those of its stage.
func (g *Program) Waits(step int) bool {
	place := g.Steps[step]
	return !g.Plan.Grounded(&g.Plan.Stages[place.Stage], place.Step)
}

// Startup returns the start-up of a step, counted from 0.
func (g *Program) Startup(step int) units.Time {
	if !g.Plan.Fabric.Tiered() {
		return g.Plan.Fabric.Alpha.Time()
	}
	return g.Steps[step].Step.Cost.Startup
}

// Part is steps of a stage that begin together: the steps before the first one that waits for
// circuits, or the other steps.
type Part struct {
	Stage, First, Last int
	Waits              bool // for the circuits of the stage
}

// span returns how long the steps of a part take.
func (g *Program) span(p Part) units.Time {
	last := g.Steps[p.Last].Step
	return last.Start + last.Cost.Total() - g.Steps[p.First].Step.Start
}

// parts divides the steps into parts.
func (g *Program) parts() []Part {
	var all []Part
	for i, place := range g.Steps {
		last := len(all) - 1
		if waits := g.Waits(i); last < 0 || all[last].Stage != place.Stage || waits && !all[last].Waits {
			// Steps after the first that waits already have the circuits.
			all = append(all, Part{Stage: place.Stage, First: i, Waits: waits})
			last++
		}
		all[last].Last = i
	}
	return all
}
