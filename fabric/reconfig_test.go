package fabric_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

func TestReconfigIsReadAndWritten(t *testing.T) {
	for text, want := range map[string]fabric.Reconfig{
		"10us":                         {Model: fabric.Constant, Base: 10 * units.Microsecond},
		"0ns":                          {Model: fabric.Constant},
		"3.84ns":                       {Model: fabric.Constant, Base: 3840},
		"60s":                          {Model: fabric.Constant, Base: 60 * units.Second},
		"per-port:1us+20ns":            {Model: fabric.PerPort, Base: units.Microsecond, Each: 20 * units.Nanosecond},
		"per-circuit:41.06ms+355.5us":  {Model: fabric.PerCircuit, Base: 41_060 * units.Microsecond, Each: 355_500 * units.Nanosecond},
		"per-port:0ns+0ns":             {Model: fabric.PerPort},
		"per-circuit:0.001ns+1000.5ns": {Model: fabric.PerCircuit, Base: 1, Each: 1_000_500},
	} {
		got, err := fabric.ParseReconfig(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := fabric.ParseReconfig(got.String()); err != nil || again != want {
			t.Errorf("%s: written as %s, read as %+v, %v", text, got, again, err)
		}
	}
}

func TestReconfigRoundTripOnRandomDelays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		want := fabric.Reconfig{Model: fabric.Constant, Base: units.Duration(rng.Int64N(1 << rng.IntN(62)))}
		if rng.IntN(3) > 0 {
			want.Model = [...]fabric.DelayModel{fabric.PerPort, fabric.PerCircuit}[rng.IntN(2)]
			want.Each = units.Duration(rng.Int64N(1 << rng.IntN(62)))
		}
		if got, err := fabric.ParseReconfig(want.String()); err != nil || got != want {
			t.Fatalf("%+v: written as %s, read as %+v, %v", want, want, got, err)
		}
	}
}

func TestBadReconfigIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "10", "us", "-1us", "10 parsecs", "per-port", "per-port:", "per-port:1us", "per-port:1us+", "per-port:+1us",
		"per-port:1us+2us+3us", "per-node:1us+2us", "constant:1us+1us", "per-port:1+2", "PER-PORT:1us+2us", "per-port:1us,2us", "per-port/2:1us+2us", "per-switch/0:1us+2us", "per-switch/x:1us+2us",
	} {
		got, err := fabric.ParseReconfig(text)
		if err == nil {
			t.Errorf("%q: read as %+v", text, got)
			continue
		}
		if !strings.Contains(err.Error(), "per-port:BASE+PER_PORT") || strings.Contains(err.Error(), "\n") || got != (fabric.Reconfig{}) {
			t.Errorf("%q: %+v, %q", text, got, err)
		}
	}
}

// The delays of hand-made changes. With base 1000 and 10 for each:
//   - constant: 1000 for any change
//   - per-port: per node, the most circuits gained or lost in one direction, summed
//   - per-circuit: the circuits added, or removed if those are more
func TestDelayOfHandMadeChanges(t *testing.T) {
	ring := topology.DirectedCirculant(4, 1)
	edges := func(list ...topology.Edge) *topology.Graph { return topology.New(4, "made", list) }
	for _, c := range []struct {
		name                          string
		from, to                      *topology.Graph
		constant, perPort, perCircuit units.Time
	}{
		{"nothing", ring, ring, 0, 0, 0},
		{"the same circuits under another name", ring, ring.Named("other"), 0, 0, 0},
		// 4 new circuits, 4 old ones; every node sends to another peer: 4 ports.
		{"ring to ring", ring, topology.DirectedCirculant(4, 3), 1000, 1040, 1040},
		{"dark to ring", edges(), ring, 1000, 1040, 1040},
		{"ring to dark", ring, edges(), 1000, 1040, 1040},
		// 0->1 and 2->3 become 0->3 and 2->1: 2 circuits; the transmitters of 0 and 2 and
		// the receivers of 1 and 3 get another peer: 4 ports.
		{
			"two circuits cross over",
			edges(topology.Edge{From: 0, To: 1, Count: 1}, topology.Edge{From: 2, To: 3, Count: 1}),
			edges(topology.Edge{From: 0, To: 3, Count: 1}, topology.Edge{From: 2, To: 1, Count: 1}),
			1000, 1040, 1020,
		},
		// One circuit is added, at the transmitter of 0 and the receiver of 1.
		{"one circuit more", edges(), edges(topology.Edge{From: 0, To: 1, Count: 1}), 1000, 1020, 1010},
		// 3 parallel circuits instead of 1: 2 more, on 2 ports at each end.
		{
			"parallel circuits", edges(topology.Edge{From: 0, To: 1, Count: 1}), edges(topology.Edge{From: 0, To: 1, Count: 3}),
			1000, 1040, 1020,
		},
		// 0 drops 3 circuits to 1 and gains one to 2: 3 ports at 0, 3 at 1, 1 at 2; 3 are
		// taken down and 1 is set up.
		{
			"more removed than added", edges(topology.Edge{From: 0, To: 1, Count: 3}), edges(topology.Edge{From: 0, To: 2, Count: 1}),
			1000, 1070, 1030,
		},
		// A one-way ring becomes two-way: 4 circuits more; every node's second port.
		{"one-way to two-way", ring, topology.Circulant(4, 1), 1000, 1040, 1040},
	} {
		for model, want := range map[fabric.DelayModel]units.Time{
			fabric.Constant: c.constant, fabric.PerPort: c.perPort, fabric.PerCircuit: c.perCircuit,
		} {
			r := fabric.Reconfig{Model: model, Base: units.Microsecond, Each: 10 * units.Nanosecond}
			if got := r.Delay(c.from, c.to); got != want {
				t.Errorf("%s, %s: %v ns, want %v", c.name, model, float64(got), float64(want))
			}
		}
	}
}

// Least is a lower bound on every delay, only the empty change is free, and the reverse change
// takes the same time.
func TestLeastIsBelowEveryDelay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) *topology.Graph {
		var edges []topology.Edge
		for u := range n {
			for range rng.IntN(3) {
				edges = append(edges, topology.Edge{From: u, To: rng.IntN(n), Count: 1 + rng.IntN(2)})
			}
		}
		return topology.New(n, "random", edges)
	}
	for range 400 {
		n := 2 + rng.IntN(5)
		from, to := random(n), random(n)
		for _, model := range []fabric.DelayModel{fabric.Constant, fabric.PerPort, fabric.PerCircuit} {
			r := fabric.Reconfig{Model: model, Base: units.Microsecond, Each: units.Duration(rng.IntN(1000))}
			delay := r.Delay(from, to)
			if from.Equal(to) {
				if delay != 0 {
					t.Fatalf("%s: %v for no change", model, delay)
				}
				continue
			}
			if delay < r.Least() {
				t.Fatalf("%s: %v is below the least, %v", model, delay, r.Least())
			}
			if back := r.Delay(to, from); back != delay {
				t.Fatalf("%s: %v forth, %v back", model, delay, back)
			}
		}
	}
}
