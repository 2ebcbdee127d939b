package collective

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
			got, want := periodOf(n, ports, trees), findPeriod(n, ports, trees)
			// Running goes on until pieces beyond those that are asked for are everywhere.
			want.ends = want.ends[:want.started+want.pieces+1]
			if !reflect.DeepEqual(got, want) {
				t.Errorf("n=%d, %d ports: %+v, want %+v", n, ports, got, want)
			}
		}
		if n > 2 && binaryTree(n).chain() {
			t.Errorf("n=%d: a binary tree is taken for a chain", n)
		}
	}
}
