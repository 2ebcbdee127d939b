package pricing

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// unevenFabric returns a fabric with the given circuits as its base.
func unevenFabric(t *testing.T, nodes int, links []fabric.Link) (*Workload, *fabric.Uneven) {
	t.Helper()
	var edges []topology.Edge
	for _, l := range links {
		edges = append(edges, topology.Edge{From: l.From, To: l.To, Count: 1})
	}
	g := topology.New(nodes, "", edges)
	f := fabric.Default()
	f.Nodes, f.Ports, f.Base, f.Links = nodes, nodes, topology.EdgesOf(g).String(), fabric.LinksOf(links...)
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	w := &Workload{Fabric: &f, Circuits: f.Circuits()}
	return w, w.Circuits.On(g)
}

// One message over relays, each with a bandwidth and a delay: the fastest way is to use all
// relays up to some delay, each by its bandwidth.
func TestRoutesOverRelaysThatDiffer(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(22, seed))
		relays := 1 + rng.IntN(4)
		var links []fabric.Link
		type way struct {
			bandwidth float64 // bits in a ns
			delay     float64 // ns
		}
		ways := make([]way, relays)
		for i := range ways {
			b, d := 1+rng.IntN(8), 1+rng.IntN(9)
			ways[i] = way{100 * float64(b), 100 * float64(d+1)}
			at := 2 + i
			links = append(links,
				fabric.Link{From: 0, To: at, Bandwidth: units.Bandwidth(b) * 100 * units.Gbps, Delay: units.Duration(d) * 100 * units.Nanosecond, Delayed: true},
				fabric.Link{From: at, To: 1, Bandwidth: units.Bandwidth(b+rng.IntN(3)) * 100 * units.Gbps, Delay: 100 * units.Nanosecond, Delayed: true})
		}
		w, wires := unevenFabric(t, 2+relays, links)
		bytes := float64(int64(1000) << rng.IntN(8))
		r, err := w.routeUneven(t.Context(), wires, &Class{Demands: []flow.Demand{{Src: 0, Dst: 1, Amount: bytes}}, pair: bytes}, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(ways, func(a, b way) int { return cmp.Compare(a.delay, b.delay) })
		want, sum := math.Inf(1), 0.0
		for _, way := range ways {
			sum += way.bandwidth
			want = min(want, 500+way.delay+8*bytes/sum)
		}
		if got := float64(r.Cost.Total()); math.Abs(got-want) > 1e-9*want {
			t.Errorf("seed %d: %v ns, want %v", seed, got, want)
		}
	}
}

// No choice of one simple path for every message is faster than the routes found, and the bounds
// known before routing hold.
func TestNoPathsAreFasterOnCircuitsThatDiffer(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(23, seed))
		n := 3 + rng.IntN(3)
		var links []fabric.Link
		for u := range n {
			for v := range n {
				if u != v && (v == (u+1)%n || rng.IntN(2) == 0) {
					links = append(links, fabric.Link{
						From: u, To: v, Bandwidth: units.Bandwidth(1+rng.IntN(4)) * 200 * units.Gbps,
						Delay: units.Duration(1+rng.IntN(4)) * 300 * units.Nanosecond, Delayed: true,
					})
				}
			}
		}
		w, wires := unevenFabric(t, n, links)
		if seed%3 == 0 {
			w.Fabric.Forwarding = fabric.StoreAndForward
		}
		c := &Class{pair: 1}
		for range 1 + rng.IntN(3) {
			u := rng.IntN(n)
			c.Demands = append(c.Demands, flow.Demand{Src: u, Dst: (u + 1 + rng.IntN(n-1)) % n, Amount: float64(int64(1000) << rng.IntN(9))})
		}
		j, err := w.unevenly(t.Context(), wires, c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := w.routeUneven(t.Context(), wires, c, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		got := float64(r.Cost.Total())
		if got < j.Cost*(1-1e-9) || got > j.Most*(1+1e-9) {
			t.Errorf("seed %d: %v ns, known to be from %v to %v", seed, got, j.Cost, j.Most)
		}
		if w.Fabric.Forwarding == fabric.StoreAndForward {
			continue // the best of some routes
		}
		if best := singlePaths(wires, c.Demands); got > best*(1+1e-9) {
			t.Errorf("seed %d: %v ns, paths take %v", seed, got, best)
		}
	}
}

// singlePaths returns the least time of all choices of one simple path for every demand.
func singlePaths(wires *fabric.Uneven, demands []flow.Demand) float64 {
	g := wires.Shares
	busy, least := map[[2]int]float64{}, math.Inf(1)
	var choose func(i int, longest float64)
	choose = func(i int, longest float64) {
		if i == len(demands) {
			sends := 0.0
			for at, bytes := range busy {
				bandwidth, _ := wires.Of(at[0], at[1])
				sends = max(sends, float64(bandwidth.Transmit(bytes)))
			}
			least = min(least, 500+longest+sends)
			return
		}
		d := demands[i]
		seen := map[int]bool{d.Src: true}
		var walk func(u int, way float64)
		walk = func(u int, way float64) {
			if u == d.Dst {
				choose(i+1, max(longest, way))
				return
			}
			for v := range g.Nodes() {
				if seen[v] || g.Count(u, v) == 0 {
					continue
				}
				_, delay := wires.Of(u, v)
				at := [2]int{u, v}
				seen[v] = true
				busy[at] += d.Amount
				walk(v, way+float64(delay.Time()))
				busy[at] -= d.Amount
				delete(seen, v)
			}
		}
		walk(d.Src, 0)
	}
	choose(0, 0)
	return least
}
