package planes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// near reports whether two sums of the linear program's times are equal up to rounding.
func near(a, b units.Time) bool {
	return math.Abs(float64(a-b)) <= 1e-8*math.Abs(float64(a)+float64(b))
}

// matchings returns a problem of steps that each need their own circuits, all different.
func matchings(planes int, change units.Time, whole ...units.Time) *Problem {
	p := &Problem{Planes: planes}
	for i, w := range whole {
		row := make([]Service, len(whole))
		row[i] = Service{Whole: w}
		p.Services = append(p.Services, row)
		p.Change = append(p.Change, slices.Repeat([]units.Time{change}, len(whole)))
		p.Change[i][i] = 0
	}
	return p
}

// drawn returns a random problem: some circuits serve some steps, and the first circuits serve
// all.
func drawn(random *rand.Rand, planes, steps, circuits int) *Problem {
	p := &Problem{Planes: planes}
	change := units.Time(5 + random.IntN(200))
	for c := range circuits {
		p.Change = append(p.Change, make([]units.Time, circuits))
		for d := range circuits {
			if d != c {
				p.Change[c][d] = change * units.Time(1+random.IntN(2))
			}
		}
	}
	if random.IntN(3) == 0 {
		for range circuits {
			p.Initial = append(p.Initial, change)
		}
	}
	fixed := units.Time(random.IntN(10))
	for range steps {
		row := make([]Service, circuits)
		whole := units.Time(20 + random.IntN(200))
		for c := range row {
			if c == 0 || random.IntN(2) == 0 {
				hops := units.Time(1 + random.IntN(3))
				row[c] = Service{Fixed: fixed * hops, Whole: whole * hops}
			}
		}
		p.Services = append(p.Services, row)
	}
	if random.IntN(3) == 0 {
		for i, row := range p.Services {
			p.Reducing = append(p.Reducing, units.Time(random.IntN(60)))
			for c := range row {
				if row[c].serves() {
					row[c].Fixed += p.Reducing[i]
				}
			}
		}
	}
	return p
}

// replay runs patterns with shares, each plane as early as possible, and returns the time.
func replay(p *Problem, patterns []Pattern, shares [][]float64) units.Time {
	now := units.Time(0)
	ended, last := make([]units.Time, len(patterns)), slices.Repeat([]int{-1}, len(patterns))
	for i := range p.Services {
		end := now
		for plane, pattern := range patterns {
			c := pattern[i]
			if c == Skip {
				continue
			}
			begin := now
			switch {
			case last[plane] >= 0:
				begin = max(begin, ended[plane]+p.Change[last[plane]][c])
			case p.Initial != nil:
				begin = max(begin, p.Initial[c])
			}
			s, reducing := p.Services[i][c], units.Time(0)
			if p.Reducing != nil {
				reducing = p.Reducing[i]
			}
			last[plane], ended[plane] = c, begin+s.Fixed-reducing+units.Time(shares[plane][i])*s.Whole
			end = max(end, ended[plane]+reducing)
		}
		now = end
	}
	return now
}

// Planes that follow the linear program finish when it says, and its prices are a proof: by the
// optimality test of the simplex method, no shares are better.
func TestSharesTakeTheTimeOfTheLinearProgram(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range samples.Draws(150, 300) {
		p := drawn(random, 1+random.IntN(4), 1+random.IntN(5), 1+random.IntN(3))
		patterns := make([]Pattern, p.Planes)
		for plane := range patterns {
			for i := range p.Services {
				c := random.IntN(len(p.Change)+1) - 1
				if plane == 0 || c >= 0 && !p.Services[i][c].serves() {
					c = 0
				}
				patterns[plane] = append(patterns[plane], c)
			}
		}
		timing := p.Time(patterns)
		if timing == nil {
			t.Fatal("no time for patterns that serve every step")
		}
		for i := range p.Services {
			sum := 0.0
			for plane := range patterns {
				sum += timing.Shares[plane][i]
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("shares of step %d add up to %v", i, sum)
			}
		}
		if took := replay(p, patterns, timing.Shares); took > timing.Total*(1+1e-8) {
			t.Fatalf("the program says %v, planes take %v", timing.Total, took)
		}
	}
}

// If every plane serves every step, reconfiguring one after another takes as long as
// reconfiguring all at once.
func TestPlanesThatServeEveryStepGainNothing(t *testing.T) {
	for planes := 1; planes <= 8; planes++ {
		p := matchings(planes, 37, 100, 60, 250, 10)
		all := slices.Repeat([]Pattern{{0, 1, 2, 3}}, planes)
		if want := units.Time(420)/units.Time(planes) + 3*37; !near(p.Time(all).Total, want) {
			t.Errorf("%d planes: %v, all at once %v", planes, p.Time(all).Total, want)
		}
	}
}

// Steps of equal length v on d planes gain if a change takes more than v/(2(d-1)).
func TestSkippingPaysFromHalfOfAStepOnTheOtherPlanes(t *testing.T) {
	const v = 120
	for planes := 2; planes <= 6; planes++ {
		threshold := units.Time(v) / units.Time(2*(planes-1))
		for _, at := range []units.Time{0.5, 0.98, 1.02, 2} {
			p := matchings(planes, at*threshold, v, v, v, v, v)
			found, err := Search(t.Context(), p, func(int, int) {})
			if err != nil {
				t.Fatal(err)
			}
			together := 5*v/units.Time(planes) + 4*at*threshold
			if gains := found.Total < together*(1-1e-9); gains != (at > 1) || found.Total > together*(1+1e-9) {
				t.Errorf("%d planes, %v of the threshold: %v, together %v", planes, at, found.Total, together)
			}
		}
	}
}

