package digit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// numbering says which GPU has which digits. The outermost digit weighs most.
type numbering struct {
	digits  []placed
	weight  []int
	nodes   int
	parts   int // of a block
	group   topology.Translations
	sides   []int // by digit: its first side in the group
	stores  bool
	special []int // digits whose networks have no symmetry
	orbits  []int // by digit: the orbits of its values under the group
	// apart: the steps of each digit have a group of their own. If some networks have no
	// symmetry, all digits together have few symmetries in common, but the steps of one digit
	// look the same from all GPUs that differ only in other digits.
	apart bool
}

// mostListed is the largest number of GPUs for which all steps have the same group, and list what
// differs under it.
const mostListed = 1 << 12

// placed is a digit with its program.
type placed struct {
	points int
	prog   *program
}

func newNumbering(list []digit, stores, apart bool) (*numbering, [][]stage) {
	digits := make([]placed, len(list))
	for i, d := range list {
		digits[i] = placed{d.points, d.Make()}
	}
	l := &numbering{digits: digits, weight: make([]int, len(digits)), nodes: 1, parts: 1, stores: stores, apart: apart}
	laid := make([][]stage, len(digits))
	for i := len(digits) - 1; i >= 0; i-- {
		l.weight[i] = l.nodes
		l.nodes *= digits[i].points
	}
	for i, d := range digits {
		laid[i] = d.prog.Lay()
		l.parts = arithmetic.LCM(l.parts, d.prog.parts)
		net := laid[i][0].Net
		l.sides = append(l.sides, len(l.group.Dims))
		l.orbits = append(l.orbits, orbits(net))
		if net.Symmetric() {
			l.group.Dims = append(l.group.Dims, net.Group.Dims...)
			l.group.Stride = append(l.group.Stride, net.Group.Stride...)
			continue
		}
		l.special = append(l.special, i)
		sides := []int{d.points}
		if s := d.prog.scattered; l.apart && d.prog.ranges && s > 1 && d.points%s == 0 {
			sides = []int{s, d.points / s} // translations map ranges to ranges
		}
		l.group.Dims = append(l.group.Dims, sides...)
		l.group.Stride = append(l.group.Stride, sides...)
	}
	return l, laid
}

// groupOf returns the group of the steps of digit i.
func (l *numbering) groupOf(i int) topology.Translations {
	g := topology.Translations{Dims: l.group.Dims, Stride: slices.Clone(l.group.Stride)}
	for _, j := range l.special {
		if !l.moves(i, j) {
			continue
		}
		end := len(g.Dims)
		if j+1 < len(l.sides) {
			end = l.sides[j+1]
		}
		for s := l.sides[j]; s < end; s++ {
			g.Stride[s] = 1
		}
	}
	if g.Trivial() {
		return topology.Translations{}
	}
	return g
}

// moves reports whether the group of the steps of digit i moves digit j, whose network has no
// symmetry: the group maps the shards that a point has to those that the next point has.
func (l *numbering) moves(i, j int) bool {
	s := max(1, l.digits[j].prog.scattered)
	return l.apart && i != j && l.digits[j].points%s == 0
}

// Stages lays out a solution as stages, for a gather, its reversal, or both.
func Stages(s Solution, op collective.Op, stores bool) (stages []plan.Stage, parts int, about string) {
	nodes := 1
	for _, d := range s.Digits {
		nodes *= d.points
	}
	return lay(s, op, stores, nodes > mostListed)
}

// Listed is Stages with the same group for all steps, however many GPUs there are. A broadcast
// needs that: its root is a GPU like no other, so nobody could follow the plan phase by phase.
func Listed(s Solution, op collective.Op, stores bool) (stages []plan.Stage, parts int, about string) {
	return lay(s, op, stores, false)
}

// lay is Stages; with apart, the steps of each digit have a group of their own.
func lay(s Solution, op collective.Op, stores, apart bool) (stages []plan.Stage, parts int, about string) {
	l, laid := newNumbering(s.Digits, stores, apart)
	var all []plan.Stage
	push := func(list []plan.Stage) {
		for _, st := range list {
			if len(st.Steps) == 0 {
				continue
			}
			if n := len(all); n > 0 && all[n-1].Topology.Equal(st.Topology) {
				all[n-1].Steps = append(all[n-1].Steps, st.Steps...)
				continue
			}
			all = append(all, st)
		}
	}
	if op != collective.AllGather {
		for i, d := range l.digits {
			var sums []stage
			switch {
			case d.prog.sums != nil:
				sums = d.prog.sums()
			case d.prog.kind == exchange:
				sums = laid[i]
			case i == len(l.digits)-1 && op == collective.AllReduce:
				sums = reversed(d.prog.turned()) // the gather follows on the same circuits
			default:
				sums = reversed(laid[i])
			}
			l.include(i, sums)
			push(l.stages(i, sums, collective.Reduce))
			if d.prog.core != nil {
				push(l.stages(i, d.prog.core(), collective.Reduce))
			}
		}
	}
	if op != collective.ReduceScatter {
		for i := len(l.digits) - 1; i >= 0; i-- {
			if l.digits[i].prog.kind != exchange {
				push(l.stages(i, laid[i], collective.Copy))
			}
		}
	}
	names := make([]string, len(l.digits))
	for i, d := range l.digits {
		names[i] = fmt.Sprintf("digit of %d: %s", d.points, d.prog.about)
	}
	return all, l.parts, strings.Join(names, "; ")
}

