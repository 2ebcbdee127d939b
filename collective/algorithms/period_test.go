package algorithms

import (
	"reflect"
	"testing"
)

// The closed form for chains is what running them finds.
func TestPeriodOfChain(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for ports := 1; ports <= 3; ports++ {
			trees := []tree{chainTree(n)}
			if !trees[0].chain() {
				t.Fatalf("n=%d: a chain is not seen to be one", n)
			}
			got, want := timesOf(n, ports, trees), runPipeline(n, ports, trees)
			for pieces := range 3 * n {
				if got.busy(pieces) != want.busy(pieces) {
					t.Errorf("n=%d, %d ports, %d pieces: %d, want %d", n, ports, pieces, got.busy(pieces), want.busy(pieces))
				}
			}
			// Running goes on until pieces beyond those that are asked for are everywhere.
			want.ends, want.full = want.ends[:want.period.started+want.period.pieces+1], nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("n=%d, %d ports: %+v, want %+v", n, ports, got, want)
			}
		}
		if n > 2 && binaryTree(n).chain() {
			t.Errorf("n=%d: a binary tree is taken for a chain", n)
		}
	}
}
