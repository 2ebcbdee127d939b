package network

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/topology"
)

// unequal are networks without symmetry.
func unequal(t *testing.T) []*Network {
	t.Helper()
	var all []*Network
	for _, c := range []struct{ n, d int }{{12, 2}, {17, 3}, {24, 4}, {40, 2}} {
		for expr := range topology.OfNodes(c.n, c.d) {
			g, err := expr.Build()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, New(g, topology.Translations{}))
		}
	}
	all = append(all,
		New(topology.LineGraph(topology.DirectedCirculant(8, 1, 3), 2), topology.Translations{}),
		New(topology.LineGraph(topology.DirectedCirculant(6, 1, 2, 3, 4), 1), topology.Translations{}))
	return all
}

// Every point that a step is for gets the data of every source once, from a point that has it,
// over no more links than the step has hops. The busiest link carries what the tally says, no
// more than with shortest paths chosen one by one, and no less than the proven bound.
func TestBalancedWaysDeliverEverythingOnce(t *testing.T) {
	for _, net := range unequal(t) {
		if net.Diameter == 0 {
			continue
		}
		for _, n := range []*Network{net, net.Turned()} {
			for low := range n.Diameter {
				for high := low + 1; high <= n.Diameter; high++ {
					t.Run(fmt.Sprintf("%s/%d-%d", n.Graph.Name(), low, high), func(t *testing.T) { checkBalanced(t, n, Towards{Low: low, High: high}) })
				}
			}
		}
	}
}

func checkBalanced(t *testing.T, n *Network, step Towards) {
	tally, ways := n.balanced(step, true, unstopped)
	got := map[[2]int]int{}
	load := map[[2]int32]float64{}
	hops := 0
	for _, w := range ways {
		first, last := int(w.Path[0]), int(w.Path[len(w.Path)-1])
		got[[2]int{w.Source, last}]++
		if d := int(n.Distances(w.Source)[first]); d > step.Low {
			t.Fatalf("the data of %d are sent from %d, which is %d hops away", w.Source, first, d)
		}
		hops = max(hops, len(w.Path)-1)
		for h := 1; h < len(w.Path); h++ {
			load[[2]int32{w.Path[h-1], w.Path[h]}]++
		}
	}
	for source := range n.Points {
		for v, d := range n.Distances(source) {
			want := 0
			if int(d) > step.Low && int(d) <= step.High {
				want = 1
			}
			if got[[2]int{source, v}] != want {
				t.Fatalf("%d gets the data of %d %d times, want %d", v, source, got[[2]int{source, v}], want)
			}
		}
	}
	peak := 0.0
	for link, l := range load {
		count := 0
		for e := range n.Graph.Edges() {
			if int32(e.From) == link[0] && int32(e.To) == link[1] {
				count = e.Count
			}
		}
		if count == 0 {
			t.Fatalf("no link %v", link)
		}
		peak = max(peak, l/float64(count))
	}
	if tally.Peak != peak || tally.Hops != hops || hops > step.High-step.Low {
		t.Errorf("%v on the busiest link over %d hops, counted %v over %d", tally.Peak, tally.Hops, peak, hops)
	}
	if least := n.Narrow().Least(step.Low, step.High); peak < least && !n.spreads(step) {
		t.Errorf("%v on the busiest link, proven %v", peak, least)
	}
	if simple := n.greedily(step); peak > simple {
		t.Errorf("%v on the busiest link, over shortest ways %v", peak, simple)
	}
}

// greedily returns the peak of shortest paths that are laid one by one and never again.
func (n *Network) greedily(step Towards) float64 {
	b := newBalancer(n, step)
	for source := range n.Points {
		dist := n.Distances(source)
		for _, v := range step.targets(dist, nil) {
			b.lay(source, dist, v)
		}
	}
	return b.peak()
}

// What point 0 deals out reaches every other point once, over links that exist, and the busiest
// link carries what the tally says. On these graphs no link out of point 0 carries more than its
// share.
func TestDealtWaysReachEveryPointOnce(t *testing.T) {
	for _, net := range unequal(t) {
		if net.Diameter == 0 {
			continue
		}
		tally, paths := net.Deal()
		load, seen := map[[2]int32]float64{}, map[int32]bool{0: true}
		for _, path := range paths {
			v := path[len(path)-1]
			if path[0] != 0 || seen[v] || len(path)-1 > net.Diameter {
				t.Fatalf("%s: a way %v", net.Graph.Name(), path)
			}
			seen[v] = true
			for h := 1; h < len(path); h++ {
				load[[2]int32{path[h-1], path[h]}]++
			}
		}
		peak := 0.0
		for link, l := range load {
			peak = max(peak, l/net.Width[net.class(link[0], link[1])])
		}
		if len(seen) != net.Points || peak != tally.Peak {
			t.Errorf("%s: %d of %d points, %v on the busiest link, counted %v", net.Graph.Name(), len(seen), net.Points, tally.Peak, peak)
		}
	}
	for _, c := range []struct {
		g    *topology.Graph
		most float64
	}{
		{topology.LineGraph(topology.DirectedCirculant(8, 1, 2, 3, 4), 2), 32}, // 127 over 4
		{topology.DirectedCirculant(12, 1, 3, 5, 6), 3},                        // 11 over 4
	} {
		tally, _ := New(c.g, topology.Translations{}).Deal()
		if tally.Peak > c.most {
			t.Errorf("%s: %v on the busiest link, want %v", c.g.Name(), tally.Peak, c.most)
		}
	}
}
