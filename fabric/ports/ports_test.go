package ports_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/ports"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// randomGraph returns random circuits for which a fabric has enough ports.
func randomGraph(n, ports int, duplex bool, random *rand.Rand) *topology.Graph {
	out, in := make([]int, n), make([]int, n)
	counts := map[[2]int]int{}
	for range 4 * n * ports {
		u, v := random.IntN(n), random.IntN(n)
		need := 1
		if duplex && u != v {
			if max(out[u], in[u]) >= ports || max(out[v], in[v]) >= ports {
				continue
			}
			counts[[2]int{v, u}]++
			out[v]++
			in[u]++
		}
		if out[u]+need > ports || in[v]+need > ports {
			if duplex && u != v { // take the way back away again
				counts[[2]int{v, u}]--
				out[v]--
				in[u]--
			}
			continue
		}
		counts[[2]int{u, v}]++
		out[u]++
		in[v]++
	}
	var edges []topology.Edge
	for u := range n {
		for v := range n {
			if c := counts[[2]int{u, v}]; c > 0 {
				edges = append(edges, topology.Edge{From: u, To: v, Count: c})
			}
		}
	}
	return topology.New(n, "random", edges)
}

// Every circuit has its own ports, on one switch. Circuits that stay keep their ports, unless
// there are several switches. Two-way circuits use the same ports in both directions.
func TestEveryCircuitHasPortsOfItsOwn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for trial := range samples.Of(600) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 2+random.IntN(9), 1+random.IntN(5), trial%2 == 0
		if trial%3 == 0 {
			f.Reconfig.Model, f.Reconfig.Switches = fabric.PerSwitch, random.IntN(f.Ports+1)
		}
		switches := ports.Switches(&f)
		now, old := ports.None(&f), topology.New(f.Nodes, "none", nil)
		for range 5 {
			g := randomGraph(f.Nodes, f.Ports, f.Duplex, random)
			next, err := now.Next(g)
			if err != nil {
				t.Fatal(err)
			}
			used, count, kept := map[ports.Fibre]bool{}, map[[2]int]int{}, map[[2]int]int{}
			for c := range next.Circuits() {
				pair := [2]int{c.In.GPU, c.Out.GPU}
				switch {
				case used[c.In] || next.From(c.Out) != c.In || c.In.Port >= f.Ports || c.Out.Port >= f.Ports:
					t.Fatalf("a fibre is used twice, or not there: %+v", c)
				case c.In.Port%switches != c.Out.Port%switches:
					t.Fatalf("%+v is on two switches", c)
				case f.Duplex && switches == 1 && c.In.GPU != c.Out.GPU && next.To(c.Out) != c.In:
					t.Fatalf("%+v has no way back", c)
				}
				used[c.In] = true
				count[pair]++
				if now.To(c.In) == c.Out {
					kept[pair]++
				}
			}
			if len(used) != g.Circuits() {
				t.Fatalf("%d circuits; want %d", len(used), g.Circuits())
			}
			for e := range g.Edges() {
				pair := [2]int{e.From, e.To}
				if count[pair] != e.Count {
					t.Fatalf("%d circuits from %d to %d; want %d", count[pair], e.From, e.To, e.Count)
				}
				if stay := min(e.Count, old.Count(e.From, e.To)); switches == 1 && kept[pair] != stay {
					t.Fatalf("from %d to %d: %d circuits stay, but %d keep their ports", e.From, e.To, stay, kept[pair])
				}
			}
			now, old = next, g
		}
	}
}

// Circuits without enough ports are refused.
func TestTooManyCircuitsAreRefused(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 3, 1
	for text, g := range map[string]*topology.Graph{
		"GPU 0 has 2 circuits out and 0 in, but 1 ports":   topology.New(3, "", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 0, To: 2, Count: 1}}),
		"circuits of 2 GPUs; there are 3":                  topology.New(2, "", nil),
		"circuit 0-1 is one-way, but the fabric is duplex": topology.New(3, "", []topology.Edge{{From: 0, To: 1, Count: 1}}),
	} {
		f.Duplex = text[0] == 'c'
		if _, err := ports.None(&f).Next(g); err == nil || err.Error() != text {
			t.Errorf("%v; want %s", err, text)
		}
	}
}

func ExampleWiring_Next() {
	f := fabric.Default()
	f.Nodes, f.Ports = 3, 2
	ring := topology.New(3, "ring", []topology.Edge{{From: 0, To: 1, Count: 1}, {From: 1, To: 2, Count: 1}, {From: 2, To: 0, Count: 1}})
	pair := topology.New(3, "pair", []topology.Edge{{From: 0, To: 1, Count: 2}})
	now, err := ports.None(&f).Next(ring)
	if err == nil {
		now, err = now.Next(pair)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for c := range now.Circuits() {
		fmt.Println(c)
	}
	// Output:
	// {{0 0} {1 0}}
	// {{0 1} {1 1}}
}
