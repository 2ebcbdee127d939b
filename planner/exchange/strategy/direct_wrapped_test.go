package strategy

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/routing"
)

// In every wrapped schedule, each pair's block goes whole over a circuit of its own, in parts, and
// no node has more circuits than ports. Each further short stage takes less time, down to the time
// in which all ports are always busy.
func TestWrappedSchedulesSendEveryBlockOnce(t *testing.T) {
	const each = 4
	seen, full := 0, 0
	for n := 3; n <= 14; n++ {
		for ports := 2; ports < n; ports++ {
			for _, duplex := range []bool{false, true} {
				p := Problem{Demand: uniformDemand(t, n, each), Ports: ports, Duplex: duplex, Fluid: true, R: 1, T: 1, Strategy: Direct}
				w, ok := newDirect(&p).(*wrapped)
				if !ok {
					if left := (n - 1) % ports; left != 0 && (!duplex || n%2 == 0) {
						t.Errorf("%d nodes, %d ports, two-way %v: nothing shares %d matchings", n, ports, duplex, left)
					}
					continue
				}
				name := fmt.Sprintf("%d nodes, %d ports, two-way %v", n, ports, duplex)
				before := math.Inf(1)
				for d := 1; d <= w.limit(); d++ {
					turns := w.way(d)
					if turns == nil {
						continue
					}
					f := w.sharing(turns)
					checkWrapped(t, f, name, each, ports, duplex)
					time := 0.0
					for _, most := range f.Busiest() {
						time += most
					}
					if len(f.Stages) != d || time >= before || time < float64(w.floor(d)) {
						t.Errorf("%s: %d stages take %v, want %d that take less than %v and at least %d", name, len(f.Stages), time, d, before, w.floor(d))
					}
					before = time
					seen++
				}
				if least := float64(each*w.jobs) / float64(w.units); math.Abs(before-least) < 1e-9 {
					full++
				} else if before < least {
					t.Errorf("%s: %v, less than all ports can send", name, before)
				}
			}
		}
	}
	if seen < 100 || full < 100 {
		t.Errorf("%d schedules, %d of them with all ports busy", seen, full)
	}
}

// checkWrapped counts what pairs get and what circuits of nodes there are.
func checkWrapped(t *testing.T, f *routing.Flows, name string, each, ports int, duplex bool) {
	t.Helper()
	sent := map[[2]int]int{}
	for _, part := range f.Parts {
		hop := part.Hops[0]
		from, to := int(hop.Port)%f.Nodes, f.Stages[hop.Stage][int(hop.Port)/f.Nodes][int(hop.Port)%f.Nodes]
		if len(part.Hops) != 1 || from != int(part.Src) || to != int(part.Dst) {
			t.Fatalf("%s: %+v is not one hop from %d to %d", name, part, from, to)
		}
		sent[[2]int{from, to}] += part.Amount
	}
	for u := range f.Nodes {
		for v := range f.Nodes {
			if got := big.NewRat(int64(sent[[2]int{u, v}]), int64(f.Finer)); u != v && got.Cmp(big.NewRat(int64(each), 1)) != 0 {
				t.Fatalf("%s: %d gets %v of %d, want %d", name, v, got, u, each)
			}
		}
	}
	for i, circuits := range f.Stages {
		count := map[[2]int]int{}
		in, out := make([]int, f.Nodes), make([]int, f.Nodes)
		for _, next := range circuits {
			for u, v := range next {
				if v >= 0 {
					out[u]++
					in[v]++
					count[[2]int{u, v}]++
				}
			}
		}
		for u := range f.Nodes {
			if in[u] > ports || out[u] > ports {
				t.Fatalf("%s: node %d has %d circuits in stage %d, and %d come in", name, u, out[u], i, in[u])
			}
		}
		for pair, c := range count {
			if duplex && count[[2]int{pair[1], pair[0]}] != c {
				t.Fatalf("%s: %v has %d circuits in stage %d, and not as many back", name, pair, c, i)
			}
		}
	}
}

// Short stages are of use if all ports wait for the last of a few matchings, and for nothing else.
func TestDirectSharesPortsOnlyWhereSomeAreLeft(t *testing.T) {
	for _, c := range []struct {
		nodes, ports int
		duplex       bool
		stages       int
		slots        float64
	}{
		{6, 3, true, 3, 5.0 / 3}, {6, 3, false, 3, 5.0 / 3}, {12, 7, false, 3, 11.0 / 7}, {9, 5, false, 3, 8.0 / 5},
		{7, 3, false, 2, 2}, {7, 3, true, 3, 7.0 / 3}, {9, 6, true, 2, 8.0 / 6}, {20, 8, false, 4, 19.0 / 8},
	} {
		p := Problem{Demand: uniformDemand(t, c.nodes, 120), Ports: c.ports, Duplex: c.duplex, Fluid: true, R: 0, T: 1, Strategy: Direct}
		best, err := p.best(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if best.Stages != c.stages || best.Slots != int(math.Floor(120*c.slots+1e-9)) {
			t.Errorf("%d nodes, %d ports, two-way %v: %d slots in %d stages, want %v in %d",
				c.nodes, c.ports, c.duplex, best.Slots, best.Stages, 120*c.slots, c.stages)
		}
	}
}
