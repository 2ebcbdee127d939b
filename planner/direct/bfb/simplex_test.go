package bfb_test

import "math/big"

// minimize solves min c x subject to a x = b, x >= 0 with b >= 0, exactly: the two-phase
// simplex method on a dense tableau of rationals with Bland's rule, which cannot cycle.
// It returns nil if there is no solution; the problems here are bounded.
func minimize(c []*big.Rat, a [][]*big.Rat, b []*big.Rat) []*big.Rat {
	rows, columns := len(a), len(c)
	t := &tableau{basis: make([]int, rows)}
	for i, row := range a {
		line := make([]*big.Rat, columns+rows+1)
		for j := range line {
			line[j] = new(big.Rat)
		}
		for j, x := range row {
			line[j].Set(x)
		}
		line[columns+i].SetInt64(1) // the artificial variable of the row
		line[columns+rows].Set(b[i])
		t.rows = append(t.rows, line)
		t.basis[i] = columns + i
	}
	artificial := make([]*big.Rat, columns+rows)
	given := make([]*big.Rat, columns+rows)
	for j := range artificial {
		artificial[j], given[j] = new(big.Rat), new(big.Rat)
		if j < columns {
			given[j].Set(c[j])
		} else {
			artificial[j].SetInt64(1)
		}
	}
	if t.optimize(artificial, columns+rows).Sign() > 0 {
		return nil
	}
	t.drive(columns)
	t.optimize(given, columns)
	x := make([]*big.Rat, columns)
	for j := range x {
		x[j] = new(big.Rat)
	}
	for i, j := range t.basis {
		if j < columns {
			x[j].Set(t.rows[i][columns+rows])
		}
	}
	return x
}

type tableau struct {
	rows  [][]*big.Rat
	basis []int
}

// optimize pivots among the first columns until no reduced cost is negative, and returns
// the objective.
func (t *tableau) optimize(cost []*big.Rat, columns int) *big.Rat {
	for {
		enter := -1
		for j := range columns {
			if t.reducedCost(cost, j).Sign() < 0 {
				enter = j
				break
			}
		}
		if enter < 0 {
			break
		}
		leave := -1
		var least *big.Rat
		for i, row := range t.rows {
			if row[enter].Sign() <= 0 {
				continue
			}
			ratio := new(big.Rat).Quo(row[len(row)-1], row[enter])
			if least == nil || ratio.Cmp(least) < 0 || ratio.Cmp(least) == 0 && t.basis[i] < t.basis[leave] {
				leave, least = i, ratio
			}
		}
		t.pivot(leave, enter)
	}
	value := new(big.Rat)
	for i, row := range t.rows {
		value.Add(value, new(big.Rat).Mul(cost[t.basis[i]], row[len(row)-1]))
	}
	return value
}

func (t *tableau) reducedCost(cost []*big.Rat, j int) *big.Rat {
	r := new(big.Rat).Set(cost[j])
	for i, row := range t.rows {
		if row[j].Sign() != 0 {
			r.Sub(r, new(big.Rat).Mul(cost[t.basis[i]], row[j]))
		}
	}
	return r
}

// drive pivots artificial variables, which are all 0, out of the basis if it can; the other
// rows are redundant.
func (t *tableau) drive(columns int) {
	for i, row := range t.rows {
		if t.basis[i] < columns {
			continue
		}
		for j := range columns {
			if row[j].Sign() != 0 {
				t.pivot(i, j)
				break
			}
		}
	}
}

func (t *tableau) pivot(leave, enter int) {
	row := t.rows[leave]
	by := new(big.Rat).Inv(row[enter])
	for j := range row {
		if row[j].Sign() != 0 {
			row[j].Mul(row[j], by)
		}
	}
	for i, other := range t.rows {
		if i == leave || other[enter].Sign() == 0 {
			continue
		}
		factor := new(big.Rat).Set(other[enter])
		for j := range other {
			if row[j].Sign() != 0 {
				other[j].Sub(other[j], new(big.Rat).Mul(factor, row[j]))
			}
		}
	}
	t.basis[leave] = enter
}
