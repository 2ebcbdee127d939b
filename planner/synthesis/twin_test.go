package synthesis

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// allTopologies calls visit with every topology that the ports allow, those with free
// ports among them.
func allTopologies(n, ports int, duplex bool, visit func(*topology.Graph)) {
	out, in := make([]int, n), make([]int, n)
	var edges []topology.Edge
	var place func(e int)
	place = func(e int) {
		if e == n*n {
			visit(topology.New(n, "enumerated", edges))
			return
		}
		u, v := e/n, e%n
		most := min(ports-out[u], ports-in[v])
		if u == v || duplex && v < u {
			most = 0
		}
		held := len(edges)
		for count := 0; count <= most; count++ {
			if count > 0 {
				edges = append(edges[:held], topology.Edge{From: u, To: v, Count: count})
				if duplex {
					edges = append(edges, topology.Edge{From: v, To: u, Count: count})
				}
			}
			out[u] += count
			in[v] += count
			if duplex {
				out[v] += count
				in[u] += count
			}
			place(e + 1)
			out[u] -= count
			in[v] -= count
			if duplex {
				out[v] -= count
				in[u] -= count
			}
		}
		edges = edges[:held]
	}
	place(0)
}

func TestTmpCount(t *testing.T) {
	for _, c := range []struct {
		n, p   int
		duplex bool
	}{{3, 1, false}, {3, 2, false}, {4, 1, false}, {4, 2, false}, {5, 1, false}, {5, 2, true}, {4, 3, true}, {5, 3, true}, {6, 2, true}, {5, 2, false}} {
		k := 0
		start := time.Now()
		allTopologies(c.n, c.p, c.duplex, func(*topology.Graph) { k++ })
		fmt.Println(c, k, time.Since(start))
	}
}

func randomProblem(rng *rand.Rand, n, ports int, duplex bool) Problem {
	p := Problem{Nodes: n, Ports: ports, Duplex: duplex, Bandwidth: 8 * units.Gbps, CapTheta: rng.IntN(3) == 0, Alpha: 3 * units.Nanosecond}
	p.Delta = []units.Duration{0, units.Nanosecond, 5 * units.Nanosecond, 30 * units.Nanosecond}[rng.IntN(4)]
	for range 1 + rng.IntN(3) {
		var s Step
		switch rng.IntN(3) {
		case 0:
			perm := rng.Perm(n)
			for u, v := range perm {
				if u != v {
					s.Demands = append(s.Demands, flow.Demand{Src: u, Dst: v, Amount: 16})
				}
			}
		case 1:
			k := 1 + rng.IntN(n-1)
			for u := range n {
				s.Demands = append(s.Demands, flow.Demand{Src: u, Dst: (u + k) % n, Amount: 8})
			}
		default:
			for range 1 + rng.IntN(5) {
				u, v := rng.IntN(n), rng.IntN(n)
				if u != v {
					s.Demands = append(s.Demands, flow.Demand{Src: u, Dst: v, Amount: float64(1 + rng.IntN(20))})
				}
			}
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

func TestTmpTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	type c struct {
		n, ports int
		duplex   bool
		count    int
	}
	for _, c := range []c{{3, 2, false, 100}, {4, 1, false, 200}, {5, 1, false, 200}, {4, 2, true, 200}, {5, 2, true, 200}, {4, 3, true, 100}, {6, 2, true, 40}, {5, 3, true, 20}, {4, 2, false, 100}, {5, 2, false, 10}, {4, 3, false, 4}} {
		start := time.Now()
		var ex time.Duration
		for trial := range c.count {
			p := randomProblem(rng, c.n, c.ports, c.duplex)
			if trial%7 == 5 {
				p.Forwarding = fabric.StoreAndForward
			}
			if trial%7 == 6 {
				p.Routing = flow.Shortest
			}
			iv, err := newInterval(p)
			if err != nil {
				t.Fatal(err)
			}
			best := units.Time(inf)
			var bg *topology.Graph
			allTopologies(c.n, c.ports, c.duplex, func(g *topology.Graph) {
				e, err := iv.price(t.Context(), g, best)
				if err != nil {
					t.Fatal(err)
				}
				if e != nil {
					best = e.cost
					bg = g
				}
			})
			s := time.Now()
			r, err := Exact(t.Context(), p, Options{})
			ex += time.Since(s)
			if err != nil {
				if !errors.Is(err, ErrInfeasible) || best < units.Time(inf) {
					t.Fatal(c, p, err, best)
				}
				continue
			}
			if d := float64(r.Cost - best); d > 1e-7*float64(best) || d < -1e-7*float64(best) || !r.Proven {
				t.Errorf("%v %+v: %v, want %v (%v)", c, p, r.Cost, best, bg)
			}
			b := iv.count()
			if b.time > best*(1+1e-9) {
				t.Errorf("count %v > %v: %v %+v", b.time, best, c, p)
			}
		}
		fmt.Println(c, time.Since(start), ex)
	}
}
