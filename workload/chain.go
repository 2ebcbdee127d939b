package workload

import (
	"context"

	"github.com/lightpath-net/lightpath/units"
)

// sort orders the tasks so that each comes after those that it waits for, by Kahn's algorithm,
// or reports which wait for each other.
func (g *Graph) sort(ctx context.Context) error {
	n := len(g.stands)
	waits := make([]int32, n)
	follow := make([][]int32, n)
	for t := range n {
		if t%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g.before(t, func(p int) {
			if p = g.stands[p]; p == g.stands[t] {
				waits[g.stands[t]]++ // a collective that waits for itself never starts
				return
			}
			waits[g.stands[t]]++
			follow[p] = append(follow[p], int32(g.stands[t]))
		})
	}
	g.order = make([]int, 0, n)
	tasks := 0
	for t := range n {
		if g.stands[t] != t {
			continue
		}
		if tasks++; waits[t] == 0 {
			g.order = append(g.order, t)
		}
	}
	for i := 0; i < len(g.order); i++ {
		for _, t := range follow[g.order[i]] {
			if waits[t]--; waits[t] == 0 {
				g.order = append(g.order, int(t))
			}
		}
	}
	if len(g.order) == tasks {
		return nil
	}
	left := make([]bool, n)
	for t := range n {
		left[t] = waits[g.stands[t]] > 0
	}
	return g.cycle(g.waitsFor(), left)
}

// before visits the tasks that a task of a class waits for, on its own rank or, for a receive,
// the send. These are the tasks that After names and, for a computation, the one listed before
// it.
func (g *Graph) before(task int, visit func(int)) {
	c := g.classOf(task)
	tasks, k := g.Classes[c].Tasks, task-g.at[c]
	for _, a := range tasks[k].After {
		visit(g.at[c] + int(a))
	}
	if p := g.Classes[c].earlier[k]; p >= 0 {
		visit(g.at[c] + int(p))
	}
	if s := g.sends[task]; s >= 0 {
		visit(s)
	}
}

// waitsFor returns a function that visits the tasks that a task waits for on all members of its
// group.
func (g *Graph) waitsFor() func(task int, visit func(int)) {
	same := make([][]int, len(g.stands))
	for t, s := range g.stands {
		same[s] = append(same[s], t)
	}
	return func(task int, visit func(int)) {
		for _, t := range same[g.stands[task]] {
			g.before(t, visit)
		}
	}
}

// Tasks returns the number of tasks of all classes.
func (g *Graph) Tasks() int { return len(g.stands) }

// Cost returns how long a collective of a group of the given size, or a send, takes by itself.
type Cost func(t *Task, ranks int) units.Time

// Free is the Cost of communication that takes no time.
func Free(*Task, int) units.Time { return 0 }

// Ends returns when every task ends, by class, and when all have. Tasks start as soon as they
// are ready, however many others are running, except that computations of a rank run one at a
// time. With Free the last end is the longest chain of computation; with bounds of collectives
// it is a bound on the iteration.
func (g *Graph) Ends(cost Cost) (ends [][]units.Time, last units.Time) {
	all := make([]units.Time, len(g.stands))
	waits := g.waitsFor()
	for _, t := range g.order {
		start := units.Time(0)
		waits(t, func(p int) { start = max(start, all[g.stands[p]]) })
		all[t] = start + g.takes(t, cost)
		last = max(last, all[t])
	}
	ends = make([][]units.Time, len(g.Classes))
	for c := range g.Classes {
		ends[c] = make([]units.Time, len(g.Classes[c].Tasks))
		for k := range ends[c] {
			ends[c][k] = all[g.stands[g.at[c]+k]]
		}
	}
	return ends, last
}

// takes returns how long a task takes by itself.
func (g *Graph) takes(task int, cost Cost) units.Time {
	c := g.classOf(task)
	class := &g.Classes[c]
	switch t := &class.Tasks[task-g.at[c]]; t.Type {
	case Computation:
		return t.Op.Compute.Time()
	case Collective:
		if ranks := class.Groups[t.Op.Kind]; ranks > 1 {
			return cost(t, ranks)
		}
	case Send:
		return cost(t, 2)
	case Receive, Call:
	}
	return 0
}
