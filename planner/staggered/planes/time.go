package planes

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/lp"
	"github.com/lightpath-net/lightpath/units"
)

// Timing is the best timing of given patterns.
type Timing struct {
	Total   units.Time
	Lengths []units.Time // of each step
	Shares  [][]float64  // by plane and step; those of a step add up to 1
	// prices is, for each step, how much longer the whole would take per additional share of the
	// step, at the margin.
	prices []float64
}

// Time solves the linear program of patterns, one for each plane. Let L be the length of a step,
// y how long after its beginning a plane starts and z how long before its end the plane stops,
// both 0 or more. The program is to
//
//	minimise the sum of L over the steps, such that
//	for each step, the sum over its planes of (L - Fixed - y - z) / Whole is at least 1,
//	no plane serves for a negative time: L - y - z >= Fixed, and
//	for steps i and j that a plane serves over different circuits, with none served in
//	between, z(i) + L(i+1) + .. + L(j-1) + y(j) >= Change, less the time that GPUs spend
//	reducing at the end of step i.
//
// Planes with the same pattern do the same: the program is convex, so the mean of what they
// do is as good. They are one group, and the program has at most two rows and two columns
// for each group and step.
//
// Time returns nil if no plane serves some step.
func (p *Problem) Time(patterns []Pattern) *Timing {
	t, _ := p.timeWithin(patterns, math.Inf(1))
	return t
}

// timeWithin is Time, but gives up if the work, the number of tableau entries touched, exceeds
// most. It returns the work.
func (p *Problem) timeWithin(patterns []Pattern, most float64) (*Timing, float64) {
	groups, of := group(patterns)
	work := 0.0
	short := map[[2]int]bool{} // groups and steps whose rows are needed
	for {
		rows, columns := size(groups)
		rows += len(short)
		tableau := float64(rows * (columns + 1))
		if work+tableau*float64(rows) > most { // before building the program
			return nil, work
		}
		program, lanes, rates := p.program(groups, short)
		if program == nil {
			return nil, work
		}
		x, ok := program.Solve()
		work += tableau * float64(program.Pivots)
		if !ok {
			return nil, work
		}
		if !p.negative(groups, lanes, x, short) {
			return p.timing(groups, of, lanes, x, program.Prices, rates), work
		}
	}
}

// size returns an upper bound on the rows and columns of the program, without the rows for lanes
// with negative time: groups may change before every step that they serve.
func size(groups []grouped) (rows, columns int) {
	rows = len(groups[0].Pattern)
	columns = rows
	for _, g := range groups {
		last := Skip
		for _, c := range g.Pattern {
			if c == Skip {
				continue
			}
			if c != last {
				rows++
				columns += 2
			}
			last = c
		}
	}
	return rows, columns
}

// negative adds the lanes that would serve for a negative time to short, and reports whether
// there are any. Most programs have none and need no rows for them.
func (p *Problem) negative(groups []grouped, lanes [][]lane, x []float64, short map[[2]int]bool) bool {
	found := false
	scale := p.Bound()
	for g, group := range groups {
		for i, c := range group.Pattern {
			if c == Skip || short[[2]int{g, i}] {
				continue
			}
			if lanes[g][i].time(i, x) < float64(p.Services[i][c].Fixed/scale)-negativeTolerance {
				short[[2]int{g, i}], found = true, true
			}
		}
	}
	return found
}

// negativeTolerance is the fraction of the total time by which a lane's time may be too short: it
// is below the precision of the tableau.
const negativeTolerance = 1e-10

// time returns L - y - z.
func (l lane) time(step int, x []float64) float64 {
	time := x[step]
	for _, column := range []int{l.late, l.early} {
		if column >= 0 {
			time -= x[column]
		}
	}
	return time
}

// timing converts the solution of the program into a timing.
func (p *Problem) timing(groups []grouped, of []int, lanes [][]lane, x, prices, rates []float64) *Timing {
	scale := p.Bound()
	t := &Timing{Lengths: make([]units.Time, len(p.Services)), prices: make([]float64, len(p.Services))}
	for i := range t.Lengths {
		t.Lengths[i] = units.Time(x[i]) * scale
		t.Total += t.Lengths[i]
		t.prices[i] = prices[i] / rates[i] * float64(scale)
	}
	t.Shares = p.shares(groups, of, lanes, x, scale)
	return t
}

// grouped is a group of planes with the same pattern.
type grouped struct {
	Pattern
	planes int
}

// group returns the different patterns, and the index of each plane's pattern.
func group(patterns []Pattern) (groups []grouped, of []int) {
	for _, pattern := range patterns {
		g := slices.IndexFunc(groups, func(g grouped) bool { return slices.Equal(g.Pattern, pattern) })
		if g < 0 {
			g = len(groups)
			groups = append(groups, grouped{Pattern: pattern})
		}
		groups[g].planes++
		of = append(of, g)
	}
	return groups, of
}

