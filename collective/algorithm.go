package collective

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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
}

// MinNodes is the smallest collective: one node has nobody to talk to.
const MinNodes = 2

// Algorithms lists every algorithm.
func Algorithms() []Algorithm {
	return slices.Concat(reductionAlgorithms, exchangeAlgorithms, rootedAlgorithms)
}

// For lists the algorithms that can do op on a shape, usually one without options.
func For(op Op, s Shape) []Algorithm {
	var able []Algorithm
	for _, a := range Algorithms() {
		if a.Supports(op, s) == nil {
			able = append(able, a)
		}
	}
	return able
}

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

// New lays an algorithm out for a number of nodes, each of which has a number of
// ports. The algorithm is a name, or a name with options such as swing:8x8.
func New(op Op, algorithm string, nodes, ports int) (*Collective, error) {
	return lay(op, algorithm, Shape{Nodes: nodes, Ports: ports})
}

// lay lays an algorithm out for a shape, to which the options of the algorithm come.
func lay(op Op, algorithm string, shape Shape) (*Collective, error) {
	name, s, given, err := parseSpec(algorithm)
	if err != nil {
		return nil, err
	}
	s.Nodes, s.Ports, s.Demand = shape.Nodes, shape.Ports, shape.Demand
	all := Algorithms()
	i := slices.IndexFunc(all, func(a Algorithm) bool { return a.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown algorithm %q; %s", name, able(op, shape))
	}
	a := all[i]
	for _, option := range given {
		if !slices.Contains(a.Options, option) {
			return nil, unsupported(fmt.Sprintf("algorithm %s has no option %s", name, option))
		}
	}
	if err := a.settle(op, &s); err != nil {
		return nil, fmt.Errorf("%w; %s", err, able(op, shape))
	}
	c := a.build(op, s)
	c.Op, c.Algorithm, c.Nodes = op, s.spec(name, given), s.Nodes
	return c, nil
}

func able(op Op, s Shape) string {
	list := For(op, s)
	if len(list) == 0 {
		return fmt.Sprintf("none does %s on %d nodes", op, s.Nodes)
	}
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	return fmt.Sprintf("for %s on %d nodes use %s", op, s.Nodes, strings.Join(names, ", "))
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