// include adds the sums of digit i to the side sums of inner digits that include them.
func (l *numbering) include(i int, sums []stage) {
	var all collective.Sides
	for _, d := range l.digits[i+1:] {
		all |= d.prog.before
	}
	for _, st := range sums {
		for _, ways := range st.steps {
			for k := range ways {
				ways[k].Sides |= all
			}
		}
	}
}

// reversed reverses stages that were laid out for a network with its links reversed: everything
// happens in the opposite order and direction. If a group acts on the network, the mirror image
// x -> -x of that runs over the original links.
func reversed(stages []stage) []stage {
	all := make([]stage, 0, len(stages))
	for i := len(stages) - 1; i >= 0; i-- {
		net := stages[i].Net
		mirror := func(v int) int { return v }
		if net.Symmetric() && orbits(net) == 1 {
			mirror = func(v int) int {
				k, home := net.Group.Locate(v)
				return net.Group.Apply(net.Group.Inverse(k), home)
			}
		}
		back := stage{Net: net.Turned(), kind: stages[i].kind}
		for j := len(stages[i].steps) - 1; j >= 0; j-- {
			var step []network.Way
			for _, w := range stages[i].steps[j] {
				path := make([]int32, len(w.Path))
				for h, v := range w.Path {
					path[len(path)-1-h] = int32(mirror(int(v)))
				}
				step = append(step, network.Way{Source: mirror(w.Source), Part: w.Part, Modulus: w.Modulus, Share: w.Share, Path: path})
			}
			back.steps = append(back.steps, step)
		}
		all = append(all, back)
	}
	return all
}

// stages turns the stages of digit i into stages for all nodes.
func (l *numbering) stages(i int, laid []stage, action collective.Action) []plan.Stage {
	all, group := make([]plan.Stage, 0, len(laid)), l.groupOf(i)
	for _, st := range laid {
		made := plan.Stage{Topology: l.copies(i, st.Net.Graph)}
		for _, ways := range st.steps {
			step := plan.Step{Group: group, Base: l.transfers(i, l.bundles(i, st, ways, action))}
			made.Steps = append(made.Steps, step)
		}
		all = append(all, made)
	}
	return all
}

// copies returns the graph in which nodes that differ only in digit i are connected as in g.
func (l *numbering) copies(i int, g *topology.Graph) *topology.Graph {
	if len(l.digits) == 1 {
		return g
	}
	var edges []topology.Edge
	w, span := l.weight[i], l.weight[i]*l.digits[i].points
	for first := range l.nodes {
		if first%span >= w {
			continue
		}
		for e := range g.Edges() {
			edges = append(edges, topology.Edge{From: first + e.From*w, To: first + e.To*w, Count: e.Count})
		}
	}
	return topology.New(l.nodes, fmt.Sprintf("%dx%s@%d", l.nodes/l.digits[i].points, g.Name(), w), edges)
}

// orbits returns the number of orbits of a network's points under its group. If there are
// several, circuits are two-way, and reversing them changes nothing.
func orbits(net *network.Network) int { return net.Points / max(1, net.Group.Order()) }

// corners lists the nodes that stand for all, as far as digits other than i are concerned: every
// value of those digits that the group of the steps does not move.
func (l *numbering) corners(i int) []int {
	corners := []int{0}
	for j := range l.digits {
		if j == i || l.orbits[j] == 1 || slices.Contains(l.special, j) && l.moves(i, j) {
			continue
		}
		var more []int
		for v := range l.orbits[j] {
			for _, c := range corners {
				more = append(more, c+v*l.weight[j])
			}
		}
		corners = more
	}
	return corners
}

// chunks returns the chunks of a transfer of digit i at a corner: a part, one of a number of
// parts, of certain blocks. In the digits that are scattered before digit i, these blocks agree
// with the corner. Their value of digit i has the given residue, or is in the given one of a
// number of ranges.
func (l *numbering) chunks(i, corner, value, modulus, part, of int) collective.Chunks {
	firsts := []int{0}
	free := l.nodes // consecutive blocks that all belong to it
	ranges := false
	for j := range l.digits {
		points, w := l.digits[j].points, l.weight[j]
		var values []int
		every, own := 1, 0
		switch {
		case j == i && modulus > 1:
			every, own = modulus, value
		case j < i && l.digits[j].prog.scattered > 1:
			every, own = l.digits[j].prog.scattered, corner/w%points
			if l.digits[j].prog.ranges {
				own = own * every / points
			}
		default:
			continue
		}
		if l.digits[j].prog.ranges {
			ranges = true
			for v := own * points / every; v < (own+1)*points/every; v++ {
				values = append(values, v)
			}
		} else {
			for v := own % every; v < points; v += every {
				values = append(values, v)
			}
		}
		// The digits between the last fixed digit and this one take every value.
		var more []int
		for _, f := range firsts {
			for at := f; at < f+free; at += w * points {
				for _, v := range values {
					more = append(more, at+v*w)
				}
			}
		}
		firsts, free = more, w
	}
	var chunks collective.Chunks
	for _, f := range firsts {
		count, stride := free*l.parts/of, of
		if count == 1 {
			stride = 1
		}
		next := collective.Run{First: f*l.parts + part, Count: count, Stride: stride}
		if modulus == 1 && len(firsts) == 1 { // of everything, the parts need not alternate
			next = collective.Run{First: f*l.parts + part*count, Count: count, Stride: 1}
		}
		if last := len(chunks) - 1; ranges && last >= 0 && stride == 1 && chunks[last].Last()+1 == next.First {
			chunks[last].Count += count
			continue
		}
		chunks = append(chunks, next)
	}
	return chunks
}
