package replay

import (
	"cmp"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// Limits bounds the time of a phase before it is simulated. Times count from the start of its
// flows until the last one has arrived.
type Limits struct {
	Work   units.Time // of the busiest circuit, in whole bytes and packets
	Packet units.Time // time of the largest packet on a circuit
	Hops   int        // of the longest route
	Merges bool       // circuits of several GPUs feed one queue
	Wide   bool       // parallel circuits serve one queue
	// Every simulation takes at least Least and at most Most; see the package comment. If they are
	// equal, it takes exactly that time.
	Least, Most units.Time
}

// LimitsOf returns the limits of a phase with given routes, with or without pace. All flows
// must start together, on circuits that are equal and do not change. It takes time proportional
// to the hops of all routes.
func LimitsOf(phase *sim.Phase, level sim.Level, o sim.Options) (Limits, error) {
	if phase.Network.Graph == nil || phase.Network.Vary != nil || len(phase.Changes)+len(phase.Failures) > 0 || len(phase.Routes) != len(phase.Flows) {
		return Limits{}, fmt.Errorf("replay: limits are for flows with routes on circuits that are alike and stay")
	}
	if phase.Network.Bandwidth <= 0 || o.Packet < 0 {
		return Limits{}, fmt.Errorf("replay: bandwidth of %d bits per second, packets of %d bytes", phase.Network.Bandwidth, o.Packet)
	}
	if err := phase.Group.Check(phase.Network.Graph.Nodes()); err != nil {
		return Limits{}, fmt.Errorf("replay: group: %w", err)
	}
	if !phase.Group.Invariant(phase.Network.Graph) {
		return Limits{}, fmt.Errorf("replay: the circuits are not invariant under the group")
	}
	m := &meter{
		phase: phase, fluid: level == sim.FlowLevel, cut: o.Forwarding == fabric.CutThrough,
		packet: int64(cmp.Or(o.Packet, sim.DefaultPacket)), delay: float64(phase.Network.Delay),
		classes: make([]class, phase.Network.Graph.Bundles()),
	}
	for i := range phase.Flows {
		if err := m.split(i); err != nil {
			return Limits{}, fmt.Errorf("replay: flow %d: %w", i, err)
		}
	}
	most := m.most()
	if phase.Pace {
		most = m.paced()
	}
	return Limits{
		Work: m.time(m.work()), Packet: m.time(m.largest), Hops: m.hops, Merges: m.merges, Wide: m.wide,
		Least: m.time(m.least()), Most: m.time(most),
	}, nil
}

// Least returns a lower bound on any packet-level simulation of a plan with packets of the
// given size, at any pace: the lower bounds of its steps, their start-ups, and the
// reconfigurations that the plan charges. Reconfigurations do not count if the fabric can
// overlap them. If planes reconfigure independently, the bound is 0.
func Least(p *plan.Plan, packet units.Bytes) (units.Time, error) {
	if p.Staggered() {
		return 0, nil
	}
	o := sim.Options{Packet: packet, Forwarding: p.Fabric.Forwarding}
	sum, ideal := units.Time(0), p.Fabric.Ideal()
	for stage, step := range p.Steps() {
		phase := phaseOf(p, stage, step)
		if phase.Network.Vary != nil { // as if all circuits were the best one
			phase.Network.Vary, phase.Network.Bandwidth, phase.Network.Delay = nil, ideal.Bandwidth, ideal.Delta
			if f := &p.Fabric; f.Islands() > 0 { // a hop there is simulated as two
				phase.Network.Bandwidth = max(phase.Network.Bandwidth, f.Island.Bandwidth)
				phase.Network.Delay = min(phase.Network.Delay, f.IslandDelta()/2)
			}
			if f := &p.Fabric; !f.Fixed.IsZero() { // a hop may be simulated as two
				phase.Network.Bandwidth = max(phase.Network.Bandwidth, f.FixedBandwidth())
				phase.Network.Delay = min(phase.Network.Delay, f.FixedDelta()/2)
			}
		}
		limits, err := LimitsOf(phase, sim.PacketLevel, o)
		if err != nil {
			return 0, fmt.Errorf("step %d: %w", step.Index, err)
		}
		sum += limits.Least + phase.Startup.Time()
	}
	if p.Fabric.Overlap.Kind == fabric.OverlapNone {
		for i := range p.Stages {
			sum += p.Stages[i].Wait()
		}
	}
	return sum - Resolution*units.Time(p.CountSteps()+len(p.Stages)), nil
}

// alone returns the shortest time in which the circuits of a class do their work. Parallel ones
// share whole packets; if full packets divide evenly among them, the smallest other packet is
// added.
func (m *meter) alone(c *class) float64 {
	even := c.work / c.circuits
	if m.fluid || c.circuits == 1 {
		return even
	}
	rounds := math.Ceil(c.packets / c.circuits)
	whole := rounds * m.sending(m.packet)
	if rounds*c.circuits == c.packets {
		whole += c.tail
	}
	return max(even, whole, c.largest)
}

// work returns the work of the busiest class.
func (m *meter) work() float64 {
	most := 0.0
	for i := range m.classes {
		if c := &m.classes[i]; c.circuits > 0 {
			most = max(most, m.alone(c))
		}
	}
	return most
}

// least returns the lower bound. It is the maximum, over circuits, of the time from the
// earliest arrival of a packet, through the circuit's work, until the last packet has reached
// its destination; and, over streams, of the time that each takes.
func (m *meter) least() float64 {
	least := 0.0
	for i := range m.classes {
		c := &m.classes[i]
		if c.circuits == 0 {
			continue
		}
		hops := c.prior + 1 + c.later
		if m.fluid {
			hops = c.shortest
		}
		least = max(least, m.alone(c)+float64(hops)*m.delay)
	}
	for i := range m.streams {
		s := &m.streams[i]
		narrowest, widest := math.Inf(1), 0.0
		for _, c := range s.classes {
			narrowest, widest = min(narrowest, m.classes[c].circuits), max(widest, m.classes[c].circuits)
		}
		sending := s.work / narrowest
		if widest == 1 || m.fluid { // on parallel circuits, packets may overtake
			sending += m.again(s)
		}
		least = max(least, sending+m.crossing(s))
	}
	return least
}

// crossing returns the propagation over the route of a stream.
func (m *meter) crossing(s *stream) float64 { return float64(len(s.classes)) * m.delay }

// again returns how long the last packet of a stream takes on the further hops if nodes store
// it before they forward it.
func (m *meter) again(s *stream) float64 { return float64(s.stored) * s.packet }

// most returns the upper bound for the phase.
func (m *meter) most() float64 {
	most := 0.0
	seen := make([]int, len(m.classes)) // by class: the last stream that passed it, from 1
	for i := range m.streams {
		s := &m.streams[i]
		waiting, crowd := 0.0, 0.0
		for _, class := range s.classes {
			c := &m.classes[class]
			if seen[class] != i+1 {
				seen[class] = i + 1
				waiting += c.work / c.circuits
			}
			crowd = max(crowd, c.streams/c.circuits)
		}
		if m.fluid {
			waiting = min(waiting, s.work*crowd) + m.again(s)
		} else {
			waiting += m.shared(s)
		}
		most = max(most, waiting+m.crossing(s))
	}
	if !m.fluid && !m.merges && !m.wide {
		most = min(most, m.work()+float64(m.hops)*m.delay+m.repeated())
	}
	return most
}

// paced returns the upper bound for a phase whose flows send at their pace: the last packet of
// a stream starts when the others have left. On each hop it waits for at most one packet of
// every other stream there, and on parallel circuits for one more. Streams with time to spare
// may use it up to the time at which a stream that sends for the whole time, and never waits,
// would arrive over the longest route.
func (m *meter) paced() float64 {
	over := 0.0
	for i := range m.classes {
		if c := &m.classes[i]; c.circuits > 0 {
			// A byte counts as a byte of a full packet, rounded up for every stream.
			over = max(over, math.Ceil((c.work+c.streams)/c.circuits))
		}
	}
	most := 0.0
	for i := range m.streams {
		s := &m.streams[i]
		time := over + m.crossing(s) + m.again(s)
		most = max(most, time)
		if !m.fluid {
			before := s.packets // packets sent before the last, each up to 1 ps late
			if s.tail == 0 {
				before--
			}
			gap := math.Ceil(over * m.sending(m.packet) / max(1, s.work-1)) // a tail is rounded up
			time += before*gap + s.packet - over
			for _, class := range s.classes {
				c := &m.classes[class]
				time += (c.streams - 1) * m.largest / c.circuits
				if c.circuits > 1 {
					time += m.largest
				}
			}
		}
		most = max(most, time)
	}
	return most
}

// shared returns how much later parallel circuits can make a packet of a stream: one of them
// sends it while the others are not fully used.
func (m *meter) shared(s *stream) float64 {
	wide := each.Count(s.classes, func(c int32) bool { return m.classes[c].circuits > 1 })
	if m.cut {
		wide = min(wide, 1)
	}
	return float64(wide) * m.largest
}

// repeated returns how long packets take on all hops but one if nodes store them before they
// forward them.
func (m *meter) repeated() float64 {
	if m.cut || m.hops == 0 {
		return 0
	}
	return float64(m.hops-1) * m.largest
}
