package collective

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrUnsupported marks an algorithm that cannot do an operation, a number of nodes, a
// number of ports or an option.
var ErrUnsupported = errors.New("not supported")

// Algorithm is a way to carry out one or more operations.
type Algorithm struct {
	Name    string
	About   string // one line
	Ops     []Op
	Sizes   string   // the numbers of nodes it can do, in words
	Ports   string   // how it uses several ports, in words
	Options []Option // what may follow its name

	// check reports why the shape does not fit, having filled in the algorithm's own
	// choice of options.
	check func(op Op, s *Shape) error
	// build lays out a shape that check has passed.
	build func(op Op, s Shape) *Collective
	// divide is in place of build where that takes so long that it must be possible to end it.
	divide func(ctx context.Context, s Shape) (*Collective, error)
	own    bool // made by Own: what it lays out is checked
	// pieces returns the least and the most pieces of an algorithm that has OptionParts, and
	// the trees of a pipeline that they go down; nil where they go otherwise.
	pieces func(op Op, s Shape) (least, most int, trees []tree)
}

// MinNodes is the smallest number of nodes of a collective.
const MinNodes = 2

// Algorithms lists every built-in algorithm.
func Algorithms() []Algorithm { return (*Registry)(nil).Algorithms() }

// For lists the built-in algorithms that can do op on a shape, usually one without options.
func For(op Op, s Shape) []Algorithm { return (*Registry)(nil).For(op, s) }

// unsupported is an ErrUnsupported in its own words.
type unsupported string

func (u unsupported) Error() string        { return string(u) }
func (u unsupported) Is(target error) bool { return target == ErrUnsupported }

// Supports reports why the algorithm cannot do op on a shape, or nil. The reason is
// an ErrUnsupported.
func (a Algorithm) Supports(op Op, s Shape) error { return a.settle(op, &s) }

// settle fills in the options that the shape leaves open.
func (a Algorithm) settle(op Op, s *Shape) error {
	switch {
	case !slices.Contains(a.Ops, op):
		return unsupported(fmt.Sprintf("algorithm %s does %s, not %s", a.Name, joinOps(a.Ops, ", "), op))
	case s.Nodes < MinNodes:
		return unsupported(fmt.Sprintf("algorithm %s needs %s, not %d", a.Name, a.Sizes, s.Nodes))
	case s.Ports < 1:
		return unsupported(fmt.Sprintf("algorithm %s needs a port, not %d", a.Name, s.Ports))
	}
	if err := a.check(op, s); err != nil {
		return unsupported(fmt.Sprintf("algorithm %s needs %v", a.Name, err))
	}
	return nil
}

// New lays out a built-in algorithm for a number of nodes with a number of ports each. The
// algorithm is a name, or a name with options such as swing:8x8.
func New(op Op, algorithm string, nodes, ports int) (*Collective, error) {
	return (*Registry)(nil).New(op, algorithm, nodes, ports)
}

// The checks that several algorithms share. An error reads on after "needs ".

func anyNodes(Op, *Shape) error { return nil }

func powerOfTwoNodes(_ Op, s *Shape) error {
	if s.Nodes&(s.Nodes-1) != 0 {
		return fmt.Errorf("%s, not %d", powerOfTwoWords, s.Nodes)
	}
	return nil
}

const (
	anySizeWords    = "2 or more nodes"
	powerOfTwoWords = "a power of two nodes (2, 4, 8, ..)"
	onePortWords    = "one peer at a time; more ports only widen its circuits"
)

// halves puts the two halves of an allreduce together as op asks for.
func halves(op Op, space Space, scatter, gather []Step) *Collective {
	c := &Collective{Space: space}
	switch op {
	case ReduceScatter:
		c.Steps = scatter
	case AllGather:
		c.Steps = gather
	default:
		c.Steps = append(scatter, gather...)
	}
	return c
}
