package balls

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

func never() bool { return false }

// graphs yields graphs of a number of points: generalised Kautz graphs and random ones, which are
// the union of a ring and permutations.
func graphs(points, degree int) []*topology.Graph {
	g, err := topology.Expr{Family: "GenKautz", Numbers: []int{degree, points}}.Build()
	if err != nil {
		panic(err)
	}
	random := rand.New(rand.NewPCG(uint64(points), uint64(degree)))
	var edges []topology.Edge
	for k := range degree {
		to := random.Perm(points)
		for u := range points {
			v := to[u]
			if k == 0 {
				v = (u + 1) % points
			}
			if u != v {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
	}
	return []*topology.Graph{g, topology.New(points, "random", edges)}
}

// follow carries out the steps with the numbers of times that a point has the vector of each other.
// It returns an error if a sum is not what its part says.
func follow(n int, s *Sums) ([][]int, error) {
	type held struct {
		value, received []int
		sides           [collective.MostSides][]int
	}
	at := make([]held, n)
	for v := range at {
		at[v] = held{value: make([]int, n), received: make([]int, n)}
		at[v].value[v] = 1
		for k := range at[v].sides {
			at[v].sides[k] = make([]int, n)
		}
	}
	plus := func(to, from []int, by int) {
		for i, x := range from {
			to[i] += x * by
		}
	}
	for _, w := range s.First {
		from, to := int(w.Path[0]), int(w.Path[len(w.Path)-1])
		if w.Source != from || w.Of != collective.WholePart || w.Share != 0 && w.Share != 1 {
			return nil, fmt.Errorf("first step: %+v", w)
		}
		at[to].value[from]++
		at[to].received[from]++
		for side := range w.Sides.All() {
			at[to].sides[side-1][from]++
		}
	}
	result := make([][]int, n)
	for v := range result {
		result[v] = append([]int(nil), at[v].value...)
	}
	for _, w := range s.Second {
		from, to := int(w.Path[0]), int(w.Path[len(w.Path)-1])
		side, own := w.Of.Side()
		switch {
		case side > 0:
			plus(result[to], at[from].sides[side-1], 1)
			if own {
				result[to][from]++
			}
		case w.Of == collective.OwnPart:
			result[to][from]++
		case w.Of == collective.ReceivedPart:
			plus(result[to], at[from].received, 1)
		default:
			plus(result[to], at[from].value, 1)
		}
	}
	return result, nil
}

// tally counts the load of the busiest link of a step without the help of package network.
func tally(g *topology.Graph, ways []network.Way) (hops int, peak float64) {
	load := map[[2]int32]float64{}
	for _, w := range ways {
		hops = max(hops, len(w.Path)-1)
		for h := 1; h < len(w.Path); h++ {
			load[[2]int32{w.Path[h-1], w.Path[h]}]++
		}
	}
	for ends, l := range load {
		peak = max(peak, l/float64(g.Count(int(ends[0]), int(ends[1]))))
	}
	return hops, peak
}

// On every graph, every point gets the vector of every other once, in as many hops as the diameter,
// and links carry what the tallies say: no less than the bound.
func TestEveryPointGetsTheSumOfAll(t *testing.T) {
	found := 0
	for degree := 2; degree <= 5; degree++ {
		for points := degree + 2; points <= 70; points++ {
			if (points+degree)%13 > 0 && !samples.Every() {
				continue // a sample
			}
			for _, g := range graphs(points, degree) {
				net := network.New(g, topology.Translations{})
				for near := 1; near < net.Diameter && near <= 2; near++ {
					s := Find(net, near, never)
					if s == nil {
						continue
					}
					found++
					all, err := follow(points, s)
					if err != nil {
						t.Fatalf("%s of %d, %d near: %v", g.Name(), points, near, err)
					}
					for v := range all {
						for u, times := range all[v] {
							if times != 1 {
								t.Fatalf("%s of %d, %d near: %d gets the vector of %d %d times", g.Name(), points, near, v, u, times)
							}
						}
					}
					for i, ways := range [][]network.Way{s.First, s.Second} {
						hops, peak := tally(g, ways)
						if most := []int{near, net.Diameter - near}[i]; hops > most || hops != s.Takes[i].Hops || peak != s.Takes[i].Peak {
							t.Errorf("%s of %d, %d near, step %d: %d hops of %d with %v vectors, want %+v", g.Name(), points, near, i, hops, most, peak, s.Takes[i])
						}
					}
					if least := Least(net, near); s.Takes[1].Peak < least*(1-1e-9) {
						t.Errorf("%s of %d, %d near: %v vectors, at least %v", g.Name(), points, near, s.Takes[1].Peak, least)
					}
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d sums", found)
	}
}

// fewest returns the fewest hops that messages to a point take together in the second step, by
// enumeration of all sets of senders.
func fewest(net *network.Network, to, near int) int {
	n := net.Points
	ball := make([]uint64, n)
	for v := range ball {
		for u := range n {
			if int(net.Distances(u)[v]) <= near {
				ball[v] |= 1 << u
			}
		}
	}
	least := n * n
	var add func(from, hops int, has uint64)
	add = func(from, hops int, has uint64) {
		if has == 1<<n-1 {
			least = min(least, hops)
		}
		for u := from; u < n; u++ {
			if d := int(net.Distances(u)[to]); d > 0 && d <= net.Diameter-near && hops+d < least {
				add(u+1, hops+d, has|ball[u])
			}
		}
	}
	add(0, 0, ball[to])
	return least
}

// The messages to one point take few more hops than the fewest possible.
func TestMessagesTakeFewHops(t *testing.T) {
	taken, best := 0, 0
	for _, c := range [][2]int{{9, 2}, {12, 2}, {14, 2}, {14, 3}, {17, 3}, {20, 3}} {
		for _, g := range graphs(c[0], c[1]) {
			net := network.New(g, topology.Translations{})
			for near := 1; near < net.Diameter; near++ {
				s := Find(net, near, never)
				if s == nil {
					continue
				}
				for _, w := range s.Second {
					taken += len(w.Path) - 1
				}
				for to := range c[0] {
					best += fewest(net, to, near)
				}
			}
		}
	}
	t.Logf("%d hops, at least %d", taken, best)
	if taken < best || float64(taken) > 1.08*float64(best) {
		t.Errorf("%d hops, at least %d", taken, best)
	}
}

// Where points have no room for more side sums, the messages of others change. The points of this
// graph need all they have.
func TestSideSumsAreFew(t *testing.T) {
	net := network.New(graphs(64, 3)[0], topology.Translations{})
	s := Find(net, 2, never)
	if s == nil {
		t.Fatal("no sums of balls of two hops on GenKautz(3,64)")
	}
	used := map[int32]collective.Sides{}
	most := 0
	for _, w := range s.Second {
		if side, _ := w.Of.Side(); side > 0 {
			used[w.Path[0]] |= collective.SidesOf(side)
		}
	}
	for _, sides := range used {
		count := 0
		for range sides.All() {
			count++
		}
		most = max(most, count)
	}
	if most != collective.MostSides {
		t.Errorf("at most %d side sums; the test needs a graph on which points have %d", most, collective.MostSides)
	}
}

// A search that is stopped finds nothing.
func TestStoppedSearchesFindNothing(t *testing.T) {
	net := network.New(graphs(30, 3)[0], topology.Translations{})
	for _, after := range []int{0, 1, 10, 100} {
		calls := 0
		stopped := func() bool { calls++; return calls > after }
		if s := Find(net, 1, stopped); s != nil {
			t.Errorf("stopped after %d calls: %d messages", after, len(s.Second))
		}
	}
}
