package retri

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/planner/staged/subring"
	"github.com/lightpath-net/lightpath/reproduce/claim"
	"github.com/lightpath-net/lightpath/units"
)

// retriConvention is a reading of Fig. 3 that the paper leaves open.
type retriConvention struct {
	share      float64 // of a GPU's bytes that Bruck sends each way: 1/4 mirrored, 1/2 not
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

// ends are the least and the largest speed-up of Fig. 3 under a convention.
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

// searchFigure3 counts the conventions that give both ends of Fig. 3 to within 5%.
func searchFigure3(ctx context.Context) (float64, error) {
	count := 0.0
	for _, c := range retriConventions() {
		least, most, err := c.ends()
		if err != nil {
			return 0, err
		}
		if math.Abs(least/1.2-1) <= 0.05 && math.Abs(most/2.1-1) <= 0.05 {
			count++
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	return count, nil
}
