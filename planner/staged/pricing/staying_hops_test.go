package pricing

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// randomCircuits joins every node to as many others as it has ports; in both directions if
// duplex.
func randomCircuits(random *rand.Rand, n, ports int, duplex bool) *topology.Graph {
	var edges []topology.Edge
	for range ports {
		order := random.Perm(n)
		if duplex { // a matching, if n is even
			for i := 0; i+1 < n; i += 2 {
				edges = append(edges, topology.Edge{From: order[i], To: order[i+1], Count: 1}, topology.Edge{From: order[i+1], To: order[i], Count: 1})
			}
			continue
		}
		for i := range order {
			edges = append(edges, topology.Edge{From: order[i], To: order[(i+1)%n], Count: 1})
		}
	}
	return topology.New(n, "random", edges)
}

// On no circuits that stay do the steps or the bytes of a node take fewer hops.
func TestNoCircuitsTakeFewerHopsThanExtraHops(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 7))
	tight, above := 0, 0
	for trial := range 4000 {
		n, ports, duplex := 4+2*random.IntN(4), 1+random.IntN(3), trial%2 == 0
		steps := make([][]int, 1+random.IntN(5))
		for i := range steps {
			steps[i] = random.Perm(n - 1)[:1+random.IntN(min(4, n-1))]
			for k := range steps[i] {
				steps[i][k]++ // of node 0
			}
		}
		least := extraHops(steps, ports, duplex)
		g := randomCircuits(random, n, ports, duplex)
		dist := make([]int32, n)
		if len(g.Distances(0, dist, nil)) < n {
			continue
		}
		bytes, carried := make([]float64, n), 0.0
		for _, to := range steps {
			for _, v := range to {
				amount := float64(1 + random.IntN(9))
				bytes[v] += amount
				carried += amount * float64(dist[v]-1)
			}
		}
		if least := extraBytes(bytes, ports, duplex); carried < least {
			t.Fatalf("%d nodes, %d ports, duplex %t: bytes %v go %v times hops beyond one, at least %v", n, ports, duplex, bytes, carried, least)
		}
		hops := 0
		for _, to := range steps {
			far := int32(0)
			for _, v := range to {
				far = max(far, dist[v])
			}
			hops += int(far) - 1
		}
		if hops < least {
			t.Fatalf("%d nodes, %d ports, duplex %t: steps %v take %d hops more than one each, at least %d", n, ports, duplex, steps, hops, least)
		}
		if hops == least && least > 0 {
			tight++
		} else if least > 0 {
			above++
		}
	}
	if tight < 20 || above < 20 {
		t.Errorf("%d tight and %d above: they say little", tight, above)
	}
}

// A step written with a group has the destinations of the whole step.
func TestDestinationsAreThoseOfTheWholeStep(t *testing.T) {
	registry, err := algorithms.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, name := range []string{"bruck", "swing", "recursive-doubling", "ring"} {
		for _, n := range []int{8, 12, 16} {
			f := fabric.Default()
			f.Nodes, f.Ports = n, 2
			c, err := registry.New(collective.AllReduce, name, n, f.Ports)
			if err != nil {
				continue // it has no steps for that many
			}
			compared++
			w := NewWorkload(&planner.Request{Fabric: f, Collective: c, Size: units.MiB}, c.Steps)
			for u := range n {
				var want [][]int
				for i := range c.Steps {
					var to []int
					for _, d := range w.Classes[w.ClassOf[i]].All() {
						if d.Src == u {
							to = append(to, d.Dst)
						}
					}
					if slices.Sort(to); len(to) > 0 {
						want = append(want, slices.Compact(to))
					}
				}
				if got := w.destinations(u); !slices.EqualFunc(got, want, slices.Equal) {
					t.Fatalf("%s of %d, node %d: %v, want %v", name, n, u, got, want)
				}
			}
		}
	}
	if compared < 8 {
		t.Errorf("%d collectives are too few", compared)
	}
}
