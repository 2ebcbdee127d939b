package server

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

const jobColumns = "id, command, request, client, state, starts, done, total, field, problem, body, plan, key, created, kept, stalls"

// saveJob writes a job down as it is.
func (s *store) saveJob(ctx context.Context, l *live) error {
	l.mu.Lock()
	job, body, kept, stalls := l.job, l.body, l.kept, l.stalls
	l.mu.Unlock()
	var problem Problem
	if job.Error != nil {
		problem = *job.Error
	}
	var packed []byte
	if body != nil {
		packed = pack(body)
	}
	_, err := s.db.ExecContext(ctx, "INSERT OR REPLACE INTO jobs ("+jobColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		job.ID, job.Command, string(job.Request), l.client, string(job.State), job.Starts, job.Done, job.Total,
		problem.Field, problem.Problem, packed, job.Plan, l.key, job.Created, kept, stalls)
	return s.wrote(err)
}

func (s *store) jobsWhere(ctx context.Context, where string, args ...any) ([]*live, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT "+jobColumns+" FROM jobs WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []*live
	for rows.Next() {
		l := &live{changed: make(chan struct{})}
		var request, state string
		var problem Problem
		var packed []byte
		if err := rows.Scan(&l.job.ID, &l.job.Command, &request, &l.client, &state, &l.job.Starts, &l.job.Done, &l.job.Total,
			&problem.Field, &problem.Problem, &packed, &l.job.Plan, &l.key, &l.job.Created, &l.kept, &l.stalls); err != nil {
			return nil, err
		}
		l.job.Request, l.job.State = json.RawMessage(request), State(state)
		if problem.Problem != "" {
			l.job.Error = &problem
		}
		if packed != nil {
			if l.body, err = unpack(packed); err != nil {
				return nil, err
			}
		}
		list = append(list, l)
	}
	return list, rows.Err()
}

// unfinished returns the jobs that are not over, the oldest first.
func (s *store) unfinished(ctx context.Context) ([]*live, error) {
	return s.jobsWhere(ctx, "state IN (?, ?) ORDER BY created, id", string(Queued), string(Running))
}

// job returns one that was written down.
func (s *store) job(ctx context.Context, id string) (*live, error) {
	list, err := s.jobsWhere(ctx, "id = ?", id)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("job %.80q: %w", id, errNone)
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// jobs lists jobs, the newest first, in a state or, if that is "", in any.
func (s *store) listJobs(ctx context.Context, state string) ([]Job, error) {
	found, err := s.jobsWhere(ctx, "(? = '' OR state = ?) ORDER BY created DESC, id LIMIT ?", state, state, listed)
	if err != nil {
		return nil, err
	}
	list := make([]Job, 0, len(found))
	for _, l := range found {
		l.job.Request = nil
		list = append(list, l.job)
	}
	return list, nil
}

// countOf returns how much a job that found the answer to a request had to do, and 1 of 1 if
// none is written down.
func (s *store) countOf(ctx context.Context, key string) (done, total int, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT done, total FROM jobs WHERE key = ? AND state = ? AND total > 0 ORDER BY created DESC, id LIMIT 1", key, string(Done)).Scan(&done, &total)
	if errors.Is(err, sql.ErrNoRows) {
		return 1, 1, nil
	}
	return done, total, err
}

func (s *store) deleteJob(ctx context.Context, id string) error {
	result, err := s.db.ExecContext(ctx, "DELETE FROM jobs WHERE id = ?", id)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err == nil && n == 0 {
		return fmt.Errorf("job %.80q: %w", id, errNone)
	}
	return nil
}

// jobAnswer returns what a job that is done has found.
func (s *store) jobAnswer(ctx context.Context, l *live) (answer, error) {
	l.mu.Lock()
	job, body := l.job, l.body
	l.mu.Unlock()
	switch {
	case !job.State.Over():
		return answer{}, fmt.Errorf("job %s is %s: %w", job.ID, job.State, errNotOver)
	case job.State == Cancelled && job.Command == "sweep" && job.Done > 0:
		return answer{}, fmt.Errorf("job %s (%s): %w; its request again goes on from the %d of %d cells that it has", job.ID, job.State, errNoAnswer, job.Done, job.Total)
	case job.State != Done:
		return answer{}, fmt.Errorf("job %s (%s): %w", job.ID, job.State, errNoAnswer)
	case body != nil:
		return answer{body: body, plan: job.Plan}, nil
	}
	a, err := s.find(ctx, l.key)
	if errors.Is(err, sql.ErrNoRows) {
		err = errNone
	}
	return a, err
}
