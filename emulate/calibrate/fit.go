package calibrate

import (
	"errors"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/units"
)

// Sample is one measurement: the time that a number of bytes took.
type Sample struct {
	Bytes float64
	Time  units.Time // > 0
	// Steps is the number of communication steps; 0: one step, without a separate constant.
	Steps float64
	// Factor multiplies the bytes, such as 2(N-1)/N in an allreduce; 0: 1.
	Factor float64
	// Hops is the number of hops of the longest route; 0: not known.
	Hops float64
}

// Line is the model of the samples' times:
//
//	time = epsilon + alpha*steps + delta*hops + bytes*factor/bandwidth
//
// the model of direct-connect's appendix H (Zhao et al., NSDI 2025), with hops added.
type Line struct {
	Alpha     units.Time
	Epsilon   units.Time // constant; 0 if all samples have the same number of steps
	Delta     units.Time
	PerByte   units.Time
	Residual  float64 // mean over samples of |fitted - measured| / measured
	Worst     float64 // the largest of them
	Samples   int
	separated bool // epsilon and alpha are known separately
}

// Bandwidth returns the rate.
func (l *Line) Bandwidth() units.Bandwidth {
	if l.PerByte <= 0 {
		return math.MaxInt64
	}
	return units.Bandwidth(min(8e9/float64(l.PerByte), math.MaxInt64/2))
}

// At returns the line's time for a sample.
func (l *Line) At(s Sample) units.Time {
	steps := s.Steps
	if !l.separated {
		steps = 1
	}
	return l.Epsilon + l.Alpha*units.Time(steps) + l.Delta*units.Time(s.Hops) + l.PerByte*units.Time(s.Bytes*s.factor())
}

func (s *Sample) factor() float64 {
	if s.Factor == 0 {
		return 1
	}
	return s.Factor
}

// ErrAlike means that the samples are too similar to separate latency from bandwidth.
var ErrAlike = errors.New("the samples do not tell latency and bandwidth apart; want times of at least two different sizes")

// Fit finds the line with the least sum of squared relative errors among those without negative
// latencies. Errors are relative because times span many orders of magnitude: with absolute
// errors only the large times would count, which is why the paper fits 1KB and 1GB separately.
// Fit leaves out terms that do not vary over the samples.
//
// The constraint makes it a problem of non-negative least squares with at most four unknowns.
// Fit solves the normal equations of every set of unknowns that may be positive, and takes the
// best feasible solution, which is exact: O(16 samples).
func Fit(samples []Sample) (*Line, error) {
	if len(samples) < 2 {
		return nil, fmt.Errorf("%s: %w", units.Count(len(samples), "sample"), ErrAlike)
	}
	l := &Line{Samples: len(samples)}
	varies := func(of func(s *Sample) float64) bool {
		for i := range samples {
			if of(&samples[i]) != of(&samples[0]) {
				return true
			}
		}
		return false
	}
	l.separated = varies(func(s *Sample) float64 { return s.Steps })
	hops := varies(func(s *Sample) float64 { return s.Hops })
	if !varies(func(s *Sample) float64 { return s.Bytes * s.factor() }) {
		return nil, ErrAlike
	}
	rows := make([][]float64, len(samples))
	for i := range samples {
		s := &samples[i]
		if !(s.Time > 0) || math.IsInf(float64(s.Time), 0) {
			return nil, fmt.Errorf("sample %d: a time of %v; want more than 0", i+1, s.Time)
		}
		row := []float64{1, 0, 0, s.Bytes * s.factor()}
		if l.separated {
			row[1] = s.Steps
		}
		if hops {
			row[2] = s.Hops
		}
		for j := range row {
			row[j] /= float64(s.Time)
		}
		rows[i] = row
	}
	x, err := leastSquares(rows)
	if err != nil {
		return nil, err
	}
	l.Alpha, l.Delta, l.PerByte = units.Time(x[0]), units.Time(x[2]), units.Time(x[3])
	if l.separated {
		l.Epsilon, l.Alpha = units.Time(x[0]), units.Time(x[1])
	}
	if l.PerByte == 0 {
		return nil, fmt.Errorf("times do not grow with sizes: %w", ErrAlike)
	}
	l.measure(samples)
	return l, nil
}

// measure records how far the line is from the samples.
func (l *Line) measure(samples []Sample) {
	for _, s := range samples {
		off := math.Abs(float64(l.At(s)/s.Time) - 1)
		l.Residual += off / float64(len(samples))
		l.Worst = max(l.Worst, off)
	}
}

// leastSquares returns the x >= 0 for which rows*x is closest to all ones.
func leastSquares(rows [][]float64) ([]float64, error) {
	k := len(rows[0])
	scale := make([]float64, k) // of each unknown, to make pivots comparable
	for _, row := range rows {
		for j, v := range row {
			scale[j] += v * v
		}
	}
	var best []float64
	least := math.Inf(1)
	for set := 1; set < 1<<k; set++ {
		var columns []int
		usable := true
		for j := range k {
			if set>>j&1 == 1 {
				columns = append(columns, j)
				usable = usable && scale[j] > 0
			}
		}
		if !usable {
			continue
		}
		x, ok := solveNormal(rows, columns, scale)
		if !ok {
			continue
		}
		error := 0.0
		for _, row := range rows {
			off := -1.0
			for j, v := range row {
				off += v * x[j]
			}
			error += off * off
		}
		if error < least {
			least, best = error, x
		}
	}
	if best == nil {
		return nil, ErrAlike
	}
	return best, nil
}

// singular is the pivot, relative to the diagonal's scale of 1, below which columns count as
// dependent: the normal equations square the condition number, and float64 has 16 digits.
const singular = 1e-12

// solveNormal solves the normal equations for some columns; ok is false if these are
// dependent or an unknown is negative.
func solveNormal(rows [][]float64, columns []int, scale []float64) ([]float64, bool) {
	k := len(columns)
	m := make([][]float64, k)
	for i := range m {
		m[i] = make([]float64, k+1)
	}
	for _, row := range rows {
		for i, a := range columns {
			va := row[a] / math.Sqrt(scale[a])
			for j, b := range columns {
				m[i][j] += va * row[b] / math.Sqrt(scale[b])
			}
			m[i][k] += va
		}
	}
	for i := range k {
		p := i
		for r := i + 1; r < k; r++ {
			if math.Abs(m[r][i]) > math.Abs(m[p][i]) {
				p = r
			}
		}
		m[i], m[p] = m[p], m[i]
		if math.Abs(m[i][i]) < singular {
			return nil, false
		}
		for r := range k {
			if r == i {
				continue
			}
			f := m[r][i] / m[i][i]
			for c := i; c <= k; c++ {
				m[r][c] -= f * m[i][c]
			}
		}
	}
	x := make([]float64, len(scale))
	for i, a := range columns {
		v := m[i][k] / m[i][i] / math.Sqrt(scale[a])
		if v < 0 {
			return nil, false
		}
		x[a] = v
	}
	return x, true
}
