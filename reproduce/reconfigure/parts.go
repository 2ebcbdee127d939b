package reconfigure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/lightpath-net/lightpath/planner/exchange/jumpset"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/reproduce/reconfigure/evaluation"
)

// keptRounds returns the rounds that the ring of 8 nodes and its 3-shift keep, by the distance
// of their flows.
func keptRounds() *jumpset.Coverage { return jumpset.Covered(8, []int{1, 3}) }

// partsOfKeptRounds returns the slots of every round, and their sums.
func partsOfKeptRounds(context.Context) ([]claim.Part, error) {
	c := keptRounds()
	var parts []claim.Part
	for jump, name := range []string{"ring", "3-shift"} {
		slots := 0
		for distance := 1; distance < len(c.Hops); distance++ {
			if int(c.By[distance]) != jump {
				continue
			}
			hops := int(c.Hops[distance])
			parts = append(parts, claim.Part{Name: fmt.Sprintf("%s: round to the nodes %d further", name, distance), Value: float64(hops), Unit: "T"})
			slots += hops
		}
		parts = append(parts, claim.Part{Name: name + ": all its rounds", Value: float64(slots), Unit: "T"})
	}
	return append(parts, claim.Part{Name: "both", Value: float64(c.Total), Unit: "T"}), nil
}

// searchTerm returns p^d d^(n(n-1)) for 8 nodes, with p permutations.
func searchTerm(permutations, d int64) *big.Int {
	topologies := new(big.Int).Exp(big.NewInt(permutations), big.NewInt(d), nil)
	return topologies.Mul(topologies, new(big.Int).Exp(big.NewInt(d), big.NewInt(8*7), nil))
}

// searchSum returns the sum of the terms up to a given d.
func searchSum(permutations, most int64) *big.Int {
	sum := new(big.Int)
	for d := int64(1); d <= most; d++ {
		sum.Add(sum, searchTerm(permutations, d))
	}
	return sum
}

// in79 returns a number in units of 10^79.
func in79(v *big.Int) float64 {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(79), nil)
	value, _ := new(big.Float).Quo(new(big.Float).SetInt(v), new(big.Float).SetInt(unit)).Float64()
	return value
}

// The numbers of permutations of 8 nodes: of all, and of those that leave no node in its place.
const allPermutations, derangements = 40320, 14833

// searchSpace returns the sum of §2.3 for 8 nodes, in units of 10^79.
func searchSpace(context.Context) (float64, error) { return in79(searchSum(allPermutations, 7)), nil }

// partsOfSearchSpace returns the terms, and other readings of the sum.
func partsOfSearchSpace(context.Context) ([]claim.Part, error) {
	var parts []claim.Part
	for d := int64(1); d <= 7; d++ {
		parts = append(parts, claim.Part{Name: fmt.Sprintf("term of d = %d, in 10^79", d), Value: in79(searchTerm(allPermutations, d))})
	}
	return append(parts,
		claim.Part{Name: "sum of d = 1 to 7, in 10^79", Value: in79(searchSum(allPermutations, 7))},
		claim.Part{Name: "sum of d = 1 to 6, in 10^79", Value: in79(searchSum(allPermutations, 6))},
		claim.Part{Name: "sum of d = 1 to 8, in 10^79", Value: in79(searchSum(allPermutations, 8))},
		claim.Part{Name: "sum of d = 1 to 7 over permutations without fixed points, in 10^79", Value: in79(searchSum(derangements, 7))}), nil
}

// zipfian compares a baseline with the paper's strategy for Zipfian flows with two ports.
type zipfian struct {
	nodes  int
	name   string // of the baseline
	stated func(context.Context) (evaluation.Comparison, error)
}

// The skew of Zipfian flows (§5.1), and a larger skew.
const statedSkew, moreSkew = "zipf:0.4", "zipf:0.8"

func newZipfian(name string, nodes int) zipfian {
	z := zipfian{nodes: nodes, name: name}
	z.stated = claim.Once(func(ctx context.Context) (evaluation.Comparison, error) { return z.drawn(ctx, statedSkew, 1) })
	return z
}

func (z zipfian) drawn(ctx context.Context, workload string, seed uint64) (evaluation.Comparison, error) {
	return evaluation.Drawn(ctx, z.nodes, 2, workload, seed)
}

// at returns the time of the baseline over the paper's at a ratio of R and T.
func (z zipfian) at(c evaluation.Comparison, ratio float64) (float64, error) {
	ours, _ := c.Time(ratio, evaluation.Rivals()[0])
	for _, r := range evaluation.Rivals() {
		if r.Name == z.name {
			theirs, _ := c.Time(ratio, r)
			return float64(theirs / ours), nil
		}
	}
	return 0, fmt.Errorf("no baseline %s", z.name)
}

