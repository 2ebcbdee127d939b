package availability_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric/availability"
)

// literal is a key that distinguishes all states.
func literal(places []availability.Place) string {
	texts := make([]string, len(places))
	for i, p := range places {
		texts[i] = fmt.Sprintf("%d.%d", p.Group, p.Number)
	}
	slices.Sort(texts)
	return strings.Join(texts, " ")
}

// slower is a speed that depends on what is missing, and falls with more missing parts. It is 0
// if two neighbouring parts of group 0 are missing.
func slower(key string) availability.Speed {
	speed := 1.0
	missing := strings.Fields(key)
	for _, text := range missing {
		var group, number int
		if _, err := fmt.Sscanf(text, "%d.%d", &group, &number); err != nil {
			panic(err)
		}
		speed *= 0.5 + 0.4*float64(number%3)/2 - 0.1*float64(group)
		if group == 0 && slices.Contains(missing, fmt.Sprintf("0.%d", number+1)) {
			speed = 0
		}
	}
	return availability.Speed{Low: speed, High: speed}
}

var everything = availability.Limits{Missing: 100, States: 1 << 30}

// The twin enumerates all sets of missing parts of all pools, each with the probability of its
// numbers of missing parts, by chains that are solved as linear equations.
func TestSharesAreThoseOfEveryStateEnumerated(t *testing.T) {
	groups := []availability.Group{{Name: "a", Pools: 1, Each: 4}, {Name: "b", Pools: 3, Each: 2}, {Name: "c", Pools: 2, Each: 1}}
	for _, spares := range [][]int{{0, 0, 0}, {1, 0, 0}, {2, 1, 1}, {0, 3, 0}} {
		scenario := availability.Scenario{Spares: spares, Rates: []availability.Rate{{PerHour: 0.1, Hours: 2}, {PerHour: 0.05, Hours: 1}, {PerHour: 1, Hours: 0.3}}}
		s := availability.Divide(groups, []availability.Scenario{scenario}, everything, literal)
		got := s.Shares(&scenario, slower)
		want := enumerate(groups, &scenario)
		for what, pair := range map[string][2]float64{
			"full": {got.Full, want.Full}, "reduced": {got.Reduced, want.Reduced}, "down": {got.Down, want.Down},
			"unknown": {got.Unknown, 0}, "low": {got.SpeedLow, want.SpeedLow}, "high": {got.SpeedHigh, want.SpeedLow},
			"whole": {availability.Whole(groups, &scenario), got.Full},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("spares %v: %s is %v; want %v", spares, what, pair[0], pair[1])
			}
		}
		if got.Sampled != 0 {
			t.Errorf("%v was sampled", got.Sampled)
		}
	}
}

// enumerate is the twin, without strata.
func enumerate(groups []availability.Group, s *availability.Scenario) availability.Shares {
	var all availability.Shares
	chains := make([][]float64, len(groups))
	for i, g := range groups {
		chains[i] = stationary(g.Each, s.Spares[i], s.Rates[i])
	}
	var grow func(i, pool int, chance float64, places []availability.Place)
	grow = func(i, pool int, chance float64, places []availability.Place) {
		if i == len(groups) {
			speed := slower(literal(places)).Low
			all.SpeedLow += chance * speed
			switch speed {
			case 1:
				all.Full += chance
			case 0:
				all.Down += chance
			default:
				all.Reduced += chance
			}
			return
		}
		g := groups[i]
		if pool == g.Pools {
			grow(i+1, 0, chance, places)
			return
		}
		missing := chains[i]
		for set := range 1 << g.Each {
			more := slices.Clone(places)
			count := 0
			for k := range g.Each {
				if set>>k&1 == 1 {
					more = append(more, availability.Place{Group: i, Number: pool*g.Each + k})
					count++
				}
			}
			sets := 1.0 // of that size
			for k := range count {
				sets = sets * float64(g.Each-k) / float64(k+1)
			}
			grow(i, pool+1, chance*missing[count]/sets, more)
		}
	}
	grow(0, 0, 1, nil)
	return all
}

