package pool

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/synthesis"
)

// EffortPerSecond is the effort that a second of a budget stands for, on every machine: what
// one core of 2025 does in about that time, give or take a factor of three, since some work
// is counted as cheaper than it is.
const EffortPerSecond = 300_000_000

// Found is what was found for intervals of steps. Those that send the same have the same.
type Found struct {
	alike   [][]int // per first and last step: the number of the interval's kind
	Results []*synthesis.Result
	Looked  []bool
}

// NewFound numbers the kinds of intervals: a kind is the classes of its steps. Two
// intervals are alike if they are without their last steps and these are of one class.
func NewFound(w *pricing.Workload) *Found {
	steps := len(w.Steps)
	f := &Found{alike: make([][]int, steps)}
	type kind struct{ shorter, class int }
	kinds := map[kind]int{}
	for first := range steps {
		f.alike[first] = make([]int, steps)
		k := -1
		for last := first; last < steps; last++ {
			next := kind{k, w.ClassOf[last]}
			number, ok := kinds[next]
			if !ok {
				number = len(kinds)
				kinds[next] = number
			}
			f.alike[first][last], k = number, number
		}
	}
	f.Results, f.Looked = make([]*synthesis.Result, len(kinds)), make([]bool, len(kinds))
	return f
}

// Kind is the number of an interval's kind.
func (f *Found) Kind(iv Span) int { return f.alike[iv.First][iv.Last] }

// Span is the steps first..last.
type Span struct{ First, Last int }

// IntervalProblem is an interval of the steps, for a search of topologies whose circuits are all
// as those of a fabric.
func IntervalProblem(w *pricing.Workload, f *fabric.Fabric, iv Span) synthesis.Problem {
	p := synthesis.Problem{
		Nodes: f.Nodes, Ports: f.Ports, Duplex: f.Duplex, Alpha: f.Alpha, Delta: f.Delta,
		Bandwidth: f.Bandwidth, Forwarding: f.Forwarding, Routing: f.Routing, CapTheta: f.CapTheta,
	}
	for i := iv.First; i <= iv.Last; i++ {
		class := &w.Classes[w.ClassOf[i]]
		p.Steps = append(p.Steps, synthesis.Step{Demands: class.Demands, Group: class.Step.Group})
	}
	return p
}

// SearchEffort is the number of topologies that a search looks at for one interval: few,
// because there are many intervals, and the best schedule changes which of them matter.
const SearchEffort = 300
