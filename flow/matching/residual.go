package matching

import (
	"math"
	"slices"
)

// quantumBits fixes the unit in which demands are divided: the bound on their duration is
// between 2^59 and 2^60 units. Integers make the division exact, so it needs no tolerance.
// Rounding demands up to integers adds at most n units to the bound, less than float64 can
// show; the bytes of a slot are not rounded.
const quantumBits = 60

// residual is a demand that has been carried in part, in units of 2^shift bytes.
//
// Invariant: the pairs of a line (row or column) add up to bound - slack[line].
type residual struct {
	n     int
	shift int
	left  []int64 // of each pair, row after row; 0 on the diagonal
	bound int64   // largest sum of a line
	slack []int64 // of each row, then of each column
}

// holding is a matching with the time for which it holds, in units.
type holding struct {
	match  []int // destination of each source, or -1
	length int64
}

func newResidual(demand [][]float64) (*residual, error) {
	bound, err := SlotBound(demand)
	if err != nil {
		return nil, err
	}
	n := len(demand)
	_, exponent := math.Frexp(bound)
	r := &residual{
		n:     n,
		shift: exponent - quantumBits,
		left:  make([]int64, n*n),
		slack: make([]int64, 2*n),
	}
	for i, row := range demand {
		for j, d := range row {
			if i != j && d > 0 {
				units := max(1, int64(math.Ceil(math.Ldexp(d, -r.shift))))
				r.left[i*n+j] = units
				r.slack[i] -= units
				r.slack[n+j] -= units
			}
		}
	}
	for _, s := range r.slack {
		r.bound = max(r.bound, -s)
	}
	for line := range r.slack {
		r.slack[line] += r.bound
	}
	return r, nil
}

// bytes converts units.
func (r *residual) bytes(units int64) float64 { return math.Ldexp(float64(units), r.shift) }

// take subtracts what a matching carries. A pair that finishes early leaves its lines idle for
// the rest of the time, at the expense of their slack.
func (r *residual) take(h holding) {
	for line := range r.slack {
		r.slack[line] -= h.length
	}
	r.bound -= h.length
	for i, j := range h.match {
		if j >= 0 {
			sent := min(r.left[i*r.n+j], h.length)
			r.left[i*r.n+j] -= sent
			r.slack[i] += sent
			r.slack[r.n+j] += sent
		}
	}
}

// peers returns the largest number of pairs left in a line of a matrix that has any.
func (r *residual) peers() int {
	return slices.Max(r.degrees())
}

// degrees returns the number of pairs left in each line.
func (r *residual) degrees() []int {
	count := make([]int, 2*r.n)
	for k, units := range r.left {
		if units > 0 {
			count[k/r.n]++
			count[r.n+k%r.n]++
		}
	}
	return count
}

// slots converts matchings that carry the demand to slots with their bytes. The last matching
// that holds a pair takes all that is left of it, so that the bytes add up to the demand
// whatever the units. Matchings without bytes are left out.
func (r *residual) slots(demand [][]float64, list []holding) []Slot {
	n := r.n
	last := make([]int, n*n)
	left := make([]float64, n*n)
	for s, h := range list {
		for i, j := range h.match {
			if j >= 0 {
				last[i*n+j] = s
				left[i*n+j] = demand[i][j]
			}
		}
	}
	slots := make([]Slot, 0, len(list))
	for s, h := range list {
		slot := Slot{Match: slices.Clone(h.match), Duration: r.bytes(h.length), Sent: make([]float64, n)}
		for i, j := range h.match {
			if j < 0 {
				continue
			}
			k := i*n + j
			sent := left[k]
			if s != last[k] {
				sent = min(sent, slot.Duration)
			}
			left[k] -= sent
			if slot.Sent[i] = sent; sent == 0 {
				slot.Match[i] = -1 // earlier units were rounded up
			}
		}
		if most := slices.Max(slot.Sent); most > 0 {
			slot.Duration = max(slot.Duration, most) // its units were rounded
			slots = append(slots, slot)
		}
	}
	return slots
}
