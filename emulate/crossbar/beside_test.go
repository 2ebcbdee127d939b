package crossbar_test

import (
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// TestBesideCircuitsBytesKeepTheirPace: 1000 bytes at 2 ns each enter an island in 2 us, leave
// it at the same time, and arrive 3 us later. Bytes from other nodes to the same node wait for
// their turn. A fixed link has its own rate and waits for no other traffic.
func TestBesideCircuitsBytesKeepTheirPace(t *testing.T) {
	s := crossbar.NewState(4, 1, 1000, 5*us, nil)
	s.With(wire.Beside{
		Plugs: 3, Island: 2, IslandPace: wire.Pace{PicosecondsPerByte: 2000, Delta: 3 * us},
		Links: [][4]int{{0, 2, 3, 2}}, LinkPace: wire.Pace{PicosecondsPerByte: 4000, Delta: us},
	})
	frame := func(seat uint16, flags uint16) *wire.Frame {
		return &wire.Frame{Kind: wire.Data, Step: 1, Seat: seat, Flags: flags, Payload: make([]byte, 1000)}
	}
	island := func(node int) crossbar.Plug { return crossbar.Plug{Node: node, Port: 1} }
	link := crossbar.Plug{Node: 0, Port: 2}
	for i, c := range []struct {
		now      time.Duration
		from     crossbar.Plug
		frame    *wire.Frame
		to       crossbar.Plug
		at, free time.Duration
	}{
		{0, island(0), frame(1, 0), island(1), 5 * us, 2 * us},
		{us, island(0), frame(1, 0), island(1), 7 * us, 4 * us},
		{us, island(3), frame(0, wire.Through), island(2), 4 * us, 3 * us}, // its first bit
		{us, link, frame(0, 0), crossbar.Plug{Node: 3, Port: 2}, 6 * us, 5 * us},
		{us, link, frame(0, 0), crossbar.Plug{Node: 3, Port: 2}, 10 * us, 9 * us},
	} {
		d, to, err := s.SendFrom(c.now, c.from, c.frame)
		if err != nil || to != c.to || d.At != c.at || d.Free != c.free {
			t.Errorf("%d: %+v to %+v, %v; want %v and %v at %+v", i, d, to, err, c.at, c.free, c.to)
		}
	}
	for _, c := range []struct {
		from crossbar.Plug
		seat uint16
	}{{island(1), 2}, {island(1), 1}, {crossbar.Plug{Node: 1, Port: 2}, 0}} {
		if _, _, err := s.SendFrom(20*us, c.from, frame(c.seat, 0)); kind(t, err) != crossbar.Dark {
			t.Errorf("%+v to place %d: %v", c.from, c.seat, err)
		}
	}
	if inside, linked := s.Beside(); inside != 3000 || linked != 2000 || len(s.Carried()) != 0 {
		t.Errorf("%d bytes within islands, %d over fixed links, %v over circuits", inside, linked, s.Carried())
	}
	if s.PeerOf(link) != 3 || s.PeerOf(crossbar.Plug{Node: 3, Port: 2}) != 0 || s.PeerOf(island(0)) != -1 {
		t.Error("fixed links have other ends than they should")
	}
}
