package pipelines

import (
	"reflect"
	"testing"
)

// The closed form for chains equals the result of running them.
func TestPeriodOfChain(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for ports := 1; ports <= 3; ports++ {
			trees := []Tree{Chain(n)}
			if !trees[0].chain() {
				t.Fatalf("n=%d: a chain is not seen to be one", n)
			}
			got, want := TimesOf(n, ports, trees), running(n, ports, trees)
			for pieces := range 3 * n {
				if got.Busy(pieces) != want.Busy(pieces) {
					t.Errorf("n=%d, %d ports, %d pieces: %d, want %d", n, ports, pieces, got.Busy(pieces), want.Busy(pieces))
				}
			}
			// Running goes on until pieces beyond those that are asked for are everywhere.
			want.ends, want.full = want.ends[:want.Period.Started+want.Period.Pieces+1], nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("n=%d, %d ports: %+v, want %+v", n, ports, got, want)
			}
		}
		if n > 2 && Binary(n).chain() {
			t.Errorf("n=%d: a binary tree is taken for a chain", n)
		}
	}
}
