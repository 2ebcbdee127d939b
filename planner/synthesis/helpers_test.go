package synthesis

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// message is the size of the messages in bytes; at byteRate, beta*m is the same number of
// nanoseconds.
const (
	message  = 1000.0
	byteRate = 8 * units.Gbps
)

// recursiveDoubling returns steps from..to of the cyclic variant, counted from 1: in step i, u
// sends m/2^i to u+2^(i-1).
func recursiveDoubling(n, ports, from, to int) Problem {
	p := Problem{Nodes: n, Ports: ports, Bandwidth: byteRate}
	for i := from; i <= to; i++ {
		p.Steps = append(p.Steps, Step{
			Demands: []flow.Demand{{Src: 0, Dst: 1 << (i - 1) % n, Amount: message / float64(int(1)<<i)}},
			Group:   topology.Rotations(n, 1),
		})
	}
	return p
}

// swing returns steps from..to, counted from 1: in step s+1, r exchanges m/2^(s+1) with r +
// (-1)^r * rho(s), rho(s) being the sum of (-2)^i for i up to s.
func swing(n, ports, from, to int) Problem {
	p := Problem{Nodes: n, Ports: ports, Bandwidth: byteRate}
	rho, power := 0, 1
	for i := 1; i <= to; i++ {
		rho += power
		power *= -2
		if i < from {
			continue
		}
		var s Step
		for r := range n {
			v := r + rho
			if r%2 == 1 {
				v = r - rho
			}
			s.Demands = append(s.Demands, flow.Demand{Src: r, Dst: (v%n + n) % n, Amount: message / float64(int(1)<<i)})
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

// whole lists the demands of all steps in full.
func whole(t testing.TB, p Problem) Problem {
	iv := prepared(t, p)
	p.Steps = nil
	for _, i := range iv.classOf {
		p.Steps = append(p.Steps, Step{Demands: iv.classes[i].all()})
	}
	return p
}

// randomProblem returns a problem with one to three steps: permutations, shifts, or a few
// demands.
func randomProblem(rng *rand.Rand, n, ports int, duplex bool) Problem {
	p := Problem{Nodes: n, Ports: ports, Duplex: duplex, Bandwidth: byteRate, Alpha: 3 * units.Nanosecond}
	p.CapTheta = rng.IntN(3) == 0
	p.Delta = []units.Duration{0, units.Nanosecond, 5 * units.Nanosecond, 30 * units.Nanosecond}[rng.IntN(4)]
	for range 1 + rng.IntN(3) {
		p.Steps = append(p.Steps, randomStep(rng, n))
	}
	return p
}

func randomStep(rng *rand.Rand, n int) Step {
	var s Step
	add := func(u, v int, amount float64) {
		if u != v {
			s.Demands = append(s.Demands, flow.Demand{Src: u, Dst: v, Amount: amount})
		}
	}
	switch rng.IntN(3) {
	case 0:
		for u, v := range rng.Perm(n) {
			add(u, v, 16)
		}
	case 1:
		k := 1 + rng.IntN(n-1)
		for u := range n {
			add(u, (u+k)%n, 8)
		}
	default:
		for range 1 + rng.IntN(5) {
			add(rng.IntN(n), rng.IntN(n), float64(1+rng.IntN(20)))
		}
	}
	return s
}

// randomGraph returns a graph with as many circuits as the ports allow, or nearly as many.
func randomGraph(rng *rand.Rand, n, ports int) *topology.Graph {
	var edges []topology.Edge
	for range ports {
		for u, v := range rng.Perm(n) {
			if u != v {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
	}
	return topology.New(n, "random", edges)
}

func prepared(t testing.TB, p Problem) *interval {
	t.Helper()
	iv, err := newInterval(p)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

func exactly(t testing.TB, p Problem) *Result {
	t.Helper()
	r, err := Exact(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Proven || r.Bound != r.Cost {
		t.Fatalf("%v is not proven, the bound is %v", r.Cost, r.Bound)
	}
	checkResult(t, p, r)
	return r
}

// checkResult prices the topology of a result again from scratch.
func checkResult(t testing.TB, p Problem, r *Result) {
	t.Helper()
	again, err := Evaluate(context.Background(), p, r.Graph)
	if err != nil {
		t.Fatal(err)
	}
	sum := units.Time(0)
	for _, s := range r.Steps {
		sum += s.Time
	}
	if !near(again.Cost, r.Cost) || !near(sum, r.Cost) || r.Bound > r.Cost || len(r.Steps) != len(p.Steps) {
		t.Fatalf("%s costs %v, its steps %v; reported are %v and the bound %v", r.Graph.Name(), again.Cost, sum, r.Cost, r.Bound)
	}
}

// near allows for the tolerances of flow and of the proof of optimality.
func near(a, b units.Time) bool {
	return math.Abs(float64(a-b)) <= 2*provenGap*math.Max(math.Abs(float64(a)), math.Abs(float64(b)))
}
