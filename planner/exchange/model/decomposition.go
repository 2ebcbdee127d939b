package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Decomposition writes the demand of a schedule as a sum of powers of its topologies, as
// section 3.1 of the paper does: A = sum of M∘(P1^h1 P2^h2 ..), where P_i is the adjacency
// matrix of topology i, the product has an entry where hops in that order lead, and the
// mask M selects the pairs whose chunks make these hops. In the paper a product has one
// factor; with more, chunks wait for later topologies.
type Decomposition struct {
	schedule *Schedule
	Terms    []Term
}

// Term is one of the summands.
type Term struct {
	Factors []Factor // in the order of topologies
	// Pairs are the pairs of nodes that the mask selects, in ascending order. A pair with
	// several chunks that make these hops is listed once for each. In a symmetric schedule
	// Pairs has only those of node 0.
	Pairs [][2]int
}

// Factor is a power of a topology.
type Factor struct {
	Stage, Hops int
}

// Decompose returns the decomposition of a schedule. Terms are in lexical order of their
// factors.
func (s *Schedule) Decompose() *Decomposition {
	factors := make(map[Chunk][]Factor)
	for i := range s.Stages {
		for _, r := range s.Stages[i].Runs {
			list := factors[r.Chunk]
			if last := len(list) - 1; last >= 0 && list[last].Stage == i {
				list[last].Hops += int(r.Hops)
			} else {
				list = append(list, Factor{Stage: i, Hops: int(r.Hops)})
			}
			factors[r.Chunk] = list
		}
	}
	chunks := slices.Collect(maps.Keys(factors))
	slices.SortFunc(chunks, func(a, b Chunk) int {
		return cmp.Or(slices.CompareFunc(factors[a], factors[b], compareFactors), comparePairs(a.pair(), b.pair()))
	})
	d := &Decomposition{schedule: s}
	for _, c := range chunks {
		if last := len(d.Terms) - 1; last < 0 || !slices.Equal(d.Terms[last].Factors, factors[c]) {
			d.Terms = append(d.Terms, Term{Factors: factors[c]})
		}
		term := &d.Terms[len(d.Terms)-1]
		term.Pairs = append(term.Pairs, c.pair())
	}
	return d
}

// pair returns the nodes between which a chunk goes.
func (c Chunk) pair() [2]int { return [2]int{int(c.Origin), int(c.Dest)} }

func comparePairs(a, b [2]int) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

func compareFactors(a, b Factor) int {
	return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Hops, b.Hops))
}

// String prints the sum. It omits a mask that selects exactly the nodes that the product reaches
// from every node, except the node itself, once; other masks are numbered.
func (d *Decomposition) String() string {
	var b strings.Builder
	b.WriteString("A =")
	masks := 0
	for i, t := range d.Terms {
		if i > 0 {
			b.WriteString(" +")
		}
		b.WriteByte(' ')
		if !d.whole(t) {
			masks++
			fmt.Fprintf(&b, "M%d∘", masks)
		}
		for k, f := range t.Factors {
			if k > 0 {
				b.WriteString("·")
			}
			fmt.Fprintf(&b, "P%d", f.Stage+1)
			if f.Hops > 1 {
				fmt.Fprintf(&b, "^%d", f.Hops)
			}
		}
	}
	return b.String()
}

// whole reports whether a term needs no mask.
func (d *Decomposition) whole(t Term) bool {
	origins := d.schedule.Nodes
	if d.schedule.Symmetric() {
		origins = 1
	}
	var all [][2]int
	for u := range origins {
		for _, v := range d.reach(u, t.Factors) {
			all = append(all, [2]int{u, v})
		}
	}
	return slices.Equal(all, t.Pairs)
}

// reach returns the nodes, ascending, to which the product of the factors leads from a node.
func (d *Decomposition) reach(u int, factors []Factor) []int {
	here := []int{u}
	for _, f := range factors {
		for range f.Hops {
			var next []int
			for _, v := range here {
				for p := range d.schedule.Stages[f.Stage].ports() {
					if w := d.schedule.Next(f.Stage, p, v); w >= 0 {
						next = append(next, w)
					}
				}
			}
			slices.Sort(next)
			here = slices.Compact(next)
		}
	}
	return here
}

// Check proves that the sum is the demand: the product of every term leads where its mask
// says, and the masks add up. It does not look at the moves of the schedule.
func (d *Decomposition) Check(demand Demand) error {
	s := d.schedule
	if demand.Nodes() != s.Nodes {
		return fmt.Errorf("%w: for %d nodes, the demand for %d", ErrInvalid, s.Nodes, demand.Nodes())
	}
	sum := make(map[[2]int]int)
	for _, t := range d.Terms {
		from, reach := -1, []int(nil)
		for _, p := range t.Pairs {
			if p[0] != from {
				from, reach = p[0], d.reach(p[0], t.Factors)
			}
			if _, ok := slices.BinarySearch(reach, p[1]); !ok {
				return fmt.Errorf("%w: hops %v do not lead from %d to %d", ErrInvalid, t.Factors, p[0], p[1])
			}
			sum[p]++
		}
	}
	origins := s.Nodes
	if s.Symmetric() {
		origins = 1
	}
	for u := range origins {
		for v := range s.Nodes {
			if got, want := sum[[2]int{u, v}], demand.Count(u, v); got != want {
				return fmt.Errorf("%w: the terms have %d chunks from %d to %d, the demand has %d", ErrInvalid, got, u, v, want)
			}
		}
	}
	return nil
}