// stationary solves the balance equations of the chain by iteration.
func stationary(n, spares int, r availability.Rate) []float64 {
	p := make([]float64, n+spares+1)
	p[0] = 1
	const step = 1e-2
	for range 20_000 {
		next := slices.Clone(p)
		for j := range p {
			up := r.PerHour * float64(min(n, n+spares-j)) * step
			down := float64(j) / r.Hours * step
			next[j] -= p[j] * (up + down)
			if j+1 < len(p) {
				next[j+1] += p[j] * up
			}
			if j > 0 {
				next[j-1] += p[j] * down
			}
		}
		p = next
	}
	missing := make([]float64, n+1)
	for j, x := range p {
		missing[max(0, j-spares)] += x
	}
	return missing
}

// The twin follows single failures and repairs, with repair times that are not exponential.
func TestPoolsAreThoseOfAnEventSimulation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ n, spares int }{{1, 0}, {5, 0}, {5, 1}, {8, 3}} {
		r := availability.Rate{PerHour: 0.2, Hours: 1.5}
		want := availability.Missing(c.n, c.spares, r)
		got := make([]float64, c.n+1)
		var repairs []float64 // times at which they end
		clock, end := 0.0, 400_000.0
		for clock < end {
			using := min(c.n, c.n+c.spares-len(repairs))
			fails := clock + random.ExpFloat64()/(r.PerHour*float64(using))
			if using == 0 {
				fails = math.Inf(1)
			}
			next, mended := fails, -1
			for i, at := range repairs {
				if at < next {
					next, mended = at, i
				}
			}
			got[max(0, len(repairs)-c.spares)] += (min(next, end) - clock) / end
			if clock = next; mended >= 0 {
				repairs = slices.Delete(repairs, mended, mended+1)
			} else {
				repairs = append(repairs, clock+2*r.Hours*random.Float64())
			}
		}
		for m := range want {
			if math.Abs(got[m]-want[m]) > 0.005 {
				t.Errorf("%d in use and %d spares: %d missing for %v of the time; want %v", c.n, c.spares, m, got[m], want[m])
			}
		}
	}
}

func TestSamplesAreWithinTheirConfidence(t *testing.T) {
	groups := []availability.Group{{Name: "a", Pools: 1, Each: 6}, {Name: "b", Pools: 3, Each: 2}}
	scenario := availability.Scenario{Spares: []int{0, 1}, Rates: []availability.Rate{{PerHour: 0.05, Hours: 1}, {PerHour: 0.1, Hours: 2}}}
	exact := availability.Divide(groups, []availability.Scenario{scenario}, everything, literal).Shares(&scenario, slower)
	outside := 0
	for seed := range uint64(100) {
		limits := availability.Limits{Missing: 100, States: 0, Draws: 50, Seed: seed}
		draw := func() availability.Shares {
			return availability.Divide(groups, []availability.Scenario{scenario}, limits, literal).Shares(&scenario, slower)
		}
		a := draw()
		if b := draw(); a != b {
			t.Fatalf("seed %d: %v and %v", seed, a, b)
		}
		if a.Sampled <= 0 || a.Sampled > 0.2 {
			t.Fatalf("seed %d: %v", seed, a)
		}
		if math.Abs(a.SpeedLow-exact.SpeedLow) > a.Sampled || math.Abs(a.Down-exact.Down) > a.Sampled {
			outside++
		}
	}
	if outside > 10 {
		t.Errorf("%d of 100 samples are off by more than they say", outside)
	}
}

