package model

import (
	"iter"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
)

// MaxNodes bounds the nodes of a problem, so that chunks of an all-to-all can be
// numbered by an int32.
const MaxNodes = 1 << 15

// Schedule is a sequence of topologies and what moves over their circuits.
type Schedule struct {
	Nodes, Ports int
	// Duplex says that every circuit has a partner the other way.
	Duplex bool
	// Strategy is the name of the strategy that made it.
	Strategy string
	// Group is the group of a symmetric schedule, and zero otherwise. A symmetric schedule
	// lists only the chunks whose origin is node 0: the chunk from u to u*o moves like the
	// one from 0 to o, over nodes u*v in place of v. Its stages have Generators.
	Group  Group
	Stages []Stage
}

// Stage is a topology and the moves while it is up.
type Stage struct {
	// Generators define the topology of a symmetric schedule: port p of every node u has a
	// circuit to u*Generators[p], which is u+Generators[p] mod Nodes for rotations. None is 0.
	Generators []int
	// Circuits are the topology of any other schedule: port p of node u has a circuit to
	// Circuits[p][u], or none if that is -1. No node occurs twice in Circuits[p].
	Circuits [][]int
	// Slots is the number of slots that the stage takes.
	Slots int
	// Runs are the moves. Invariant: in ascending order of Slot.
	Runs []Run
}

// Chunk is one of the pieces of data that Origin has for Dest, the first being
// number 0.
type Chunk struct {
	Origin, Dest, Index int32
}

// Run is a chunk that leaves node From over the circuit of port Port in slot Slot and
// goes on over circuits of the same port for Hops hops, one slot each.
type Run struct {
	Chunk
	From, Port, Slot, Hops int32
}

// Move is a chunk that goes from Src to Dst over a circuit of port Port.
type Move struct {
	Chunk
	Src, Dst, Port int
}

// Symmetric reports whether the schedule lists the chunks of node 0 only.
func (s *Schedule) Symmetric() bool { return s.Group != Group{} }

// ports returns the number of ports that a stage uses.
func (st *Stage) ports() int { return max(len(st.Generators), len(st.Circuits)) }

// Slots returns the number of slots of all stages.
func (s *Schedule) Slots() int {
	sum := 0
	for i := range s.Stages {
		sum += s.Stages[i].Slots
	}
	return sum
}

// Cost returns the time that the schedule takes when a topology takes r to set up and
// a slot lasts t.
func (s *Schedule) Cost(r, t float64) float64 {
	return Cost(len(s.Stages), s.Slots(), r, t)
}

// Cost is the cost of d stages that take the given number of slots.
func Cost(d, slots int, r, t float64) float64 {
	return float64(float64(d)*r) + float64(float64(slots)*t)
}

// Next returns where the circuit of a port leads from node u in a stage, or -1.
func (s *Schedule) Next(stage, port, u int) int {
	st := &s.Stages[stage]
	if !s.Symmetric() {
		return st.Circuits[port][u]
	}
	return s.Group.Multiply(u, st.Generators[port])
}

// Graph returns the topology of a stage.
func (s *Schedule) Graph(stage int) *topology.Graph {
	st := &s.Stages[stage]
	edges := make([]topology.Edge, 0, st.ports()*s.Nodes)
	for p := range st.ports() {
		for u := range s.Nodes {
			if v := s.Next(stage, p, u); v >= 0 {
				edges = append(edges, topology.Edge{From: u, To: v, Count: 1})
			}
		}
	}
	return topology.New(s.Nodes, "", edges)
}

// Moves yields the slots of a stage with what moves in them. The slice is reused. In
// a symmetric schedule these are the moves of the chunks of node 0.
func (s *Schedule) Moves(stage int) iter.Seq2[int, []Move] {
	return func(yield func(int, []Move) bool) {
		st := &s.Stages[stage]
		var moves []Move
		var under []Run // runs in progress; From is where the chunk is now
		next := 0
		for slot := range st.Slots {
			for ; next < len(st.Runs) && int(st.Runs[next].Slot) == slot; next++ {
				under = append(under, st.Runs[next])
			}
			moves = moves[:0]
			for i := range under {
				r := &under[i]
				dst := s.Next(stage, int(r.Port), int(r.From))
				moves = append(moves, Move{Chunk: r.Chunk, Src: int(r.From), Dst: dst, Port: int(r.Port)})
				r.From = int32(dst)
			}
			under = slices.DeleteFunc(under, func(r Run) bool { return int(r.Slot+r.Hops) == slot+1 })
			if !yield(slot, moves) {
				return
			}
		}
	}
}

// Expand returns the schedule with all chunks listed and all circuits spelt out.
func (s *Schedule) Expand() *Schedule {
	if !s.Symmetric() {
		return s
	}
	out := *s
	out.Group, out.Stages = Group{}, make([]Stage, len(s.Stages))
	for i, st := range s.Stages {
		wide := Stage{Slots: st.Slots, Runs: make([]Run, 0, len(st.Runs)*s.Nodes)}
		for p := range st.Generators {
			next := make([]int, s.Nodes)
			for u := range next {
				next[u] = s.Next(i, p, u)
			}
			wide.Circuits = append(wide.Circuits, next)
		}
		for _, r := range st.Runs {
			for u := range s.Nodes {
				wide.Runs = append(wide.Runs, r.moved(s.Group, u))
			}
		}
		out.Stages[i] = wide
	}
	return &out
}

// moved returns the run of the chunk that has origin u instead of node 0.
func (r Run) moved(g Group, u int) Run {
	r.Origin = int32(u)
	r.Dest = int32(g.Multiply(u, int(r.Dest)))
	r.From = int32(g.Multiply(u, int(r.From)))
	return r
}

// SortRuns puts the runs of a stage in order. Runs of one slot are ordered by port and
// node, so that the order does not depend on how they were found.
func (st *Stage) SortRuns() {
	slices.SortFunc(st.Runs, func(a, b Run) int {
		if a.Slot != b.Slot {
			return int(a.Slot - b.Slot)
		}
		if a.Port != b.Port {
			return int(a.Port - b.Port)
		}
		return int(a.From - b.From)
	})
}
