package staged

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/synthesis"
)

// EffortPerSecond is the effort that a second of a budget stands for, on every machine: what
// one core of 2025 does in about that time, give or take a factor of three, since some work
// is counted as cheaper than it is.
const EffortPerSecond = 300_000_000

// found is what was found for intervals of steps. Those that send the same have the same.
type found struct {
	alike   [][]int // per first and last step: the number of the interval's kind
	results []*synthesis.Result
	looked  []bool
}

// newFound numbers the kinds of intervals: a kind is the classes of its steps. Two
// intervals are alike if they are without their last steps and these are of one class.
func newFound(w *workload) *found {
	steps := len(w.steps)
	f := &found{alike: make([][]int, steps)}
	type kind struct{ shorter, class int }
	kinds := map[kind]int{}
	for first := range steps {
		f.alike[first] = make([]int, steps)
		k := -1
		for last := first; last < steps; last++ {
			next := kind{k, w.classOf[last]}
			number, ok := kinds[next]
			if !ok {
				number = len(kinds)
				kinds[next] = number
			}
			f.alike[first][last], k = number, number
		}
	}
	f.results, f.looked = make([]*synthesis.Result, len(kinds)), make([]bool, len(kinds))
	return f
}

func (f *found) kind(iv span) int { return f.alike[iv.first][iv.last] }

// span is the steps first..last.
type span struct{ first, last int }

// intervalProblem is an interval of the steps, for a search of topologies whose circuits are all as
// those of a fabric.
func intervalProblem(w *workload, f *fabric.Fabric, iv span) synthesis.Problem {
	p := synthesis.Problem{
		Nodes: f.Nodes, Ports: f.Ports, Duplex: f.Duplex, Alpha: f.Alpha, Delta: f.Delta,
		Bandwidth: f.Bandwidth, Forwarding: f.Forwarding, Routing: f.Routing, CapTheta: f.CapTheta,
	}
	for i := iv.first; i <= iv.last; i++ {
		class := &w.classes[w.classOf[i]]
		p.Steps = append(p.Steps, synthesis.Step{Demands: class.demands, Group: class.step.Group})
	}
	return p
}

// searchEffort is the number of topologies that a search looks at for one interval: few,
// because there are many intervals, and the best schedule changes which of them matter.
const searchEffort = 300
