package digit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// This file has exchanges of whole vectors for any number of points, on rings that change: the
// counterpart of digits if the number of points is not a product.
//
// n points are dealt into Q groups of P or P+1, P = n/Q rounded down. First each point gets the
// sum of its group, on a ring of the group. Then P points of each group form P columns, with one
// point of each group per column. A point left over in a group joins a column as a listener: it
// gets what the sender from its group gets there, and sends nothing. So the columns' rings are
// longer by about one listener than they would be for a product, and 61 points take 7 + 8 hops
// and one reconfiguration. Columns are dealt into groups again, listeners together with their
// senders.
//
// Windows of partial sums (windows.go) need fewer hops if reconfiguring is quick, but they must
// come first; groups can follow other digits.
//
// With N points, n of them senders, a ring of L = N/Q points and the rest take
//
//	U(n, N) = min of X(N) and, over Q, X(N/Q) + w + U(Q, N/P),
//
// all rounded up, where X(L) is a step of L-1 hops in which links carry L(L-1)/2 vectors. The
// search uses this estimate; the real load of the rings is counted afterwards.

// cell is a set of points with the same sum; the first one sends.
type cell []int

// unevenSearch finds the best numbers of groups.
type unevenSearch struct {
	*Machine
	bytes float64
	known map[[3]int]unevenChoice
}

type unevenChoice struct {
	time   float64
	groups int // 1: all on one ring
}

// ring returns roughly the time of an exchange on a ring.
func (s *unevenSearch) ring(points int) float64 {
	d, w := float64(points-1), float64(s.Ports)
	load := s.Load(network.Tally{Peak: d * float64(points) / 2 / w, Dilation: d / w, Pair: 1})
	return s.Time(Shape{Steps: 1, Hops: points - 1, Load: load}, s.bytes)
}

// least returns a lower bound on the time of an exchange with n senders or more, in any number of
// phases: the sizes of the rings multiply to n.
func (s *unevenSearch) least(n int) float64 {
	best := math.Inf(1)
	for k := 1.0; ; k++ {
		each := math.Pow(float64(n), 1/k)
		best = min(best, k*(s.Alpha+s.Delta*(each-1))+(k-1)*s.Wait)
		if each <= 2 {
			return best
		}
	}
}

func (s *unevenSearch) best(senders, points, changes int) unevenChoice {
	key := [3]int{senders, points, changes}
	if c, ok := s.known[key]; ok {
		return c
	}
	best := unevenChoice{s.ring(points), 1}
	if left := Spend(changes, 1); left >= 0 {
		for q := 2; 2*q <= senders; q++ {
			if s.Wait+s.least(q) >= best.time {
				break
			}
			time := s.ring(arithmetic.CeilDiv(points, q)) + s.Wait
			if time >= best.time {
				continue
			}
			each := senders / q
			if time += s.best(q, arithmetic.CeilDiv(points, each), left).time; time < best.time {
				best = unevenChoice{time, q}
			}
		}
	}
	s.known[key] = best
	return best
}

// uneven returns the best such exchange with at most the given number of reconfigurations; nil if
// a single ring is the best, or if all groups have the same size, because then digits do the
// same.
func (m *Machine) uneven(points int, bytes float64, changes int) *program {
	s := &unevenSearch{Machine: m, bytes: bytes, known: map[[3]int]unevenChoice{}}
	var groups []int
	even := true
	for senders, all := points, points; ; {
		q := s.best(senders, all, changes).groups
		groups = append(groups, q)
		if q == 1 {
			break
		}
		even = even && senders%q == 0
		each := senders / q
		senders, all, changes = q, arithmetic.CeilDiv(all, each), Spend(changes, 1)
	}
	if len(groups) == 1 || even {
		return nil
	}
	phases := dealPhases(points, groups)
	takes := Shape{Changes: len(phases) - 1}
	names := make([]string, len(phases))
	for i, rings := range phases {
		most := network.Tally{Pair: 1}
		for _, r := range rings {
			t := r.takes(m.Ports)
			most.Hops, most.Peak, most.Dilation = max(most.Hops, t.Hops), max(most.Peak, t.Peak), max(most.Dilation, t.Dilation)
		}
		takes = takes.plus(Shape{Steps: 1, Hops: most.Hops, Load: m.Load(most)})
		names[i] = fmt.Sprint(most.Hops + 1)
	}
	return &program{
		Shape: takes, points: points, kind: exchange, scattered: 1, parts: 1,
		about: "exchange on rings of up to " + strings.Join(names, ", then "),
		Lay:   func() []stage { return layPhases(points, m.Ports, phases) },
		has:   Uses{Exchange: true},
	}
}

