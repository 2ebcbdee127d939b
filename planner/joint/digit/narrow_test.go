package digit

import (
	"fmt"
	"testing"
)

// machines returns the machines for tests of bounds: prices that make loads or start-ups matter,
// and every way to charge for a load.
func machines(ports int) []Machine {
	var all []Machine
	for _, alpha := range []float64{100} {
		m := Machine{Alpha: alpha, Delta: 100, PerByte: 0.02, Ports: ports}
		all = append(all, m)
		m.Duplex = true
		all = append(all, m)
		m.Duplex, m.Stores, m.Capped = false, true, true
		all = append(all, m)
	}
	return all
}

// What bounds exclude is slower than what is picked: counting everything first gives the same
// program, and no program takes less than its bound.
func TestBoundsOfNetworksLeaveOutNothingFaster(t *testing.T) {
	const rounded = 1 - 1e-12 // sums of loads are rounded
	for _, ports := range []int{2, 3, 4} {
		for _, points := range []int{6, 8, 9, 12, 16} {
			for i, m := range machines(ports) {
				t.Run(fmt.Sprintf("points=%d/ports=%d/machine=%d", points, ports, i), func(t *testing.T) {
					s := NewSearch(Question{Machine: m, Limits: unlimited, Keep: 1, Nodes: points, Bytes: 1, Stopped: never})
					for _, bytes := range []float64{10, 1e4, 1e6} {
						lazy, whole := m.programs(points, 2*m.Ports, never), m.programs(points, 2*m.Ports, never)
						for _, p := range append(whole.gathers, whole.exchanges...) {
							counted := p.settle(never)
							if counted.load < p.Load*rounded || counted.hops < p.Hops {
								t.Errorf("%s in %d steps: load %v in %d hops, bound %v, %d", p.about, p.Steps, counted.load, counted.hops, p.Load, p.Hops)
							}
							if p.back != nil {
								if load := p.back.settle(never); load < p.back.load*rounded {
									t.Errorf("%s in %d steps, turned: load %v, bound %v", p.about, p.Steps, load, p.back.load)
								}
							}
							for p.settleOne(true, never) {
							}
						}
						for name, pick := range map[string]func([]*program, float64, float64) (*program, float64){"pick": s.pick, "pair": s.pickPair} {
							got, time := pick(lazy.gathers, bytes, 1e18)
							want, least := pick(whole.gathers, bytes, 1e18)
							if time != least || got.about != want.about || got.Steps != want.Steps {
								t.Errorf("%s of %v bytes: %s in %d steps, %v; with all counted %s in %d steps, %v", name, bytes, got.about, got.Steps, time, want.about, want.Steps, least)
							}
						}
						if len(whole.exchanges) > 0 {
							got, time := s.pick(lazy.exchanges, bytes, 1e18)
							want, least := s.pick(whole.exchanges, bytes, 1e18)
							if time != least || got.about != want.about {
								t.Errorf("exchange of %v bytes: %s, %v; with all counted %s, %v", bytes, got.about, time, want.about, least)
							}
						}
					}
				})
			}
		}
	}
}