// States that were not considered count as unknown, and the bounds hold.
func TestTheRemainderIsBounded(t *testing.T) {
	groups := []availability.Group{{Name: "a", Pools: 1, Each: 6}, {Name: "b", Pools: 3, Each: 2}}
	scenario := availability.Scenario{Spares: []int{0, 0}, Rates: []availability.Rate{{PerHour: 0.05, Hours: 1}, {PerHour: 0.1, Hours: 2}}}
	all := []availability.Scenario{scenario}
	exact := availability.Divide(groups, all, everything, literal).Shares(&scenario, slower)
	before := 1.0
	for most := range 13 {
		a := availability.Divide(groups, all, availability.Limits{Missing: most, States: 1 << 30}, literal).Shares(&scenario, slower)
		if a.Unknown > before || a.SpeedLow > exact.SpeedLow+1e-12 || a.SpeedHigh < exact.SpeedLow-1e-12 || a.Full > exact.Full+1e-12 || a.Down > exact.Down+1e-12 {
			t.Errorf("%d missing: %+v; exactly %+v", most, a, exact)
		}
		before = a.Unknown
	}
	if before > 1e-12 {
		t.Errorf("%v is unknown in the end", before)
	}
	s := availability.Divide(groups, all, availability.Limits{Missing: 12, Remainder: 1e-3, States: 1 << 30}, literal)
	if a := s.Shares(&scenario, slower); a.Unknown > 1e-3 || s.Missing == 12 {
		t.Errorf("%d missing: %+v", s.Missing, a)
	}
}

// More spares, faster repairs and fewer failures are never worse.
func TestMoreSparesAndFasterRepairsAreNeverWorse(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, gpus := range []int{8, 128, 1000} {
		groups := []availability.Group{{Name: "ports", Pools: 4, Each: gpus}, {Name: "switches", Pools: 1, Each: 4}, {Name: "cards", Pools: 1, Each: gpus}}
		kind := func(places []availability.Place) string { // what is missing, not where
			counts := make([]int, len(groups))
			for _, p := range places {
				counts[p.Group]++
			}
			return fmt.Sprint(counts)
		}
		fewer := func(key string) availability.Speed {
			var a, b, c int
			if _, err := fmt.Sscanf(key, "[%d %d %d]", &a, &b, &c); err != nil {
				panic(err)
			}
			speed := max(0, 1-0.1*float64(a)-0.25*float64(b)-0.5*float64(c))
			return availability.Speed{Low: speed, High: speed}
		}
		for range 20 {
			draw := func() availability.Rate {
				return availability.Rate{PerHour: math.Pow(10, -3-3*random.Float64()) / float64(gpus), Hours: 1 + 100*random.Float64()}
			}
			base := availability.Scenario{Spares: []int{random.IntN(2), random.IntN(2), 0}, Rates: []availability.Rate{draw(), draw(), draw()}}
			better := []availability.Scenario{base}
			for i := range groups {
				x := availability.Scenario{Spares: slices.Clone(base.Spares), Rates: slices.Clone(base.Rates)}
				x.Spares[i]++
				y := availability.Scenario{Spares: slices.Clone(base.Spares), Rates: slices.Clone(base.Rates)}
				y.Rates[i].Hours /= 2
				z := availability.Scenario{Spares: slices.Clone(base.Spares), Rates: slices.Clone(base.Rates)}
				z.Rates[i].PerHour /= 2
				better = append(better, x, y, z)
			}
			s := availability.Divide(groups, better, availability.Limits{Missing: 3, States: 1000, Draws: 200}, kind)
			first := s.Shares(&base, fewer)
			for i := range better {
				a := s.Shares(&better[i], fewer)
				if a.Full < first.Full-1e-12 || a.SpeedLow < first.SpeedLow-1e-12 || a.SpeedHigh < first.SpeedLow-1e-12 || a.Unknown > first.Unknown+1e-12 {
					t.Errorf("%d GPUs: %+v is %+v; %+v is %+v", gpus, base, first, better[i], a)
				}
				if w := availability.Whole(groups, &better[i]); w > a.SpeedLow+1e-12 || w < availability.Whole(groups, &base)-1e-12 {
					t.Errorf("%d GPUs: whole for %v, %+v", gpus, w, a)
				}
			}
		}
	}
}
