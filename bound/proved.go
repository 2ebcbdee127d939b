package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/lp"
)

// proved is a covering program whose least cost is proved by the prices that the simplex method
// ends with. With numbers as different as 1 and the square of the nodes, rounding leads it astray
// at times: then what it calls the least is far too much, or it finds no solution where there is
// one. So rows are scaled such that their largest number is 1, which makes that rare, and are tried
// in another order where it happens. And whatever prices y come out, all x >= 0 that meet the needs
// and are at most m have
//
//	cost x  >=  y need - sum over columns of m max(0, y column - cost)
type proved struct {
	cost, most []float64 // by column; most: m
	needs      []float64
	rows       [][]lp.Term
}

func newProved(cost, most []float64) *proved {
	return &proved{cost: cost, most: most}
}

// add adds a row.
func (p *proved) add(need float64, terms ...lp.Term) {
	largest := math.Abs(need)
	for _, t := range terms {
		largest = max(largest, math.Abs(t.Value))
	}
	if largest == 0 {
		return
	}
	row := make([]lp.Term, len(terms))
	for i, t := range terms {
		row[i] = lp.Term{Column: t.Column, Value: t.Value / largest}
	}
	p.needs, p.rows = append(p.needs, need/largest), append(p.rows, row)
}

// mostOrders limits the orders of rows that are tried until prices prove what a solution costs, up
// to provedSlack.
const (
	mostOrders  = 4
	provedSlack = 1e-6
)

// least returns a cost that no solution is below, 0 if none was found.
func (p *proved) least() float64 {
	best := 0.0
	for order := range mostOrders {
		cost, proof := p.solve(order)
		if best = max(best, proof); proof >= cost*(1-provedSlack) {
			break
		}
	}
	return best * (1 - limitSlack*1e3) // rounded down by more than rounding can add
}

// solve returns what the simplex method says is the least cost, and what its prices prove. Orders
// of rows begin with the first or in the middle, and go forwards or backwards.
func (p *proved) solve(order int) (cost, proof float64) {
	program, n := lp.NewCovering(p.cost), len(p.rows)
	rows := make([]int, n)
	for i := range rows {
		rows[i] = (i + order/2*n/2) % n
		if order%2 == 1 {
			rows[i] = n - 1 - rows[i]
		}
		program.Add(p.needs[rows[i]], p.rows[rows[i]]...)
	}
	x, ok := program.Solve()
	if !ok {
		return math.Inf(1), 0
	}
	earned := make([]float64, len(p.cost))
	for i, price := range program.Prices {
		if price <= 0 {
			continue
		}
		proof += price * p.needs[rows[i]]
		for _, t := range p.rows[rows[i]] {
			earned[t.Column] += price * t.Value
		}
	}
	for j, each := range p.cost {
		cost += each * x[j]
		proof -= p.most[j] * max(0, earned[j]-each)
	}
	return cost, proof
}
