package flow_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// everyPath lists all paths without repeated nodes, in the order promised.
func everyPath(g *topology.Graph, src, dst int, length []float64) []flow.Path {
	var all []flow.Path
	nodes := []int32{int32(src)}
	var extend func(sum float64)
	extend = func(sum float64) {
		u := int(nodes[len(nodes)-1])
		if u == dst {
			all = append(all, flow.Path{Nodes: slices.Clone(nodes), Length: sum})
			return
		}
		to, _ := g.Row(u)
		for i, v := range to {
			x := 1.0
			if length != nil {
				x = length[g.RowStart(u)+i]
			}
			if !slices.Contains(nodes, v) && !math.IsInf(x, 1) {
				nodes = append(nodes, v)
				extend(sum + x)
				nodes = nodes[:len(nodes)-1]
			}
		}
	}
	extend(0)
	slices.SortFunc(all, func(a, b flow.Path) int {
		return cmp.Or(cmp.Compare(a.Length, b.Length), cmp.Compare(len(a.Nodes), len(b.Nodes)), slices.Compare(a.Nodes, b.Nodes))
	})
	return all
}

func comparePaths(t *testing.T, g *topology.Graph, src, dst, k int, length []float64) {
	t.Helper()
	want := everyPath(g, src, dst, length)
	got, err := flow.ShortestPaths(g, src, dst, k, length)
	if len(want) == 0 {
		if !errors.Is(err, flow.ErrUnreachable) {
			t.Fatalf("error %v without a path", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if want = want[:min(k, len(want))]; !reflect.DeepEqual(got, want) {
		t.Fatalf("%d -> %d: paths\n%v, want\n%v", src, dst, got, want)
	}
}

// scattered is a random graph that need not be connected.
func scattered(rng *rand.Rand, n int) *topology.Graph {
	var edges []topology.Edge
	for range rng.IntN(4 * n) {
		edges = append(edges, topology.Edge{From: rng.IntN(n), To: rng.IntN(n), Count: 1 + rng.IntN(2)})
	}
	return topology.New(n, "scattered", edges)
}

func TestShortestPathsEqualEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	for range 300 {
		n := 2 + rng.IntN(6)
		g := scattered(rng, n)
		if rng.IntN(3) == 0 {
			g = topology.Complete(n)
		}
		src := rng.IntN(n)
		dst := (src + 1 + rng.IntN(n-1)) % n
		few := make([]float64, g.Bundles()) // ties, circuits of length 0 and closed ones
		for b := range few {
			if few[b] = float64(rng.IntN(4)); rng.IntN(8) == 0 {
				few[b] = math.Inf(1)
			}
		}
		many := make([]float64, g.Bundles()) // no two paths of equal length
		for b := range many {
			many[b] = float64(rng.IntN(1 << 40))
		}
		for _, k := range []int{1, 2, 5, 1000} {
			comparePaths(t, g, src, dst, k, nil)
			comparePaths(t, g, src, dst, k, few)
			comparePaths(t, g, src, dst, k, many)
		}
	}
}

func TestShortestPathsOfTorusAreAllAndSimple(t *testing.T) {
	// From a corner to the node 3 down and 3 right there are 20 shortest paths.
	paths, err := flow.ShortestPaths(torus(8, 8), 0, 27, 50, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range paths {
		if shortest := p.Length == 6; shortest != (k < 20) || len(p.Nodes) != int(p.Length)+1 {
			t.Errorf("path %d has length %v: %v", k, p.Length, p.Nodes)
		}
		sorted := slices.Sorted(slices.Values(p.Nodes))
		if len(slices.Compact(sorted)) != len(p.Nodes) {
			t.Errorf("path %d repeats a node: %v", k, p.Nodes)
		}
		if k > 0 && slices.Equal(p.Nodes, paths[k-1].Nodes) {
			t.Errorf("path %d is there twice", k)
		}
	}
}

func TestBadPathSearches(t *testing.T) {
	g := twoWayRing(4)
	for _, c := range []struct {
		src, dst, k int
		length      []float64
	}{
		{0, 0, 1, nil}, {0, 4, 1, nil}, {-1, 0, 1, nil}, {0, 1, 0, nil}, {0, 1, 1, make([]float64, 7)},
		{0, 1, 1, []float64{1, 1, 1, -1, 1, 1, 1, 1}}, {0, 1, 1, []float64{1, math.NaN(), 1, 1, 1, 1, 1, 1}},
	} {
		if _, err := flow.ShortestPaths(g, c.src, c.dst, c.k, c.length); !errors.Is(err, flow.ErrPaths) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

func FuzzShortestPaths(f *testing.F) {
	f.Add([]byte{3, 0x01, 0x12, 0x02}, uint8(3))
	f.Add([]byte{5, 0x01, 0x12, 0x24, 0x04, 0x13, 0x34, 0x31}, uint8(9))
	f.Fuzz(func(t *testing.T, data []byte, k uint8) {
		if len(data) < 2 || len(data) > 40 || k == 0 {
			return
		}
		n := 2 + int(data[0])%5
		var edges []topology.Edge
		for _, e := range data[1:] {
			edges = append(edges, topology.Edge{From: int(e>>4) % n, To: int(e&15) % n, Count: 1})
		}
		g := topology.New(n, "fuzz", edges)
		length := make([]float64, g.Bundles())
		for b := range length {
			length[b] = float64(data[b%len(data)] % 8)
		}
		comparePaths(t, g, 0, n-1, int(k), nil)
		comparePaths(t, g, 0, n-1, int(k), length)
	})
}

func ExampleShortestPaths() {
	paths, err := flow.ShortestPaths(topology.Torus(3, 3), 0, 4, 4, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range paths {
		fmt.Println(p.Length, p.Nodes)
	}
	// Output:
	// 2 [0 1 4]
	// 2 [0 3 4]
	// 3 [0 1 7 4]
	// 3 [0 2 1 4]
}

func BenchmarkShortestPaths(b *testing.B) {
	cases := []struct {
		name string
		g    *topology.Graph
		dst  int
	}{{"torus8x8", torus(8, 8), 27}, {"kautz256", kautz(256, 4), 100}, {"torus32x32", torus(32, 32), 528}}
	for _, c := range cases {
		b.Run(c.name+"-k16", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := flow.ShortestPaths(c.g, 0, c.dst, 16, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
