package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Task is an operation of a program in which every call is expanded.
type Task struct {
	// ID includes the path of calls: the operation "attention" of the block that "f0" calls is
	// "f0/attention".
	ID   string
	Op   *Op
	Type Type
	// After are the tasks of the same list that must have ended.
	After []int32
}

// maxDepth limits nested calls.
const maxDepth = 8

// count returns how many tasks each block stands for, or an error if a block calls itself or
// there are too many.
func (w *Workload) count() (map[string]int, error) {
	counts := map[string]int{}
	var visit func(ops []Op, inside []string) (int, error)
	visit = func(ops []Op, inside []string) (int, error) {
		sum := 0
		for i := range ops {
			name := ops[i].Block
			if name == "" {
				sum++
				continue
			}
			if len(inside) == maxDepth {
				return 0, field.Errorf(field.Join("blocks", name), "calls that are more than %d blocks deep", maxDepth)
			}
			if slices.Contains(inside, name) {
				return 0, field.Errorf(field.Join("blocks", name), "calls itself: %s", strings.Join(append(inside, name), ", "))
			}
			if _, known := counts[name]; !known {
				n, err := visit(w.Blocks[name], append(inside, name))
				if err != nil {
					return 0, err
				}
				counts[name] = n
			}
			if sum += counts[name]; sum > MaxOps {
				return 0, fmt.Errorf("more than %d operations with calls written out", MaxOps)
			}
		}
		return sum, nil
	}
	total := 0
	for i := range w.Programs {
		n, err := visit(w.Programs[i].Ops, nil)
		if total += n; err == nil && total > MaxOps {
			err = fmt.Errorf("more than %d operations with calls written out", MaxOps)
		}
		if err != nil {
			return nil, field.In(field.Index("programs", i), err)
		}
	}
	return counts, nil
}

// Expand expands the calls of a program. The workload must be valid.
func (w *Workload) Expand(program int) ([]Task, error) {
	counts, err := w.count()
	if err != nil {
		return nil, err
	}
	return w.expand(program, counts)
}

func (w *Workload) expand(program int, counts map[string]int) ([]Task, error) {
	x := &expander{w: w, counts: counts}
	err := x.list(w.Programs[program].Ops, "", nil)
	return x.tasks, field.In(field.Index("programs", program), err)
}

// expander expands calls.
type expander struct {
	w      *Workload
	counts map[string]int
	tasks  []Task
}

// list adds operations. Those without predecessors follow the tasks in entry, which their call
// follows.
func (x *expander) list(ops []Op, prefix string, entry []int32) error {
	starts := make(map[string]int32, len(ops))
	position := make(map[string]int, len(ops))
	for i := range ops {
		o := &ops[i]
		after := entry
		if len(o.After) > 0 {
			after = nil
			for _, name := range o.After {
				var err error
				if after, err = x.resolve(after, ops, starts, position, name); err != nil {
					return field.In(prefix+o.ID, err)
				}
			}
			slices.Sort(after)
			after = slices.Compact(after)
		}
		starts[o.ID], position[o.ID] = int32(len(x.tasks)), i
		if o.Block != "" {
			if err := x.list(x.w.Blocks[o.Block], prefix+o.ID+"/", after); err != nil {
				return err
			}
			continue
		}
		t, err := o.what()
		if err != nil {
			return field.In(prefix+o.ID, err)
		}
		x.tasks = append(x.tasks, Task{ID: prefix + o.ID, Op: o, Type: t, After: after})
	}
	return nil
}

// resolve adds the tasks that a name in After stands for: an operation, or all of a block, for
// which the last tasks are enough.
func (x *expander) resolve(after []int32, ops []Op, starts map[string]int32, position map[string]int, name string) ([]int32, error) {
	first, rest, deeper := strings.Cut(name, "/")
	start, known := starts[first]
	if !known {
		return nil, fmt.Errorf("after %.60q, which is not listed before it", name)
	}
	o := &ops[position[first]]
	for deeper {
		if o.Block == "" {
			return nil, fmt.Errorf("after %.60q: %q calls no block", name, o.ID)
		}
		var id string
		id, rest, deeper = strings.Cut(rest, "/")
		inner := x.w.Blocks[o.Block]
		at := slices.IndexFunc(inner, func(p Op) bool { return p.ID == id })
		if at < 0 {
			return nil, fmt.Errorf("after %.60q: block %q has no %.40q", name, o.Block, id)
		}
		start += each.SumBelow(at, func(i int) int32 { return int32(x.size(&inner[i])) })
		o = &inner[at]
	}
	if o.Block == "" {
		return append(after, start), nil
	}
	return append(after, x.last(start, start+int32(x.size(o)))...), nil
}

// size returns how many tasks an operation stands for.
func (x *expander) size(o *Op) int {
	if o.Block == "" {
		return 1
	}
	return x.counts[o.Block]
}

// last returns the tasks of a range for which no other task of it waits.
func (x *expander) last(from, to int32) []int32 {
	waited := make([]bool, to-from)
	for i := from; i < to; i++ {
		for _, a := range x.tasks[i].After {
			if a >= from {
				waited[a-from] = true
			}
		}
	}
	var ends []int32
	for i, w := range waited {
		if !w {
			ends = append(ends, from+int32(i))
		}
	}
	return ends
}
