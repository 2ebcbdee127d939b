package availability

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Place is one part of a group.
type Place struct {
	Group, Number int
}

// pattern is how many parts are missing in each pool of a group, descending: [2 1] means two of
// one pool and one of another.
type pattern []int

func (p pattern) total() int { return arithmetic.Sum(p) }

// patterns lists the patterns of a group with at most the given number of missing parts, the
// fewest first.
func patterns(g Group, most int) []pattern {
	all := []pattern{{}}
	var grow func(p pattern, left int)
	grow = func(p pattern, left int) {
		if len(p) == g.Pools {
			return
		}
		top := min(left, g.Each)
		if len(p) > 0 {
			top = min(top, p[len(p)-1])
		}
		for m := top; m >= 1; m-- {
			next := append(slices.Clone(p), m)
			all = append(all, next)
			grow(next, left-m)
		}
	}
	grow(nil, most)
	slices.SortStableFunc(all, func(a, b pattern) int { return a.total() - b.total() })
	return all
}

// ways returns the logarithm of the number of ways to choose which pools have how many missing
// parts.
func (p pattern) ways(g Group) float64 {
	log := each.SumBelow(len(p), func(i int) float64 { return math.Log(float64(g.Pools - i)) })
	for from := 0; from < len(p); {
		to := from
		for to < len(p) && p[to] == p[from] {
			to++
		}
		log -= logFactorial(to - from)
		from = to
	}
	return log
}

// states returns the number of sets of missing parts of a pattern, as a logarithm.
func (p pattern) states(g Group) float64 {
	log := p.ways(g)
	for _, m := range p {
		log += logChoose(g.Each, m)
	}
	return log
}

// chance returns the probability of the pattern, given the probabilities of each number of
// missing parts of a pool.
func (p pattern) chance(g Group, missing []float64) float64 {
	log := p.ways(g)
	if whole := g.Pools - len(p); whole > 0 {
		log += float64(whole) * math.Log(missing[0])
	}
	for _, m := range p {
		log += math.Log(missing[m])
	}
	return math.Exp(log)
}

// draw chooses missing parts of a pattern at random.
func (p pattern) draw(group int, g Group, random *rand.Rand) []Place {
	pools := some(len(p), g.Pools, random)
	random.Shuffle(len(pools), func(i, j int) { pools[i], pools[j] = pools[j], pools[i] })
	var places []Place
	for i, m := range p {
		for _, k := range some(m, g.Each, random) {
			places = append(places, Place{group, pools[i]*g.Each + k})
		}
	}
	return places
}

// some draws a random set of k of n numbers (Floyd 1987).
func some(k, n int, random *rand.Rand) []int {
	var set []int
	for j := n - k; j < n; j++ {
		if t := random.IntN(j + 1); slices.Contains(set, t) {
			set = append(set, j)
		} else {
			set = append(set, t)
		}
	}
	return set
}

// each calls a function with every set of missing parts of a pattern.
func (p pattern) each(group int, g Group, visit func([]Place)) {
	used := make([]bool, g.Pools)
	var places []Place
	var pools func(i, from int)
	var parts func(i, left, from, pool int)
	pools = func(i, from int) {
		if i == len(p) {
			visit(places)
			return
		}
		for pool := from; pool < g.Pools; pool++ {
			if !used[pool] {
				used[pool] = true
				parts(i, p[i], 0, pool)
				used[pool] = false
			}
		}
	}
	parts = func(i, left, from, pool int) {
		if left == 0 {
			next := 0
			if i+1 < len(p) && p[i+1] == p[i] {
				next = pool + 1 // pools with the same number of missing parts are in ascending order
			}
			pools(i+1, next)
			return
		}
		for k := from; k <= g.Each-left; k++ {
			places = append(places, Place{group, pool*g.Each + k})
			parts(i, left-1, k+1, pool)
			places = places[:len(places)-1]
		}
	}
	pools(0, 0)
}

// Stratum is the set of states with the same pattern of missing parts.
type Stratum struct {
	patterns []int // number of the pattern of every group
	// Shares says, for each key, what part of the stratum's states have it.
	Shares []Share
	// Drawn is the size of the sample, 0 if all states were enumerated.
	Drawn int
}

// Share is the part of a stratum's states that look alike.
type Share struct {
	Key string
	Of  float64 // fraction of all states of the stratum
}

