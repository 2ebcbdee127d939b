package algorithms

import (
	"context"
	"errors"
	"fmt"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms/pipelines"
	"slices"
)

// ErrUnsupported says that an algorithm does not support an operation, a number of nodes, a
// number of ports or an option.
var ErrUnsupported = errors.New("not supported")

// Algorithm is one way to carry out one or more operations.
type Algorithm struct {
	Name    string
	About   string // one line
	Ops     []collective.Op
	Sizes   string              // the numbers of nodes it supports, in words
	Ports   string              // how it uses several ports, in words
	Options []collective.Option // the options that may follow its name

	// Direct says that all nodes send at once, straight to the destination. It is the simplest
	// algorithm for its operations, the one that others are compared with.
	Direct bool

	// check reports why a shape does not fit, after filling in the algorithm's own choice of
	// options.
	check func(op collective.Op, s *collective.Shape) error
	// build lays out a shape that has passed check.
	build func(op collective.Op, s collective.Shape) *collective.Collective
	// divide replaces build if that takes so long that it must be possible to cancel it.
	divide func(ctx context.Context, s collective.Shape) (*collective.Collective, error)
	own    bool // made by Own: its layouts are checked
	// pieces returns the fewest and the most pieces of an algorithm with OptionParts, and the
	// trees of a pipeline; nil if the pieces do not go down trees in a pipeline.
	pieces func(op collective.Op, s collective.Shape) (least, most int, trees []pipelines.Tree)
}

// Algorithms lists every built-in algorithm.
func Algorithms() []Algorithm { return (*Registry)(nil).Algorithms() }

// Direct returns the name of the built-in algorithm of an operation in which all nodes send at
// once, straight to the destination; "" if there is none.
func Direct(op collective.Op) string {
	for _, a := range Algorithms() {
		if a.Direct && slices.Contains(a.Ops, op) {
			return a.Name
		}
	}
	return ""
}

// For lists the built-in algorithms that support op on a shape, usually one without options.
func For(op collective.Op, s collective.Shape) []Algorithm { return (*Registry)(nil).For(op, s) }

// unsupported is an ErrUnsupported with a message of its own.
type unsupported string

func (u unsupported) Error() string        { return string(u) }
func (u unsupported) Is(target error) bool { return target == ErrUnsupported }

// Decomposes reports whether the algorithm divides a demand into matchings, which takes long. Every
// pair's bytes then go directly, and a step has at most one matching for each port.
func (a Algorithm) Decomposes() bool { return a.divide != nil }

// Supports reports why the algorithm does not support op on a shape, or nil. The reason is an
// ErrUnsupported.
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

// New lays out a built-in algorithm for a number of nodes with the given number of ports each.
// The algorithm is a name, possibly with options, such as swing:8x8.
func New(op collective.Op, algorithm string, nodes, ports int) (*collective.Collective, error) {
	return (*Registry)(nil).New(op, algorithm, nodes, ports)
}

// These checks are shared by several algorithms. Their errors continue the words "needs ".

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

// halves combines the two halves of an allreduce as op requires.
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
