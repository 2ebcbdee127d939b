package algorithms_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/units"
)

// exchangeOf lays an algorithm out for a demand.
func exchangeOf(t testing.TB, algorithm string, d collective.Demand, ports int) collective.Sized {
	t.Helper()
	c, err := algorithms.NewExchange(context.Background(), algorithm, d, ports)
	if err != nil {
		t.Fatalf("%s: %v", algorithm, err)
	}
	return c
}

// pieces returns the bytes that a step sends from each node to each other node.
func pieces(c collective.Sized, step collective.Step) map[[2]int]float64 {
	sent := map[[2]int]float64{}
	for t := range step.All(c.Space) {
		sent[[2]int{t.Src, t.Dst}] += c.Space.Bytes(float64(c.Size), t.Chunks)
	}
	return sent
}

// alike allows for the rounding of a cut.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// A decomposition is a list of matchings, the longest first. Their pieces add up to the demand of
// every pair, and their total length is the load of the busiest node.
func TestDecompositionsAreMatchingsLongestFirst(t *testing.T) {
	for _, spec := range []string{"random", "zipf:0.4", "zipf:1.2", "moe:2", "moe:1"} {
		for n := 3; n <= 12; n++ {
			d := drawnDemand(t, spec, n, units.MiB, uint64(n))
			busiest, peers := busiestNode(d)
			for _, algorithm := range []string{"bvn", "bvn-few"} {
				c := exchangeOf(t, algorithm, d, 1)
				sums := map[[2]int]float64{}
				last, total := math.Inf(1), 0.0
				for _, step := range c.Steps {
					longest := 0.0
					var to []int
					for pair, bytes := range pieces(c, step) {
						sums[pair] += bytes
						longest = max(longest, bytes)
						to = append(to, pair[1])
					}
					slices.Sort(to)
					if len(step.Base) > n || len(slices.Compact(to)) != len(step.Base) {
						t.Errorf("%s, %s, n=%d: a step is no matching", spec, algorithm, n)
					}
					if longest > last*(1+1e-9) {
						t.Errorf("%s, %s, n=%d: a step of %v after one of %v", spec, algorithm, n, longest, last)
					}
					last, total = longest, total+longest
				}
				checkSums(t, d, sums)
				if algorithm == "bvn" && !alike(total, busiest) {
					t.Errorf("%s, n=%d: the matchings last %v, the busiest node %v", spec, n, total, busiest)
				}
				if algorithm == "bvn-few" && len(c.Steps) != peers {
					t.Errorf("%s, n=%d: %d matchings, a node has %d peers", spec, n, len(c.Steps), peers)
				}
				if err := c.Space.Check(c.Op, c.Size); err != nil {
					t.Errorf("%s, %s, n=%d: %v", spec, algorithm, n, err)
				}
			}
		}
	}
}

// busiestNode returns the largest sum of a row or column, and the most peers of a node.
func busiestNode(d collective.Demand) (bytes float64, peers int) {
	for u := range d {
		out, in, receivers, senders := 0.0, 0.0, 0, 0
		for v := range d {
			if u == v {
				continue
			}
			out += float64(d[u][v])
			in += float64(d[v][u])
			receivers += min(1, int(d[u][v]))
			senders += min(1, int(d[v][u]))
		}
		bytes, peers = max(bytes, out, in), max(peers, receivers, senders)
	}
	return bytes, peers
}

func checkSums(t *testing.T, d collective.Demand, sums map[[2]int]float64) {
	t.Helper()
	for s := range d {
		for r, bytes := range d[s] {
			if got := sums[[2]int{s, r}]; s != r && !alike(got, float64(bytes)) {
				t.Errorf("%d sends %v to %d, want %d", s, got, r, bytes)
			}
		}
	}
}

// bvn-few divides no pair.
func TestFewestMatchingsCutNoPair(t *testing.T) {
	d := drawnDemand(t, "zipf:1", 9, units.MiB, 2)
	for ports := 1; ports <= 3; ports++ {
		seen := map[[2]int]bool{}
		for _, piece := range exchangeOf(t, "bvn-few", d, ports).Space.Pieces {
			pair := [2]int{piece.From[0], piece.To[0]}
			if seen[pair] {
				t.Errorf("%v is cut", pair)
			}
			seen[pair] = true
		}
	}
}

