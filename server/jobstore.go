package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/lightpath-net/lightpath/field"
)

// storedJob is a line of the bucket of jobs.
type storedJob struct {
	Job    Job    `json:"job"`
	Client string `json:"client"`
	Key    string `json:"key"` // of the answer
	Kept   int    `json:"kept"`
	Stalls int    `json:"stalls"`
}

// saveJob stores the current state of a job.
func (s *store) saveJob(ctx context.Context, l *live) error {
	l.mu.Lock()
	about := storedJob{l.job, l.client, l.key, l.kept, l.stalls}
	var packed []byte
	if l.body != nil {
		packed = pack(l.body)
	}
	l.mu.Unlock()
	return s.update(ctx, func(tx *bbolt.Tx) error {
		return putLine(tx, jobsBucket, jobBodiesBucket, about.Job.ID, &about, packed)
	})
}

// live makes a job from its line.
func (j *storedJob) live() *live {
	return &live{job: j.Job, client: j.Client, key: j.Key, kept: j.Kept, stalls: j.Stalls, changed: make(chan struct{})}
}

// jobsWhere lists the jobs that accept accepts, in the given order.
func (s *store) jobsWhere(ctx context.Context, accept func(*storedJob) bool, order func(a, b *storedJob) int) ([]*storedJob, error) {
	var list []*storedJob
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(jobsBucket).ForEach(func(_, text []byte) error {
			j := &storedJob{}
			if err := json.Unmarshal(text, j); err != nil {
				return err
			}
			if accept(j) {
				list = append(list, j)
			}
			return ctx.Err()
		})
	})
	slices.SortFunc(list, order)
	return list, err
}

// oldestFirst and newestFirst are orders of jobs.
func oldestFirst(a, b *storedJob) int {
	return cmp.Or(cmp.Compare(a.Job.Created, b.Job.Created), strings.Compare(a.Job.ID, b.Job.ID))
}

func newestFirst(a, b *storedJob) int {
	return cmp.Or(cmp.Compare(b.Job.Created, a.Job.Created), strings.Compare(a.Job.ID, b.Job.ID))
}

// unfinished returns the jobs that are not over, the oldest first.
func (s *store) unfinished(ctx context.Context) ([]*live, error) {
	found, err := s.jobsWhere(ctx, func(j *storedJob) bool { return !j.Job.State.Over() }, oldestFirst)
	list := make([]*live, len(found))
	for i, j := range found {
		list[i] = j.live()
	}
	return list, err
}

// job returns a stored job.
func (s *store) job(ctx context.Context, id string) (*live, error) {
	var l *live
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		var about storedJob
		err := line(tx.Bucket(jobsBucket), id, &about)
		if err != nil {
			return err
		}
		l = about.live()
		if l.body, err = bodyOf(tx, jobBodiesBucket, id); errors.Is(err, errNone) {
			err = nil // the answer is stored under its request
		}
		return err
	})
	if errors.Is(err, errNone) {
		return nil, fmt.Errorf("job %.80q: %w", id, errNone)
	}
	return l, err
}

// listJobs lists the jobs in a state, or all if the state is "", the newest first.
func (s *store) listJobs(ctx context.Context, state string) ([]Job, error) {
	found, err := s.jobsWhere(ctx, func(j *storedJob) bool { return state == "" || string(j.Job.State) == state }, newestFirst)
	list := make([]Job, 0, min(len(found), listed))
	for _, j := range found[:min(len(found), listed)] {
		j.Job.Request = nil
		list = append(list, j.Job)
	}
	return list, err
}

// countOf returns the counts of a job that found the answer to a request, or 1 of 1 if no such
// job is stored.
func (s *store) countOf(ctx context.Context, key string) (done, total int, err error) {
	found, err := s.jobsWhere(ctx, func(j *storedJob) bool { return j.Key == key && j.Job.State == Done && j.Job.Total > 0 }, newestFirst)
	if err != nil || len(found) == 0 {
		return 1, 1, err
	}
	return found[0].Job.Done, found[0].Job.Total, nil
}

func (s *store) deleteJob(ctx context.Context, id string) error {
	return s.update(ctx, func(tx *bbolt.Tx) error {
		if tx.Bucket(jobsBucket).Get([]byte(id)) == nil {
			return fmt.Errorf("job %.80q: %w", id, errNone)
		}
		return remove(tx, jobsBucket, jobBodiesBucket, id)
	})
}

// wholeOf returns what the answer of a job summarizes, or the answer if it is complete.
func (s *Server) wholeOf(ctx context.Context, l *live, a answer) (_ answer, err error) {
	switch {
	case a.plan != "":
		a.body, err = s.store.planFile(ctx, a.plan)
	case s.of(l).Summarises:
		a.body, err = s.store.document(ctx, l.key)
		if errors.Is(err, errNone) {
			err = fmt.Errorf("job %s: only the summary is kept, as an earlier version did: %w", l.job.ID, errNone)
		}
	}
	return a, err
}

// documentOf returns the whole document of a job whose answer summarises it.
func (s *Server) documentOf(ctx context.Context, id string) ([]byte, error) {
	l, err := s.jobs.get(ctx, id)
	if err != nil {
		return nil, err
	}
	if !s.of(l).Summarises {
		var want []string
		for _, c := range s.commands {
			if c.Summarises {
				want = append(want, c.Name)
			}
		}
		return nil, fmt.Errorf("job %.80q is of command %s; want one of %s", id, l.job.Command, strings.Join(want, ", "))
	}
	a, err := s.answerOf(ctx, l)
	if err == nil {
		a, err = s.wholeOf(ctx, l, a)
	}
	return a.body, err
}

// answerOf returns the answer of a job that is done.
func (s *Server) answerOf(ctx context.Context, l *live) (answer, error) {
	l.mu.Lock()
	job, body := l.job, l.body
	l.mu.Unlock()
	switch {
	case !job.State.Over():
		return answer{}, fmt.Errorf("job %s is %s: %w", job.ID, job.State, errNotOver)
	case job.State == Cancelled && s.of(l).Continues && job.Done > 0:
		return answer{}, fmt.Errorf("job %s (%s): %w; send its request again to continue from the %d of %d cells that it has", job.ID, job.State, errNoAnswer, job.Done, job.Total)
	case job.State != Done:
		return answer{}, fmt.Errorf("job %s (%s): %w", job.ID, job.State, errNoAnswer)
	case body != nil:
		return answer{body: body, plan: job.Plan}, nil
	}
	return s.store.find(ctx, l.key)
}

// inlined replaces an iteration that a request names by the job that has made it, {"id": JOB},
// by its document.
func (s *Server) inlined(ctx context.Context, body []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	var named struct {
		ID     *string `json:"id"`
		Schema any     `json:"schema"`
	}
	if !bytes.Contains(body, []byte(`"iteration"`)) {
		return body, nil
	}
	if json.Unmarshal(body, &members) != nil || json.Unmarshal(members["iteration"], &named) != nil || named.ID == nil || named.Schema != nil {
		return body, nil // its reader reports the error
	}
	whole, err := s.documentOf(ctx, *named.ID)
	if err != nil {
		return nil, field.In("iteration", &field.Error{Path: "id", Err: err})
	}
	members["iteration"] = whole
	return json.Marshal(members)
}
