package apart_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/apart"
)

// end returns the time when the last plane ends, and checks that every matching is sent
// completely and once.
func end(t *testing.T, sends []float64, turns [][]apart.Turn, charge float64) float64 {
	t.Helper()
	last := 0.0
	shares := make([]float64, len(sends))
	for k, list := range turns {
		at := 0.0
		seen := map[int]bool{}
		for _, turn := range list {
			if seen[turn.Match] || !(turn.Share > 0) {
				t.Fatalf("plane %d: two turns of matching %d, or a share of %v", k+1, turn.Match, turn.Share)
			}
			seen[turn.Match] = true
			shares[turn.Match] += turn.Share
			at += charge + turn.Share*sends[turn.Match]
		}
		last = max(last, at)
	}
	for i, share := range shares {
		if math.Abs(share-1) > 1e-9 {
			t.Fatalf("%v of matching %d are sent", share, i)
		}
	}
	return last
}

// exact returns the least time in which planes can end, over all divisions. It looks at every
// choice of the planes that serve each matching. For a choice, planes can end by T if and only
// if, for every set of planes, the matchings that only this set serves fit on it. So the time
// is the maximum, over all sets of planes, of their charges and what only they serve, divided
// by their number.
func exact(sends []float64, planes int, charge float64) float64 {
	serve := make([]int, len(sends)) // sets of planes
	best := math.Inf(1)
	var try func(i int)
	try = func(i int) {
		if i == len(sends) {
			worst := 0.0
			for set := 1; set < 1<<planes; set++ {
				sum, count := 0.0, 0
				for k := range planes {
					if set>>k&1 == 0 {
						continue
					}
					count++
					for _, s := range serve {
						sum += charge * float64(s>>k&1)
					}
				}
				for m, s := range serve {
					if s&^set == 0 {
						sum += sends[m]
					}
				}
				worst = max(worst, sum/float64(count))
			}
			best = min(best, worst)
			return
		}
		for set := 1; set < 1<<planes; set++ {
			serve[i] = set
			try(i + 1)
		}
	}
	try(0)
	return best
}

// For few matchings on two and three planes Spread finds the best division, or one that is not
// much worse: longest first is at most 4/3 of the best even without splitting (Graham 1969),
// and with splitting little is left of that.
func TestSpreadIsCloseToTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tries, equal, worst := 0, 0, 1.0
	for range 300 {
		planes := 2 + random.IntN(2)
		sends := make([]float64, 1+random.IntN(7-planes))
		for i := range sends {
			sends[i] = math.Exp(3 * random.Float64())
		}
		charge := math.Exp(4*random.Float64() - 3)
		found := end(t, sends, apart.Spread(sends, planes, charge), charge)
		least := exact(sends, planes, charge)
		if found < least*(1-1e-9) {
			t.Fatalf("%v on %d planes, %v a turn: %v, less than the least, %v", sends, planes, charge, found, least)
		}
		tries++
		if found <= least*(1+1e-9) {
			equal++
		}
		worst = max(worst, found/least)
	}
	t.Logf("%d of %d are the best; the worst is %.4f times that", equal, tries, worst)
	if equal*2 < tries || worst > 1.25 {
		t.Errorf("only %d of %d are the best; the worst is %.4f times that", equal, tries, worst)
	}
}

// Without a charge all planes end together.
func TestWithoutChargePlanesEndTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		planes := 1 + random.IntN(6)
		sends, sum := make([]float64, 1+random.IntN(20)), 0.0
		for i := range sends {
			sends[i] = random.ExpFloat64()
			sum += sends[i]
		}
		if found := end(t, sends, apart.Spread(sends, planes, 0), 0); found > sum/float64(planes)*(1+1e-6) {
			t.Errorf("%v on %d planes: %v, not %v", sends, planes, found, sum/float64(planes))
		}
	}
}

// A charge that no split is worth keeps matchings whole.
func TestNothingIsSplitThatDoesNotPay(t *testing.T) {
	for _, list := range apart.Spread([]float64{5, 4, 3, 3}, 2, 1.5) {
		for _, turn := range list {
			if turn.Share != 1 {
				t.Errorf("a share of %v", turn.Share)
			}
		}
	}
}

// Lengths are long enough for all pairs. They are as long as those of Spread if no two
// matchings have a pair in common, and otherwise they may be shorter.
func TestLengthsAreEnoughAndNoLongerThanNeeded(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	shorter := 0
	for range 200 {
		planes, matchings := 2+random.IntN(2), 2+random.IntN(5)
		need := make([]float64, 12)
		pairs := make([][]int, matchings)
		sends := make([]float64, matchings)
		for p := range need {
			need[p] = random.ExpFloat64()
			pairs[p%matchings] = append(pairs[p%matchings], p)
			sends[p%matchings] = max(sends[p%matchings], need[p])
			if random.IntN(4) == 0 {
				pairs[(p+1)%matchings] = append(pairs[(p+1)%matchings], p)
			}
		}
		const charge = 0.3
		turns := apart.Spread(sends, planes, charge)
		circuits, busy := make([][][]int, planes), make([]float64, planes)
		for k, list := range turns {
			for _, turn := range list {
				circuits[k] = append(circuits[k], pairs[turn.Match])
				busy[k] += charge
			}
		}
		lengths, found := apart.Lengths(circuits, need, busy)
		got := make([]float64, len(need))
		for k, list := range circuits {
			at := busy[k]
			for i, these := range list {
				at += lengths[k][i]
				for _, p := range these {
					got[p] += lengths[k][i]
				}
			}
			if at > found*(1+1e-9) {
				t.Fatalf("plane %d ends at %v, after %v", k+1, at, found)
			}
		}
		for p := range need {
			if got[p] < need[p]*(1-1e-9) {
				t.Fatalf("pair %d has %v of %v", p, got[p], need[p])
			}
		}
		spread := end(t, sends, turns, charge)
		if found > spread*(1+1e-9) {
			t.Fatalf("%v, where %v will do", found, spread)
		}
		if found < spread*(1-1e-3) {
			shorter++
		}
		kept, kinds, fewer := apart.Needed(turns, lengths)
		if count(kept) > count(turns) || fewer != (count(kept) < count(turns)) || len(kinds) != planes {
			t.Fatalf("%d turns of %d are needed", count(kept), count(turns))
		}
	}
	if shorter < 20 {
		t.Errorf("only %d are shorter", shorter)
	}
	if lengths, found := apart.Lengths([][][]int{{{0}}}, []float64{1, 1}, []float64{0}); lengths != nil || !math.IsInf(found, 1) {
		t.Errorf("a pair without a turn: %v %v", lengths, found)
	}
}

func count(turns [][]apart.Turn) int {
	sum := 0
	for _, list := range turns {
		sum += len(list)
	}
	return sum
}
