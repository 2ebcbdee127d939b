package flow_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// delayedStep is a random step with a random delay for every circuit; few are equal.
func delayedStep(rng *rand.Rand) flow.Delayed {
	n := 3 + rng.IntN(3)
	var edges []topology.Edge
	delays := map[[2]int]int64{}
	for u := range n {
		for v := range n {
			if u != v && (v == (u+1)%n || rng.IntN(2) == 0) {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1 + rng.IntN(6)})
				delays[[2]int{u, v}] = int64(rng.IntN(5)) * 150
			}
		}
	}
	p := flow.Delayed{
		Problem: flow.Problem{Graph: topology.New(n, "", edges)},
		Serial:  rng.IntN(3) > 0,
		Delay:   func(from, to int) int64 { return delays[[2]int{from, to}] },
	}
	for range 1 + rng.IntN(4) {
		u := rng.IntN(n)
		p.Demands = append(p.Demands, flow.Demand{Src: u, Dst: (u + 1 + rng.IntN(n-1)) % n, Amount: float64(int(100) << rng.IntN(6))})
	}
	serial := p.Serial
	p.Time = func(l flow.Load, flight int64) float64 {
		if serial {
			return float64(flight) + max(l.Peak, l.Dilation)
		}
		return float64(flight) + l.Peak
	}
	return p
}

// allPaths lists the simple paths of a demand.
func allPaths(g *topology.Graph, d flow.Demand) [][]int32 {
	var all [][]int32
	var walk func(path []int32)
	walk = func(path []int32) {
		u := int(path[len(path)-1])
		if u == d.Dst {
			all = append(all, append([]int32(nil), path...))
			return
		}
		to, _ := g.Row(u)
	next:
		for _, v := range to {
			for _, seen := range path {
				if seen == v {
					continue next
				}
			}
			walk(append(path[:len(path):len(path)], v))
		}
	}
	walk([]int32{int32(d.Src)})
	return all
}

// leastDelayed is the twin of FastestDelayed: all paths, all rows, every limit on delays, and a
// tableau.
func leastDelayed(p flow.Delayed) float64 {
	type column struct {
		demand int
		path   []int32
		delay  int64
	}
	var every []column
	limits := map[int64]bool{}
	for i, d := range p.Demands {
		for _, path := range allPaths(p.Graph, d) {
			c := column{i, path, 0}
			for h := 1; h < len(path); h++ {
				c.delay += p.Delay(int(path[h-1]), int(path[h]))
			}
			every = append(every, c)
			limits[c.delay] = true
		}
	}
	best := math.Inf(1)
	for limit := range limits {
		var cols []column
		for _, c := range every {
			if c.delay <= limit {
				cols = append(cols, c)
			}
		}
		// Variables: paths, T, then slacks.
		var a [][]float64
		var b []float64
		slacks := p.Graph.Bundles()
		if p.Serial {
			slacks += len(cols)
		}
		vars := len(cols) + 1 + slacks
		for i, d := range p.Demands {
			row := make([]float64, vars)
			for k, c := range cols {
				if c.demand == i {
					row[k] = 1
				}
			}
			a, b = append(a, row), append(b, d.Amount)
		}
		slack := len(cols) + 1
		below := func(row []float64, t float64) {
			row[len(cols)], row[slack] = -t, 1
			slack++
			a, b = append(a, row), append(b, 0)
		}
		for e := range p.Graph.Edges() {
			row := make([]float64, vars)
			for k, c := range cols {
				for h := 1; h < len(c.path); h++ {
					if int(c.path[h-1]) == e.From && int(c.path[h]) == e.To {
						row[k] = 1
					}
				}
			}
			below(row, float64(e.Count))
		}
		for k, c := range cols {
			if !p.Serial {
				break
			}
			row := make([]float64, vars)
			for h := 1; h < len(c.path); h++ {
				row[k] += 1 / float64(p.Graph.Count(int(c.path[h-1]), int(c.path[h])))
			}
			below(row, 1)
		}
		cost := make([]float64, vars)
		cost[len(cols)] = 1
		t := tableau(a, b, cost)
		best = min(best, p.Time(flow.Load{Peak: t, Dilation: t}, limit))
	}
	return best
}

// Routes over circuits with different delays, with or without store-and-forward, are the fastest
// possible.
func TestDelayedRoutesAreTheFastest(t *testing.T) {
	for seed := range uint64(300) {
		p := delayedStep(rand.New(rand.NewPCG(31, seed)))
		r, fastest, err := flow.FastestDelayed(t.Context(), p)
		if err != nil || !fastest {
			t.Fatalf("seed %d: %v, %v", seed, fastest, err)
		}
		load, err := flow.LoadOf(p.Graph, p.Group, p.Demands, r.Routes)
		if err != nil || load.Hops != r.Load.Hops || math.Abs(load.Peak-r.Load.Peak)+math.Abs(load.Dilation-r.Load.Dilation) > 1e-9*load.Peak {
			t.Errorf("seed %d: %+v, the routes are %+v, %v", seed, r.Load, load, err)
		}
		flight := int64(0)
		for _, ways := range r.Routes {
			for _, way := range ways {
				sum := int64(0)
				for h := 1; h < len(way.Path); h++ {
					sum += p.Delay(int(way.Path[h-1]), int(way.Path[h]))
				}
				flight = max(flight, sum)
			}
		}
		if got, want := p.Time(load, flight), leastDelayed(p); math.Abs(got-want) > 1e-8*want {
			t.Errorf("seed %d: %v, all paths take %v", seed, got, want)
		}
	}
}

// A step that is too large is refused, a step without a path is an error, and a cancelled search
// ends.
func TestDelayedRoutesThatAreNotFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	p := delayedStep(rng)
	n := 300
	edges := make([]topology.Edge, n)
	for u := range n {
		edges[u] = topology.Edge{From: u, To: (u + 1) % n, Count: 1}
	}
	large := p
	large.Problem = flow.Problem{Graph: topology.New(n, "", edges), Demands: p.Demands}
	if r, fastest, err := flow.FastestDelayed(t.Context(), large); r != nil || fastest || err != nil {
		t.Errorf("on %d GPUs: %v, %v, %v", n, r, fastest, err)
	}
	apart := p
	apart.Problem = flow.Problem{Graph: topology.New(3, "", edges[:1]), Demands: []flow.Demand{{Src: 1, Dst: 0, Amount: 1}}}
	if _, _, err := flow.FastestDelayed(t.Context(), apart); !errors.Is(err, flow.ErrUnreachable) {
		t.Errorf("without a way: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := flow.FastestDelayed(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("not wanted: %v", err)
	}
}
