package model

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/internal/permutations"
)

// TestLoadBoundIsTheorem1 compares with the closed form of the paper's Theorem 1.
func TestLoadBoundIsTheorem1(t *testing.T) {
	for n := 2; n <= 80; n++ {
		for d := 1; d <= n+2; d++ {
			q, u := (n-1)/d, (n-1)%d
			want := d*q*(q+1)/2 + u*(q+1)
			got, err := LoadBound(n, 1, d)
			if err != nil || got != want {
				t.Fatalf("LoadBound(%d, 1, %d) = %d, %v, want %d", n, d, got, err, want)
			}
			if rounds, _ := roundBound(n, 1, d); rounds != want {
				t.Fatalf("roundBound(%d, 1, %d) = %d, want %d", n, d, rounds, want)
			}
		}
	}
}

// TestBoundsFromLevels recomputes the bounds destination by destination: the hops of a
// source's destinations, in ascending order, dealt out to slots and rounds of k.
func TestBoundsFromLevels(t *testing.T) {
	ways := func(k, d, h int) int { // in one topology
		for range h {
			d *= k
		}
		return d
	}
	across := func(k, d, h int) int { // words of h letters that may pass to the next topology
		var count func(stage, left int) int
		count = func(stage, left int) int {
			if left == 0 || stage == d {
				return 1 - min(left, 1)
			}
			sum, words := 0, 1
			for used := 0; used <= left; used++ {
				sum += words * count(stage+1, left-used)
				words *= k
			}
			return sum
		}
		return count(0, h)
	}
	levels := func(n, k, d int, at func(k, d, h int) int) []int {
		var hops []int
		for h := 1; len(hops) < n-1; h++ {
			for range at(k, d, h) {
				hops = append(hops, h)
			}
		}
		return hops[:n-1]
	}
	sum := func(list []int) (s int) {
		for _, h := range list {
			s += h
		}
		return s
	}
	for _, k := range []int{1, 2, 3, 5} {
		for n := 2; n <= 40; n++ {
			for d := 1; d <= 5; d++ {
				one := levels(n, k, d, ways)
				rounds := 0
				for group := range slices.Chunk(one, k) {
					rounds += slices.Max(group)
				}
				for _, b := range []struct {
					name  string
					bound func(n, k, d int) (int, error)
					want  int
				}{
					{"LoadBound", LoadBound, arithmetic.CeilDiv(sum(one), k)},
					{"RelayBound", RelayBound, arithmetic.CeilDiv(sum(levels(n, k, d, across)), k)},
				} {
					if got, err := b.bound(n, k, d); err != nil || got != b.want {
						t.Fatalf("%s(%d, %d, %d) = %d, %v, want %d", b.name, n, k, d, got, err, b.want)
					}
				}
				// Rounds are least when the longest ways share them.
				backwards := slices.Clone(one)
				slices.Reverse(backwards)
				least := 0
				for group := range slices.Chunk(backwards, k) {
					least += slices.Max(group)
				}
				if got, err := roundBound(n, k, d); err != nil || got != least || got > rounds {
					t.Fatalf("roundBound(%d, %d, %d) = %d, %v, want %d", n, k, d, got, err, least)
				}
			}
		}
	}
}

// TestBoundsHoldForAllPermutations enumerates every sequence of permutations of few nodes:
// the fewest hops within one topology are LoadBound, exactly, and no way across topologies
// beats RelayBound.
func TestBoundsHoldForAllPermutations(t *testing.T) {
	for _, c := range []struct{ n, d int }{{2, 1}, {3, 1}, {3, 2}, {4, 1}, {4, 2}, {4, 3}, {5, 1}, {5, 2}} {
		var all [][]int
		for p := range permutations.Of(c.n) {
			all = append(all, slices.Clone(p))
		}
		one, across := 1<<30, 1<<30
		sequences(all, c.d, func(seq [][]int) {
			one = min(one, hopsWithin(c.n, seq))
			across = min(across, hopsAcross(c.n, seq))
		})
		if want := c.n * LoadHops(c.n, 1, c.d); one != want {
			t.Errorf("n=%d d=%d: %d hops within topologies, want %d", c.n, c.d, one, want)
		}
		if least := c.n * RelayHops(c.n, 1, c.d); across < least {
			t.Errorf("n=%d d=%d: %d hops across topologies, below the bound %d", c.n, c.d, across, least)
		}
	}
}

// sequences calls f with every sequence of d permutations.
func sequences(all [][]int, d int, f func([][]int)) {
	seq := make([][]int, 0, d)
	var extend func()
	extend = func() {
		if len(seq) == d {
			f(seq)
			return
		}
		for _, p := range all {
			seq = append(seq, p)
			extend()
			seq = seq[:len(seq)-1]
		}
	}
	extend()
}

