package sweep_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// On random lines the switches are those that asking for every single size finds.
func TestSwitchOversAreExactToTheByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 3))
	for range 400 {
		lines := make([]sweep.Choice, 1+rng.IntN(8))
		for i := range lines {
			lines[i] = sweep.Choice{Name: fmt.Sprint(i), At0: float64(rng.IntN(5000)), Slope: float64(rng.IntN(400)) / 16}
		}
		best := func(size units.Bytes) (sweep.Choice, error) {
			least := lines[0]
			for _, l := range lines[1:] {
				if l.At(size) < least.At(size) || l.At(size) == least.At(size) && l.Slope < least.Slope {
					least = l
				}
			}
			return least, nil
		}
		asked := 0
		from, to := units.Bytes(1+rng.IntN(50)), units.Bytes(100+rng.IntN(400))
		got, err := sweep.SwitchOvers(from, to, func(size units.Bytes) (sweep.Choice, error) { asked++; return best(size) })
		if err != nil {
			t.Fatal(err)
		}
		if asked > 3*len(lines)+2 {
			t.Errorf("asked %d times about %d lines", asked, len(lines))
		}
		k := 0
		for size := from; size <= to; size++ {
			for k+1 < len(got) && got[k+1].From <= size {
				k++
			}
			want, err := best(size)
			if err != nil {
				t.Fatal(err)
			}
			if got[k].At(size) != want.At(size) { // ties may have either name
				t.Fatalf("at %d %s with %v, but %s takes %v; %v of %v", size, got[k].Name, got[k].At(size), want.Name, want.At(size), got, lines)
			}
		}
	}
}

// Where times are not lines, every switch is between neighbours with those names.
func TestSwitchOversWithoutLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 4))
	for range 100 {
		chunk, start := units.Bytes(2+rng.IntN(60)), float64(rng.IntN(400))
		best := func(size units.Bytes) (sweep.Choice, error) {
			whole := sweep.Choice{Name: "whole", At0: 10, Slope: 1}
			chunks := sweep.Choice{Name: "chunks", At0: start, Slope: 0.3 * float64((size+chunk-1)/chunk*chunk) / float64(size)}
			if chunks.At(size) < whole.At(size) {
				return chunks, nil
			}
			return whole, nil
		}
		got, err := sweep.SwitchOvers(1, 1000, best)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range got {
			here, err := best(s.From)
			if err != nil || here.Name != s.Name {
				t.Errorf("from %d on %s, but there %s is best (%v)", s.From, s.Name, here.Name, err)
			}
			if i > 0 {
				if before, err := best(s.From - 1); err != nil || before.Name == s.Name {
					t.Errorf("from %d on %s, and before it too (%v)", s.From, s.Name, err)
				}
			}
		}
		first, _ := best(1)
		last, _ := best(1000)
		if got[0].Name != first.Name || got[len(got)-1].Name != last.Name {
			t.Errorf("ends with %s and %s, want %s and %s", got[0].Name, got[len(got)-1].Name, first.Name, last.Name)
		}
	}
	broken := errors.New("broken")
	if _, err := sweep.SwitchOvers(1, 9, func(size units.Bytes) (sweep.Choice, error) { return sweep.Choice{}, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}
