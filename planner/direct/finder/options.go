package finder

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
)

// Errors that callers can tell apart with errors.Is.
var (
	// ErrInvalid: nodes, a degree or options for which no search is possible.
	ErrInvalid = errors.New("finder: invalid search")
	// ErrNone: there is no topology of that size and degree.
	ErrNone = errors.New("finder: no such topology")
)

// Options say what to search for. The zero value asks for one-way topologies on which an
// allgather is fast.
type Options struct {
	// Op is the collective. An allreduce is a reduce-scatter followed by an allgather.
	Op bfb.Op
	// Bidirectional asks for topologies in which every circuit has a partner the other
	// way, so that they can be built from two-way circuits.
	Bidirectional bool
	// Tries is the number of sets of jumps to try for circulants of a size, with more below a
	// thousand nodes; 0 means DefaultTries. More tries find smaller diameters at some sizes.
	Tries int
	// Seed selects the sets of jumps if there are too many to try all.
	Seed uint64
	// Families, if not nil, has more families of topologies (topology.Family.Members).
	Families *topology.Registry
	// Alike, if above 0, leaves out graphs of more than Alike nodes that do not look the same
	// from every node, unless a theorem gives their cost: computing a broadcast on such a graph
	// takes the square of its nodes.
	Alike int
	// Circulant asks for circulants only, which look the same from every node under rotations.
	Circulant bool
	// Unstored leaves out the graphs that were searched for and stored (package stored), and
	// short searches for others. It gives what such graphs are compared with.
	Unstored bool
	// Progress, if not nil, is called while a schedule on a graph is being computed, with the
	// number of nodes done, never by two goroutines at once.
	Progress func(expr string, done, total int)
}

// DefaultTries is a compromise: among the sizes up to 2000 that were compared, ten times as
// many tries save one step at about one size in five, and never more.
const DefaultTries = 400

// MaxTries bounds Options.Tries, so that no product with it overflows.
const MaxTries = 1 << 30

// options are the Options that change the result.
type options struct {
	op            bfb.Op
	bidirectional bool
	tries         int
	seed          uint64
	alike         int
	circulant     bool
	unstored      bool
}

func (o Options) fixed() options {
	o.Tries = cmp.Or(o.Tries, DefaultTries)
	return options{o.Op, o.Bidirectional, o.Tries, o.Seed, o.Alike, o.Circulant, o.Unstored}
}

// halves returns how many allgathers and reduce-scatters the collective consists of.
func (o Options) halves() int {
	if o.Op == bfb.AllReduce {
		return 2
	}
	return 1
}

func (o Options) validate() error {
	switch {
	case o.Op < bfb.AllGather || o.Op > bfb.AllReduce:
		return fmt.Errorf("%w: unknown operation %d", ErrInvalid, int(o.Op))
	case o.Tries < 0 || o.Tries > MaxTries:
		return fmt.Errorf("%w: %d tries, want 1 to 2^30, or 0 for the default", ErrInvalid, o.Tries)
	}
	return nil
}

func noTopology(n, degree int) error {
	return fmt.Errorf("%w: two-way circuits cannot join %d nodes of degree %d", ErrNone, n, degree)
}

// checkSize reports what is wrong with the size of a topology.
func checkSize(n, degree int) error {
	switch {
	case n < 2 || n > topology.MaxNodes:
		return fmt.Errorf("%w: %d nodes, want 2 to %d", ErrInvalid, n, topology.MaxNodes)
	case degree < 1 || degree > topology.MaxCircuits/n:
		return fmt.Errorf("%w: degree %d, want 1 to %d with %d nodes", ErrInvalid, degree, topology.MaxCircuits/n, n)
	}
	return nil
}
