package model

import (
	"errors"
	"fmt"
	"math"
)

// ErrDemand says that a demand is not a square matrix of non-negative chunk counts, or that it
// has more chunks than can be numbered.
var ErrDemand = errors.New("exchange: invalid demand")

// Demand says how many chunks each node has for each other.
type Demand struct {
	nodes  int
	each   int     // chunks of every ordered pair, when counts is nil
	counts [][]int // chunks from u to v
	total  int
}

// Uniform is the demand of an all-to-all: the given number of chunks from every node
// to every other.
func Uniform(nodes, chunks int) (Demand, error) {
	if nodes < 2 || nodes > MaxNodes {
		return Demand{}, fmt.Errorf("%w: %d nodes, want 2 to %d", ErrDemand, nodes, MaxNodes)
	}
	if chunks < 1 || chunks > math.MaxInt32/(nodes*(nodes-1)) {
		return Demand{}, fmt.Errorf("%w: %d chunks per pair, want 1 to %d", ErrDemand, chunks, math.MaxInt32/(nodes*(nodes-1)))
	}
	return Demand{nodes: nodes, each: chunks, total: chunks * nodes * (nodes - 1)}, nil
}

// Counts is the demand in which node u has counts[u][v] chunks for node v. The
// diagonal is ignored. The matrix is copied; equal counts make a Uniform demand.
func Counts(counts [][]int) (Demand, error) {
	d, err := matrix(counts, math.MaxInt32)
	if err == nil && d.equal() {
		return Uniform(d.nodes, counts[0][1])
	}
	return d, err
}

// mostAmount bounds the sum of amounts, so that it can be multiplied by numbers of hops.
const mostAmount = 1 << 46

// Amounts is Counts for amounts of any unit, such as bytes, rather than chunks that a
// schedule lists one by one.
func Amounts(amounts [][]int) (Demand, error) {
	d, err := matrix(amounts, mostAmount)
	if err == nil && d.equal() {
		return Demand{nodes: d.nodes, each: amounts[0][1], total: d.total}, nil
	}
	return d, err
}

// equal reports whether all pairs have the same count.
func (d Demand) equal() bool {
	for u, row := range d.counts {
		for v, c := range row {
			if u != v && c != d.counts[0][1] {
				return false
			}
		}
	}
	return true
}

// matrix copies a demand and checks that its sum is at most the given one.
func matrix(counts [][]int, most int) (Demand, error) {
	n := len(counts)
	if n < 2 || n > MaxNodes {
		return Demand{}, fmt.Errorf("%w: %d nodes, want 2 to %d", ErrDemand, n, MaxNodes)
	}
	d := Demand{nodes: n, counts: make([][]int, n)}
	for u, row := range counts {
		if len(row) != n {
			return Demand{}, fmt.Errorf("%w: row %d has %d entries, want %d", ErrDemand, u, len(row), n)
		}
		d.counts[u] = make([]int, n)
		for v, c := range row {
			if u == v {
				continue
			}
			if c < 0 || c > most-d.total {
				return Demand{}, fmt.Errorf("%w: %d chunks from %d to %d, want 0 or more and at most %d in all",
					ErrDemand, c, u, v, most)
			}
			d.counts[u][v] = c
			d.total += c
		}
	}
	if d.total == 0 {
		return Demand{}, fmt.Errorf("%w: no chunk at all", ErrDemand)
	}
	return d, nil
}

// Nodes returns the number of nodes.
func (d Demand) Nodes() int { return d.nodes }

// Total returns the number of chunks.
func (d Demand) Total() int { return d.total }

// Each returns the number of chunks of every ordered pair, and false if pairs differ.
func (d Demand) Each() (int, bool) { return d.each, d.counts == nil }

// Count returns the number of chunks from u to v.
func (d Demand) Count(u, v int) int {
	switch {
	case u == v:
		return 0
	case d.counts == nil:
		return d.each
	}
	return d.counts[u][v]
}
