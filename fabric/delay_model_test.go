package fabric_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// If circuits are set one by one, those in both sets stay up. A parallel switch that changes is
// dark as a whole.
func TestWhatCarriesOnThroughAChange(t *testing.T) {
	jump := func(jumps ...int) *topology.Graph { return topology.DirectedCirculant(8, jumps...) }
	for _, c := range []struct {
		model    string
		from, to *topology.Graph
		stays    []int // jumps
		together bool  // on 2 ports
	}{
		{"10us", jump(1, 2), jump(1, 3), []int{1}, false},
		{"10us", jump(1), jump(2), nil, true},
		{"10us", jump(1), jump(1, 2), []int{1}, true},
		{"10us", jump(1), jump(1, 1), nil, true}, // one of the two is dark
		{"10us", jump(1, 1), jump(1), []int{1}, true},
		{"10us", jump(1, 2), jump(1, 2), []int{1, 2}, true},
		{"per-port:1us+1us", jump(1, 2), jump(2, 3), []int{2}, false},
		{"per-circuit:1us+1us", jump(1, 2), jump(2), []int{2}, true},
		{"per-switch:1us+1us", jump(1, 2), jump(1, 3), []int{1}, false},
		{"per-switch:1us+1us", jump(1), jump(2), nil, true},
		{"per-switch/1:1us+1us", jump(1, 2), jump(1, 3), nil, false},
		{"per-switch/1:1us+1us", jump(1), jump(2), nil, false}, // the only switch is in use
		{"per-switch/2:1us+1us", jump(1), jump(1, 2), []int{1}, true},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports = 8, 2
		var err error
		if f.Reconfig, err = fabric.ParseReconfig(c.model); err != nil {
			t.Fatal(err)
		}
		stay := f.Reconfig.Stay(c.from, c.to)
		jumps, _ := c.to.Jumps()
		for _, j := range jumps {
			want := false
			for _, s := range c.stays {
				want = want || s == j
			}
			for u := range 8 {
				if got := stay(u, (u+j)%8); got != want {
					t.Errorf("%s, %s to %s: jump %d stays at %d: %v", c.model, c.from.Name(), c.to.Name(), j, u, got)
				}
			}
		}
		if got := f.Spare(c.from, c.to); got != c.together {
			t.Errorf("%s, %s beside %s: %v", c.model, c.to.Name(), c.from.Name(), got)
		}
	}
}

// The settings of parallel switches contain each circuit once, and no switch has two circuits at
// a port.
func TestSwitchSettingsAreTheCircuits(t *testing.T) {
	for _, g := range []*topology.Graph{topology.DirectedCirculant(8, 1, 1, 3), topology.Torus(3, 4), topology.GenKautz(3, 11)} {
		for k := 1; k <= 3; k++ {
			seen := map[[2]int]int{}
			for _, s := range fabric.SwitchSettings(g, k) {
				out := map[int]int{}
				for _, c := range s {
					seen[c]++
					out[c[0]]++
				}
				for u, ports := range out {
					if most := (g.Degree() + k - 1) / k; ports > most {
						t.Errorf("%s on %d switches: node %d has %d circuits on one, its ports there are %d", g.Name(), k, u, ports, most)
					}
				}
			}
			for e := range g.Edges() {
				if seen[[2]int{e.From, e.To}] != e.Count {
					t.Errorf("%s on %d switches: %d->%d is there %d times", g.Name(), k, e.From, e.To, seen[[2]int{e.From, e.To}])
				}
			}
		}
	}
}

// DelaysFor inverts WaitFor: delays within its range have waits within the given range, and
// delays outside do not.
func TestDelaysForTurnsWaitForRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		f := fabric.Default()
		f.Sync = units.Duration(rng.IntN(5000)) * units.Nanosecond
		if rng.IntN(2) == 0 {
			f.Overlap = fabric.Overlap{Kind: fabric.OverlapCompute, Compute: units.Duration(rng.IntN(20_000)) * units.Nanosecond}
		}
		from := units.Time(rng.IntN(20_000))
		to := max(from, f.WaitFor(0)) + units.Time(rng.IntN(20_000))
		least, most := f.DelaysFor(from, to)
		delay := units.Time(rng.IntN(60_000))
		wait := f.WaitFor(delay)
		if within := wait >= from && wait <= to; within != (delay >= least && delay <= most) {
			t.Fatalf("waits %v to %v are delays %v to %v, but %v waits %v", from, to, least, most, delay, wait)
		}
		f.Reconfig.Base = units.Duration(delay) * units.Nanosecond
		if f.ConstantWait().Time() != wait {
			t.Fatalf("%v and %v", f.ConstantWait(), wait)
		}
	}
}