// unreached is more hops than any way of these tests has.
const unreached = 1 << 20

// hopsWithin sums the fewest hops of every pair in one of the permutations.
func hopsWithin(n int, seq [][]int) int {
	sum := 0
	for u := range n {
		best := slices.Repeat([]int{unreached}, n)
		for _, p := range seq {
			for h, v := 1, p[u]; v != u; h, v = h+1, p[v] {
				best[v] = min(best[v], h)
			}
		}
		for v, h := range best {
			if v != u {
				sum += h
			}
		}
	}
	return sum
}

// hopsAcross sums the fewest hops of every pair over the permutations in their order.
func hopsAcross(n int, seq [][]int) int {
	sum := 0
	for u := range n {
		best := slices.Repeat([]int{unreached}, n)
		best[u] = 0
		for _, p := range seq {
			for range n {
				for v := range n {
					best[p[v]] = min(best[p[v]], best[v]+1)
				}
			}
		}
		for _, h := range best {
			sum += h
		}
	}
	return sum
}

func TestBoundsRefuseNonsense(t *testing.T) {
	for want, args := range map[string][3]int{
		"exchange: nodes: 1, want 2 to 32768":     {1, 1, 1},
		"exchange: nodes: 32769, want 2 to 32768": {32769, 1, 1},
		"exchange: ports: 0, want 1 or more":      {8, 0, 1},
		"exchange: stages: 0, want 1 or more":     {8, 1, 0},
	} {
		for _, bound := range []func(n, k, d int) (int, error){LoadBound, roundBound, RelayBound} {
			if _, err := bound(args[0], args[1], args[2]); err == nil || err.Error() != want {
				t.Errorf("%v: %v, want %s", args, err, want)
			}
		}
	}
}

// TestDemandBoundOfUniformDemandIsRelayBound checks the two against each other.
func TestDemandBoundOfUniformDemandIsRelayBound(t *testing.T) {
	for _, k := range []int{1, 2, 3} {
		for _, n := range []int{2, 5, 16, 33} {
			for d := 1; d <= 6; d++ {
				for _, each := range []int{1, 3} {
					demand, err := Uniform(n, each)
					if err != nil {
						t.Fatal(err)
					}
					got, err := DemandBound(demand, k, d)
					if want := arithmetic.CeilDiv(each*RelayHops(n, k, d), k); err != nil || got != want {
						t.Errorf("n=%d k=%d d=%d x%d: %d, %v, want %d", n, k, d, each, got, err, want)
					}
				}
			}
		}
	}
}

// TestDemandBoundCountsBusyNodes: one node that sends or receives everything.
func TestDemandBoundCountsBusyNodes(t *testing.T) {
	counts := [][]int{{0, 9, 9, 9}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}
	for _, k := range []int{1, 2} {
		for _, transposed := range []bool{false, true} {
			m := counts
			if transposed {
				m = transpose(counts)
			}
			demand, err := Counts(m)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := DemandBound(demand, k, 3); err != nil || got != arithmetic.CeilDiv(27, k) {
				t.Errorf("k=%d transposed=%v: %d, %v, want %d", k, transposed, got, err, arithmetic.CeilDiv(27, k))
			}
		}
	}
}

func transpose(m [][]int) [][]int {
	out := make([][]int, len(m))
	for i := range m {
		out[i] = make([]int, len(m))
		for j := range m {
			out[i][j] = m[j][i]
		}
	}
	return out
}

func ExampleLoadBound() {
	for d := 1; d <= 3; d++ {
		one, _ := LoadBound(8, 1, d)
		any, _ := RelayBound(8, 1, d)
		fmt.Println(d, one, any)
	}
	// Output:
	// 1 28 28
	// 2 16 14
	// 3 12 11
}

// The ways of h hops in d topologies are those that avoid the last one, and those that make hop
// h there: ways(d,h) = ways(d-1,h) + k*ways(d,h-1).
func TestWaysAcrossAllTopologiesAdd(t *testing.T) {
	for _, n := range []int{2, 7, 100, 5000} {
		for k := 1; k <= 4; k++ {
			for _, d := range []int{1, 2, 3, 5, 17, 99, 101} {
				row := make([]int, d+1)
				for i := 1; i < len(row); i++ {
					row[i] = 1
				}
				h := 0
				for got := range AcrossAll(k, d, n) {
					for i := 1; i < len(row); i++ {
						row[i] = min(row[i-1]+capped.Times(row[i], k, n), n)
					}
					if got != row[d] {
						t.Fatalf("n=%d k=%d d=%d: %d ways of %d hops, want %d", n, k, d, got, h+1, row[d])
					}
					if h++; h == 40 {
						break
					}
				}
			}
		}
	}
}