// Limits limit the work.
type Limits struct {
	Missing   int     // most parts missing at once
	Remainder float64 // accepted probability that more are missing
	States    int     // most states of a stratum that is enumerated
	Draws     int     // sample size of a larger stratum
	Seed      uint64
}

// Strata divides the states of a system into strata.
type Strata struct {
	Groups []Group
	// List has the strata with at most Missing missing parts.
	List    []Stratum
	Missing int

	patterns [][]pattern // by group
}

// Scenario has the spares and rates of the groups.
type Scenario struct {
	Spares []int // per pool of each group
	Rates  []Rate
}

// missing returns the distributions of the groups.
func (s *Scenario) missing(groups []Group) [][]float64 {
	return each.Below(len(groups), func(i int) []float64 {
		return Missing(groups[i].Each, s.Spares[i], s.Rates[i])
	})
}

// Divide makes the strata of groups, with as many missing parts as it takes for more to be
// unlikely in every scenario. key describes what a state looks like; states that look alike
// have the same key.
func Divide(groups []Group, scenarios []Scenario, limits Limits, key func([]Place) string) *Strata {
	s := &Strata{Groups: groups}
	for s.Missing = 0; ; s.Missing++ {
		s.list()
		if s.Missing == limits.Missing || s.remainder(scenarios) <= limits.Remainder {
			break
		}
	}
	random := rand.New(rand.NewPCG(limits.Seed, 0))
	for i := range s.List {
		s.fill(&s.List[i], limits, random, key)
	}
	return s
}

// list lists the strata with at most Missing missing parts.
func (s *Strata) list() {
	s.List, s.patterns = nil, nil
	for _, g := range s.Groups {
		s.patterns = append(s.patterns, patterns(g, s.Missing))
	}
	var grow func(numbers []int, left int)
	grow = func(numbers []int, left int) {
		if len(numbers) == len(s.Groups) {
			s.List = append(s.List, Stratum{patterns: slices.Clone(numbers)})
			return
		}
		for k, p := range s.patterns[len(numbers)] {
			if p.total() <= left {
				grow(append(numbers, k), left-p.total())
			}
		}
	}
	grow(nil, s.Missing)
}

// remainder returns the largest probability, over scenarios, that the strata leave out.
func (s *Strata) remainder(scenarios []Scenario) float64 {
	most := 0.0
	for i := range scenarios {
		most = max(most, 1-arithmetic.Sum(s.Chances(&scenarios[i])))
	}
	return most
}

// Chances returns the probability of each stratum in a scenario.
func (s *Strata) Chances(of *Scenario) []float64 {
	missing := of.missing(s.Groups)
	chances := make([]float64, len(s.List))
	known := make([][]float64, len(s.Groups))
	for i, g := range s.Groups {
		for _, p := range s.patterns[i] {
			known[i] = append(known[i], p.chance(g, missing[i]))
		}
	}
	for k, x := range s.List {
		chances[k] = 1
		for i, number := range x.patterns {
			chances[k] *= known[i][number]
		}
	}
	return chances
}

// fill determines what the states of a stratum look like.
func (s *Strata) fill(x *Stratum, limits Limits, random *rand.Rand, key func([]Place) string) {
	counts := map[string]int{}
	defer func() {
		all := 0
		for _, n := range counts {
			all += n
		}
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			x.Shares = append(x.Shares, Share{key, float64(counts[key]) / float64(all)})
		}
	}()
	states := 0.0
	for i, number := range x.patterns {
		states += s.patterns[i][number].states(s.Groups[i])
	}
	if math.Exp(states) > float64(limits.States)*(1+rounding) {
		for x.Drawn = 0; x.Drawn < limits.Draws; x.Drawn++ {
			var places []Place
			for i, number := range x.patterns {
				places = append(places, s.patterns[i][number].draw(i, s.Groups[i], random)...)
			}
			counts[key(places)]++
		}
		return
	}
	var grow func(i int, places []Place)
	grow = func(i int, places []Place) {
		if i == len(s.Groups) {
			counts[key(places)]++
			return
		}
		s.patterns[i][x.patterns[i]].each(i, s.Groups[i], func(more []Place) {
			grow(i+1, append(slices.Clone(places), more...))
		})
	}
	grow(0, nil)
}

// rounding is how far off the logarithm of a number of states may be.
const rounding = 1e-9

func logFactorial(n int) float64 {
	x, _ := math.Lgamma(float64(n + 1))
	return x
}

func logChoose(n, k int) float64 { return logFactorial(n) - logFactorial(k) - logFactorial(n-k) }
