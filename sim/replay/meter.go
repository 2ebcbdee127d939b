package replay

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// meter adds up the load of a phase on circuits. Times are in ps.
type meter struct {
	phase   *sim.Phase
	fluid   bool // flow level
	cut     bool // cut-through
	packet  int64
	delay   float64
	classes []class // by the bundle that represents it
	streams []stream
	hops    int     // of the longest route
	largest float64 // largest packet
	merges  bool
	wide    bool // some bundle has several circuits
}

// class is a set of bundles that the group maps to each other, with the load of one of them.
type class struct {
	circuits     float64
	work         float64 // of all circuits of the bundle
	packets      float64 // of full size
	tail         float64 // time of the smallest other packet, or 0
	largest      float64 // time of the largest packet
	streams      float64 // number of streams, each counted as often as it passes
	prior, later int     // fewest hops of a stream before and after this one
	shortest     int     // fewest hops of a stream
	fed          bool
	feeder       int // node from which packets come, after the queue's node was moved home
}

// stream is the part of a flow that takes one route.
type stream struct {
	classes []int32 // of each hop
	work    float64 // time to send it over one circuit
	packets float64 // of full size
	packet  float64 // time to send its largest packet
	tail    float64 // time to send its last packet, if that is not full
	stored  int     // number of nodes on the way that store packets before they forward them
}

func (m *meter) time(ps float64) units.Time { return units.Time(ps / float64(units.Nanosecond)) }

// split divides a flow over its routes as the simulators do: a route of share s gets the
// packets from the sum of the preceding shares on, rounded down.
func (m *meter) split(i int) error {
	f := &m.phase.Flows[i]
	switch {
	case f.Bytes < 0 || f.Start != 0:
		return fmt.Errorf("%d bytes, start at %v", f.Bytes, f.Start)
	case f.Src == f.Dst || f.Bytes == 0:
		return nil
	}
	granule := m.packet
	if m.fluid {
		granule = 1
	}
	bytes := int64(f.Bytes)
	packets := (bytes-1)/granule + 1
	routes := m.phase.Routes[i]
	last := len(routes) - 1
	for last > 0 && routes[last].Share == 0 {
		last--
	}
	sum, begun := 0.0, int64(0)
	for r := range routes[:last+1] {
		sum += routes[r].Share
		until := packets
		if r < last {
			until = min(packets, int64(sum*float64(packets)+shareRounding))
		}
		if until <= begun {
			continue
		}
		end := bytes
		if until < packets {
			end = until * granule
		}
		if err := m.add(routes[r].Path, end-begun*granule); err != nil {
			return err
		}
		begun = until
	}
	return nil
}

// shareRounding is how far a sum of shares may be below the whole number that it stands
// for.
const shareRounding = 1e-9

// add adds a stream of the given bytes along a path.
func (m *meter) add(path []int32, bytes int64) error {
	if len(path) < 2 {
		return fmt.Errorf("route %v leads nowhere", path)
	}
	s := stream{
		packets: float64(bytes / m.packet), packet: m.sending(min(bytes, m.packet)), tail: m.sending(bytes % m.packet),
	}
	s.work = s.packets*s.packet + s.tail
	if m.fluid {
		s.work = float64(bytes) * perByte / float64(m.phase.Network.Bandwidth)
	}
	m.hops = max(m.hops, len(path)-1)
	m.largest = max(m.largest, s.packet)
	for h := 1; h < len(path); h++ {
		c, err := m.classOf(int(path[h-1]), int(path[h]))
		if err != nil {
			return err
		}
		s.classes = append(s.classes, c)
		m.classes[c].pass(&s, h-1, len(path)-1-h)
		if h > 1 {
			if cutting := m.phase.Network.Cutting; !m.cut && (cutting == 0 || int(path[h-1]) < cutting) {
				s.stored++
			}
			k, _ := m.phase.Group.Locate(int(path[h-1]))
			m.feed(&m.classes[c], m.phase.Group.Back(k, int(path[h-2])))
		}
	}
	m.streams = append(m.streams, s)
	return nil
}

// classOf returns the class of the circuits from u to v.
func (m *meter) classOf(u, v int) (int32, error) {
	graph, group := m.phase.Network.Graph, m.phase.Group
	if min(u, v) < 0 || max(u, v) >= graph.Nodes() {
		return 0, fmt.Errorf("passes %d -> %d, outside a graph of %d nodes", u, v, graph.Nodes())
	}
	k, home := group.Locate(u)
	peer := group.Back(k, v)
	e := graph.Find(home, peer)
	if e < 0 {
		return 0, fmt.Errorf("passes %d -> %d, where there is no circuit", u, v)
	}
	if c := &m.classes[e]; c.circuits == 0 {
		*c = class{circuits: float64(graph.Count(home, peer)), prior: math.MaxInt, later: math.MaxInt, shortest: math.MaxInt}
		m.wide = m.wide || c.circuits > 1
	}
	return int32(e), nil
}

// pass adds a stream with the given numbers of hops before and after.
func (c *class) pass(s *stream, prior, later int) {
	c.work += s.work
	c.packets += s.packets
	c.largest = max(c.largest, s.packet)
	if s.tail > 0 && (c.tail == 0 || s.tail < c.tail) {
		c.tail = s.tail
	}
	c.streams++
	c.prior, c.later, c.shortest = min(c.prior, prior), min(c.later, later), min(c.shortest, prior+1+later)
}

// feed records that packets come to the queue of a class from a node.
func (m *meter) feed(c *class, from int) {
	m.merges = m.merges || c.fed && c.feeder != from
	c.fed, c.feeder = true, from
}

// sending returns how long a packet takes on a circuit, rounded up to whole ps.
func (m *meter) sending(bytes int64) float64 {
	rate := uint64(m.phase.Network.Bandwidth)
	hi, lo := bits.Mul64(uint64(bytes), perByte)
	lo, carry := bits.Add64(lo, rate-1, 0)
	if hi += carry; hi >= rate { // months: longer than any simulation
		return float64(bytes) * perByte / float64(rate)
	}
	ps, _ := bits.Div64(hi, lo, rate)
	return float64(ps)
}

// perByte is the number of ps that a byte takes at 1 bit per second.
const perByte = 8e12
