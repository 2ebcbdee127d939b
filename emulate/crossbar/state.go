package crossbar

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath/emulate/wire"
)

// State is the cross-connect of a switch with nodes*ports ports. Port p of node u has
// number u*ports + p; its transmit and receive fibres are connected independently.
// Times come from one monotonic clock. State does no I/O and is not safe for concurrent use.
type State struct {
	nodes, ports int
	perByte      float64 // nanoseconds
	delta        time.Duration
	harms        []wire.Harm
	begun        time.Duration // when the first circuits were requested
	started      bool

	lines []line  // by the number of the port that transmits
	feeds []int32 // port that transmits to each port, or -1
	bytes map[[2]int]int64

	beside beside
}

// line is the circuit that starts at a port.
type line struct {
	to    int32         // port that receives, or -1
	up    time.Duration // the circuit is dark before
	free  time.Duration // when all sent bytes have left
	lands time.Duration // when the last sent byte has arrived
}

// NewState returns a switch without circuits. Each byte takes picosecondsPerByte on a circuit,
// and delta more to arrive.
func NewState(nodes, ports int, picosecondsPerByte float64, delta time.Duration, harms []wire.Harm) *State {
	s := &State{nodes: nodes, ports: ports, perByte: picosecondsPerByte / 1000, delta: delta, harms: harms}
	s.lines, s.feeds = make([]line, nodes*ports), make([]int32, nodes*ports)
	for i := range s.lines {
		s.lines[i].to, s.feeds[i] = -1, -1
	}
	s.bytes = map[[2]int]int64{}
	return s
}

// Fault is a fault that a switch must report. From and To are nodes; To is -1 if a port leads
// nowhere.
type Fault struct {
	Kind     string
	From, To int
	Detail   string
}

// Error says what happened.
func (f *Fault) Error() string { return f.Detail }

// The kinds of faults of a switch.
const (
	Dark    = "dark"    // bytes were sent into a port that is dark
	Broken  = "cut"     // bytes were sent into a circuit that has failed
	Torn    = "torn"    // a circuit changed while bytes were in flight
	Invalid = "invalid" // impossible circuits
	Unset   = "refused" // circuits that a controller was to set are not up
)

// Connect sets circuits. Ports whose circuit changes are dark for the given time from now; the
// others stay in use. It returns how many circuits are new and until when the last port is dark.
func (s *State) Connect(now time.Duration, circuits []wire.Circuit, dark time.Duration) (changed int, up time.Duration, err error) {
	return s.connect(now, circuits, func(wire.Circuit) time.Duration { return dark })
}

// lay returns for every port where its circuit leads, and which port leads to it; -1: none.
func (s *State) lay(circuits []wire.Circuit) (to, feeds []int32, err error) {
	to, feeds = make([]int32, len(s.lines)), make([]int32, len(s.lines))
	for i := range to {
		to[i], feeds[i] = -1, -1
	}
	for _, c := range circuits {
		if err := s.check(c); err != nil {
			return nil, nil, err
		}
		from, into := int32(c.From*s.ports+c.FromPort), int32(c.To*s.ports+c.ToPort)
		if to[from] >= 0 || feeds[into] >= 0 {
			return nil, nil, &Fault{Invalid, c.From, c.To, fmt.Sprintf("two circuits on one port: that from port %d of rank %d to port %d of rank %d is one of them", c.FromPort, c.From, c.ToPort, c.To)}
		}
		to[from], feeds[into] = into, from
	}
	return to, feeds, nil
}

// circuit returns the circuit from one port to another.
func (s *State) circuit(from, into int32) wire.Circuit {
	f, t := int(from), int(into)
	return wire.Circuit{From: f / s.ports, FromPort: f % s.ports, To: t / s.ports, ToPort: t % s.ports}
}

// Circuits lists what is connected, dark or not.
func (s *State) Circuits() []wire.Circuit {
	var list []wire.Circuit
	for i := range s.lines {
		if to := s.lines[i].to; to >= 0 {
			list = append(list, s.circuit(int32(i), to))
		}
	}
	return list
}

// Has checks that circuits are up and, unless some is set, that no others are.
func (s *State) Has(now time.Duration, circuits []wire.Circuit, some bool) error {
	to, _, err := s.lay(circuits)
	if err != nil {
		return err
	}
	for i := range s.lines {
		l := &s.lines[i]
		switch {
		case to[i] < 0 && (some || l.to < 0) || to[i] >= 0 && l.to == to[i] && now >= l.up:
		case to[i] < 0:
			c := s.circuit(int32(i), l.to)
			return &Fault{Unset, c.From, c.To, fmt.Sprintf("the circuit from rank %d to rank %d is still up, though its controller was to take it down", c.From, c.To)}
		default:
			c := s.circuit(int32(i), to[i])
			return &Fault{Unset, c.From, c.To, fmt.Sprintf("the circuit from rank %d to rank %d is not up, though its controller was to set it", c.From, c.To)}
		}
	}
	return nil
}

// connect is Connect with a separate dark time for every new circuit.
func (s *State) connect(now time.Duration, circuits []wire.Circuit, dark func(wire.Circuit) time.Duration) (changed int, up time.Duration, err error) {
	to, feeds, err := s.lay(circuits)
	if err != nil {
		return 0, 0, err
	}
	for i := range s.lines {
		if l := &s.lines[i]; l.to != to[i] && l.to >= 0 && l.lands > now {
			from, into := i/s.ports, int(l.to)/s.ports
			return 0, 0, &Fault{Torn, from, into, fmt.Sprintf("the circuit from rank %d to rank %d was to change while bytes were under way", from, into)}
		}
	}
	up = now
	for i := range s.lines {
		l := &s.lines[i]
		if l.to == to[i] {
			up = max(up, l.up)
			continue
		}
		*l = line{to: to[i], up: now}
		if to[i] >= 0 {
			l.up += dark(s.circuit(int32(i), to[i]))
			changed++
			up = max(up, l.up)
		}
	}
	s.feeds = feeds
	if !s.started {
		s.begun, s.started = now, true
	}
	return changed, up, nil
}

