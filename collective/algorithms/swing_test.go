package algorithms_test

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// TestSwing: in step s a node sends m/2^(s+1) (De Sensi et al., NSDI 2024, §3), in equal shares
// over several ports. If two peers coincide, that peer gets two shares.
func TestSwing(t *testing.T) {
	checkReduction(t, reductionCase{
		algorithm: "swing",
		ops:       allReductions,
		supports:  func(_ collective.Op, n, _ int) bool { return isPowerOfTwo(n) },
		loads: func(op collective.Op, n, ports int) []load {
			if ports > 3 { // see TestSwingUsesEveryPort
				return nil
			}
			shares := min(ports, 2)
			var scatter []load
			for held := n; held > 1; held /= 2 {
				l := load{peers: shares, toOne: held / 2, inAll: held / 2 * shares}
				if n == 2 {
					l = load{peers: 1, toOne: l.inAll, inAll: l.inAll}
				}
				scatter = append(scatter, l)
			}
			return bothHalves(op, scatter, backwards(scatter))
		},
	})
}

func TestSwingOnGivenSides(t *testing.T) {
	for _, tc := range []struct {
		sides string
		n     int
	}{{"2x4", 8}, {"4x2", 8}, {"4x4", 16}, {"2x2x2x2", 16}, {"8x2", 16}, {"2x8", 16}, {"4x4x4", 64}, {"16x2x4", 128}} {
		for ports := 1; ports <= 6; ports++ {
			for _, op := range allReductions {
				c, err := algorithms.New(op, "swing:"+tc.sides, tc.n, ports)
				if err != nil {
					t.Fatal(err)
				}
				if c.Algorithm != "swing:"+tc.sides {
					t.Errorf("made %s", c.Algorithm)
				}
				if _, err := stepLoads(c, ports); err != nil {
					t.Errorf("%s %s with %d ports: %v", c.Algorithm, op, ports, err)
				}
				if err := runReduction(c); err != nil {
					t.Errorf("%s %s with %d ports: %v", c.Algorithm, op, ports, err)
				}
			}
		}
	}
	for _, sides := range []string{"3x4", "4x4", "2x2", "65536x65536x65536x65536", "2x6"} {
		if _, err := algorithms.New(collective.AllReduce, "swing:"+sides, 8, 4); !errors.Is(err, algorithms.ErrUnsupported) {
			t.Errorf("sides %s for 8 nodes: %v", sides, err)
		}
	}
}

// TestSwingUsesEveryPort: on even sides of 4 or more, every step has 2D peers with an equal share
// each. The shares add up to m/2^(s+1) for any sides.
func TestSwingUsesEveryPort(t *testing.T) {
	for _, tc := range []struct{ n, ports, parts int }{
		{16, 4, 4}, {16, 5, 4}, {256, 4, 4}, {64, 6, 6}, {64, 2, 2}, {64, 3, 2}, {32, 4, 4}, {4, 6, 4}, {2, 6, 2},
	} {
		c, err := algorithms.New(collective.ReduceScatter, "swing", tc.n, tc.ports)
		if err != nil {
			t.Fatal(err)
		}
		if c.Space.Parts != tc.parts || len(c.Steps) != bits.Len(uint(tc.n))-1 {
			t.Errorf("%d nodes, %d ports: %d parts, %d steps", tc.n, tc.ports, c.Space.Parts, len(c.Steps))
		}
		loads, err := stepLoads(c, tc.ports)
		if err != nil {
			t.Fatal(err)
		}
		even := slices.Contains([]int{16, 64, 256}, tc.n)
		for s, l := range loads {
			if l.inAll != tc.n*tc.parts>>(s+1) {
				t.Errorf("%d nodes, %d ports, step %d: %d chunks", tc.n, tc.ports, s+1, l.inAll)
			}
			if even && (l.peers != tc.parts || l.toOne*l.peers != l.inAll) {
				t.Errorf("%d nodes, %d ports, step %d: %+v", tc.n, tc.ports, s+1, l)
			}
		}
	}
}

// TestSwingTakesDimensionsInTurn checks the peers of node 0 on a 4 x 8 torus against
// the round-robin written out by hand: the first collective starts with rows of 4 (whose
// neighbours are 8 apart), the second with columns.
func TestSwingTakesDimensionsInTurn(t *testing.T) {
	c, err := algorithms.New(collective.ReduceScatter, "swing:4x8", 32, 4)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]int{
		{8, 1, 24, 7}, // rho(0) = 1: rows, columns and their mirror images
		{1, 8, 7, 24}, // the other dimension
		{24, 7, 8, 1}, // rho(1) = -1
		{7, 24, 1, 8}, // the other dimension
		{3, 5},        // rho(2) = 3 in columns only: both meet
	}
	for s, step := range c.Steps {
		var got []int
		for _, transfer := range step.Base {
			if transfer.Src == 0 {
				got = append(got, transfer.Dst)
			}
		}
		if !slices.Equal(got, want[s]) {
			t.Errorf("step %d: node 0 sends to %v, want %v", s+1, got, want[s])
		}
	}
}

// TestSwingWithOnePeer: swing:peers=1 with any number of ports is Swing on one port, so
// HARVEST's published schedules (two ports, one peer per step) can be named. On a ring it equals
// the butterfly of Bine, which has its own implementation.
func TestSwingWithOnePeer(t *testing.T) {
	for _, op := range allReductions {
		for _, n := range []int{2, 8, 64} {
			one, err := algorithms.New(op, "swing", n, 1)
			if err != nil {
				t.Fatal(err)
			}
			bine, err := algorithms.New(op, "bine", n, 2)
			if err != nil {
				t.Fatal(err)
			}
			for ports := 1; ports <= 6; ports++ {
				c, err := algorithms.New(op, "swing:peers=1", n, ports)
				if err != nil {
					t.Fatal(err)
				}
				if c.Algorithm != "swing:peers=1" || !reflect.DeepEqual(c.Steps, one.Steps) || !reflect.DeepEqual(c.Space, one.Space) {
					t.Errorf("%s, %d nodes, %d ports: %s has other steps than swing on one port", op, n, ports, c.Algorithm)
				}
				for s := range c.Steps {
					if got, want := sent(c, s), sent(bine, s); !slices.Equal(got, want) {
						t.Errorf("%s, %d nodes, step %d: %v, by bine %v", op, n, s+1, got, want)
					}
				}
			}
		}
	}
	for spec, ports := range map[string]int{"swing:8x8,peers=2": 6, "swing:peers=2": 4, "swing:peers=4,4x16": 5} {
		c, err := algorithms.New(collective.AllReduce, spec, 64, ports)
		if err != nil {
			t.Fatal(err)
		}
		if err := runReduction(c); err != nil || c.Algorithm != spec {
			t.Errorf("%s, made as %s: %v", spec, c.Algorithm, err)
		}
	}
	for _, spec := range []string{"swing:peers=3", "bine:peers=1"} {
		if _, err := algorithms.New(collective.AllReduce, spec, 8, 2); !errors.Is(err, algorithms.ErrUnsupported) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	if _, err := algorithms.New(collective.AllReduce, "swing:peers=0", 8, 2); err == nil {
		t.Error("swing:peers=0 is accepted")
	}
}

// sent lists the transfers of a step: sender, receiver and number of chunks.
func sent(c *collective.Collective, s int) []string {
	var all []string
	for transfer := range c.Steps[s].All(c.Space) {
		all = append(all, fmt.Sprintf("%d>%d:%d", transfer.Src, transfer.Dst, transfer.Chunks.Len()))
	}
	slices.Sort(all)
	return all
}