// everything returns the least time over all patterns of all planes.
func everything(p *Problem) units.Time {
	var all []Pattern
	var lay func(pattern Pattern)
	lay = func(pattern Pattern) {
		if len(pattern) == len(p.Services) {
			all = append(all, slices.Clone(pattern))
			return
		}
		for c := Skip; c < len(p.Change); c++ {
			if c == Skip || p.Services[len(pattern)][c].serves() {
				lay(append(pattern, c))
			}
		}
	}
	lay(nil)
	best := units.Time(math.Inf(1))
	var choose func(from int, chosen []Pattern)
	choose = func(from int, chosen []Pattern) {
		if len(chosen) == p.Planes {
			if timing := p.Time(chosen); timing != nil {
				best = min(best, timing.Total)
			}
			return
		}
		for i := from; i < len(all); i++ {
			choose(i, append(chosen[:len(chosen):len(chosen)], all[i]))
		}
	}
	choose(0, nil)
	return best
}

// Compares the search with all patterns, on problems that are small enough.
func TestSearchAgainstAllPatterns(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	missed, worst, count := 0, 1.0, 0
	look := func(p *Problem) {
		found, err := Search(t.Context(), p, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		best := everything(p)
		if found.Total < best*(1-1e-8) || best < p.Bound()*(1-1e-9) {
			t.Fatalf("%v is less than the best of all, %v, or that than the bound %v", found.Total, best, p.Bound())
		}
		count++
		if ratio := float64(found.Total / best); ratio > 1+1e-8 {
			missed++
			worst = max(worst, ratio)
		}
	}
	for range samples.Draws(12, 30) {
		look(drawn(random, 2, 3, 2))
		look(drawn(random, 2, 1+random.IntN(4), 2))
		look(drawn(random, 3, 3, 2))
	}
	for range samples.Draws(6, 12) {
		look(matchings(2, units.Time(10+random.IntN(100)), 100, units.Time(20+random.IntN(200)), 50, 80))
	}
	t.Logf("%d of %d missed, by %.3g at worst", missed, count, worst)
	if missed > 0 {
		t.Errorf("%d of %d missed, by %.3g at worst; none were", missed, count, worst)
	}
}

// The search is never slower than all planes together, or than any of its starts.
func TestSearchIsNeverSlowerThanItsBeginnings(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range samples.Draws(4, 8) {
		p := drawn(random, 2+random.IntN(5), 3+random.IntN(5), 2+random.IntN(4))
		found, err := Search(t.Context(), p, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, start := range p.starts() {
			if timing := p.Time(start); timing != nil && found.Total > timing.Total*(1+1e-8) {
				t.Errorf("%v, a beginning takes %v", found.Total, timing.Total)
			}
		}
		if again, err := Search(t.Context(), p, func(int, int) {}); err != nil || again.Total != found.Total {
			t.Errorf("%v, the second time %v, %v", found.Total, again.Total, err)
		}
	}
}

// Shortening some or all changes is never slower: the search knows the patterns for all longer
// changes.
func TestShorterChangesAreNeverSlower(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range samples.Draws(3, 6) {
		p := drawn(random, 2+random.IntN(4), 2+random.IntN(5), 2+random.IntN(4))
		last := units.Time(math.Inf(1))
		for range 6 {
			found, err := Search(t.Context(), p, func(int, int) {})
			if err != nil {
				t.Fatal(err)
			}
			if found.Total > last*(1+1e-8) {
				t.Errorf("%v with shorter changes, %v before", found.Total, last)
			}
			last = found.Total
			for c := range p.Change {
				for d := range p.Change[c] {
					p.Change[c][d] *= units.Time(0.3 + 0.7*random.Float64())
				}
			}
		}
	}
}

func TestProblemsThatMakeNoSense(t *testing.T) {
	for name, p := range map[string]*Problem{
		"no plane":  matchings(0, 1, 1),
		"no step":   {Planes: 2},
		"unserved":  {Planes: 2, Services: [][]Service{{{}}}, Change: [][]units.Time{{0}}},
		"rows":      {Planes: 2, Services: [][]Service{{{Whole: 1}}}, Change: [][]units.Time{{0, 1}, {1, 0}}},
		"reducing":  {Planes: 2, Services: [][]Service{{{Whole: 1}}}, Change: [][]units.Time{{0}}, Reducing: []units.Time{1, 2}},
		"the start": {Planes: 2, Services: [][]Service{{{Whole: 1}}}, Change: [][]units.Time{{0}}, Initial: []units.Time{1, 2}},
	} {
		if _, err := Search(t.Context(), p, func(int, int) {}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if timing := matchings(1, 1, 1, 1).Time([]Pattern{{0, Skip}}); timing != nil {
		t.Errorf("a step that nobody serves takes %v", timing.Total)
	}
}
