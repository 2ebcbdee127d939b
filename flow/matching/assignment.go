package matching

import (
	"errors"
	"fmt"
	"math"
)

// Errors of Assign.
var (
	// ErrCost says that a cost matrix is not square, or has an entry that is NaN or minus
	// infinity.
	ErrCost = errors.New("invalid cost matrix")
	// ErrInfeasible says that the entries that are not forbidden allow no assignment.
	ErrInfeasible = errors.New("no assignment avoids the forbidden entries")
)

// Assignment gives every row of a cost matrix a different column.
type Assignment struct {
	Columns []int   // column of each row
	Cost    float64 // sum of the chosen entries
	// Row and Column are potentials that prove the cost to be minimal: Row[i]+Column[j] <=
	// cost[i][j] everywhere, with equality where row i has column j, both up to the rounding of
	// such sums. So every assignment costs at least the sum of all potentials, and this one costs
	// exactly that.
	Row, Column []float64
}

// Assign finds an assignment of least cost. Entries of +Inf are forbidden;
// negative ones are allowed.
//
// Rows are added one by one along shortest augmenting paths under the reduced costs cost - Row
// - Column, found by Dijkstra's algorithm on the dense matrix (Jonker and Volgenant 1987, after
// Edmonds and Karp 1972). It takes O(n^3). Only two parts of their initialisation are used: the
// column reduction, and the greedy matching of entries with reduced cost 0; the augmenting row
// reduction is left out. Ties go to the lowest column.
func Assign(cost [][]float64) (*Assignment, error) {
	n := len(cost)
	for i, row := range cost {
		if len(row) != n {
			return nil, fmt.Errorf("%w: row %d has %d entries, want %d", ErrCost, i, len(row), n)
		}
		for j, c := range row {
			if math.IsNaN(c) || math.IsInf(c, -1) {
				return nil, fmt.Errorf("%w: entry (%d, %d) is %v", ErrCost, i, j, c)
			}
		}
	}
	s := &assigner{
		Assignment: Assignment{
			Columns: make([]int, n),
			Row:     make([]float64, n),
			Column:  make([]float64, n),
		},
		cost:  cost,
		rowOf: make([]int, n),
		dist:  make([]float64, n),
		from:  make([]int, n),
		open:  make([]int32, 0, n),
		tree:  make([]int, 0, n),
	}
	if err := s.reduce(); err != nil {
		return nil, err
	}
	for i := range n {
		if s.Columns[i] < 0 {
			if err := s.augment(i); err != nil {
				return nil, err
			}
		}
	}
	for i, j := range s.Columns {
		s.Cost += cost[i][j]
	}
	return &s.Assignment, nil
}

// assigner is a partial assignment with potentials that are optimal for it.
type assigner struct {
	Assignment
	cost  [][]float64
	rowOf []int     // row of each column, -1 for none
	dist  []float64 // length of the shortest alternating path to each column
	from  []int     // row before a column on that path
	open  []int32   // columns whose distance is not final, in ascending order
	tree  []int     // the other columns, in the order in which their distances became final
}

// reduce sets the potentials to the least entry of each column and then of each
// row, and matches rows to the first free column with reduced cost 0.
func (s *assigner) reduce() error {
	for j := range s.rowOf {
		s.rowOf[j] = -1
		least := math.Inf(1)
		for _, row := range s.cost {
			least = min(least, row[j])
		}
		if math.IsInf(least, 1) {
			return fmt.Errorf("%w: column %d is all forbidden", ErrInfeasible, j)
		}
		s.Column[j] = least
	}
	for i, row := range s.cost {
		s.Columns[i] = -1
		least := math.Inf(1)
		for j, c := range row {
			least = min(least, c-s.Column[j])
		}
		if math.IsInf(least, 1) {
			return fmt.Errorf("%w: row %d is all forbidden", ErrInfeasible, i)
		}
		s.Row[i] = least
		for j, c := range row {
			if s.rowOf[j] < 0 && c-s.Column[j] == least {
				s.rowOf[j], s.Columns[i] = i, j
				break
			}
		}
	}
	return nil
}

// augment gives a free row a column. Distances start at 0 in that row; those of the columns in
// the tree determine how far their potentials move.
func (s *assigner) augment(free int) error {
	s.open = s.open[:0]
	for j, c := range s.cost[free] {
		s.open = append(s.open, int32(j))
		s.from[j] = free
		s.dist[j] = c - s.Row[free] - s.Column[j]
	}
	s.tree = s.tree[:0]
	sink := -1
	at := s.nearest()
	for {
		near := -1
		if at >= 0 {
			near = int(s.open[at])
		}
		if near < 0 || math.IsInf(s.dist[near], 1) {
			return s.stuck(free)
		}
		if s.rowOf[near] < 0 {
			sink = near
			break
		}
		s.open = append(s.open[:at], s.open[at+1:]...)
		s.tree = append(s.tree, near)
		at = s.relax(s.rowOf[near], s.dist[near])
	}
	s.Row[free] += s.dist[sink]
	for _, j := range s.tree {
		move := s.dist[sink] - s.dist[j]
		s.Row[s.rowOf[j]] += move
		s.Column[j] -= move
	}
	for j, i := sink, -1; i != free; {
		i = s.from[j]
		s.rowOf[j] = i
		s.Columns[i], j = j, s.Columns[i]
	}
	return nil
}

// nearest returns the index in open of the nearest column, the first of equals; but among
// equals a free one, because that ends the search. It returns -1 if there is none.
func (s *assigner) nearest() int {
	at, near := -1, math.Inf(1)
	taken := false
	for k, j := range s.open {
		d := s.dist[j]
		if at < 0 || d < near || d == near && taken && s.rowOf[j] < 0 {
			at, near, taken = k, d, s.rowOf[j] >= 0
		}
	}
	return at
}

// relax shortens the distances of open columns through a row, and returns the index of the
// nearest one, as nearest does.
func (s *assigner) relax(i int, base float64) int {
	price := s.Row[i]
	// These slices have one length, so that one bounds check serves all.
	dist := s.dist
	row, column, rowOf, from := s.cost[i][:len(dist)], s.Column[:len(dist)], s.rowOf[:len(dist)], s.from[:len(dist)]
	at, near := -1, math.Inf(1)
	taken := false
	for k, j := range s.open {
		d := dist[j]
		more := row[j] - price - column[j]
		if more < 0 {
			more = 0 // rounding may make a reduced cost slightly negative
		}
		if by := base + more; by < d {
			d = by
			dist[j], from[j] = d, i
		}
		if at < 0 || d < near || d == near && taken && rowOf[j] < 0 {
			at, near, taken = k, d, rowOf[j] >= 0
		}
	}
	return at
}

// stuck names the rows that together are allowed too few columns: the free one and those that
// have the columns of the tree.
func (s *assigner) stuck(free int) error {
	rows := []int{free}
	for _, j := range s.tree {
		rows = append(rows, s.rowOf[j])
	}
	return fmt.Errorf("%w: rows %v are allowed only %d columns", ErrInfeasible, rows, len(s.tree))
}