// With k ports a step consists of k matchings: no node has more than k peers.
func TestDecompositionsUseAllPorts(t *testing.T) {
	d := drawnDemand(t, "random", 10, units.MiB, 4)
	one := len(exchangeOf(t, "bvn", d, 1).Steps)
	for ports := 2; ports <= 4; ports++ {
		c := exchangeOf(t, "bvn", d, ports)
		if want := (one + ports - 1) / ports; len(c.Steps) != want {
			t.Errorf("%d ports: %d steps, want %d", ports, len(c.Steps), want)
		}
		sums := map[[2]int]float64{}
		for _, step := range c.Steps {
			out, in := map[int]int{}, map[int]int{}
			for pair, bytes := range pieces(c, step) {
				sums[pair] += bytes
				out[pair[0]]++
				in[pair[1]]++
			}
			for u := range d {
				if out[u] > ports || in[u] > ports {
					t.Errorf("%d ports: node %d has %d and %d peers", ports, u, out[u], in[u])
				}
			}
		}
		checkSums(t, d, sums)
	}
}

// Algorithms that ignore sizes send exactly the bytes of each pair, and nothing for pairs
// without any.
func TestPairsWithoutBytesAreNotSent(t *testing.T) {
	d := collective.Demand{{9, 0, 0, 5}, {0, 0, 0, 0}, {1, 0, 7, 0}, {0, 0, 0, 0}}
	for _, a := range algorithms.For(collective.AllToAll, collective.Shape{Nodes: 4, Ports: 1, Demand: d}) {
		c := exchangeOf(t, a.Name, d, 1)
		for i, step := range c.Steps {
			if len(step.Base) == 0 {
				t.Errorf("%s: step %d sends nothing", a.Name, i+1)
			}
			for _, tr := range step.Base {
				for chunk := range tr.Chunks.All() {
					if c.Space.Bytes(float64(c.Size), collective.Single(chunk)) == 0 {
						t.Errorf("%s: step %d sends chunk %d, which has no bytes", a.Name, i+1, chunk)
					}
				}
			}
		}
	}
}

func TestDecompositionsNeedPairsThatDiffer(t *testing.T) {
	for _, algorithm := range []string{"bvn", "bvn-few"} {
		if _, err := algorithms.New(collective.AllToAll, algorithm, 8, 1); !errors.Is(err, algorithms.ErrUnsupported) || !strings.Contains(err.Error(), "`demand`") {
			t.Errorf("%s without a demand: %v", algorithm, err)
		}
		if _, err := algorithms.NewExchange(context.Background(), algorithm, drawnDemand(t, "uniform", 8, units.MiB, 1), 1); !errors.Is(err, algorithms.ErrUnsupported) {
			t.Errorf("%s of a uniform demand: %v", algorithm, err)
		}
	}
	if _, err := algorithms.NewExchange(context.Background(), "direct", collective.Demand{{0, 1}}, 1); err == nil {
		t.Error("a demand that is not square is laid out")
	}
	if _, err := algorithms.NewExchange(context.Background(), "ring", drawnDemand(t, "random", 8, units.MiB, 1), 1); !errors.Is(err, algorithms.ErrUnsupported) {
		t.Errorf("a ring: %v", err)
	}
}

// Dividing a demand into matchings ends with its context, matching by matching.
func TestDividingADemandEndsWithItsContext(t *testing.T) {
	d := drawnDemand(t, "zipf:1", 24, units.MiB, 1)
	for _, algorithm := range []string{"bvn", "bvn-few"} {
		for _, after := range []int{1, 5} {
			ctx := countdown.New(t.Context(), after)
			if _, err := algorithms.NewExchange(ctx, algorithm, d, 1); !errors.Is(err, context.Canceled) {
				t.Errorf("%s after %d questions: %v", algorithm, after, err)
			}
		}
	}
}

func drawnDemand(t testing.TB, spec string, n int, size units.Bytes, seed uint64) collective.Demand {
	t.Helper()
	d, err := collective.GenerateDemand(spec, n, size, seed)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
