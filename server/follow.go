package server

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/sweep"
)

// lookEvery is the least time between two readings of the cells that a sweep has found.
const lookEvery = 300 * time.Millisecond

// followSweep opens the store of a sweep, a separate file named by the hash of the request, and
// tells followers of new cells in it. The cells survive a crash, so that the sweep can continue.
// finish ends it; until then the store is in use.
func (s *Server) followSweep(ctx context.Context, r *lightpath.SweepRequest, l *live) (store *sweep.Store, finish func(), err error) {
	spec, err := r.Spec()
	if err != nil {
		return nil, nil, err
	}
	id, err := spec.ID()
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(s.dir, "sweeps")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	name := filepath.Join(dir, id+".db")
	if store, err = sweep.Create(ctx, name, false); err != nil {
		return nil, nil, err
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.lookAtCells(ctx, name, spec, l, over)
	}()
	return store, func() {
		close(over)
		<-ended
		if err := store.Close(); err != nil {
			s.log.ErrorContext(ctx, "the store of a sweep could not be closed", "error", err)
		}
	}, nil
}

// lookAtCells reads the cells while the sweep writes them, now and then and once at the end.
func (s *Server) lookAtCells(ctx context.Context, name string, spec *sweep.Spec, l *live, over <-chan struct{}) {
	store, err := sweep.Open(ctx, name)
	if err != nil {
		s.log.WarnContext(ctx, "no partial results", "job", l.job.ID, "error", err)
		return
	}
	defer store.Close()
	seen := map[string]bool{}
	for last := false; ; {
		start := time.Now()
		if table, err := store.Load(context.WithoutCancel(ctx), spec); err == nil {
			var fresh []sweep.AnswerCell
			for _, c := range table.Answer().Cells {
				// json writes maps in the order of their keys.
				key, err := json.Marshal([]any{c.Params, c.Algorithm, c.Planner})
				if err == nil && !seen[string(key)] {
					seen[string(key)] = true
					fresh = append(fresh, c)
				}
			}
			if len(fresh) > 0 {
				l.update(func() { l.news.cells = append(l.news.cells, fresh...) })
			}
		}
		if last {
			return
		}
		select {
		case <-over:
			last = true
		case <-time.After(max(lookEvery, 4*time.Since(start))): // keep reading a small part of the work
		}
	}
}