// lane holds the columns of y and z for a group in a step, or -1 if they are 0.
type lane struct{ late, early int }

// program builds the linear program. Its columns are those of L, then those of y and z. Its rows
// begin with those of steps, each divided by its rate so that all values are near 1. Times are in
// units of the problem's bound. Only the lanes in short get a row that keeps their time from
// becoming negative. The program is nil if no plane serves some step.
func (p *Problem) program(groups []grouped, short map[[2]int]bool) (program *lp.Covering, lanes [][]lane, rates []float64) {
	steps := len(p.Services)
	cost := slices.Repeat([]float64{1}, steps)
	var darks []dark
	lanes = make([][]lane, len(groups))
	for g, group := range groups {
		lanes[g] = make([]lane, steps)
		for i := range lanes[g] {
			lanes[g][i] = lane{-1, -1}
		}
		last := -1
		for i, c := range group.Pattern {
			if c == Skip {
				continue
			}
			d := dark{group: g, from: last, to: i}
			switch {
			case last >= 0:
				d.time = p.dark(last, group.Pattern[last], c)
			case p.Initial != nil:
				d.time = p.Initial[c]
			}
			if d.time > 0 {
				lanes[g][i].late = len(cost)
				cost = append(cost, 0)
				if last >= 0 {
					lanes[g][last].early = len(cost)
					cost = append(cost, 0)
				}
				darks = append(darks, d)
			}
			last = i
		}
	}
	program = lp.NewCovering(cost)
	scale := p.Bound()
	for i := range steps {
		need, all := 1.0, 0.0
		var terms []lp.Term
		for g, group := range groups {
			if group.Pattern[i] == Skip {
				continue
			}
			s := p.Services[i][group.Pattern[i]]
			rate := float64(units.Time(group.planes) * scale / s.Whole)
			need += rate * float64(s.Fixed/scale)
			all += rate
			terms = append(terms, lanes[g][i].terms(i, rate)...)
		}
		if terms == nil {
			return nil, nil, nil
		}
		for k := range terms {
			terms[k].Value /= all
		}
		program.Add(need/all, terms...)
		rates = append(rates, all)
	}
	for g, group := range groups {
		for i, c := range group.Pattern {
			if c != Skip && short[[2]int{g, i}] {
				program.Add(float64(p.Services[i][c].Fixed/scale), lanes[g][i].terms(i, 1)...)
			}
		}
	}
	for _, d := range darks {
		program.Add(float64(d.time/scale), d.terms(lanes[d.group])...)
	}
	return program, lanes, rates
}

// terms returns the terms of L - y - z, times a factor.
func (l lane) terms(step int, factor float64) []lp.Term {
	terms := []lp.Term{{Column: step, Value: factor}}
	for _, column := range []int{l.late, l.early} {
		if column >= 0 {
			terms = append(terms, lp.Term{Column: column, Value: -factor})
		}
	}
	return terms
}

// dark is a change of a group between two steps that it serves; from is -1 for the initial
// set-up.
type dark struct {
	group, from, to int
	time            units.Time
}

func (d dark) terms(lanes []lane) []lp.Term {
	terms := []lp.Term{{Column: lanes[d.to].late, Value: 1}}
	if d.from >= 0 {
		terms = append(terms, lp.Term{Column: lanes[d.from].early, Value: 1})
	}
	for i := d.from + 1; i < d.to; i++ {
		terms = append(terms, lp.Term{Column: i, Value: 1})
	}
	return terms
}

// shares returns what every plane carries. If a step has more time than it needs, the shares
// would add up to more than 1, so they are scaled to add up to 1.
func (p *Problem) shares(groups []grouped, of []int, lanes [][]lane, x []float64, scale units.Time) [][]float64 {
	byGroup := make([][]float64, len(groups))
	sums := make([]float64, len(p.Services))
	for g, group := range groups {
		byGroup[g] = make([]float64, len(p.Services))
		for i, c := range group.Pattern {
			if c == Skip {
				continue
			}
			s := p.Services[i][c]
			share := max(0, float64((units.Time(lanes[g][i].time(i, x))*scale-s.Fixed)/s.Whole))
			byGroup[g][i] = share
			sums[i] += share * float64(group.planes)
		}
	}
	shares := make([][]float64, len(of))
	for plane, g := range of {
		shares[plane] = slices.Clone(byGroup[g])
		for i := range shares[plane] {
			shares[plane][i] /= sums[i]
		}
	}
	return shares
}
