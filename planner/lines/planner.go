package lines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Name is the name of the planner, and of the algorithm in its plans.
const Name = "lines"

// Line is an operation on a flat fabric, a line of a grid. Stays asks for a plan that does not
// reconfigure.
type Line struct {
	Op     collective.Op
	Size   units.Bytes
	Fabric fabric.Fabric
	Stays  bool
}

// Finder finds a plan for a line.
type Finder func(ctx context.Context, l Line) (*plan.Plan, error)

// New returns the planner. It asks find for the plans of lines.
func New(find Finder) planner.Planner { return composer{find} }

type composer struct{ find Finder }

func (composer) Name() string { return Name }
func (composer) About() string {
	return "on grids of switches: plans for the lines of all digits at once, pieces of the data taking digits in rotated orders"
}

// Traits implements planner.Described.
func (x composer) Traits() planner.Traits {
	return planner.Traits{Applies: applies, Composes: &planner.Composer{Algorithm: Name, Supports: supports}}
}

// applies reports why the planner makes no plan on a fabric.
func applies(f *fabric.Fabric) error {
	switch g := gridOf(f); {
	case g == nil:
		return fmt.Errorf("switches are not a grid")
	case !f.Avoid.IsZero() || !f.Links.IsZero() || f.Ports < f.AllPorts():
		return fmt.Errorf("lines of the grid differ")
	case !startsAnew(f):
		return fmt.Errorf("circuits are up at the start")
	}
	return nil
}

// supports reports why the planner cannot do an operation, or nil.
func supports(c *collective.Collective, f *fabric.Fabric) error {
	if err := applies(f); err != nil {
		return err
	}
	if phases(c.Op, 2) == nil {
		return fmt.Errorf("planner %s does not do %s", Name, c.Op)
	}
	if c.Space.Members != nil || c.Space.Sizes != nil {
		return fmt.Errorf("planner %s is for all GPUs, each with the same", Name)
	}
	return nil
}

// Plan implements planner.Planner.
func (x composer) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	s := &search{composer: x, request: &r, grid: gridOf(&r.Fabric), known: map[string]found{}}
	var reason error
	for _, way := range phases(r.Collective.Op, len(s.sides)) {
		for _, sizes := range divisions(s.grid, way) {
			for _, stays := range []bool{true, false} {
				made, err := s.plan(ctx, way, sizes, stays)
				switch {
				case ctx.Err() != nil:
					return nil, ctx.Err()
				case errors.Is(err, planner.ErrInfeasible), errors.Is(err, planner.ErrBeyond):
					reason = err
				case err != nil:
					return nil, err
				case s.best == nil || made.Cost.Total() < s.best.Cost.Total():
					s.best = made
				}
			}
		}
	}
	if s.best == nil {
		return nil, reason
	}
	return s.best, nil
}

// search is a search for the plan of a request.
type search struct {
	composer
	*grid
	request *planner.Request
	known   map[string]found // plans of lines
	best    *plan.Plan
}

type found struct {
	plan *plan.Plan
	err  error
}

// plan makes the plan of a sequence of visits, with pieces of the given sizes.
func (s *search) plan(ctx context.Context, way []visit, sizes []int, stays bool) (*plan.Plan, error) {
	up := make([]*topology.Graph, len(s.sides)) // at the end of what has been planned for a digit
	all := make([][]part, len(way))
	total := units.Time(0)
	for i, v := range way {
		longest := units.Time(0)
		for piece, size := range sizes {
			if size == 0 {
				continue
			}
			p := part{visit: v, piece: piece, digit: s.digit(piece, v.turn)}
			share := v.share(s.grid, piece) * float64(size) / float64(arithmetic.Sum(sizes))
			line := Line{Op: v.op, Size: max(1, units.Bytes(share*float64(s.request.Size))), Fabric: s.line(&s.request.Fabric, p.digit), Stays: stays}
			if up[p.digit] != nil {
				line.Fabric.Initial = topology.EdgesOf(up[p.digit]).String()
			}
			var err error
			if p.plan, err = s.of(ctx, line); err != nil {
				return nil, err
			}
			up[p.digit] = p.plan.Stages[len(p.plan.Stages)-1].Topology
			all[i] = append(all[i], p)
			longest = max(longest, p.plan.Cost.Total())
		}
		// A phase takes at least as long as the longest plan in it.
		if total += longest; s.best != nil && planner.Above(total, s.best.Cost.Total()) {
			return nil, &planner.Beyond{Least: total}
		}
	}
	c, err := compose(ctx, s.grid, s.request.Collective.Op, sizes, all)
	if err != nil {
		return nil, err
	}
	return c.plan(ctx, s.request, about(all))
}

// of returns the plan of a line.
func (s *search) of(ctx context.Context, l Line) (*plan.Plan, error) {
	key := fmt.Sprint(l.Op, l.Size, l.Fabric.Nodes, l.Fabric.Ports, l.Fabric.Initial, l.Stays)
	if f, ok := s.known[key]; ok {
		return f.plan, f.err
	}
	made, err := s.find(ctx, l)
	if err == nil {
		err = Usable(made)
	}
	s.known[key] = found{made, err}
	return made, err
}

// about names the algorithms that the lines use.
func about(phases [][]part) string {
	var words []string
	for _, phase := range phases {
		for _, p := range phase {
			if word := p.plan.Collective.Algorithm; !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return strings.Join(words, ", ")
}
