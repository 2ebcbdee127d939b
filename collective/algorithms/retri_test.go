package algorithms_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
)

// balancedTwin finds the balanced digits of a number by trying every list of digits.
func balancedTwin(number, radix, count int) []int {
	if count == 0 {
		if number != 0 {
			return nil
		}
		return []int{}
	}
	for d := -(radix / 2); d <= radix/2; d++ {
		if (number-d)%radix != 0 {
			continue
		}
		if rest := balancedTwin((number-d)/radix, radix, count-1); rest != nil {
			return append([]int{d}, rest...)
		}
	}
	return nil
}

func TestBalancedDigitsAreTheOnlyOnes(t *testing.T) {
	for radix := 3; radix <= 9; radix += 2 {
		for count := range 4 {
			most := (power(radix, count) - 1) / 2
			for number := -most; number <= most; number++ {
				got := algorithms.BalancedDigits(number, radix, count)
				if want := balancedTwin(number, radix, count); !slices.Equal(got, want) {
					t.Fatalf("%d in radix %d: %v, want %v", number, radix, got, want)
				}
			}
			// Beyond the range, the lowest digits.
			for _, number := range []int{most + 1, -most - 1} {
				longer := algorithms.BalancedDigits(number, radix, count+1)
				if got := algorithms.BalancedDigits(number, radix, count); !slices.Equal(got, longer[:count]) {
					t.Fatalf("%d in radix %d: %v, want the start of %v", number, radix, got, longer)
				}
			}
		}
	}
}

// floorDiv rounds down.
func floorDiv(a, b int) int {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}

// retriSteps are the documented volumes: per phase and digit, the centred offsets o with
// floor((o + (R^k-1)/2) / R^k) = j modulo R, in pairs of digits.
func retriSteps(n, radix, ports int) []map[int]int {
	var want []map[int]int
	for k := range ceilLog(radix, n) {
		weight := power(radix, k)
		sent, order := map[int]int{}, []int{}
		for j := 1; j <= radix/2; j++ {
			for _, digit := range []int{j, -j} {
				blocks := 0
				for o := -((n+1)/2 - 1); o <= n/2; o++ {
					if (floorDiv(o+(weight-1)/2, weight)-digit)%radix == 0 {
						blocks++
					}
				}
				peer := ((digit*weight)%n + n) % n
				if blocks > 0 && sent[peer] == 0 {
					order = append(order, peer)
				}
				if blocks > 0 {
					sent[peer] += blocks
				}
			}
		}
		for peers := range slices.Chunk(order, ports/2*2) {
			step := map[int]int{}
			for _, peer := range peers {
				step[peer] = sent[peer]
			}
			want = append(want, step)
		}
	}
	return want
}

// §3.2 for n = 3^s, and its extension to every n and to 2q ports.
func TestRetriDeliversByBalancedDigits(t *testing.T) {
	for spec, radix := range map[string]func(ports int) int{
		"retri":      func(ports int) int { return ports/2*2 + 1 },
		"retri:r=3":  func(int) int { return 3 },
		"retri:r=7":  func(int) int { return 7 },
		"retri:r=31": func(int) int { return 31 },
	} {
		sizes := smallExchangeSizes()
		if spec == "retri" {
			sizes = append(exchangeSizes(), 256, 343)
		}
		forEachExchange(t, spec, sizes, func(x exchange) error {
			n, r := x.Nodes, radix(x.ports)
			phases := ceilLog(r, n)
			if err := x.checkVolumes(retriSteps(n, r, x.ports)); err != nil {
				return err
			}
			if full := (r - 1 + x.ports/2*2 - 1) / (x.ports / 2 * 2); len(x.Steps) > phases*full {
				return fmt.Errorf("%d steps for %d phases", len(x.Steps), phases)
			}
			return x.checkMoves(func(offset, _ int) int {
				if offset > n/2 {
					offset -= n
				}
				moves := 0
				for _, d := range balancedTwin(offset, r, phases) {
					if d != 0 {
						moves++
					}
				}
				return moves
			})
		})
	}
}

// Lemma 2: for n = R^s every node sends n/R blocks to each of its R-1 peers in each of s
// phases.
func TestRetriPowersAreBalanced(t *testing.T) {
	for _, tc := range []struct{ radix, phases int }{{3, 1}, {3, 2}, {3, 5}, {5, 1}, {5, 3}, {7, 2}, {7, 3}} {
		n := power(tc.radix, tc.phases)
		c, err := algorithms.New(collective.AllToAll, "retri", n, tc.radix-1)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Steps) != tc.phases {
			t.Errorf("n=%d: %d steps, want %d", n, len(c.Steps), tc.phases)
		}
		for k, step := range c.Steps {
			if len(step.Base) != tc.radix-1 {
				t.Errorf("n=%d phase %d: %d peers", n, k, len(step.Base))
			}
			for _, m := range step.Base {
				if m.Chunks.Len() != n/tc.radix {
					t.Errorf("n=%d phase %d: %d blocks to %d, want %d", n, k, m.Chunks.Len(), m.Dst, n/tc.radix)
				}
			}
		}
	}
}

// For other n the two directions differ by at most the block of offset n/2, and the larger one
// has half of the blocks that move, rounded up.
func TestRetriDirectionsAreEven(t *testing.T) {
	for _, n := range exchangeSizes() {
		c, err := algorithms.New(collective.AllToAll, "retri", n, 2)
		if err != nil {
			t.Fatal(err)
		}
		for k, step := range c.Steps {
			left, right, zero := 0, 0, 0
			for o := -((n+1)/2 - 1); o <= n/2; o++ {
				switch algorithms.BalancedDigits(o, 3, len(c.Steps))[k] {
				case -1:
					left++
				case 0:
					zero++
				case 1:
					right++
				}
			}
			total := 0
			for _, m := range step.Base {
				total += m.Chunks.Len()
			}
			if most := max(left, right); left+right != total || n%2 == 1 && left != right || most != (n-zero+1)/2 {
				t.Errorf("n=%d phase %d: %d left, %d right, %d stay, %d sent", n, k, left, right, zero, total)
			}
		}
	}
}

func TestRetriRefusesWhatItCannotDo(t *testing.T) {
	for _, tc := range []struct {
		spec  string
		ports int
		want  string
	}{
		{"retri", 1, "needs 2 or more ports, not 1"},
		{"retri:r=3", 1, "needs 2 or more ports, not 1"},
		{"retri:r=4", 2, "needs an odd radix of 3 or more, not 4"},
		{"retri:r=2", 2, "needs an odd radix of 3 or more, not 2"},
		{"retri:parts=2", 2, "no option"},
	} {
		_, err := algorithms.New(collective.AllToAll, tc.spec, 9, tc.ports)
		if !errors.Is(err, algorithms.ErrUnsupported) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s with %d ports: %v, want %q", tc.spec, tc.ports, err, tc.want)
		}
	}
}

// On 3^9 nodes, one base transfer per direction represents all.
func BenchmarkRetri19683(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := algorithms.New(collective.AllToAll, "retri", 19683, 2); err != nil {
			b.Fatal(err)
		}
	}
}
