package column

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/units"
)

// Everything that follows from the known points is the least of the lines, and few points
// determine all.
func TestConcaveIsTheLowestLineWithFewQuestions(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 4))
	for range 300 {
		lines := make([]envelope.Line, 1+rng.IntN(6))
		for i := range lines {
			lines[i] = envelope.Line{Fixed: 1 + 1000*rng.Float64(), Slope: float64(rng.IntN(9)), Of: i}
		}
		lowest := func(x float64) envelope.Line {
			best := lines[0]
			for _, l := range lines[1:] {
				if l.At(x) < best.At(x) {
					best = l
				}
			}
			return best
		}
		delays := make([]units.Duration, 200)
		for i := range delays {
			delays[i] = units.Duration(rng.IntN(1000))
		}
		var c concave
		asked := 0
		for _, i := range outsideIn(delays) {
			x := float64(delays[i])
			line, known := c.lookup(x)
			if !known {
				line = lowest(x)
				asked++
				c.add(x, line)
			}
			if want := lowest(x).At(x); math.Abs(line.At(x)-want) > 1e-9*want {
				t.Fatalf("%v at %v, want %v of %v", line.At(x), x, want, lines)
			}
		}
		if asked > 20*len(lines) {
			t.Errorf("%d questions for %d lines", asked, len(lines))
		}
	}
}

// outsideIn lists every cell once, the shortest and the longest delay first.
func TestOutsideInHasEveryCell(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 5))
	for cells := 1; cells < 40; cells++ {
		delays := make([]units.Duration, cells)
		for i := range delays {
			delays[i] = units.Duration(rng.IntN(50)) << 40 // too large for a 32-bit int
		}
		seen := make([]bool, cells)
		order := outsideIn(delays)
		for k, i := range order {
			if seen[i] || k > 1 && (delays[i] < delays[order[0]] || delays[i] > delays[order[1]]) {
				t.Fatalf("%v: %v", delays, order)
			}
			seen[i] = true
		}
		if len(order) != cells {
			t.Fatalf("%d of %d cells", len(order), cells)
		}
	}
}
