package algorithms_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// bruckSteps are the documented volumes: digit j of phase i belongs to
// floor(n/r^(i+1))*r^i + min(r^i, max(0, n mod r^(i+1) - j*r^i)) offsets.
func bruckSteps(n, radix, ports int) []map[int]int {
	var want []map[int]int
	for i := range ceilLog(radix, n) {
		weight := power(radix, i)
		var digits []int
		blocks := map[int]int{}
		for j := 1; j < radix && j*weight < n; j++ {
			digits = append(digits, j)
			period := weight * radix
			blocks[j] = n/period*weight + min(weight, max(0, n%period-j*weight))
		}
		for some := range slices.Chunk(digits, ports) {
			step := map[int]int{}
			for _, j := range some {
				step[j*weight] = blocks[j]
			}
			want = append(want, step)
		}
	}
	return want
}

// Bruck et al. 1997, §3: at most ceil(log_r n) phases of ceil((r-1)/p) steps.
func TestBruckIndexDeliversByDigits(t *testing.T) {
	for spec, radix := range map[string]func(ports int) int{
		"bruck-index":       func(ports int) int { return ports + 1 },
		"bruck-index:r=2":   func(int) int { return 2 },
		"bruck-index:r=5":   func(int) int { return 5 },
		"bruck-index:r=300": func(int) int { return 300 },
	} {
		sizes := smallExchangeSizes()
		if spec == "bruck-index" {
			sizes = append(exchangeSizes(), 256, 343)
		}
		forEachExchange(t, spec, sizes, func(x exchange) error {
			n, r := x.Nodes, radix(x.ports)
			if most := ceilLog(r, n) * ((r - 1 + x.ports - 1) / x.ports); len(x.Steps) > most {
				return fmt.Errorf("%d steps, at most %d", len(x.Steps), most)
			}
			if err := x.checkVolumes(bruckSteps(n, r, x.ports)); err != nil {
				return err
			}
			return x.checkMoves(func(offset, _ int) int {
				moves := 0
				for ; offset > 0; offset /= r {
					if offset%r != 0 {
						moves++
					}
				}
				return moves
			})
		})
	}
}

// For n = r^s the bounds are met: s*ceil((r-1)/p) steps and n/r blocks per peer.
func TestBruckIndexPowersAreBalanced(t *testing.T) {
	for _, tc := range []struct{ radix, phases, ports, steps int }{
		{2, 3, 1, 3}, {2, 7, 1, 7}, {3, 4, 2, 4}, {3, 4, 1, 8}, {4, 3, 3, 3}, {4, 3, 2, 6}, {5, 3, 3, 6}, {16, 1, 4, 4},
	} {
		n := power(tc.radix, tc.phases)
		c, err := algorithms.New(collective.AllToAll, fmt.Sprintf("bruck-index:r=%d", tc.radix), n, tc.ports)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Steps) != tc.steps {
			t.Errorf("n=%d r=%d p=%d: %d steps, want %d", n, tc.radix, tc.ports, len(c.Steps), tc.steps)
		}
		for i, step := range c.Steps {
			for _, m := range step.Base {
				if m.Chunks.Len() != n/tc.radix {
					t.Errorf("n=%d r=%d step %d: %d blocks to %d", n, tc.radix, i+1, m.Chunks.Len(), m.Dst)
				}
			}
		}
	}
}

// With one port and a radix of n or more, Bruck's algorithm is the shift.
func TestBruckIndexOfALargeRadixIsTheShift(t *testing.T) {
	bruck, err := algorithms.New(collective.AllToAll, "bruck-index:r=12", 12, 1)
	if err != nil {
		t.Fatal(err)
	}
	shift, err := algorithms.New(collective.AllToAll, "shift", 12, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(bruck.Steps), fmt.Sprint(shift.Steps); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
