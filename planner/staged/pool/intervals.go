package pool

import (
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/synthesis"
)

// EffortPerSecond is the effort that a second of budget stands for on every machine. One core of
// 2025 does it in about a second, within a factor of three, since some work costs more than is
// counted.
const EffortPerSecond = 300_000_000

// Found holds search results for intervals of steps. Intervals that send the same share a result.
type Found struct {
	alike   [][]int // per first and last step: the number of the interval's kind
	Results []*synthesis.Result
	Looked  []bool
}

// NewFound numbers the kinds of intervals. The kind of an interval is the sequence of its steps'
// classes: two intervals are of one kind if their last steps are of one class and the intervals
// without their last steps are of one kind.
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

// Kind returns the number of an interval's kind.
func (f *Found) Kind(iv Span) int { return f.alike[iv.First][iv.Last] }

// Span is the steps first..last.
type Span struct{ First, Last int }

// IntervalProblem returns the search problem for an interval of the steps, on the circuits of
// fabric f.
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

// SearchEffort is the number of topologies that a search evaluates for one interval. It is small
// because there are many intervals, and which of them matter changes with the best schedule.
const SearchEffort = 300
