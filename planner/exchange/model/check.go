package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrInvalid says that a schedule breaks a rule of the model. It is wrapped with the
// stage, the slot and the chunk.
var ErrInvalid = errors.New("exchange: invalid schedule")

// Check verifies a schedule: topologies fit the ports and are two-way if required, no circuit
// carries two chunks in a slot, chunks move from where they are, one hop per slot, and all of the
// demand ends where it should. It does not depend on how schedules are made. A symmetric schedule
// takes O(n + moves of the chunks of node 0), any other O(chunks + circuits + moves).
func (s *Schedule) Check(demand Demand) error {
	c, err := newChecker(s, demand)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	for i := range s.Stages {
		if err := c.stage(i); err != nil {
			return fmt.Errorf("%w: stage %d: %w", ErrInvalid, i, err)
		}
	}
	if err := c.arrived(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}

// checker follows the chunks through one stage after the other.
type checker struct {
	*Schedule
	first []int   // number of the first chunk of each pair
	at    []int32 // where each chunk is
	ready []int32 // first slot of the stage in which it can move on

	until []int32  // symmetric: first slot in which a port is free
	under []flight // otherwise: the runs that move in slot now, whose circuits are not yet taken
	now   int32
	taken [][]int32 // last slot, counted from 1, in which the circuit of a port and node was taken
}

// flight is a run in progress.
type flight struct {
	Run
	id int
}

func newChecker(s *Schedule, demand Demand) (*checker, error) {
	n := s.Nodes
	if n != demand.Nodes() {
		return nil, fmt.Errorf("for %d nodes, the demand for %d", n, demand.Nodes())
	}
	if s.Ports < 1 {
		return nil, fmt.Errorf("%d ports, want 1 or more", s.Ports)
	}
	c := &checker{Schedule: s}
	origins := n
	if s.Symmetric() {
		if _, equal := demand.Each(); !equal {
			return nil, errors.New("symmetric, but pairs differ in demand")
		}
		if err := s.Group.check(n); err != nil {
			return nil, err
		}
		origins = 1
	}
	c.first = make([]int, origins*n+1)
	for pair := range origins * n {
		count := demand.Count(pair/n, pair%n)
		c.first[pair+1] = c.first[pair] + count
		for range count {
			c.at = append(c.at, int32(pair/n))
		}
	}
	c.ready = make([]int32, len(c.at))
	return c, nil
}

// stage checks one stage.
func (c *checker) stage(i int) error {
	st := &c.Stages[i]
	if err := c.topology(st); err != nil {
		return err
	}
	if st.Slots < 0 || st.Slots > math.MaxInt32 {
		return fmt.Errorf("%d slots, want 0 to %d", st.Slots, math.MaxInt32)
	}
	if c.Duplex && !c.Graph(i).Bidirectional() {
		return errors.New("some circuit has no partner the other way")
	}
	c.begin(st)
	for _, r := range st.Runs {
		if err := c.run(st, r); err != nil {
			return fmt.Errorf("slot %d: chunk %d of %d for %d: %w", r.Slot, r.Index, r.Origin, r.Dest, err)
		}
	}
	return c.advance(st, int32(st.Slots))
}

// begin resets what depends on the stage.
func (c *checker) begin(st *Stage) {
	clear(c.ready)
	c.until = make([]int32, len(st.Generators))
	c.taken = make([][]int32, len(st.Circuits))
	for p := range c.taken {
		c.taken[p] = make([]int32, c.Nodes)
	}
	c.now = 0
}

// topology checks that the circuits of a stage fit the ports.
func (c *checker) topology(st *Stage) error {
	if c.Symmetric() {
		if len(st.Generators) > c.Ports || len(st.Circuits) > 0 {
			return fmt.Errorf("%d generators, want at most %d and no other circuits", len(st.Generators), c.Ports)
		}
		for _, g := range st.Generators {
			if g <= 0 || g >= c.Nodes {
				return fmt.Errorf("generator %d, want 1 to %d", g, c.Nodes-1)
			}
		}
		return nil
	}
	if len(st.Circuits) > c.Ports || len(st.Generators) > 0 {
		return fmt.Errorf("circuits of %d ports, want at most %d and no generators", len(st.Circuits), c.Ports)
	}
	for p, next := range st.Circuits {
		if err := c.permutation(next); err != nil {
			return fmt.Errorf("port %d: %w", p, err)
		}
	}
	return nil
}

// permutation checks the circuits of one port.
func (c *checker) permutation(next []int) error {
	if len(next) != c.Nodes {
		return fmt.Errorf("%d nodes, want %d", len(next), c.Nodes)
	}
	taken := make([]bool, c.Nodes)
	for u, v := range next {
		if v == -1 {
			continue
		}
		if v < 0 || v >= c.Nodes || taken[v] {
			return fmt.Errorf("circuit from %d to %d, want a node that is not taken, or -1", u, v)
		}
		taken[v] = true
	}
	return nil
}

// run checks one run and moves its chunk, or leaves that to advance.
func (c *checker) run(st *Stage, r Run) error {
	id, err := c.number(r.Chunk)
	if err != nil {
		return err
	}
	switch {
	case r.Slot < c.now:
		return fmt.Errorf("comes after slot %d", c.now)
	case r.Port < 0 || int(r.Port) >= st.ports():
		return fmt.Errorf("port %d, want 0 to %d", r.Port, st.ports()-1)
	case r.Hops < 1 || int(r.Slot)+int(r.Hops) > st.Slots:
		return fmt.Errorf("%d hops in a stage of %d slots", r.Hops, st.Slots)
	case r.Slot < c.ready[id]:
		return fmt.Errorf("is on its way until slot %d", c.ready[id])
	}
	if err := c.advance(st, r.Slot); err != nil {
		return err
	}
	if r.From != c.at[id] {
		return fmt.Errorf("leaves node %d, but is at %d", r.From, c.at[id])
	}
	c.ready[id] = r.Slot + r.Hops
	if c.Symmetric() {
		return c.together(id, st.Generators[r.Port], r)
	}
	c.under = append(c.under, flight{Run: r, id: id})
	return nil
}

// together moves a chunk that stands for one of every node. Together these use all circuits of
// the port.
func (c *checker) together(id, generator int, r Run) error {
	if r.Slot < c.until[r.Port] {
		return fmt.Errorf("port %d is taken until slot %d", r.Port, c.until[r.Port])
	}
	c.until[r.Port] = r.Slot + r.Hops
	for range r.Hops {
		c.at[id] = int32(c.Group.Multiply(int(c.at[id]), generator))
	}
	return nil
}

// advance moves the runs in progress, slot by slot, up to the given slot exclusively.
func (c *checker) advance(st *Stage, slot int32) error {
	for ; c.now < slot && len(c.under) > 0; c.now++ {
		for _, f := range c.under {
			if err := c.hop(st, f); err != nil {
				return fmt.Errorf("slot %d: chunk %d of %d for %d: %w", c.now, f.Index, f.Origin, f.Dest, err)
			}
		}
		c.under = slices.DeleteFunc(c.under, func(f flight) bool { return f.Slot+f.Hops == c.now+1 })
	}
	c.now = slot
	return nil
}

// hop moves a chunk over one circuit.
func (c *checker) hop(st *Stage, f flight) error {
	u := c.at[f.id]
	next := st.Circuits[f.Port][u]
	if next < 0 {
		return fmt.Errorf("port %d of node %d has no circuit", f.Port, u)
	}
	if last := &c.taken[f.Port][u]; *last > c.now {
		return fmt.Errorf("port %d of node %d carries another chunk", f.Port, u)
	} else {
		*last = c.now + 1
	}
	c.at[f.id] = int32(next)
	return nil
}

// number returns the number of a chunk of the demand.
func (c *checker) number(k Chunk) (int, error) {
	n := c.Nodes
	if k.Origin < 0 || int(k.Origin) >= n || k.Dest < 0 || int(k.Dest) >= n || c.Symmetric() && k.Origin != 0 {
		return 0, errors.New("no such pair")
	}
	pair := int(k.Origin)*n + int(k.Dest)
	if count := c.first[pair+1] - c.first[pair]; k.Index < 0 || int(k.Index) >= count {
		return 0, fmt.Errorf("the pair has %d", count)
	}
	return c.first[pair] + int(k.Index), nil
}

// arrived checks that all chunks are at their destinations.
func (c *checker) arrived() error {
	n := c.Nodes
	for pair := range len(c.first) - 1 {
		for id := c.first[pair]; id < c.first[pair+1]; id++ {
			if int(c.at[id]) != pair%n {
				return fmt.Errorf("chunk %d of %d for %d ends at %d", id-c.first[pair], pair/n, pair%n, c.at[id])
			}
		}
	}
	return nil
}
