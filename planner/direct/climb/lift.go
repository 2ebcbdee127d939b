package climb

import (
	"math/rand/v2"

	"github.com/lightpath-net/lightpath/topology"
)

// lift is a graph of width times turns nodes in which node u+width has the circuits of node u,
// with all ends moved by width modulo the number of nodes. With one turn it is any graph.
type lift struct {
	width, turns int
	degree       int
	twoWay       bool

	// Slots are the ends of circuits at the first width nodes, degree for each: slot s belongs
	// to node s/degree. In a two-way lift a circuit has two slots. In a one-way lift it has a
	// slot that it leaves and one that it enters, which are numbered separately.
	ends []end
	out  []int32 // per node and slot, the node at the other end; -1: none
	in   []int32 // the same for circuits that enter; out itself in a two-way lift
}

// end is one end of a circuit: the slot of the other end, and how many turns ahead that is.
type end struct {
	slot, turns int32
}

// empty marks a slot that has no circuit.
const empty = -1

// newLift returns a lift with circuits between random slots. In a two-way lift with an odd
// number of slots, one slot is left over: its circuits go half-way round the circle if the
// number of turns is even, and otherwise it has none.
func newLift(t Task, random *rand.Rand) *lift {
	l := &lift{width: t.Width, turns: t.Nodes / t.Width, degree: t.Degree, twoWay: t.TwoWay}
	slots := l.width * l.degree
	l.ends = make([]end, slots)
	l.out = make([]int32, slots*l.turns)
	l.in = l.out
	order := random.Perm(slots)
	if !l.twoWay {
		l.in = make([]int32, slots*l.turns)
		for s, other := range order {
			l.tie(int32(s), int32(other), l.anyTurn(random))
		}
		return l
	}
	for len(order) > 1 {
		l.join(int32(order[0]), int32(order[1]), l.anyTurn(random))
		order = order[2:]
	}
	if len(order) == 1 {
		l.alone(int32(order[0]))
	}
	return l
}

func (l *lift) anyTurn(random *rand.Rand) int32 { return int32(random.IntN(l.turns)) }

// node returns the node of a slot, moved by the given turns.
func (l *lift) node(slot, turns int32) int32 { return turns*int32(l.width) + slot/int32(l.degree) }

// place returns the index in out and in of a slot, moved by the given turns.
func (l *lift) place(slot, turns int32) int {
	return int(l.node(slot, turns))*l.degree + int(slot)%l.degree
}

// tie sets up a one-way circuit from one slot to another that is ahead by the given turns.
func (l *lift) tie(from, to, ahead int32) {
	l.ends[from] = end{to, ahead}
	for t := range int32(l.turns) {
		at := (t + ahead) % int32(l.turns)
		l.out[l.place(from, t)] = l.node(to, at)
		l.in[l.place(to, at)] = l.node(from, t)
	}
}

// join sets up a two-way circuit between two slots.
func (l *lift) join(a, b, ahead int32) {
	turns := int32(l.turns)
	l.ends[a], l.ends[b] = end{b, ahead}, end{a, (turns - ahead) % turns}
	for t := range turns {
		at := (t + ahead) % turns
		l.out[l.place(a, t)] = l.node(b, at)
		l.out[l.place(b, at)] = l.node(a, t)
	}
}

// alone connects a slot to itself half-way round the circle, or to nothing if the number of
// turns is odd.
func (l *lift) alone(a int32) {
	turns := int32(l.turns)
	l.ends[a] = end{a, turns / 2}
	for t := range turns {
		to := int32(empty)
		if turns%2 == 0 {
			to = l.node(a, (t+turns/2)%turns)
		}
		l.out[l.place(a, t)] = to
	}
}

// set restores an end, and with it the other end of its circuit.
func (l *lift) set(a int32, e end) {
	switch {
	case !l.twoWay:
		l.tie(a, e.slot, e.turns)
	case e.slot == a:
		l.alone(a)
	default:
		l.join(a, e.slot, e.turns)
	}
}

// change is what undo needs to reverse an exchange.
type change struct {
	slots [2]int32
	was   [2]end
}

// undo reverses an exchange.
func (l *lift) undo(c change) {
	for i, s := range c.slots {
		l.set(s, c.was[i])
	}
}

// exchange swaps an end between two random circuits, and rotates both at random. It reports
// false if it has changed nothing.
func (l *lift) exchange(random *rand.Rand) (change, bool) {
	slots := len(l.ends)
	a, b := int32(random.IntN(slots)), int32(random.IntN(slots))
	ea, eb := l.ends[a], l.ends[b]
	c := change{[2]int32{a, b}, [2]end{ea, eb}}
	s, t := l.anyTurn(random), l.anyTurn(random)
	if !l.twoWay {
		if a == b && l.turns == 1 {
			return c, false
		}
		l.tie(a, eb.slot, s)
		if a != b {
			l.tie(b, ea.slot, t)
		}
		return c, true
	}
	switch {
	case a == b || ea.slot == b: // one circuit
		if l.turns == 1 || ea.slot == a || eb.slot == b {
			return c, false
		}
		c.slots[1], c.was[1] = a, ea
		l.join(a, ea.slot, s)
	case ea.slot == a && eb.slot == b:
		return c, false
	case ea.slot == a: // the slot that was alone gets the circuit
		l.join(a, eb.slot, s)
		l.alone(b)
	case eb.slot == b:
		l.join(ea.slot, b, s)
		l.alone(a)
	default:
		l.join(a, eb.slot, s)
		l.join(b, ea.slot, t)
	}
	return c, true
}

// loops reports whether a circuit leads from a node to itself.
func (l *lift) loops() bool {
	for s, e := range l.ends {
		if e.turns == 0 && int(e.slot)/l.degree == s/l.degree && (!l.twoWay || int(e.slot) != s) {
			return true
		}
	}
	return false
}

// graph returns the graph. A slot without a circuit becomes a circuit from its node to itself.
func (l *lift) graph() *topology.Graph {
	var edges []topology.Edge
	for place, v := range l.out {
		u := place / l.degree
		if v == empty {
			v = int32(u)
		}
		edges = append(edges, topology.Edge{From: u, To: int(v), Count: 1})
	}
	return topology.New(l.width*l.turns, "", edges)
}
