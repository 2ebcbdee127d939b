package exchange

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// covers lists the maximal matchings of three nodes, as sets of pairs 3u+v: both rings, and two
// nodes with each other.
var covers = []uint{1<<1 | 1<<5 | 1<<6, 1<<2 | 1<<7 | 1<<3, 1<<1 | 1<<3, 1<<2 | 1<<6, 1<<5 | 1<<7}

// fastestApart returns the least time in which planes that do not wait for one another can send
// everything directly between three nodes, over all matchings on all planes, with the best
// lengths: a linear program for every choice. A plane needs no matching twice.
func fastestApart(demand [9]float64, planes int, turn, change float64) float64 {
	best := math.Inf(1)
	chosen := make([]int, planes) // sets of matchings
	var choose func(k int)
	choose = func(k int) {
		if k == planes {
			best = min(best, timeApart(demand, chosen, turn, change))
			return
		}
		for set := range 1 << len(covers) {
			if k > 0 && set > chosen[k-1] {
				break // planes are alike
			}
			chosen[k] = set
			choose(k + 1)
		}
	}
	choose(0)
	return best
}

// timeApart returns the least T such that the lengths of each plane's turns, with what turns
// cost besides, add up to at most T, and the lengths of the turns that have a pair add up to at
// least its demand.
func timeApart(demand [9]float64, chosen []int, turn, change float64) float64 {
	var rows [][]float64 // of the dual: a column for each constraint
	var right []float64
	var gains []float64
	columns := len(chosen)
	pairs := []int{1, 2, 3, 5, 6, 7}
	for _, set := range chosen {
		count := 0.0
		for m := range covers {
			count += float64(set >> m & 1)
		}
		gains = append(gains, max(0, count*(turn+change)-change))
	}
	for _, pair := range pairs {
		gains = append(gains, demand[pair])
	}
	last := make([]float64, columns+len(pairs)) // of T
	for k, set := range chosen {
		last[k] = 1
		for m, cover := range covers {
			if set>>m&1 == 0 {
				continue
			}
			row := make([]float64, columns+len(pairs)) // of the length of a turn
			row[k] = -1
			for i, pair := range pairs {
				row[columns+i] = float64(cover >> pair & 1)
			}
			rows, right = append(rows, row), append(right, 0)
		}
	}
	rows, right = append(rows, last), append(right, 1)
	return most(rows, right, gains)
}

// most maximises gains*y over y >= 0 with rows*y <= right, where right >= 0: the simplex method
// with Bland's rule. It returns infinity if there is no maximum.
func most(rows [][]float64, right, gains []float64) float64 {
	const tolerance = 1e-9 // entries are sums of few ones
	m, n := len(rows), len(gains)
	table := make([][]float64, m+1)
	basis := make([]int, m)
	for i := range m {
		table[i] = append(append(append([]float64{}, rows[i]...), make([]float64, m)...), right[i])
		table[i][n+i], basis[i] = 1, n+i
	}
	table[m] = make([]float64, n+m+1)
	for j, g := range gains {
		table[m][j] = -g
	}
	for {
		enter := -1
		for j := 0; j < n+m && enter < 0; j++ {
			if table[m][j] < -tolerance {
				enter = j
			}
		}
		if enter < 0 {
			return table[m][n+m]
		}
		leave := -1
		for i := range m {
			if table[i][enter] <= tolerance {
				continue
			}
			a := table[i][n+m] / table[i][enter]
			if leave < 0 || a < table[leave][n+m]/table[leave][enter]-tolerance ||
				a <= table[leave][n+m]/table[leave][enter]+tolerance && basis[i] < basis[leave] {
				leave = i
			}
		}
		if leave < 0 {
			return math.Inf(1)
		}
		pivot := table[leave][enter]
		for j := range table[leave] {
			table[leave][j] /= pivot
		}
		for i := range table {
			if factor := table[i][enter]; i != leave && factor != 0 {
				for j := range table[i] {
					table[i][j] -= factor * table[leave][j]
				}
			}
		}
		basis[leave] = enter
	}
}

// For three GPUs the division found is as fast as the best plan whose planes do not wait for
// one another and that sends everything directly, or not much slower.
func TestPlanesApartAreCloseToTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	tries, equal, worst := 0, 0, 1.0
	for range 60 {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Alpha = 3, 2, 500*units.Nanosecond
		if tries%8 == 7 {
			f.Ports = 3
		}
		f.Overlap.Kind = fabric.OverlapPlanes
		f.Reconfig.Base = units.Duration(math.Exp(10*random.Float64()) * 1000) // 1ns to 22us
		space := collective.SpaceOf(collective.AllToAll, 3, 1)
		space.Sizes = collective.Demand{make([]int64, 3), make([]int64, 3), make([]int64, 3)}
		var sends [9]float64
		for u := range 3 {
			for v := range 3 {
				if u != v && random.IntN(5) > 0 {
					space.Sizes[u][v] = int64(1000 * (1 + random.IntN(2000)))
					sends[3*u+v] = float64(f.Bandwidth.Transmit(float64(space.Sizes[u][v])))
				}
			}
		}
		r := planner.Request{Fabric: f, Size: space.Sizes.Size(), Collective: &collective.Collective{Op: collective.AllToAll, Algorithm: Name, Nodes: 3, Space: space}}
		task, err := newTask(&r, Options{Strategy: strategy.Birkhoff}, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := &spreader{task: task, model: f.Reconfig.Remembering(), best: spread{time: units.Time(math.Inf(1))}}
		if err := x.search(t.Context()); err != nil {
			t.Fatal(err)
		}
		least := fastestApart(sends, f.Ports, float64(f.Alpha.Time()+f.Delta.Time()), float64(f.Reconfig.Base.Time()))
		ratio := float64(x.best.time) / least
		if ratio < 1-1e-6 {
			t.Fatalf("%v: %v, less than the least of all, %v ns", space.Sizes, x.best.time, least)
		}
		tries++
		if ratio < 1+1e-3 {
			equal++
		}
		worst = max(worst, ratio)
	}
	t.Logf("%d of %d are the best, to 0.1%%; the worst is %.3f times as slow", equal, tries, worst)
	if equal < tries-5 || worst > 1.05 {
		t.Errorf("only %d of %d are the best; the worst is %.3f times as slow", equal, tries, worst)
	}
}
