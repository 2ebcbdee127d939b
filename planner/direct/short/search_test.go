package short

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/topology"
)

// MostNodes is the most nodes of a graph that the search takes.
const MostNodes = 128

// A move that loses as many pairs as the heat is accepted every second time, one that loses twice
// as many every fourth time, and so on. The heat falls from hot to cold, in units of a unit-th of a
// pair. All numbers are integers, so that they are the same on every machine.
const (
	unit = 64
	hot  = 90
	cold = 9
)

// Find returns a graph in which no node is farther from another than the diameter, and its name; ok
// is false if it finds none.
func Find(t Task) (g *topology.Graph, expr topology.Expr, ok bool) {
	if t.TwoWay {
		if ends := findTwoWay(t); ends != nil {
			return twoWayGraph(t, ends)
		}
	} else if to := findOneWay(t); to != nil {
		return oneWayGraph(t, to)
	}
	return nil, expr, false
}

// findOneWay returns where circuits lead, Degree of them for every node; nil if it finds no graph.
func findOneWay(t Task) []int {
	w := newWheel(t)
	for m := 0; m < t.Moves && w.far > 0; m++ {
		w.exchange(cold + (hot-cold)*(t.Moves-m)/t.Moves)
	}
	if w.far > 0 {
		return nil
	}
	return w.all()
}

// wheel is a graph that is the same after a turn. It holds the circuits of one node of every orbit,
// and of these one of every orbit.
type wheel struct {
	Task
	random *rand.Rand
	turned int   // the nodes that turn
	each   int   // by how much
	first  []int // the first node of every orbit
	orbit  []int // the orbit of every node
	stay   nodes // the numbers above
	from   []int
	to     []int
	far    int // pairs of one node of every orbit with any other that are too far apart
}

// newWheel returns a graph to begin with.
func newWheel(t Task) *wheel {
	w := &wheel{Task: t, random: rand.New(rand.NewPCG(uint64(t.Seed), uint64(t.Nodes)<<16|uint64(t.Degree)|uint64(t.Turns-1)<<32))}
	w.each = t.Nodes / t.Turns
	w.turned = w.each * t.Turns
	for v := range t.Nodes {
		if v < w.turned {
			w.orbit = append(w.orbit, v%w.each)
		} else {
			w.orbit = append(w.orbit, len(w.first))
		}
		if w.orbit[v] == len(w.first) {
			w.first = append(w.first, v)
		}
	}
	for v := w.turned; v < MostNodes; v++ {
		w.stay.add(v)
	}
	for v := range w.each {
		for i := range t.Degree {
			w.from = append(w.from, v)
			if t.Turns == 1 {
				w.to = append(w.to, ((-t.Degree*v-1-i)%t.Nodes+t.Nodes)%t.Nodes)
			} else {
				w.to = append(w.to, v)
			}
		}
	}
	for v := w.turned; v < t.Nodes; v++ { // its circuits turn into one another
		for range t.Degree / t.Turns {
			w.from, w.to = append(w.from, v), append(w.to, v)
		}
	}
	if t.Seed%2 == 1 || t.Turns > 1 {
		w.random.Shuffle(len(w.to), func(i, j int) { w.to[i], w.to[j] = w.to[j], w.to[i] })
	}
	w.far = w.tooFar()
	return w
}

// exchange exchanges the ends of two circuits, unless that leaves too many pairs far apart.
func (w *wheel) exchange(heat int) {
	a, b := w.random.IntN(len(w.to)), w.random.IntN(len(w.to))
	was, other := w.to[a], w.to[b]
	if was == other || w.from[a] == w.from[b] && w.Turns == 1 {
		return
	}
	w.to[a], w.to[b] = w.turn(other), w.turn(was)
	if next := w.tooFar(); next <= w.far || (next-w.far)*unit <= heat*bits.TrailingZeros64(w.random.Uint64()) {
		w.far = next
	} else {
		w.to[a], w.to[b] = was, other
	}
}

// turn turns a node at random.
func (w *wheel) turn(v int) int {
	if w.Turns == 1 || v >= w.turned {
		return v
	}
	return w.turnedBy(v, w.random.IntN(w.Turns))
}

