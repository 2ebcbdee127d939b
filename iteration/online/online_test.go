package online_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/iteration/online"
	"github.com/lightpath-net/lightpath/units"
)

// table is a game whose costs are all known. State s > 0 is planned for the demand s.
type table struct {
	demands []int          // of the steps, from 1
	cost    [][]units.Time // by state and demand
	moves   [][]units.Time
	delay   units.Time
	numbers map[int]int // of demands, in the order of their first steps
	states  []int       // by number
}

func newTable(demands []int, cost, moves [][]units.Time, delay units.Time) *table {
	g := &table{demands: demands, cost: cost, moves: moves, delay: delay, numbers: map[int]int{}, states: []int{0}}
	for _, d := range demands {
		if g.numbers[d] == 0 {
			g.states = append(g.states, d)
			g.numbers[d] = len(g.states) - 1
		}
	}
	return g
}

func (g *table) Steps() int { return len(g.demands) }
func (g *table) Plan(_ context.Context, t int) ([]int, error) {
	return []int{g.numbers[g.demands[t]]}, nil
}
func (g *table) Cost(_ context.Context, s, t int) (units.Time, error) {
	return g.cost[g.states[s]][g.demands[t]], nil
}
func (g *table) Move(_ context.Context, from, to, _ int) (units.Time, error) {
	return g.moves[g.states[from]][g.states[to]], nil
}
func (g *table) Delay() units.Time         { return g.delay }
func (g *table) Back(state int) units.Time { return g.moves[g.states[state]][0] }

// draw makes a game: demands come and go by a way of its own.
func draw(rng *rand.Rand, steps, kinds int) *table {
	delay := units.Time(rng.Float64() * 3)
	cost, moves := make([][]units.Time, kinds+1), make([][]units.Time, kinds+1)
	for s := range cost {
		cost[s], moves[s] = make([]units.Time, kinds+1), make([]units.Time, kinds+1)
		for d := range cost[s] {
			cost[s][d] = units.Time(1 + rng.Float64()) // computing takes 1
			if s == d {
				cost[s][d] = 1 + units.Time(rng.Float64()*0.3)
			}
			if s != d {
				moves[s][d] = delay * units.Time(rng.Float64())
			}
		}
	}
	stay := rng.Float64()
	demands := make([]int, steps)
	for t := range demands {
		if t == 0 || rng.Float64() > stay {
			demands[t] = 1 + rng.IntN(kinds)
		} else {
			demands[t] = demands[t-1]
		}
	}
	return newTable(demands, cost, moves, delay)
}

// The best in hindsight is the best of all sequences.
func TestHindsightIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		g := draw(rng, 1+rng.IntN(5), 1+rng.IntN(3))
		states := len(g.states)
		best := units.Time(math.Inf(1))
		var try func(step, at int, sum units.Time)
		try = func(step, at int, sum units.Time) {
			if step == g.Steps() {
				best = min(best, sum)
				return
			}
			for s := range states {
				try(step+1, s, sum+g.moves[g.states[at]][g.states[s]]+g.cost[g.states[s]][g.demands[step]])
			}
		}
		try(0, 0, 0)
		found, err := online.Hindsight(t.Context(), g, states, nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(found.Total-best)) > 1e-9 {
			t.Fatalf("%v; the best of all is %v", found.Total, best)
		}
		sum, at := units.Time(0), 0
		for step, s := range found.States {
			sum, at = sum+g.moves[g.states[at]][g.states[s]]+g.cost[g.states[s]][g.demands[step]], s
		}
		if math.Abs(float64(sum-best)) > 1e-9 {
			t.Fatalf("its states take %v, not %v", sum, best)
		}
		fixed := units.Time(math.Inf(1))
		for s := range states {
			sum, at := units.Time(0), 0
			for step := range g.Steps() {
				sum, at = sum+g.moves[g.states[at]][g.states[s]]+g.cost[g.states[s]][g.demands[step]], s
			}
			fixed = min(fixed, sum)
		}
		if math.Abs(float64(found.Fixed-fixed)) > 1e-9 {
			t.Fatalf("the best state for all steps takes %v, not %v", found.Fixed, fixed)
		}
		if found.Total > found.Fixed+1e-9 { // to stay in a state is a sequence, too
			t.Fatalf("%v; a fixed state takes %v", found.Total, found.Fixed)
		}
	}
}

