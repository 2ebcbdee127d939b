package iterating

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// Columns answers cells of a sweep that are iterations of a workload: a sweep.Solver. The cells
// of a column differ only in their delay. All columns share the plans of groups and the
// decisions of dispatchers, and may be solved in parallel.
type Columns struct {
	Workload *workload.Workload
	// Packets, if not nil, returns how long an iteration takes in packets of the request's size.
	Packets func(ctx context.Context, d *iteration.Document, packet units.Bytes) (units.Time, error)
	Options []command.Option

	mutex   sync.Mutex
	graph   *workload.Graph
	program *iteration.Program
	plans   *groups
	memory  *iteration.Memory
}

// prepare computes what all columns have in common.
func (c *Columns) prepare(ctx context.Context) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.plans != nil {
		return nil
	}
	graph, err := graphOf(ctx, c.Workload)
	if err != nil {
		return err
	}
	// Cells are counted, not plans.
	e := command.NewRun(append(slices.Clone(c.Options), command.WithProgress(nil)))
	c.graph, c.program, c.memory = graph, iteration.NewProgram(graph), iteration.NewMemory()
	c.plans = &groups{e: e, turns: true}
	return nil
}

// Solve implements sweep.Solver.
func (c *Columns) Solve(ctx context.Context, column []sweep.Request) ([]sweep.Outcome, error) {
	if err := c.prepare(ctx); err != nil {
		return nil, err
	}
	s := &solver{Columns: c, out: make([]sweep.Outcome, len(column))}
	alike := map[string][]cell{} // by everything but the delay
	var order []string
	for _, i := range inward(column) {
		one := cell{index: i, packet: column[i].Packet, request: &IterateRequest{Workload: c.Workload, Fabric: column[i].Fabric, Policy: column[i].Algorithm}}
		err := one.request.Complete()
		if err == nil {
			one.repertoire, err = one.request.repertoire(ctx, s.program, s.plans)
		}
		if err != nil {
			if err := s.refuse(i, err); err != nil {
				return nil, err
			}
			continue
		}
		f := one.request.Fabric
		f.Reconfig.Base = 0
		key := fmt.Sprint(f.Key(), one.request.Policy)
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], one)
	}
	for _, key := range order {
		if err := s.solve(ctx, alike[key]); err != nil {
			return nil, err
		}
	}
	return s.out, nil
}

// inward orders cells by delay: the shortest, the longest, the middle one, the middles of the
// halves, and so on. If the plans at two delays are the same, the plans between them are then
// known.
func inward(column []sweep.Request) []int {
	sorted := arithmetic.UpTo(len(column))
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(column[a].Fabric.Reconfig.Base, column[b].Fabric.Reconfig.Base) })
	last := len(sorted) - 1
	if last < 1 {
		return sorted
	}
	list := []int{sorted[0], sorted[last]}
	for todo := [][2]int{{0, last}}; len(todo) > 0; todo = todo[1:] {
		from, to := todo[0][0], todo[0][1]
		if mid := (from + to) / 2; mid > from {
			list = append(list, sorted[mid])
			todo = append(todo, [2]int{from, mid}, [2]int{mid, to})
		}
	}
	return list
}

// cell is one iteration of a sweep.
type cell struct {
	index      int
	packet     units.Bytes
	request    *IterateRequest
	repertoire *iteration.Repertoire
}

// solver answers the cells of a column.
type solver struct {
	*Columns
	out []sweep.Outcome
}

// refuse records why a cell has no plan, if the error says so.
func (s *solver) refuse(index int, err error) error {
	var bad *field.Error
	if errors.Is(err, planner.ErrInfeasible) || errors.As(err, &bad) {
		s.out[index].Reason = err.Error()
		return nil
	}
	return err
}

// solve answers cells that differ only in their delay.
func (s *solver) solve(ctx context.Context, cells []cell) error {
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Compare(a.request.Fabric.Reconfig.Base, b.request.Fabric.Reconfig.Base)
	})
	repertoires := make([]*iteration.Repertoire, len(cells))
	for i := range cells {
		repertoires[i] = cells[i].repertoire
	}
	made, err := iteration.FastestOf(ctx, s.program, repertoires, cells[0].request.Policy, s.memory)
	if err != nil {
		return err
	}
	for i := range cells {
		if err := s.answer(ctx, &cells[i], made[i]); err != nil {
			return err
		}
	}
	return nil
}

// answer proves the plan of a cell and records its outcome.
func (s *solver) answer(ctx context.Context, c *cell, made *iteration.Plan) error {
	run, err := c.request.carriedOut(s.program, c.repertoire, made)
	if err != nil {
		return s.refuse(c.index, err)
	}
	d, err := proven(ctx, s.graph, &c.request.Fabric, run)
	if err != nil {
		return err
	}
	o := &s.out[c.index]
	o.Algorithm, o.Planner, o.Total, o.Reconfigurations, o.OperationBound = d.Policy, "iterate", d.Iteration, d.Reconfigurations, d.Bound
	o.Baselines.Static = d.Baselines[iteration.Static]
	o.Iteration = &sweep.Iteration{Compute: d.Compute, Policies: d.Baselines}
	if c.packet > 0 && s.Packets != nil {
		o.Simulated, err = s.Packets(ctx, d, c.packet)
	}
	return err
}
