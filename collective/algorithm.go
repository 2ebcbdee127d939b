package collective

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrUnsupported marks an algorithm that cannot do an operation or a number of nodes.
var ErrUnsupported = errors.New("not supported")

// Algorithm is a way to carry out one or more operations.
type Algorithm struct {
	Name  string
	About string // one line
	Ops   []Op
	Sizes string // the numbers of nodes it can do, in words

	fits  func(n int) bool
	build func(op Op, n int) *Collective
}

// MinNodes is the smallest collective: one node has nobody to talk to.
const MinNodes = 2

var algorithms = []Algorithm{
	ringAlgorithm,
	recursiveDoublingAlgorithm,
	halvingDoublingAlgorithm,
	swingAlgorithm,
	shiftAlgorithm,
	directAlgorithm,
	binomialAlgorithm,
}

// Algorithms lists every algorithm.
func Algorithms() []Algorithm { return slices.Clone(algorithms) }

// For lists the algorithms that can do op on n nodes.
func For(op Op, n int) []Algorithm {
	var able []Algorithm
	for _, a := range algorithms {
		if a.Supports(op, n) == nil {
			able = append(able, a)
		}
	}
	return able
}

// unsupported is an ErrUnsupported in its own words.
type unsupported string

func (u unsupported) Error() string        { return string(u) }
func (u unsupported) Is(target error) bool { return target == ErrUnsupported }

// Supports reports why the algorithm cannot do op on n nodes, or nil. The reason is
// an ErrUnsupported.
func (a Algorithm) Supports(op Op, n int) error {
	if !slices.Contains(a.Ops, op) {
		return unsupported(fmt.Sprintf("algorithm %s does %s, not %s", a.Name, joinOps(a.Ops, ", "), op))
	}
	if n < MinNodes || !a.fits(n) {
		return unsupported(fmt.Sprintf("algorithm %s needs %s, not %d", a.Name, a.Sizes, n))
	}
	return nil
}

// New lays the named algorithm out for n nodes.
func New(op Op, algorithm string, n int) (*Collective, error) {
	i := slices.IndexFunc(algorithms, func(a Algorithm) bool { return a.Name == algorithm })
	if i < 0 {
		return nil, fmt.Errorf("unknown algorithm %q; %s", algorithm, able(op, n))
	}
	a := algorithms[i]
	if err := a.Supports(op, n); err != nil {
		return nil, fmt.Errorf("%w; %s", err, able(op, n))
	}
	c := a.build(op, n)
	c.Op, c.Algorithm, c.Nodes = op, a.Name, n
	return c, nil
}

func able(op Op, n int) string {
	list := For(op, n)
	if len(list) == 0 {
		return fmt.Sprintf("none does %s on %d nodes", op, n)
	}
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	return fmt.Sprintf("for %s on %d nodes use %s", op, n, strings.Join(names, ", "))
}

func anySize(int) bool { return true }

func powerOfTwo(n int) bool { return n&(n-1) == 0 }

const (
	anySizeWords    = "2 or more nodes"
	powerOfTwoWords = "a power of two nodes (2, 4, 8, ..)"
)

var reductions = []Op{AllReduce, ReduceScatter, AllGather}

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