// TestBoundsHoldForAllJumps enumerates every sequence of topologies of jumps for few nodes. No
// way within one topology beats JumpHops, and none across topologies beats RelayJumpHops. Both
// are at least the bounds for arbitrary circuits, and are attained if all offsets are near.
func TestBoundsHoldForAllJumps(t *testing.T) {
	attained, above := 0, 0
	for _, c := range []struct{ n, k, d int }{
		{4, 2, 1}, {6, 2, 1}, {6, 2, 2}, {7, 3, 1}, {7, 3, 2}, {9, 2, 1}, {9, 2, 2}, {11, 2, 2}, {12, 4, 1}, {13, 3, 1}, {16, 3, 1}, {17, 4, 1}, {24, 2, 1}, {24, 3, 1}, {31, 2, 1},
	} {
		var sets [][]int // of jumps
		var choose func(set []int, from int)
		choose = func(set []int, from int) {
			if len(set) == c.k {
				sets = append(sets, slices.Clone(set))
				return
			}
			for j := from; j < c.n; j++ {
				choose(append(set, j), j+1)
			}
		}
		choose(nil, 1)
		one, across := 1<<30, 1<<30
		sequences(sets, c.d, func(seq [][]int) {
			best := make([]int, c.n)
			for o := range best {
				best[o] = 1 << 20
			}
			for _, jumps := range seq {
				for o, h := range jumpDistances(c.n, jumps) {
					best[o] = min(best[o], h)
				}
			}
			one = min(one, sumOf(best))
			across = min(across, sumOf(jumpDistances(c.n, slices.Concat(seq...))))
		})
		if least := JumpHops(c.n, c.k, c.d); one < least || least < LoadHops(c.n, c.k, c.d) {
			t.Errorf("n=%d k=%d d=%d: %d hops within topologies of jumps, the bound is %d, for any circuits %d", c.n, c.k, c.d, one, least, LoadHops(c.n, c.k, c.d))
		} else if one == least {
			attained++
		}
		if least := RelayJumpHops(c.n, c.k, c.d); across < least || least < RelayHops(c.n, c.k, c.d) {
			t.Errorf("n=%d k=%d d=%d: %d hops across topologies of jumps, the bound is %d, for any circuits %d", c.n, c.k, c.d, across, least, RelayHops(c.n, c.k, c.d))
		} else if least > RelayHops(c.n, c.k, c.d) {
			above++
		}
	}
	if attained < 5 || above < 5 {
		t.Errorf("attained %d times, above the bound for any circuits %d times", attained, above)
	}
}

// jumpDistances returns the hops to every offset, by breadth first.
func jumpDistances(n int, jumps []int) []int {
	dist := make([]int, n)
	queue := []int{0}
	for i := 0; i < len(queue); i++ {
		for _, j := range jumps {
			if o := (queue[i] + j) % n; o != 0 && dist[o] == 0 {
				dist[o] = dist[queue[i]] + 1
				queue = append(queue, o)
			}
		}
	}
	for o := 1; o < n; o++ {
		if dist[o] == 0 {
			dist[o] = 1 << 20
		}
	}
	return dist
}

func sumOf(list []int) int {
	sum := 0
	for _, x := range list {
		sum += x
	}
	return sum
}

// roundBound is LoadBound for schedules in rounds, as the paper's are: chunks go in rounds, at most
// k per source in each, and a round takes as many slots as its longest path. The rounds that take
// more than h slots are at least (n-1-within(h))/k, rounded up; the slots are the sum over h of the
// number of such rounds.
func roundBound(n, k, d int) (int, error) {
	if err := CheckBound(n, k, d); err != nil {
		return 0, err
	}
	sum := 0
	for left := range left(n, InOne(k, d, n)) {
		sum += arithmetic.CeilDiv(left, k)
	}
	return sum, nil
}

// TestTwoWayHopsCountWays counts ways hop by hop: k from a node, k-1 after a hop in the same
// topology, and any of the later topologies next.
func TestTwoWayHopsCountWays(t *testing.T) {
	for _, k := range []int{2, 3, 4, 7} {
		for d := 1; d <= 6; d++ {
			for _, n := range []int{2, 3, 10, 57, 1000} {
				var ways func(stage, left int, same bool) int
				ways = func(stage, left int, same bool) int {
					if left == 0 {
						return 1
					}
					sum := 0
					for next := stage; next < d; next++ {
						choices := k
						if next == stage && same {
							choices--
						}
						sum += choices * ways(next, left-1, true)
						if sum > n {
							return n
						}
					}
					return min(sum, n)
				}
				want, left := 0, n-1
				for h := 1; left > 0; h++ {
					want += left
					left -= ways(0, h, false)
				}
				if got := TwoWayHops(n, k, d); got != want {
					t.Fatalf("TwoWayHops(%d, %d, %d) = %d, want %d", n, k, d, got, want)
				}
			}
		}
	}
}
