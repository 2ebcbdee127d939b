package synthesis

import (
	"context"
	"fmt"

	"github.com/lightpath-net/lightpath/topology"
)

// The default effort of Search. With one port paths are unique, and evaluating a topology takes
// microseconds.
const (
	DefaultEffort        = 2000
	DefaultEffortOnePort = 20_000
)

// searchClasses is the number of classes of arcs up to which Search solves the relaxation. Search
// uses it only as a bound and a screen.
const searchClasses = 64

// Options say how long to search and where to report progress.
type Options struct {
	// Effort is the number of topologies that Search evaluates besides the given ones; 0 is the
	// default for the number of ports. Exact ignores it.
	Effort int
	// Work ends a search once Result.Work reaches it; 0 is no limit. It changes nothing else: a
	// search with more work begins like one with less.
	Work int64
	// Seed chooses the random numbers of Search. The same problem, topologies, effort and
	// seed give the same result unless the context ends the search.
	Seed uint64
	// Progress, if set, is called now and then from the goroutine of the caller.
	Progress func(Progress)
}

// Search looks for a good topology, starting from the given ones and from those that the steps
// suggest, until the effort is used up, the context ends, or the bound proves that none is
// better. The result is never worse than any of the given topologies. If the context ends before
// a topology is found on which all demands have a path, the error is the context's.
//
// The steps suggest a ring, the circuits of each step, all ways to divide the ports among the
// steps, and circuits for the heaviest pairs. Then Search walks among topologies (see walk) with
// the full symmetry of the demands, then among those with half of it, and so on down to none.
// Under a transitive group these are Cayley graphs, circulants for the rotations; if there are few
// enough, all are tried. More symmetry means fewer topologies and smaller linear programs.
func Search(ctx context.Context, p Problem, starts []*topology.Graph, opt Options) (*Result, error) {
	iv, err := newInterval(p)
	if err != nil {
		return nil, err
	}
	for _, g := range starts {
		if err := iv.fits(g); err != nil {
			return nil, err
		}
	}
	if opt.Effort < 0 {
		return nil, fmt.Errorf("%w: an effort of %d is negative", ErrProblem, opt.Effort)
	}
	iv.limit = opt.Work
	s := newSeeker(iv, opt, iv.bounds(ctx, iv.symmetries(), searchClasses))
	if err := s.run(ctx, starts); err != nil {
		return nil, err
	}
	switch {
	case s.best == nil && iv.spent():
		return nil, ErrSpent
	case s.best == nil:
		return nil, ErrInfeasible
	}
	s.progress()
	return newResult(iv, s.best, s.bound, s.tried, s.earlier), nil
}