// over returns the time of the baseline over the paper's at the delay of the largest gain.
func (z zipfian) over(ctx context.Context) (float64, error) {
	c, err := z.stated(ctx)
	if err != nil {
		return 0, err
	}
	return z.at(c, c.Peak())
}

// parts returns the times of all strategies at the delay of the largest gain, and the ratio with
// other flows and at the delay that is best for the baseline.
func (z zipfian) parts(ctx context.Context) ([]claim.Part, error) {
	c, err := z.stated(ctx)
	if err != nil {
		return nil, err
	}
	peak := c.Peak()
	parts := []claim.Part{{Name: "delay of the largest gain", Value: float64(evaluation.Delay(peak)) / 1e3, Unit: "us"}}
	for i, r := range evaluation.Rivals() {
		took, stages := c.Time(peak, r)
		if i == 0 || r.Name == z.name {
			parts = append(parts, claim.Part{Name: fmt.Sprintf("time of %s, topologies: %d", r.Name, stages), Value: float64(took) / 1e3, Unit: "us"})
		}
	}
	for _, other := range []struct {
		workload string
		seed     uint64
	}{{statedSkew, 1}, {statedSkew, 2}, {statedSkew, 3}, {moreSkew, 1}} {
		drawn := c
		if other.workload != statedSkew || other.seed != 1 {
			if drawn, err = z.drawn(ctx, other.workload, other.seed); err != nil {
				return nil, err
			}
		}
		ratio, err := z.at(drawn, drawn.Peak())
		if err != nil {
			return nil, err
		}
		parts = append(parts, claim.Part{Name: fmt.Sprintf("%s over the paper's, flows %s, seed %d", z.name, other.workload, other.seed), Value: ratio, Unit: "times"})
	}
	least, at := math.Inf(1), 0.0
	for _, ratio := range c.Ratios() {
		now, err := z.at(c, ratio)
		if err != nil {
			return nil, err
		}
		if now < least {
			least, at = now, ratio
		}
	}
	return append(parts, claim.Part{Name: fmt.Sprintf("%s over the paper's at %v, the best delay for it", z.name, evaluation.Delay(at)), Value: least, Unit: "times"}), nil
}

// savings returns the savings of Figure 11 and 12, computed once for all claims.
func savings(ctx context.Context, figure int) ([]evaluation.Saving, error) {
	if figure == 11 {
		return savings11(ctx)
	}
	return savings12(ctx)
}

var (
	savings11 = claim.Once(func(ctx context.Context) ([]evaluation.Saving, error) { return evaluation.Savings(ctx, 11, 64) })
	savings12 = claim.Once(func(ctx context.Context) ([]evaluation.Saving, error) { return evaluation.Savings(ctx, 12, 64) })
)

// The means of Figure 11 and 12 as printed, in %.
const printed11, printed12 = 39.66, 47.35

// triedReading is a reading with its two means, in %, and the larger of their deviations.
type triedReading struct {
	evaluation.Reading
	first, second, off float64
}

// tryReadings returns all readings, the nearest first.
func tryReadings(ctx context.Context) ([]triedReading, error) {
	first, err := savings(ctx, 11)
	if err != nil {
		return nil, err
	}
	second, err := savings(ctx, 12)
	if err != nil {
		return nil, err
	}
	return nearestFirst(first, second), nil
}

func nearestFirst(first, second []evaluation.Saving) []triedReading {
	var list []triedReading
	for _, r := range evaluation.Readings() {
		a, b := 100*r.Mean(first), 100*r.Mean(second)
		list = append(list, triedReading{r, a, b, max(math.Abs(a-printed11), math.Abs(b-printed12))})
	}
	slices.SortStableFunc(list, func(a, b triedReading) int { return cmp.Compare(a.off, b.off) })
	return list
}

// countReadings counts the readings that give both means within half a point.
func countReadings(ctx context.Context) (float64, error) {
	list, err := tryReadings(ctx)
	count := 0.0
	for _, r := range list {
		if r.off <= halfAPoint {
			count++
		}
	}
	return count, err
}

// partsOfReadings returns the means of the nearest readings and of the stated one.
func partsOfReadings(ctx context.Context) ([]claim.Part, error) {
	list, err := tryReadings(ctx)
	if err != nil {
		return nil, err
	}
	return shownReadings(list), nil
}

func shownReadings(list []triedReading) []claim.Part {
	var parts []claim.Part
	show := func(name string, r triedReading) {
		parts = append(parts, claim.Part{Name: fmt.Sprintf("Fig. 11, %s: %v", name, r.Reading), Value: r.first, Unit: "%"},
			claim.Part{Name: "Fig. 12, " + name, Value: r.second, Unit: "%"})
	}
	for i, r := range list[:min(4, len(list))] {
		show(fmt.Sprintf("nearest reading %d", i+1), r)
	}
	for _, r := range list {
		if r.String() == evaluation.Stated().String() {
			show("as stated", r)
		}
	}
	return parts
}