// turnedBy returns where some turns take a node.
func (w *wheel) turnedBy(v, turns int) int {
	if v >= w.turned {
		return v
	}
	return (v + turns*w.each) % w.turned
}

// tooFar counts the pairs that are too far apart.
func (w *wheel) tooFar() int {
	var sets [2][MostNodes]nodes
	reached, next := sets[0][:len(w.first)], sets[1][:len(w.first)]
	for i, v := range w.first {
		reached[i].add(v)
	}
	for range w.Diameter {
		copy(next, reached)
		for i, v := range w.from {
			orbit, u := w.orbit[v], w.to[i]
			at := &reached[w.orbit[u]]
			if v < w.turned {
				next[orbit].join(w.turnedSet(at, u-w.first[w.orbit[u]]))
				continue
			}
			for k := range w.Turns { // its circuits turn into one another
				next[orbit].join(w.turnedSet(at, w.turnedBy(u, k)-w.first[w.orbit[u]]))
			}
		}
		reached, next = next, reached
	}
	far := 0
	for i := range reached {
		far += w.Nodes - reached[i].count()
	}
	return far
}

// turnedSet returns a set of nodes after a turn by some number of places.
func (w *wheel) turnedSet(s *nodes, by int) nodes {
	if by == 0 {
		return *s
	}
	stay := &w.stay
	low := nodes{s[0] &^ stay[0], s[1] &^ stay[1]}
	up, down := low.up(by), low.down(w.turned-by)
	return nodes{(up[0]|down[0])&^stay[0] | s[0]&stay[0], (up[1]|down[1])&^stay[1] | s[1]&stay[1]}
}

// all returns where the circuits of all nodes lead.
func (w *wheel) all() []int {
	to := make([]int, 0, w.Nodes*w.Degree)
	for v := range w.Nodes {
		for i, u := range w.from {
			switch {
			case u == v && v >= w.turned:
				for k := range w.Turns {
					to = append(to, w.turnedBy(w.to[i], k))
				}
			case w.orbit[u] == w.orbit[v]:
				to = append(to, w.turnedBy(w.to[i], v/w.each))
			}
		}
	}
	return to
}

// oneWayGraph returns the graph of circuits that findOneWay lists, and its name.
func oneWayGraph(t Task, to []int) (*topology.Graph, topology.Expr, bool) {
	edges := make([]topology.Edge, len(to))
	for i, v := range to {
		if i/t.Degree == v {
			return nil, topology.Expr{}, false
		}
		edges[i] = topology.Edge{From: i / t.Degree, To: v, Count: 1}
	}
	g := topology.New(t.Nodes, "short", edges)
	same := t.Nodes // it looks the same when all nodes are moved by so many
	if t.Nodes%t.Turns == 0 {
		same /= t.Turns
	}
	return g, nameOf(g, same), true
}

// nameOf returns the name of a graph that looks the same when its nodes are moved by some number.
func nameOf(g *topology.Graph, same int) topology.Expr {
	if expr, ok := topology.CodeOf(g, same); ok {
		return expr
	}
	return topology.LiftOf(g, same)
}

// nodes is a set of nodes.
type nodes [2]uint64

func (s *nodes) add(v int)    { s[v>>6] |= 1 << (v & 63) }
func (s *nodes) join(t nodes) { s[0] |= t[0]; s[1] |= t[1] }
func (s *nodes) count() int   { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// up adds to all nodes of the set, and down subtracts from them; shifts below 0 are as large ones.
func (s *nodes) up(by int) nodes {
	return nodes{s[0] << by, s[1]<<by | s[0]<<uint(by-64) | s[0]>>uint(64-by)}
}
func (s *nodes) down(by int) nodes {
	return nodes{s[0]>>by | s[1]>>uint(by-64) | s[1]<<uint(64-by), s[1] >> by}
}

// Line writes the graph as a line of text.
func (g Graph) Line() string {
	return fmt.Sprintln(g.Nodes, g.Degree, g.Diameter, g.TwoWay, g.Turns, g.Moves, g.Seed, g.Expr)
}
