package sweep

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath/internal/threads"
)

// Options configure a run.
type Options struct {
	Workers int   // at once; 0: one for each core
	Shard   Shard // the zero value: everything
	// Progress, if not nil, is called from one goroutine with the number of cells done,
	// including those already in the store, and the total.
	Progress func(done, total int)
}

// Shard is one of several parts of the columns of a grid: the columns whose number modulo Count
// is Index-1.
type Shard struct{ Index, Count int }

// ParseShard reads "3/8": the third of eight.
func ParseShard(text string) (Shard, error) {
	var s Shard
	var rest string
	if n, _ := fmt.Sscanf(text, "%d/%d%s", &s.Index, &s.Count, &rest); n != 2 || s.Index < 1 || s.Index > s.Count {
		return Shard{}, fmt.Errorf("%q is not a shard; write i/n with i from 1 to n, e.g. 1/8", text)
	}
	return s, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

func (s Shard) has(column int) bool { return s.Count == 0 || column%s.Count == s.Index-1 }

// commitEvery is how much work may be lost when the process is killed.
const commitEvery = time.Second / 2

// task is a column.
type task struct {
	requests []Request
	keys     []Key
}

type solved struct {
	task
	outcomes []Outcome
}

// Run answers every cell of the spec for which the store has no answer. It commits answers at
// least once a second, and also when it ends early because ctx is done or a solver fails.
func Run(ctx context.Context, spec *Spec, store *Store, solver Solver, o Options) error {
	if err := store.AddSpec(ctx, spec); err != nil {
		return err
	}
	known, err := store.all(ctx)
	if err != nil {
		return err
	}
	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	tasks, results := make(chan task), make(chan solved)
	total := 0
	for c := range spec.Columns() {
		if o.Shard.has(c) {
			total += spec.height()
		}
	}
	already := make(chan int, 1) // numbers of cells found in the store
	go func() {
		defer close(tasks)
		if err := spec.feed(work, o.Shard, known, tasks, already); err != nil {
			stop(err)
		}
		close(already)
	}()
	var workers sync.WaitGroup
	parts := max(1, o.workers(ctx))
	for range parts {
		workers.Go(func() {
			threads.Run(work, func() {
				for t := range tasks {
					outcomes, err := solve(threads.Split(work, parts), solver, t.requests)
					if err != nil {
						stop(err)
						return
					}
					results <- solved{t, outcomes}
				}
			})
		})
	}
	go func() {
		workers.Wait()
		close(results)
	}()
	w := &writer{store: store, total: total, progress: o.Progress}
	err = w.collect(results, already)
	if err != nil {
		stop(err)
		for range results { // let the workers end
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if cause := context.Cause(work); cause != nil {
		return cause
	}
	return err
}

// solve answers a column when it is its turn.
func solve(ctx context.Context, solver Solver, requests []Request) ([]Outcome, error) {
	over, err := threads.Turn(ctx)
	if err != nil {
		return nil, err
	}
	defer over()
	outcomes, bug, err := attempt(ctx, solver, requests)
	switch {
	case bug == nil:
		return outcomes, err
	case len(requests) == 1:
		return []Outcome{broken(bug)}, nil
	}
	// Some cell of the column triggers a bug, so each is answered separately.
	outcomes = nil
	for i := range requests {
		one, bug, err := attempt(ctx, solver, requests[i:i+1])
		if err != nil {
			return nil, err
		}
		if bug != nil {
			one = []Outcome{broken(bug)}
		}
		outcomes = append(outcomes, one...)
	}
	return outcomes, nil
}

// broken returns the outcome of a cell that triggers a bug.
func broken(bug any) Outcome {
	return Outcome{Reason: fmt.Sprintf("internal error: %v (please report this with the cell)", bug)}
}

// attempt asks a solver. It turns a panic into a bug of the solver, so that the sweep goes on.
func attempt(ctx context.Context, solver Solver, requests []Request) (outcomes []Outcome, bug any, err error) {
	defer func() { bug = recover() }()
	outcomes, err = solver.Solve(ctx, requests)
	if err == nil && len(outcomes) != len(requests) {
		err = fmt.Errorf("the solver returned %d outcomes for %d cells", len(outcomes), len(requests))
	}
	return outcomes, nil, err
}

func (o *Options) workers(ctx context.Context) int {
	if o.Workers > 0 {
		return o.Workers
	}
	return threads.Of(ctx)
}

// feed sends the columns with unknown cells. Such columns are solved as a whole, so that an
// answer does not depend on what was known before.
func (s *Spec) feed(ctx context.Context, shard Shard, known map[Key]Outcome, tasks chan<- task, already chan<- int) error {
	height := s.height()
	for c := range s.Columns() {
		if !shard.has(c) {
			continue
		}
		column := make([]Request, height)
		for i := range column {
			var err error
			if column[i], err = s.Request(c*height + i); err != nil {
				return fmt.Errorf("cell %d: %w", c*height+i+1, err)
			}
		}
		t := task{requests: column, keys: keys(s.Version, column)}
		if t.known(known) {
			select {
			case already <- height:
			case <-ctx.Done():
				return nil
			}
			continue
		}
		select {
		case tasks <- t:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// known reports whether the answers to all cells are known.
func (t task) known(answers map[Key]Outcome) bool {
	for _, key := range t.keys {
		if _, ok := answers[key]; !ok {
			return false
		}
	}
	return true
}

// writer puts answers into the store, at most commitEvery after they arrive.
type writer struct {
	store       *Store
	batch       *batch
	done, total int
	progress    func(done, total int)
}

func (w *writer) collect(results <-chan solved, already <-chan int) error {
	tick := time.NewTicker(commitEvery)
	defer tick.Stop()
	for {
		select {
		case r, ok := <-results:
			if !ok {
				// Both channels are closed when there are no more tasks; this one may be seen
				// first.
				if already != nil {
					for n := range already {
						w.report(n)
					}
				}
				return w.flush()
			}
			w.write(&r)
			w.report(len(r.keys))
		case n, ok := <-already:
			if !ok {
				already = nil
				continue
			}
			w.report(n)
		case <-tick.C:
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
}

func (w *writer) report(cells int) {
	w.done += cells
	if w.progress != nil {
		w.progress(w.done, w.total)
	}
}

func (w *writer) write(r *solved) {
	if w.batch == nil {
		w.batch = w.store.begin()
	}
	for i := range r.keys {
		w.batch.add(r.keys[i], &r.outcomes[i])
	}
}

func (w *writer) flush() error {
	if w.batch == nil {
		return nil
	}
	b := w.batch
	w.batch = nil
	return b.commit()
}
