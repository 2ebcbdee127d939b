package frontier_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/frontier"
	"github.com/lightpath-net/lightpath/units"
)

// On random lines, the switches are those found by asking for every single size.
func TestSwitchOversAreExactToTheByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 3))
	for range 400 {
		lines := make([]frontier.Choice, 1+rng.IntN(8))
		for i := range lines {
			lines[i] = frontier.Choice{Name: fmt.Sprint(i), At0: float64(rng.IntN(5000)), Slope: float64(rng.IntN(400)) / 16}
		}
		best := func(size units.Bytes) (frontier.Choice, error) {
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
		got, err := frontier.SwitchOvers(from, to, func(size units.Bytes) (frontier.Choice, error) { asked++; return best(size) })
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
			if got[k].At(size) != want.At(size) { // either name may win a tie
				t.Fatalf("at %d %s with %v, but %s takes %v; %v of %v", size, got[k].Name, got[k].At(size), want.Name, want.At(size), got, lines)
			}
		}
	}
}

// If times are not lines, every switch is between neighbouring sizes with those names.
func TestSwitchOversWithoutLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 4))
	for range 100 {
		chunk, start := units.Bytes(2+rng.IntN(60)), float64(rng.IntN(400))
		best := func(size units.Bytes) (frontier.Choice, error) {
			whole := frontier.Choice{Name: "whole", At0: 10, Slope: 1}
			chunks := frontier.Choice{Name: "chunks", Bent: true, At0: start, Slope: 0.3 * float64((size+chunk-1)/chunk*chunk) / float64(size)}
			if chunks.At(size) < whole.At(size) {
				return chunks, nil
			}
			return whole, nil
		}
		got, err := frontier.SwitchOvers(1, 1000, best)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range got {
			here, err := best(s.From)
			if err != nil || here.Name != s.Name {
				t.Errorf("from %d on %s, but there %s is best (%v)", s.From, s.Name, here.Name, err)
			}
			if i > 0 {
				if before, err := best(s.From - 1); err != nil || before.Name == s.Name && !s.Bent {
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
	if _, err := frontier.SwitchOvers(1, 9, func(size units.Bytes) (frontier.Choice, error) { return frontier.Choice{}, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// A line that is said to hold up to the next switch does so. This is true of staircases, too,
// which take few questions.
func TestStraightSwitchesAreLines(t *testing.T) {
	stairs := func(size units.Bytes) frontier.Choice {
		return frontier.Choice{Name: "stairs", Bent: true, At0: 5, Slope: float64((size+6)/7*7) / float64(size)}
	}
	asked := 0
	const from, to = 1000, 1_000_000
	got, err := frontier.SwitchOvers(from, to, func(size units.Bytes) (frontier.Choice, error) { asked++; return stairs(size), nil })
	if err != nil || asked > 200 {
		t.Fatalf("asked %d times: %v", asked, err)
	}
	straight := 0
	for i, s := range got {
		next := units.Bytes(to + 1)
		if i+1 < len(got) {
			next = got[i+1].From
		}
		for size := s.From; s.Straight && size < next; size++ {
			if here := stairs(size); math.Abs(s.At(size)-here.At(size)) > 1e-9*here.At(size) {
				t.Fatalf("from %d on a line, but not at %d", s.From, size)
			}
		}
		if s.Straight {
			straight++
		}
	}
	if straight == len(got) {
		t.Errorf("all of %d are lines", straight)
	}
}

// Lines of a choice that might be bent are as exact as others, although they share one name.
func TestSwitchOversOfBentChoicesThatAreLines(t *testing.T) {
	lines := []frontier.Choice{{Name: "own", Bent: true, At0: 10, Slope: 4}, {Name: "own", Bent: true, At0: 200, Slope: 2}, {Name: "own", Bent: true, At0: 900, Slope: 1}}
	got, err := frontier.SwitchOvers(1, 2000, func(size units.Bytes) (frontier.Choice, error) {
		best := lines[0]
		for _, l := range lines[1:] {
			if l.At(size) < best.At(size) {
				best = l
			}
		}
		return best, nil
	})
	if err != nil || len(got) != 3 || got[1].From != 96 || got[2].From != 701 || !got[0].Straight || !got[1].Straight || !got[2].Straight {
		t.Errorf("%+v, %v", got, err)
	}
}