// cells is a ring: its cells, one after the other.
type cells []cell

// takes returns the tally of an exchange on a ring with bundles of the given width: every cell's
// first point sends to all points of the other cells.
func (r cells) takes(width int) network.Tally {
	var size []int // by place: the size of the cell that begins there, else 0
	for _, c := range r {
		size = append(size, len(c))
		size = append(size, make([]int, len(c)-1)...)
	}
	n := len(size)
	load := make([]int, n)
	for at, own := range size {
		if own == 0 {
			continue
		}
		for j := range n - 1 { // link j further on: data for all points beyond it in other cells
			load[(at+j)%n] += n - 1 - max(j, own-1)
		}
	}
	w := float64(width)
	return network.Tally{Hops: n - 1, Peak: float64(slices.Max(load)) / w, Dilation: float64(n-1) / w}
}

// dealPhases returns the rings of every phase.
func dealPhases(points int, groups []int) [][]cells {
	first := make(cells, points)
	for v := range first {
		first[v] = cell{v}
	}
	problems := []cells{first}
	var phases [][]cells
	for _, q := range groups {
		var rings, columns []cells
		for _, p := range problems {
			dealt := dealGroups(p, q)
			rings = append(rings, dealt...)
			if q > 1 {
				columns = append(columns, dealColumns(dealt, len(p)/q)...)
			}
		}
		phases = append(phases, rings)
		problems = columns
	}
	return phases
}

// dealGroups deals cells out to groups whose numbers of cells differ by at most one. Large cells
// come first, each to the group with the fewest points.
func dealGroups(p cells, groups int) []cells {
	order := slices.Clone(p)
	slices.SortStableFunc(order, func(a, b cell) int { return len(b) - len(a) })
	dealt, points := make([]cells, groups), make([]int, groups)
	least, larger := len(p)/groups, len(p)%groups
	for _, c := range order {
		to := -1
		for g := range dealt {
			if len(dealt[g]) > least || len(dealt[g]) == least && larger == 0 {
				continue
			}
			if to < 0 || points[g] < points[to] {
				to = g
			}
		}
		if len(dealt[to]) == least {
			larger--
		}
		dealt[to] = append(dealt[to], c)
		points[to] += len(c)
	}
	return dealt
}

// dealColumns makes columns of groups that have their sums. Every column gets a cell from each
// group, with a former sender as its first point. All other points listen in the column with the
// fewest points.
func dealColumns(groups []cells, columns int) []cells {
	made, points := make([]cells, columns), make([]int, columns)
	var listening [][]int
	for _, g := range groups {
		var rest []int
		for i, c := range g {
			if i < columns {
				made[i] = append(made[i], cell{c[0]})
				points[i]++
				rest = append(rest, c[1:]...)
			} else {
				rest = append(rest, c...)
			}
		}
		listening = append(listening, rest)
	}
	for g, rest := range listening {
		for _, v := range rest {
			to := 0
			for c := range made {
				if points[c] < points[to] {
					to = c
				}
			}
			made[to][g] = append(made[to][g], v)
			points[to]++
		}
	}
	return made
}

// layPhases lays out the phases.
func layPhases(points, width int, phases [][]cells) []stage {
	all := make([]stage, len(phases))
	for i, rings := range phases {
		var edges []topology.Edge
		var step []network.Way
		for _, r := range rings {
			var ring []int
			for _, c := range r {
				ring = append(ring, c...)
			}
			n := len(ring)
			for k, v := range ring {
				if n > 1 {
					edges = append(edges, topology.Edge{From: v, To: ring[(k+1)%n], Count: width})
				}
			}
			at := 0
			for _, c := range r {
				for k := len(c); k < n; k++ {
					path := make([]int32, k+1)
					for h := range path {
						path[h] = int32(ring[(at+h)%n])
					}
					step = append(step, network.Way{Source: c[0], Modulus: 1, Path: path})
				}
				at += len(c)
			}
		}
		g := topology.New(points, fmt.Sprintf("%d rings of %d", len(rings), points), edges)
		all[i] = stage{Net: network.New(g, topology.Translations{}), kind: exchange, steps: [][]network.Way{step}}
	}
	return all
}
