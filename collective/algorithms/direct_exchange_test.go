package algorithms_test

import (
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// Each half is one step, in which every node sends a block to each of n-1 peers.
func TestDirectExchange(t *testing.T) {
	checkReduction(t, reductionCase{
		algorithm: "direct-exchange",
		ops:       allReductions,
		supports:  anySize,
		bulk:      true,
		loads: func(op collective.Op, n, _ int) []load {
			half := []load{{peers: n - 1, toOne: 1, inAll: n - 1}}
			return bothHalves(op, half, half)
		},
	})
}

// Every operation, except those that only run down trees, has one algorithm in which all nodes
// send to all others at once, in one step per half.
func TestOneAlgorithmIsDirect(t *testing.T) {
	steps := map[collective.Op]int{collective.AllReduce: 2, collective.ReduceScatter: 1, collective.AllGather: 1, collective.AllToAll: 1, collective.Gather: 1, collective.Scatter: 1}
	for _, op := range collective.Ops() {
		name := algorithms.Direct(op)
		if (name != "") != (steps[op] > 0) {
			t.Errorf("%s: direct is %q", op, name)
		}
		if name == "" {
			continue
		}
		c, err := algorithms.New(op, name, 5, 1)
		if err != nil || len(c.Steps) != steps[op] {
			t.Errorf("%s: %+v, %v; want %d steps", op, c, err, steps[op])
		}
		all := algorithms.Algorithms()
		if n := len(slices.DeleteFunc(all, func(a algorithms.Algorithm) bool { return !a.Direct || !slices.Contains(a.Ops, op) })); n != 1 {
			t.Errorf("%s: %d are direct", op, n)
		}
	}
}