// Set sets some circuits and keeps others that share no fibre with them. The ports of the new
// circuits are dark for the given time from now.
func (s *State) Set(now time.Duration, circuits []wire.Circuit, dark time.Duration) (changed int, up time.Duration, err error) {
	after := make([]wire.Circuit, 0, len(circuits))
	sends, receives := map[int32]bool{}, map[int32]bool{}
	for _, c := range circuits {
		if err := s.check(c); err != nil {
			return 0, 0, err
		}
		sends[int32(c.From*s.ports+c.FromPort)], receives[int32(c.To*s.ports+c.ToPort)] = true, true
		after = append(after, c)
	}
	for i := range s.lines {
		if to := s.lines[i].to; to >= 0 && !sends[int32(i)] && !receives[to] {
			after = append(after, wire.Circuit{From: i / s.ports, FromPort: i % s.ports, To: int(to) / s.ports, ToPort: int(to) % s.ports})
		}
	}
	changed, _, err = s.Connect(now, after, dark)
	up = now
	for _, c := range circuits {
		up = max(up, s.lines[c.From*s.ports+c.FromPort].up)
	}
	return changed, up, err
}

func (s *State) check(c wire.Circuit) error {
	in := func(x, most int) bool { return x >= 0 && x < most }
	if !in(c.From, s.nodes) || !in(c.To, s.nodes) || !in(c.FromPort, s.ports) || !in(c.ToPort, s.ports) {
		return &Fault{Invalid, c.From, c.To, fmt.Sprintf("no circuit from port %d of rank %d to port %d of rank %d: there are %d ranks with %d ports",
			c.FromPort, c.From, c.ToPort, c.To, s.nodes, s.ports)}
	}
	return nil
}

// Delivery is where and when bytes come out.
type Delivery struct {
	Port int           // the receiving port
	At   time.Duration // not before
	Free time.Duration // when the circuit can take more
}

// Send puts bytes of a step on the circuit of a port. With through, the receiver forwards them
// and gets them when their first bit has arrived; otherwise when their last bit has.
func (s *State) Send(now time.Duration, port, bytes, step int, through bool) (Delivery, error) {
	l, from := &s.lines[port], port/s.ports
	switch {
	case l.to < 0:
		return Delivery{}, &Fault{Dark, from, -1, fmt.Sprintf("%d bytes into port %d, which is dark: no circuit", bytes, port%s.ports)}
	case now < l.up:
		to := int(l.to) / s.ports
		return Delivery{}, &Fault{Dark, from, to, fmt.Sprintf("%d bytes into port %d, which is dark: the circuit to rank %d is still being set", bytes, port%s.ports, to)}
	}
	start := max(now, l.free)
	to := int(l.to) / s.ports
	end := start + time.Duration(math.Round(float64(bytes)*s.perByte*s.slowed(from, to, step, start)))
	d := Delivery{Port: int(l.to), At: end + s.delta, Free: end}
	lands := d.At
	if through {
		d.At = start + s.delta
	}
	if s.cut(from, to, step, lands) {
		return Delivery{}, &Fault{Broken, from, to, fmt.Sprintf("the circuit from rank %d to rank %d is cut", from, to)}
	}
	l.free, l.lands = end, lands
	s.bytes[[2]int{from, to}] += int64(bytes)
	return d, nil
}

// cut reports whether bytes of a step that arrive at a time are lost.
func (s *State) cut(from, to, step int, lands time.Duration) bool {
	return slices.ContainsFunc(s.harms, func(h wire.Harm) bool {
		return h.Slow == 0 && !h.Corrupt && s.befalls(h, from, to, step, lands)
	})
}

// slowed returns the factor by which bytes of a step that start at a time are slowed down.
func (s *State) slowed(from, to, step int, start time.Duration) float64 {
	factor := 1.0
	for _, h := range s.harms {
		if h.Slow > 0 && s.befalls(h, from, to, step, start) {
			factor = max(factor, h.Slow)
		}
	}
	return factor
}

// Corrupts reports whether bytes of a step that arrive at a time are corrupted in flight.
func (s *State) Corrupts(from, to, step int, lands time.Duration) bool {
	return slices.ContainsFunc(s.harms, func(h wire.Harm) bool { return h.Corrupt && s.befalls(h, from, to, step, lands) })
}

// befalls reports whether a harm affects bytes of a step at a time.
func (s *State) befalls(h wire.Harm, from, to, step int, at time.Duration) bool {
	switch {
	case h.From != from || h.To != to:
		return false
	case h.Step > 0:
		return step >= h.Step
	}
	return at >= s.begun+h.At
}

// Peer returns the node to which a port transmits, or -1.
func (s *State) Peer(port int) int {
	if to := s.lines[port].to; to >= 0 {
		return int(to) / s.ports
	}
	return -1
}

// Fed returns the node that transmits to a port, or -1.
func (s *State) Fed(port int) int {
	if from := s.feeds[port]; from >= 0 {
		return int(from) / s.ports
	}
	return -1
}

// Carried lists the bytes of every circuit: from, to, bytes, in that order.
func (s *State) Carried() [][3]int64 {
	list := make([][3]int64, 0, len(s.bytes))
	for pair, bytes := range s.bytes {
		list = append(list, [3]int64{int64(pair[0]), int64(pair[1]), bytes})
	}
	slices.SortFunc(list, func(a, b [3]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return list
}
