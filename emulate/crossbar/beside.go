package crossbar

import (
	"fmt"
	"math"
	"time"

	"github.com/lightpath-net/lightpath/emulate/wire"
)

// Plug is a port of a node: an optical port, the port of its island, or the port of a fixed
// link.
type Plug struct{ Node, Port int }

// beside is the paths that a switch has besides circuits and that are always up.
type beside struct {
	wire.Beside
	optical int             // number of optical ports of a node
	enter   []time.Duration // by node: when its bytes are in the island
	leave   []time.Duration // by node: when its bytes have left the island
	links   map[Plug]*link
	feeds   map[Plug]int
	// inside and linked are the bytes that islands and fixed links have carried.
	inside, linked int64
}

// link is a fixed link that starts at a port.
type link struct {
	to   Plug
	free time.Duration
}

// With adds paths that are always up.
func (s *State) With(b wire.Beside) {
	s.beside = beside{Beside: b, optical: s.ports, links: map[Plug]*link{}, feeds: map[Plug]int{}}
	if b.Island > 0 {
		s.beside.enter, s.beside.leave = make([]time.Duration, s.nodes), make([]time.Duration, s.nodes)
	}
	for _, l := range b.Links {
		to := Plug{l[2], l[3]}
		s.beside.links[Plug{l[0], l[1]}] = &link{to: to}
		s.beside.feeds[to] = l[0]
	}
}

// SendFrom is Send from any port of a node. Into an island, the frame's seat is the place of the
// receiving node.
func (s *State) SendFrom(now time.Duration, from Plug, f *wire.Frame) (Delivery, Plug, error) {
	bytes, step, through := len(f.Payload), int(f.Step), f.Flags&wire.Through != 0
	if from.Port < s.ports {
		d, err := s.Send(now, from.Node*s.ports+from.Port, bytes, step, through)
		return d, Plug{d.Port / s.ports, d.Port % s.ports}, err
	}
	b := &s.beside
	var to Plug
	var start, exit time.Duration // when the first bit enters and exits
	pace := b.LinkPace
	if l := b.links[from]; l != nil {
		to, start = l.to, max(now, l.free)
		exit = start
	} else {
		first := from.Node
		if b.Island > 0 {
			first = from.Node / b.Island * b.Island
		}
		to = Plug{first + int(f.Seat), from.Port}
		if b.Island == 0 || from.Port != b.optical || int(f.Seat) >= b.Island || to.Node >= s.nodes || to == from {
			return Delivery{}, Plug{}, &Fault{Dark, from.Node, -1, fmt.Sprintf("%d bytes into port %d, from where nothing leads to place %d of an island", bytes, from.Port, f.Seat)}
		}
		pace = b.IslandPace
		start = max(now, b.enter[from.Node])
		exit = max(start, b.leave[to.Node])
	}
	takes := time.Duration(math.Round(float64(bytes) * pace.PicosecondsPerByte / 1000 * s.slowed(from.Node, to.Node, step, start)))
	d := Delivery{At: exit + takes + pace.Delta, Free: start + takes}
	lands := d.At
	if through {
		d.At = exit + pace.Delta
	}
	if s.cut(from.Node, to.Node, step, lands) {
		return Delivery{}, Plug{}, &Fault{Broken, from.Node, to.Node, fmt.Sprintf("the way from rank %d to rank %d is cut", from.Node, to.Node)}
	}
	if l := b.links[from]; l != nil {
		l.free = start + takes
		b.linked += int64(bytes)
	} else {
		b.enter[from.Node], b.leave[to.Node] = start+takes, exit+takes
		b.inside += int64(bytes)
	}
	return d, to, nil
}

// Beside returns the bytes that islands and fixed links have carried.
func (s *State) Beside() (inside, linked int64) { return s.beside.inside, s.beside.linked }

// PeerOf returns the node at the other end of a port, or -1 if there is none or more than one.
func (s *State) PeerOf(p Plug) int {
	if p.Port >= s.ports {
		if l := s.beside.links[p]; l != nil {
			return l.to.Node
		}
		if from, fed := s.beside.feeds[p]; fed {
			return from
		}
		return -1
	}
	if peer := s.Peer(p.Node*s.ports + p.Port); peer >= 0 {
		return peer
	}
	return s.Fed(p.Node*s.ports + p.Port)
}
