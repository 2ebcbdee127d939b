package retri

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner/staged/subring"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// retriConvention is one reading of what the paper leaves open in Fig. 3.
type retriConvention struct {
	share      float64 // of a GPU's bytes that Bruck sends in each direction: 1/4 mirrored, 1/2 not
	alpha, hop units.Duration
	first      bool // the first configuration takes a delay
	each       bool // times are divided by the number of GPUs
	changes    string
}

// The ways to choose the changes of Bruck.
const (
	ownBest    = "its own best number"
	asReTri    = "as many as ReTri"
	everyPhase = "one before every phase, for both"
)

func retriConventions() []retriConvention {
	var list []retriConvention
	for _, share := range []float64{1. / 4, 1. / 2} {
		for _, alpha := range []units.Duration{0, 1700 * units.Nanosecond} {
			for _, hop := range []units.Duration{500 * units.Nanosecond, units.Microsecond, 2 * units.Microsecond} {
				for _, changes := range []string{ownBest, asReTri, everyPhase} {
					for bits := range 4 {
						list = append(list, retriConvention{share, alpha, hop, bits&1 > 0, bits&2 > 0, changes})
					}
				}
			}
		}
	}
	return list
}

// ends returns the least and the largest speed-up of Fig. 3 under a convention.
func (c retriConvention) ends() (least, most float64, err error) {
	retri, err := subring.New(3, 4, 1./3)
	if err != nil {
		return 0, 0, err
	}
	bruck, err := subring.New(2, 6, c.share)
	if err != nil {
		return 0, 0, err
	}
	least = math.Inf(1)
	for _, delay := range claim.Decades(units.Microsecond, 50*units.Millisecond) {
		for _, size := range sizesOfFigure2() {
			f := scaleUp(4, "", size).Fabric
			f.Alpha, f.Delta, f.Reconfig.Base = c.alpha, c.hop, delay
			timing := subring.TimingOf(&f)
			at, ours := retri.Search(timing, size)
			_, theirs := bruck.Search(timing, size)
			switch c.changes {
			case asReTri:
				theirs, err = bruck.Cost(at, timing, size)
			case everyPhase:
				if ours, err = retri.Cost(3, timing, size); err == nil {
					theirs, err = bruck.Cost(5, timing, size)
				}
			}
			if err != nil {
				return 0, 0, err
			}
			if c.first {
				ours, theirs = ours+delay.Time(), theirs+delay.Time()
			}
			ratio := float64(theirs / ours)
			if c.each {
				ratio *= 81. / 64
			}
			least, most = min(least, ratio), max(most, ratio)
		}
	}
	return least, most, nil
}

// String describes a convention.
func (c retriConvention) String() string {
	bruck, first, times := "mirrored Bruck", "free", "not per GPU"
	if c.share > 1./4 {
		bruck = "Bruck not mirrored"
	}
	if c.first {
		first = "charged"
	}
	if c.each {
		times = "per GPU"
	}
	return fmt.Sprintf("%s, %v per phase, %v per hop, first configuration %s, times %s, changes: %s", bruck, c.alpha, c.hop, first, times, c.changes)
}

// The ends of Fig. 3 as printed, and how close a convention must come to both.
const printedLeast, printedMost, nearEnough = 1.2, 2.1, 0.05

// triedConvention is a convention with the ends of Fig. 3 that it gives, and the larger of their
// deviations from the printed values.
type triedConvention struct {
	retriConvention
	least, most, off float64
}

// tryConventions returns all conventions, the nearest first.
func tryConventions(ctx context.Context) ([]triedConvention, error) {
	var list []triedConvention
	for _, c := range retriConventions() {
		least, most, err := c.ends()
		if err != nil {
			return nil, err
		}
		list = append(list, triedConvention{c, least, most, max(math.Abs(least/printedLeast-1), math.Abs(most/printedMost-1))})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b triedConvention) int { return cmp.Compare(a.off, b.off) })
	return list, nil
}

// searchFigure3 returns the claim on how many conventions give both ends of Fig. 3 within 5%.
func searchFigure3() claim.Entry {
	tried := claim.Once(tryConventions)
	return claim.Entry{ID: "retri/fig3/search", Source: "ReTri, §4, Fig. 3",
		Quantity: fmt.Sprintf("conventions, of %d, under which the least and the largest speed-up over Bridge are within 5%% of 1.2 and 2.1",
			len(retriConventions())), Published: 1, Sense: claim.AtLeast, Recorded: claim.Differs,
		Why: "conventions: Bruck mirrored or not, 0 or 1.7 us per phase, 0.5 to 2 us per hop, first configuration free or charged, times per GPU or not, and Bruck's changes its own best, as many as ReTri's, or before every phase. The nearest has 1.27 and 2.11: no start-up, 2 us per hop, times per GPU, as many changes as ReTri, the first charged",
		Ours: func(ctx context.Context) (float64, error) {
			list, err := tried(ctx)
			count := 0.0
			for _, c := range list {
				if c.off <= nearEnough {
					count++
				}
			}
			return count, err
		},
		Parts: claim.From(tried, partsOfConventions)}
}
