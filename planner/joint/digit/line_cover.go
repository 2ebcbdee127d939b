package digit

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/internal/capped"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// lineCover is a cover on a line digraph: an exchange on circuits that stay, of n = b d^j points.
// A point is a walk of j links in a graph of b nodes with d links each, and is linked to the
// walks that begin one link later. First come lines as in de Bruijn sums, all j of them. Then a
// point has the sum of all walks that end where its own walk begins. So all points that begin at
// the same node have the sum of one cell, and there are b cells. A last step brings a point the
// sums of all other cells, each from the nearest point that begins there, which is as far away as
// the two nodes are in the graph. The exchange takes j hops for the lines and as many as the
// diameter of the graph for the last step, with n/d^j-1 vectors for a point instead of n-1.
type lineCover struct {
	name   string    // of the graph
	heads  [][]int32 // where its links lead, by node
	degree int
	length int // links of a walk
}

// lineCovers lists the line covers with the given number of points.
func (m *Machine) lineCovers(points int) []lineCover {
	d := m.Ports
	if m.Duplex || d == 1 {
		return nil
	}
	var all []lineCover
	for base, length := points, 1; base%d == 0 && base/d > d+1; length++ {
		base /= d
		for _, g := range m.lineBases(base) {
			all = m.addLineCover(all, g, length)
		}
		for expr := range topology.OfNodes(base, d) {
			if g, err := expr.Build(); err == nil {
				all = m.addLineCover(all, g, length)
			}
		}
	}
	return all
}

// addLineCover adds the line cover of a graph, if all its nodes have as many links as there are
// ports and no link leads back to its own node.
func (m *Machine) addLineCover(all []lineCover, g *topology.Graph, length int) []lineCover {
	c := lineCover{name: g.Name(), heads: make([][]int32, g.Nodes()), degree: m.Ports, length: length}
	for e := range g.Edges() {
		if e.From == e.To {
			return all
		}
		for range e.Count {
			c.heads[e.From] = append(c.heads[e.From], int32(e.To))
		}
	}
	for _, heads := range c.heads {
		if len(heads) != m.Ports {
			return all
		}
	}
	return append(all, c)
}

// words returns the number of walks from a node.
func (c lineCover) words() int { return capped.Power(c.degree, c.length, maxRouted+1) }

// next returns where a point's link with the given last label leads. A point's number is the node
// where its walk begins, times the walks from there, plus the labels of its links, the first as
// the highest digit.
func (c lineCover) next(v, label int) int {
	d, words := c.degree, c.words()
	u, word := v/words, v%words
	first := words / d
	return int(c.heads[u][word/first])*words + word%first*d + label
}

func (c lineCover) points() int { return len(c.heads) * c.words() }

// network returns the line digraph.
func (c lineCover) network() *network.Network {
	var edges []topology.Edge
	for v := range c.points() {
		for l := range c.degree {
			edges = append(edges, topology.Edge{From: v, To: c.next(v, l), Count: 1})
		}
	}
	name := fmt.Sprintf("sums on walks of %d in %s", c.length, c.name)
	return network.New(topology.New(c.points(), name, edges), topology.Translations{})
}

// layLines lists a step of merged lines.
func (c lineCover) layLines(lines int) []network.Way {
	n := c.points()
	back := make([]bool, n) // a walk leads back, so the point's old value is part of the sum
	var list [][]int32
	var follow func(path []int32, left int)
	follow = func(path []int32, left int) {
		at := path[len(path)-1]
		if left == 0 {
			if at == path[0] {
				back[at] = true
			} else {
				list = append(list, slices.Clone(path))
			}
			return
		}
		for l := range c.degree {
			to := int32(c.next(int(at), l))
			if i := slices.Index(path, to); i >= 0 { // no point is passed twice
				follow(slices.Clone(path[:i+1]), left-1)
			} else {
				follow(append(slices.Clip(path), to), left-1)
			}
		}
	}
	for v := range n {
		follow([]int32{int32(v)}, lines)
	}
	return each.Of(list, func(path []int32) network.Way {
		return network.Way{Modulus: 1, Path: path, Replaces: !back[path[len(path)-1]]}
	})
}

// layLast lists the step that brings the sums of other cells.
func (c lineCover) layLast(net *network.Network) ([]network.Way, network.Tally) {
	words := c.words()
	cells := make([][]int, len(c.heads))
	for v := range c.points() {
		cells[v/words] = append(cells[v/words], v)
	}
	return net.Visit(cells)
}

// cuts lists the ways to merge the lines into steps.
func (c lineCover) cuts() [][]int {
	var all [][]int
	for mask := range 1 << (c.length - 1) {
		cut := []int{1}
		for i := range c.length - 1 {
			if mask>>i&1 == 1 {
				cut = append(cut, 1)
			} else {
				cut[len(cut)-1]++
			}
		}
		all = append(all, cut)
	}
	return all
}

// least returns a lower bound on the shape of the exchange with the given merging of lines, as if
// no walk returned and every link carried the same in the last step.
func (c lineCover) least(cut []int) Shape {
	s := Shape{Steps: 1 + len(cut), Hops: c.length}
	widest, sum := 0, 0
	for u := range c.heads {
		far := make([]int, len(c.heads))
		queue := []int{u}
		for i := 0; i < len(queue); i++ {
			for _, v := range c.heads[queue[i]] {
				if int(v) != u && far[v] == 0 {
					far[v] = far[queue[i]] + 1
					queue = append(queue, int(v))
					sum += far[v]
				}
			}
		}
		widest = max(widest, far[queue[len(queue)-1]])
		if len(queue) < len(c.heads) {
			return Shape{Load: impossible}
		}
	}
	s.Hops += widest
	s.Load = float64(sum) / float64(len(c.heads)*c.degree)
	for _, lines := range cut {
		s.Load += float64(lines)
	}
	return s
}

// lineCoverings returns the exchanges over covers on line digraphs. Their real cost is counted
// only when their lower bound is the best.
func (m *Machine) lineCoverings(points int) []*program {
	var all []*program
	for _, c := range m.lineCovers(points) {
		type laid struct {
			net  *network.Network
			ways []network.Way
			last network.Tally
		}
		lay := once(func(stopped func() bool) (*laid, bool) {
			l := &laid{net: c.network()}
			l.ways, l.last = c.layLast(l.net)
			return l, !stopped()
		})
		for _, cut := range c.cuts() {
			p := &program{
				points: points, kind: exchange, scattered: 1, parts: 1, ranges: true, Shape: c.least(cut),
				about: fmt.Sprintf("sums over walks of %d in %s, and exchange", c.length, c.name),
			}
			p.settle = func(stopped func() bool) counted {
				l := lay(stopped)
				sum := counted{hops: c.length + l.last.Hops, load: m.Load(l.last)}
				for _, lines := range cut {
					sum.load += m.Load(network.TallyOf(l.net, c.layLines(lines)))
				}
				return sum
			}
			p.Lay = func() []stage {
				l := lay(never)
				st := stage{Net: l.net, kind: gather}
				for _, lines := range cut {
					st.steps = append(st.steps, c.layLines(lines))
				}
				st.steps = append(st.steps, l.ways)
				return []stage{st}
			}
			all = append(all, p)
		}
	}
	return all
}
