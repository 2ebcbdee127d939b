package synthesis

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// enumerate calls visit with every topology that the ports allow or, if full is set, only with
// those that use all ports except for one node's.
func enumerate(n, ports int, duplex, full bool, visit func(*topology.Graph)) {
	out, in := make([]int, n), make([]int, n)
	if duplex {
		in = out
	}
	var edges []topology.Edge
	var place func(e int)
	place = func(e int) {
		if e == n*n {
			if !full || waste(out, ports) <= 1 && waste(in, ports) <= 1 {
				visit(topology.New(n, "enumerated", edges))
			}
			return
		}
		u, v := e/n, e%n
		most := min(ports-out[u], ports-in[v])
		if u == v || duplex && v < u {
			most = 0
		}
		held := len(edges)
		for count := 0; count <= most; count++ {
			edges = append(edges[:held], topology.Edge{From: u, To: v, Count: count})
			if duplex {
				edges = append(edges, topology.Edge{From: v, To: u, Count: count})
			}
			out[u] += count
			in[v] += count
			if v != n-1 || !full || waste(out[:u+1], ports) <= 1 {
				place(e + 1)
			}
			out[u] -= count
			in[v] -= count
		}
		edges = edges[:held]
	}
	place(0)
}

// waste counts the nodes with free ports.
func waste(used []int, ports int) int {
	count := 0
	for _, u := range used {
		if u < ports {
			count++
		}
	}
	return count
}

// cheapest returns the least cost among all topologies. It prices all in full, unless there are
// thousands: then it skips those that distances and counting rule out.
func cheapest(t *testing.T, p Problem, full bool) units.Time {
	iv := prepared(t, p)
	best, limit := units.Time(inf), units.Time(inf)
	many := p.Nodes*p.Ports > 6 && !p.Duplex
	enumerate(p.Nodes, p.Ports, p.Duplex, full, func(g *topology.Graph) {
		if many {
			limit = best
		}
		e, err := iv.price(t.Context(), g, limit)
		if err != nil {
			t.Fatal(err)
		}
		if e != nil {
			best = min(best, e.cost)
		}
	})
	return best
}

// agree compares Exact with the least cost.
func agree(t *testing.T, p Problem, want units.Time) {
	t.Helper()
	r, err := Exact(t.Context(), p, Options{})
	switch {
	case errors.Is(err, ErrInfeasible) && want == units.Time(inf):
	case err != nil:
		t.Fatalf("%+v: %v, want %v", p, err, want)
	case !r.Proven || !near(r.Cost, want):
		t.Fatalf("%+v: %v (proven: %v), want %v", p, r.Cost, r.Proven, want)
	default:
		checkResult(t, p, r)
	}
}

// Exact finds the best of all topologies, including those that leave ports free, for all ways of
// routing and forwarding.
func TestExactEqualsEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, ports int
		duplex   bool
		problems int
	}{
		{2, 1, false, 3}, {3, 1, false, 10}, {4, 1, false, 10}, {5, 1, false, 10},
		{2, 2, false, 3}, {3, 2, false, 10}, {4, 2, false, 5},
		{4, 1, true, 5}, {3, 2, true, 5}, {4, 2, true, 10}, {5, 2, true, 5}, {4, 3, true, 5}, {6, 2, true, 1},
	} {
		for k := range c.problems {
			p := randomProblem(rng, c.n, c.ports, c.duplex)
			switch k % 5 {
			case 3:
				p.Forwarding = fabric.StoreAndForward
			case 4:
				p.Routing = []flow.Policy{flow.Shortest, flow.ShortestSplit}[k/5%2]
			}
			agree(t, p, cheapest(t, p, false))
		}
	}
}

// With store-and-forward a demand that splits may be faster than one over the shortest path, even
// where that has the smallest peak: topologies must not be judged by shortest paths.
func TestStoreAndForwardGainsFromSplitting(t *testing.T) {
	list := func(demands ...flow.Demand) Step { return Step{Demands: demands} }
	p := Problem{Nodes: 4, Ports: 2, Duplex: true, Bandwidth: byteRate, Forwarding: fabric.StoreAndForward, Steps: []Step{
		list(flow.Demand{Src: 0, Dst: 1, Amount: 8}, flow.Demand{Src: 1, Dst: 2, Amount: 8},
			flow.Demand{Src: 2, Dst: 3, Amount: 8}, flow.Demand{Src: 3, Dst: 0, Amount: 8}),
		list(flow.Demand{Src: 1, Dst: 3, Amount: 19}, flow.Demand{Src: 3, Dst: 0, Amount: 14}),
		list(flow.Demand{Src: 1, Dst: 2, Amount: 3}, flow.Demand{Src: 1, Dst: 0, Amount: 19},
			flow.Demand{Src: 2, Dst: 0, Amount: 19}, flow.Demand{Src: 2, Dst: 1, Amount: 19}),
	}}
	agree(t, p, cheapest(t, p, false))
	agree(t, p, 53.5)
}

// The same with 5 nodes and two ports. Here only topologies without two free ports that could be
// joined are enumerated; the test above shows that these suffice.
func TestExactEqualsEnumerationOfFullTopologies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		p := randomProblem(rng, 5, 2, false)
		agree(t, p, cheapest(t, p, true))
	}
}