// At any time, a game has taken at most two delays longer than staying at home, and no longer
// at all as long as home is near the best. Its total is the sum of its steps.
func TestHomeIsNeverFarAhead(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		g := draw(rng, 1+rng.IntN(80), 1+rng.IntN(12))
		r, err := online.Follow(t.Context(), g, nil)
		if err != nil {
			t.Fatal(err)
		}
		total, home, strict := units.Time(0), units.Time(0), true
		at := 0
		for i, s := range r.Steps {
			if want := g.moves[g.states[at]][g.states[s.State]] + g.cost[g.states[s.State]][g.demands[i]]; math.Abs(float64(want-s.Time)) > 1e-9 || s.Rewired != (at != s.State) {
				t.Fatalf("step %d takes %v, not %v", i, s.Time, want)
			}
			at = s.State
			total, home = total+s.Time, home+s.Home
			prefix := newTable(g.demands[:i+1], g.cost, g.moves, g.delay)
			best, err := online.Hindsight(t.Context(), prefix, len(prefix.states), nil)
			if err != nil {
				t.Fatal(err)
			}
			if home > online.Ratio*best.Total-1e-9 || home-best.Total > online.Evidence*g.delay-1e-9 {
				strict = false
			}
			if strict && total > home+1e-9 {
				t.Fatalf("step %d: %v after staying at home, which is within the ratio of %v", i, total-home, best.Total)
			}
			if total > home+2*g.delay+1e-9 {
				t.Fatalf("step %d: %v behind staying at home; the delay is %v", i, total-home, g.delay)
			}
		}
		if math.Abs(float64(total-r.Total)) > 1e-6 || math.Abs(float64(home-r.Home)) > 1e-6 {
			t.Fatalf("sums are %v and %v, not %v and %v", total, home, r.Total, r.Home)
		}
	}
}

// In games of at least 20 steps whose delay is at most a third of a step, home is ahead at the
// end in at most one of a hundred, and as few exceed the ratio to the best in hindsight.
func TestShortDelays(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	behind, above, games := 0, 0, 1000
	for range games {
		g := draw(rng, 20+rng.IntN(60), 1+rng.IntN(12))
		for s := range g.moves {
			for d := range g.moves[s] {
				g.moves[s][d] /= 9
			}
		}
		g.delay /= 9
		r, err := online.Follow(t.Context(), g, nil)
		if err != nil {
			t.Fatal(err)
		}
		best, err := online.Hindsight(t.Context(), g, len(g.states), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Total > r.Home+1e-9 {
			behind++
		}
		if r.Total > online.Ratio*best.Total {
			above++
		}
	}
	t.Logf("of %d games %d end behind home, %d above the ratio", games, behind, above)
	if max(behind, above) > games/100 {
		t.Errorf("of %d games %d end behind home, %d above the ratio", games, behind, above)
	}
}

// Where moves cost nothing, every step is in its best state, and that is the best in hindsight.
func TestFreeMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		g := draw(rng, 1+rng.IntN(30), 1+rng.IntN(6)) // all states stay in mind
		for s := range g.moves {
			clear(g.moves[s])
		}
		g.delay = 0
		r, err := online.Follow(t.Context(), g, nil)
		if err != nil {
			t.Fatal(err)
		}
		// A state may be better for a step before the one that it is planned for.
		least := units.Time(0)
		for i := range r.Steps {
			best := units.Time(math.Inf(1))
			for s := range len(newTable(g.demands[:i+1], g.cost, g.moves, 0).states) {
				best = min(best, g.cost[g.states[s]][g.demands[i]])
			}
			least += best
		}
		if math.Abs(float64(r.Total-least)) > 1e-6 {
			t.Fatalf("%v; the best states take %v", r.Total, least)
		}
	}
}
