package algorithms_test

import (
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

func TestBine(t *testing.T) {
	checkReduction(t, reductionCase{
		algorithm: "bine",
		ops:       allReductions,
		supports:  func(_ collective.Op, n, _ int) bool { return isPowerOfTwo(n) },
		loads: func(op collective.Op, n, _ int) []load {
			var scatter []load
			for held := n; held > 1; held /= 2 {
				scatter = append(scatter, load{peers: 1, toOne: held / 2, inAll: held / 2})
			}
			return bothHalves(op, scatter, backwards(scatter))
		},
	})
}

// HARVEST §6: the pattern is Swing's.
func TestBineIsSwingOnOnePort(t *testing.T) {
	for n := 2; n <= 1024; n *= 2 {
		for _, op := range allReductions {
			bine, err := algorithms.New(op, "bine", n, 4)
			if err != nil {
				t.Fatal(err)
			}
			swing, err := algorithms.New(op, "swing", n, 1)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(bine.Space, swing.Space) || !reflect.DeepEqual(bine.Steps, swing.Steps) {
				t.Errorf("%s on %d nodes: steps differ", op, n)
			}
		}
	}
}