// A second way to the optimum with 6 nodes: all topologies with two ports are unions of two
// permutations (König), and all with one port are permutations. They are sorted by an independent
// lower bound, from hop distances and bytes, and priced from the lowest up until the bound
// exceeds the best.
func TestExactEqualsSortedPermutations(t *testing.T) {
	sparse := Step{Demands: []flow.Demand{{Src: 0, Dst: 3, Amount: 12}, {Src: 3, Dst: 1, Amount: 6}, {Src: 4, Dst: 0, Amount: 9}}}
	shift := Step{Demands: []flow.Demand{{Src: 0, Dst: 2, Amount: 4}}, Group: topology.Rotations(6, 1)}
	star := Step{Demands: []flow.Demand{{Src: 5, Dst: 0, Amount: 3}, {Src: 5, Dst: 1, Amount: 3}, {Src: 5, Dst: 2, Amount: 3}}}
	for _, c := range []struct {
		ports int
		delta units.Duration
		steps []Step
	}{
		{1, 0, swing(6, 1, 1, 3).Steps},
		{1, 4 * units.Nanosecond, []Step{sparse, shift}},
		{1, 0, []Step{shift, star, sparse}},
		{2, 9 * units.Nanosecond, []Step{sparse, sparse, star}},
	} {
		p := Problem{Nodes: 6, Ports: c.ports, Delta: c.delta, Bandwidth: byteRate, Steps: c.steps}
		agree(t, p, cheapestSorted(t, p))
	}
}

func cheapestSorted(t *testing.T, p Problem) units.Time {
	iv := prepared(t, p)
	type candidate struct {
		layers [][]int
		bound  float64
	}
	var list []candidate
	seen := map[string]bool{}
	// A circuit from a node to itself is a dark port; two nodes with dark ports could be joined.
	perms := slices.DeleteFunc(permutationsOf(p.Nodes), func(next []int) bool {
		dark := 0
		for u, v := range next {
			if u == v {
				dark++
			}
		}
		return dark > 1
	})
	for i, first := range perms {
		for _, second := range perms[i:] {
			if p.Ports == 1 && !slices.Equal(first, second) {
				break
			}
			key := unionKey(first, second)
			if seen[key] {
				continue
			}
			seen[key] = true
			layers := [][]int{first, second}[:p.Ports]
			list = append(list, candidate{layers, simpleBound(iv, layers)})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		switch {
		case a.bound < b.bound:
			return -1
		case a.bound > b.bound:
			return 1
		}
		return 0
	})
	best := units.Time(inf)
	for _, c := range list {
		if units.Time(c.bound) >= best {
			break
		}
		total, g := units.Time(0), layered(c.layers)
		for _, step := range p.Steps {
			total += fastest(t, p, g, step)
		}
		best = min(best, total)
	}
	return best
}

// fastest returns the least time of a step over all limits on hops.
func fastest(t *testing.T, p Problem, g *topology.Graph, s Step) units.Time {
	group := s.Group.Within(g)
	c := class{Step: s}
	best := units.Time(inf)
	first := 1
	if p.Delta == 0 {
		first = p.Nodes - 1 // more hops are never worse
	}
	for hops := first; hops < p.Nodes; hops++ {
		r, err := flow.Solve(t.Context(), flow.Problem{Graph: g, Demands: c.under(group), Group: group, MaxHops: hops}, flow.Optimal)
		if err != nil {
			continue
		}
		best = min(best, p.Alpha.Time()+p.Delta.Time()*units.Time(r.Load.Hops)+p.Bandwidth.Transmit(r.Load.Peak))
	}
	return best
}

func permutationsOf(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, p := range permutationsOf(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return all
}

// unionKey returns equal keys for equal circuits.
func unionKey(first, second []int) string {
	key := make([]byte, 0, 2*len(first))
	for u := range first {
		key = append(key, byte(min(first[u], second[u])), byte(max(first[u], second[u])))
	}
	return string(key)
}

func layered(layers [][]int) *topology.Graph {
	var edges []topology.Edge
	for _, next := range layers {
		for u, v := range next {
			if u != v {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
	}
	return topology.New(len(layers[0]), "union", edges)
}

// simpleBound returns the time of the interval if loads were spread evenly over all circuits, and
// over those of each node.
func simpleBound(iv *interval, layers [][]int) float64 {
	n := iv.Nodes
	var dist [8][8]int // of at most 8 nodes
	var known [8]bool
	total := 0.0
	for _, c := range iv.classes {
		work, longest, busiest := 0.0, 0, 0.0
		var out, in [8]float64
		for _, d := range c.all() {
			if !known[d.Src] {
				known[d.Src] = true
				dist[d.Src] = hopsFrom(d.Src, layers)
			}
			h := dist[d.Src][d.Dst]
			if h == 0 {
				return inf
			}
			work += d.Amount * float64(h)
			longest = max(longest, h)
			out[d.Src] += d.Amount
			in[d.Dst] += d.Amount
			busiest = max(busiest, out[d.Src], in[d.Dst])
		}
		peak := max(work/float64(n), busiest) / float64(len(layers))
		total += float64(c.times) * float64(iv.time(c, flow.Load{Hops: longest, Peak: peak}))
	}
	return total
}

// hopsFrom counts the hops to every other node, 0 if there is no path.
func hopsFrom(src int, layers [][]int) (hops [8]int) {
	queue, end := [8]int{src}, 1
	for i := 0; i < end; i++ {
		for _, next := range layers {
			if v := next[queue[i]]; v != src && hops[v] == 0 {
				hops[v] = hops[queue[i]] + 1
				queue[end] = v
				end++
			}
		}
	}
	return hops
}
