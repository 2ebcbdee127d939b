package coordinator

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/emulate/crossbar"
	"github.com/lightpath-net/lightpath/emulate/wire"
)

// draw makes a request for a switch with the given nodes and ports, now and then an impossible
// one.
func draw(rng *rand.Rand, nodes, ports int) wire.ConnectMessage {
	m := wire.ConnectMessage{Partial: rng.IntN(4) > 0}
	in, out := rng.Perm(nodes*ports), rng.Perm(nodes*ports)
	for i := range rng.IntN(nodes * ports / 2) {
		if rng.IntN(100) == 0 {
			in[i] += rng.IntN(3) - 1
		}
		m.Circuits = append(m.Circuits, [4]int{in[i] / ports, in[i] % ports, out[i] / ports, out[i] % ports})
	}
	return m
}

// A bridge wants the circuits that the switch has after the same requests in the same order, and
// both refuse the same requests. Requests that are sent together share no fibre, and no request
// is lost.
func TestABridgeWantsWhatTheSwitchWouldSet(t *testing.T) {
	const nodes, ports = 5, 2
	rng := rand.New(rand.NewPCG(1, 2))
	refused, together := 0, 0
	for range 300 {
		s := crossbar.NewState(nodes, ports, 0, 0, nil)
		b := &bridge{s: &server{Host: Host{Switch: wire.SwitchConfig{Nodes: nodes, Ports: ports}}}, some: make(chan struct{}, 1)}
		up := control.State{}
		var sent []wire.ConnectMessage
		for range 12 {
			m := draw(rng, nodes, ports)
			m.Stage = len(sent)
			connect := s.Connect
			if m.Partial {
				connect = s.Set
			}
			_, _, err := connect(0, m.List(), 0)
			if ok := b.add(up, &m); ok != (err == nil) {
				t.Fatalf("%+v: %t, %v", m, ok, err)
			}
			if err != nil {
				refused++
				continue
			}
			want := control.State{}
			for _, c := range s.Circuits() {
				x := b.cross(c)
				want[x.Ingress] = x.Egress
			}
			if !up.Equal(want) {
				t.Fatalf("%+v: %v; want %v", m, up, want)
			}
			b.ask(m)
			sent = append(sent, m)
		}
		again, taken := control.State{}, 0
		for batch := b.take(); len(batch) > 0; batch = b.take() {
			var all []control.Cross
			for i, m := range batch {
				if m.Stage != taken || !m.Partial && len(batch) > 1 {
					t.Fatalf("%+v", batch)
				}
				taken++
				together += i
				for _, c := range m.List() {
					all = append(all, b.cross(c))
				}
				b.add(again, &m)
			}
			if _, err := control.Up(all); err != nil {
				t.Fatalf("%+v: %v", batch, err)
			}
		}
		if taken != len(sent) || !again.Equal(up) {
			t.Fatalf("%d of %d requests; %v, want %v", taken, len(sent), again, up)
		}
	}
	if refused == 0 || together == 0 {
		t.Errorf("%d refused, %d together", refused, together)
	}
}
