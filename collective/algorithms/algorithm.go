package algorithms

import (
	"context"
	"errors"
	"fmt"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms/pipelines"
	"slices"
)

// ErrUnsupported marks an algorithm that cannot do an operation, a number of nodes, a
// number of ports or an option.
var ErrUnsupported = errors.New("not supported")

// Algorithm is a way to carry out one or more operations.
type Algorithm struct {
	Name    string
	About   string // one line
	Ops     []collective.Op
	Sizes   string              // the numbers of nodes it can do, in words
	Ports   string              // how it uses several ports, in words
	Options []collective.Option // what may follow its name

	// Direct: all send at once, straight to where it belongs. It is the simplest algorithm of its
	// operations, which others are compared with.
	Direct bool
	// Doubling: on one port, nodes are twice as far apart in every step of its first half, and half
	// as far in the second. Planners may know the best circuits in closed form.
	Doubling bool

	// check reports why the shape does not fit, having filled in the algorithm's own
	// choice of options.
	check func(op collective.Op, s *collective.Shape) error
	// build lays out a shape that check has passed.
	build func(op collective.Op, s collective.Shape) *collective.Collective
	// divide is in place of build where that takes so long that it must be possible to end it.
	divide func(ctx context.Context, s collective.Shape) (*collective.Collective, error)
	own    bool // made by Own: what it lays out is checked
	// pieces returns the least and the most pieces of an algorithm that has OptionParts, and
	// the trees of a pipeline that they go down; nil where they go otherwise.
	pieces func(op collective.Op, s collective.Shape) (least, most int, trees []pipelines.Tree)
}

// Algorithms lists every built-in algorithm.
func Algorithms() []Algorithm { return (*Registry)(nil).Algorithms() }

// Direct returns the name of the built-in algorithm of an operation in which all send at once,
// straight to where it belongs; "" if there is none.
func Direct(op collective.Op) string {
	for _, a := range Algorithms() {
		if a.Direct && slices.Contains(a.Ops, op) {
			return a.Name
		}
	}
	return ""
}

// Doubles reports whether a name is that of a built-in algorithm with trait Doubling.
func Doubles(name string) bool {
	return slices.ContainsFunc(Algorithms(), func(a Algorithm) bool { return a.Doubling && a.Name == name })
}

// For lists the built-in algorithms that can do op on a shape, usually one without options.
func For(op collective.Op, s collective.Shape) []Algorithm { return (*Registry)(nil).For(op, s) }

// unsupported is an ErrUnsupported in its own words.
type unsupported string

func (u unsupported) Error() string        { return string(u) }
func (u unsupported) Is(target error) bool { return target == ErrUnsupported }

// Supports reports why the algorithm cannot do op on a shape, or nil. The reason is
// an ErrUnsupported.
func (a Algorithm) Supports(op collective.Op, s collective.Shape) error { return a.settle(op, &s) }

// settle fills in the options that the shape leaves open.
func (a Algorithm) settle(op collective.Op, s *collective.Shape) error {
	switch {
	case !slices.Contains(a.Ops, op):
		return unsupported(fmt.Sprintf("algorithm %s does %s, not %s", a.Name, collective.JoinOps(a.Ops, ", "), op))
	case s.Nodes < collective.MinNodes:
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
func New(op collective.Op, algorithm string, nodes, ports int) (*collective.Collective, error) {
	return (*Registry)(nil).New(op, algorithm, nodes, ports)
}

// The checks that several algorithms share. An error reads on after "needs ".

func anyNodes(collective.Op, *collective.Shape) error { return nil }

func powerOfTwoNodes(_ collective.Op, s *collective.Shape) error {
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
func halves(op collective.Op, space collective.Space, scatter, gather []collective.Step) *collective.Collective {
	c := &collective.Collective{Space: space}
	switch op {
	case collective.ReduceScatter:
		c.Steps = scatter
	case collective.AllGather:
		c.Steps = gather
	default:
		c.Steps = append(scatter, gather...)
	}
	return c
}
