package algorithms_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

func ternary(_ collective.Op, n, ports int) bool {
	return ports >= 2 && slices.Contains([]int{3, 9, 27, 81, 243}, n)
}

// Trivance takes log3(n) steps (RETRI §3.1 and §3.2) and sends the whole vector each way in each
// step.
func TestTrivance(t *testing.T) {
	checkReduction(t, reductionCase{
		algorithm: "trivance",
		ops:       []collective.Op{collective.AllReduce},
		supports:  ternary,
		loads: func(_ collective.Op, n, _ int) []load {
			var loads []load
			for reached := 1; reached < n; reached *= 3 {
				loads = append(loads, load{peers: 2, toOne: n, inAll: 2 * n})
			}
			return loads
		},
	})
}

// Steps send m/3, m/9, .. each way, a third of the remaining data (RETRI §3.2), and then back.
func TestTrivanceBandwidth(t *testing.T) {
	checkReduction(t, reductionCase{
		algorithm: "trivance-bandwidth",
		ops:       allReductions,
		supports:  ternary,
		loads: func(op collective.Op, n, _ int) []load {
			var scatter []load
			sent := 0
			for left := n; left > 1; left /= 3 {
				scatter = append(scatter, load{peers: 2, toOne: left / 3, inAll: 2 * left / 3})
				sent += 2 * left / 3
			}
			if sent != n-1 {
				t.Errorf("%d nodes: %d of %d blocks per half", n, sent, n-1)
			}
			return bothHalves(op, scatter, backwards(scatter))
		},
	})
}

// The peers are u+3^k and u-3^k, nearest first in a reduce-scatter (RETRI §3.1).
func TestTrivancePeers(t *testing.T) {
	want := [][]int{{1, 26}, {3, 24}, {9, 18}}
	for _, algorithm := range []string{"trivance", "trivance-bandwidth"} {
		c, err := algorithms.New(collective.AllReduce, algorithm, 27, 2)
		if err != nil {
			t.Fatal(err)
		}
		for k, peers := range want {
			var got []int
			for _, transfer := range c.Steps[k].Base {
				got = append(got, transfer.Dst-transfer.Src)
			}
			if !slices.Equal(got, peers) {
				t.Errorf("%s, phase %d: peers %v, want %v", algorithm, k, got, peers)
			}
		}
	}
}
