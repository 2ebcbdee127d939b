package digit

import (
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// walks is a graph for de Bruijn sums: exchanges on circuits that stay, in which the sum of what
// arrives over all circuits replaces a point's value instead of being added to it (de Bruijn
// 1946; Imase and Itoh 1981, 1983 for Kautz graphs and those in between). A point's number is a
// point u of a small graph, with d links from every point, followed by a word of j labels below
// d. It stands for the walk from u along these labels, and has links
//
//	(u; l1 l2 .. lj)  ->  (head(u, l1); l2 .. lj r)     for r = 0..d-1
//
// In a step, called a line, every point sends its value over all these links. After t lines a
// point has the sum over all walks of t links to it, each from a different point; its own old
// value is included only if a walk returns. After j lines it has the sum of all points whose walk
// ends at its u. With one u these are all points, and the graph is the de Bruijn graph. With
// m > 1 of them, m <= d+1, each connected to all others, a step before the lines joins these
// sums: a point adds its predecessors' values to its own. Where c links connect the same u, the
// points behind them each add a c-th part. With m = d+1 the graph is the Kautz graph. So
// n = m d^j points have the total sum after j or j+1 steps of one hop with a vector on every
// link; a joining step sends a c-th part of it.
//
// Lines may be merged: h lines in one step take h hops, with h d^(h-1) vectors on a link,
// slightly fewer where walks return. And the first s lines may scatter: shards with label r go
// only to successor r, so after t such lines a point has a fraction d^-t of the sums. After all
// lines, s more lines gather: a point sends what it has to all its successors. So there are j+s
// lines, with
//
//	d^-1, d^-2, .. d^-s, then d^-s in each of the j-s lines, then d^-s, .. d^-1
//
// vectors on a link. For s = j, the two halves of a total, the sum of these is less than 2/(d-1);
// s = 0 is the exchange of whole vectors.
type walks struct {
	small  int // points of the small graph
	length int // labels of a word
	degree int // labels
	width  int // circuits of a link
}

// walkings lists the graphs with the given number of points.
func (m *Machine) walkings(points int) []walks {
	var all []walks
	for degree := 2; degree <= m.Ports; degree++ {
		small, length := points, 0
		for {
			if length > 0 && (small == 1 || small > 1 && small <= degree+1 && small != degree) {
				all = append(all, walks{small, length, degree, m.Ports / degree})
			}
			if small%degree != 0 {
				break
			}
			small, length = small/degree, length+1
		}
	}
	return all
}

// words returns the number of points that differ only in labels.
func (w walks) words() int { return w.wordsOf(w.length) }

// wordsOf returns the number of words with the given number of labels.
func (w walks) wordsOf(labels int) int { return capped.Power(w.degree, labels, math.MaxInt) }

func (w walks) points() int { return w.small * w.words() }

// head returns where link l of a point of the small graph leads.
func (w walks) head(u, l int) int {
	if w.small == 1 {
		return 0
	}
	return (u + 1 + l%(w.small-1)) % w.small
}

// A point's number is its word, with l1 as the highest digit, times m, plus u. So the points
// whose first s labels are the same are a range, and each of them has the shards of that range at
// the end.

// next returns where a point's link with the given last label leads.
func (w walks) next(v, label int) int {
	u, word := v%w.small, v/w.small
	first := w.words() / w.degree
	return (word%first*w.degree+label)*w.small + w.head(u, word/first)
}

// label returns the i-th label of a point's word, counted from 1.
func (w walks) label(v, i int) int { return w.labels(v, i, 1) }

// labels returns consecutive labels of a point's word as a number, the first as its highest
// digit.
func (w walks) labels(v, first, count int) int {
	return v / w.small / w.wordsOf(w.length-first-count+1) % w.wordsOf(count)
}

// parallel returns how many links of the small graph connect the same points as link l, and which
// of these l is.
func (w walks) parallel(l int) (count, index int) {
	others := w.small - 1
	return arithmetic.CeilDiv(w.degree-l%others, others), l / others
}

// parts returns how many parts the joining step cuts a vector into.
func (w walks) parts() int {
	if w.small == 1 {
		return 1
	}
	parts := 1
	for l := range w.degree {
		count, _ := w.parallel(l)
		parts = arithmetic.LCM(parts, count)
	}
	return parts
}

// joins returns the load of the joining step: that of the link that carries the largest part.
func (w walks) joins() float64 {
	least := w.degree
	for l := range w.degree {
		count, _ := w.parallel(l)
		least = min(least, count)
	}
	return 1 / float64(least)
}

func (w walks) name() string {
	switch w.small {
	case 1:
		return fmt.Sprintf("DeBruijn(%d,%d)", w.degree, w.length)
	case w.degree + 1:
		return fmt.Sprintf("Kautz(%d,%d)", w.degree, w.length)
	}
	return fmt.Sprintf("walks(%d;%d,%d)", w.small, w.degree, w.length)
}

// network returns the graph without the links from a point to itself, which need no circuit.
func (w walks) network() *network.Network {
	var edges []topology.Edge
	for v := range w.points() {
		for l := range w.degree {
			if to := w.next(v, l); to != v {
				edges = append(edges, topology.Edge{From: v, To: to, Count: w.width})
			}
		}
	}
	g := topology.New(w.points(), "sums on "+w.name(), edges)
	return network.New(g, topology.Translations{})
}

// successors lists where the links of all points lead, by point and then by label.
func (w walks) successors() []int32 {
	next := make([]int32, 0, w.points()*w.degree)
	for v := range w.points() {
		for l := range w.degree {
			next = append(next, int32(w.next(v, l)))
		}
	}
	return next
}

// each visits the walks of the given number of links from a point that do not end there, without
// their detours through points that they pass twice. The path is valid until visit returns.
func (w walks) each(successors []int32, v, links int, visit func(path []int32)) {
	var walk func(path []int32, left int)
	walk = func(path []int32, left int) {
		at := path[len(path)-1]
		if left == 0 {
			if at != path[0] {
				visit(path)
			}
			return
		}
		for _, to := range successors[int(at)*w.degree : (int(at)+1)*w.degree] {
			if i := slices.Index(path, to); i >= 0 {
				walk(append(make([]int32, 0, i+left), path[:i+1]...), left-1)
			} else {
				walk(append(path, to), left-1)
			}
		}
	}
	walk(append(make([]int32, 0, links+1), int32(v)), links)
}

// maxWalks limits the messages of a step of merged lines. Beyond it links carry hundreds of
// vectors, and merging few lines or all of them is better.
const maxWalks = 1 << 17

// loads returns the most messages on a link in a step of merged lines. If joining is set, one of
// the lines is the joining step.
func (w walks) loads(lines int, joining bool) float64 {
	if lines == 1 {
		return 1
	}
	load := make([]int32, w.points()*w.degree)
	most := int32(0)
	successors := w.successors()
	count := func(path []int32) {
		for h := 1; h < len(path); h++ {
			at := int(path[h-1])*w.degree + int(path[h])/w.small%w.degree // its last label
			load[at]++
			most = max(most, load[at])
		}
	}
	for v := range w.points() {
		w.each(successors, v, lines, count)
		if joining {
			w.each(successors, v, lines-1, count)
		}
	}
	return float64(most)
}

// sums is an exchange over walks, with its lines merged into steps.
type sums struct {
	walks
	time    float64
	scatter []int // lines merged into each scattering step; the gathering steps mirror these
	joined  int   // lines merged into the joining step; -1 if there is none
	add     []int // lines merged into each step that leaves the shards as they are
}

// walker finds the best sums on a graph for a machine.
type walker struct {
	*Machine
	walks
	memory *planner.Memory
	known  map[lineStep]float64 // loads
}

// lineStep is a step of merged lines, with or without the joining step.
type lineStep struct {
	walks
	lines   int
	joining bool
}

// message is the load of a step, in messages, and whether the step is considered.
func (w *walker) message(lines int, joining bool) (float64, bool) {
	key := lineStep{w.walks, lines, joining}
	load, ok := w.known[key]
	if !ok {
		load = math.Inf(1)
		if lines == 1 || float64(w.points())*math.Pow(float64(w.degree), float64(lines)) <= maxWalks {
			load = planner.Kept(w.memory, key, func() (float64, bool) { return w.loads(lines, joining), true })
		}
		w.known[key] = load
	}
	// With store-and-forward, the longest route also bounds the time of a step. Steps whose links
	// carry less than that are not considered.
	if math.IsInf(load, 1) || w.Stores && load < float64(lines) {
		return 0, false
	}
	load /= float64(w.width)
	if w.Capped {
		load = max(load, 1)
	}
	return load, true
}

// least returns a lower bound on the load of a step of merged lines: the load of the mean link,
// which carries as many messages as there are lines (TestLinksCarryAsManyMessagesAsLines). Walks
// no longer than words end at different points. At most d of these points are one hop away, d^2
// two hops, and so on, and no walk is shorter than that.
func (w *walker) least(lines int) float64 {
	load := lines
	if lines <= w.length {
		hops, left, room := 0, w.wordsOf(lines)-1, w.degree
		for h := 1; left > 0; h, room = h+1, room*w.degree {
			hops += h * min(left, room)
			left -= min(left, room)
		}
		load = max(load, arithmetic.CeilDiv(hops, w.degree))
	}
	return float64(load) / float64(w.width)
}

// floor returns a lower bound on the time of sums of a vector of the given bytes, with the given
// number of scattering lines.
func (w *walker) floor(bytes float64, scattering int) float64 {
	takes := Shape{Steps: 1, Hops: w.length + scattering}
	shard := 1.0
	for range scattering {
		shard /= float64(w.degree)
		takes.Load += 2 * shard
	}
	takes.Load += shard * float64(w.length-scattering)
	takes.Load /= float64(w.width)
	return w.Machine.Time(takes, bytes)
}

// cut is a way to merge lines into steps, and the time of these steps.
type cut struct {
	time  float64
	lines []int
}

// cuts returns the best way to merge lines into steps. bytes returns the size of a message in a
// step, given the number of lines left after it.
func (w *walker) cuts(lines int, bytes func(left int) float64) cut {
	best := make([]cut, lines+1)
	for n := 1; n <= lines; n++ {
		best[n].time = math.Inf(1)
		for h := 1; h <= n; h++ {
			at := func(load float64) float64 {
				return best[n-h].time + w.Machine.Time(Shape{Steps: 1, Hops: h, Load: load}, bytes(n-h))
			}
			if at(w.least(h)) >= best[n].time {
				continue
			}
			load, ok := w.message(h, false)
			if !ok {
				break
			}
			if time := at(load); time < best[n].time {
				best[n] = cut{time, append([]int{h}, best[n-h].lines...)}
			}
		}
	}
	return best[lines]
}

// best returns the best sums of a vector of the given bytes, with the given number of scattering
// lines.
func (w *walker) best(bytes float64, scattering int) sums {
	d := float64(w.degree)
	shard := bytes / math.Pow(d, float64(scattering))
	// With n lines of scattering left after a step, its shards are d^n times the last.
	scatter := w.cuts(scattering, func(left int) float64 { return shard * math.Pow(d, float64(left)) })
	found := sums{walks: w.walks, scatter: scatter.lines, joined: -1}
	same := func(int) float64 { return shard }
	add := w.cuts(w.length-scattering, same)
	found.add, found.time = add.lines, 2*scatter.time+add.time
	if w.small == 1 {
		return found
	}
	joins := w.joins() / float64(w.width)
	if w.Capped {
		joins = max(joins, w.joins())
	}
	found.joined = 0
	found.time += w.Machine.Time(Shape{Steps: 1, Hops: 1, Load: joins}, bytes)
	if scattering > 0 || w.small <= w.degree {
		return found
	}
	for lines := 1; lines <= w.length; lines++ {
		rest := w.cuts(w.length-lines, same)
		at := func(load float64) float64 {
			return w.Machine.Time(Shape{Steps: 1, Hops: lines + 1, Load: load}, bytes) + rest.time
		}
		if at(w.least(lines+1)) >= found.time {
			continue
		}
		load, ok := w.message(lines+1, true)
		if !ok {
			break
		}
		if time := at(load); time < found.time {
			found.time, found.joined, found.add = time, lines, rest.lines
		}
	}
	return found
}
