package finder

import (
	"fmt"
	"math/big"

	"github.com/lightpath-net/lightpath/units"
)

// Weighted is a size of a collective and how often it runs, or with which probability.
type Weighted struct {
	Size   units.Bytes
	Weight float64
}

// Choice is the best point of a frontier.
type Choice struct {
	// Index is the index of the point.
	Index int
	Point Point
	// Time is how long all collectives take together, one after the other, each as often
	// as its weight says.
	Time units.Time
}

// Choose returns the topology on which the given collectives are fastest, if the topology
// stays the same for all of them. (Zhao et al., §5.4.) The comparison is exact; of equal
// points the first is taken. It takes O(points + loads), as times are linear in sizes.
func (m Machine) Choose(frontier []Point, loads []Weighted) (Choice, error) {
	if err := m.validate(); err != nil {
		return Choice{}, err
	}
	if len(frontier) == 0 {
		return Choice{}, fmt.Errorf("%w: no topology to choose from", ErrInvalid)
	}
	times, bytes, err := totals(loads)
	if err != nil {
		return Choice{}, err
	}
	best := 0
	least := m.time(frontier[0].Cost, times, bytes)
	for i, p := range frontier[1:] {
		if t := m.time(p.Cost, times, bytes); t.Cmp(least) < 0 {
			best, least = i+1, t
		}
	}
	return Choice{best, frontier[best], nanoseconds(least)}, nil
}

// totals returns how often collectives run and how much data they have together.
func totals(loads []Weighted) (times, bytes *big.Rat, err error) {
	if len(loads) == 0 {
		return nil, nil, fmt.Errorf("%w: no sizes to choose for", ErrInvalid)
	}
	times, bytes = new(big.Rat), new(big.Rat)
	for _, l := range loads {
		weight := new(big.Rat).SetFloat64(l.Weight)
		if weight == nil || weight.Sign() < 0 || l.Size < 0 {
			return nil, nil, fmt.Errorf("%w: %d bytes with weight %v, want both to be at least 0", ErrInvalid, l.Size, l.Weight)
		}
		times.Add(times, weight)
		bytes.Add(bytes, weight.Mul(weight, new(big.Rat).SetInt64(int64(l.Size))))
	}
	return times, bytes, nil
}
