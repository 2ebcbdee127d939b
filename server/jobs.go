package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/threads"
)

// State is the state of a job.
type State string

// A job waits, runs, and ends in one of three ways.
const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Over reports whether the job has ended.
func (s State) Over() bool { return s != Queued && s != Running }

// Job is work that continues without the client that requested it. It is stored before it is
// accepted. If a crash interrupts it, it restarts with the service: a sweep continues with the
// cells that it has, other work starts over.
type Job struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	State   State  `json:"state"`
	// Starts counts how often the job was started: above 1 after a crash or a restart.
	Starts int `json:"starts"`
	// Done is the progress out of Total, in the command's own units; 1 of 1 if the answer was
	// known.
	Done    int      `json:"done"`
	Total   int      `json:"total"`          // 0: not known
	Error   *Problem `json:"error,omitzero"` // why it failed
	Plan    string   `json:"plan,omitempty"` // the ID of the plan that is its answer
	Created int64    `json:"created_s"`      // since 1970
	// Request is the completed request. Lists omit it.
	Request json.RawMessage `json:"request,omitempty"`
}

// mostStalls is how often in a row a job may be started without new results before it is blamed
// for crashes.
const mostStalls = 3

// live is a job that is not over, or whose followers have not all seen that it is.
type live struct {
	mu      sync.Mutex
	job     Job
	client  string
	key     string
	kept    int // cells of a sweep that existed at the last start
	stalls  int // starts in a row without new cells
	news    news
	body    []byte // of an answer that is not stored under its request
	changed chan struct{}
	stop    context.CancelCauseFunc
	ended   chan struct{} // closed when its work is over, perhaps after it was cancelled
	forgot  bool          // the job was deleted; how it ends does not matter
}

// update changes a job and wakes its followers.
func (l *live) update(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	close(l.changed)
	l.changed = make(chan struct{})
}

// next returns a channel that is closed at the next change.
func (l *live) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// jobs are the jobs that are not over.
type jobs struct {
	server *Server
	ctx    context.Context // of the service: jobs outlive their requests
	end    context.CancelCauseFunc
	group  sync.WaitGroup

	mu   sync.Mutex
	live map[string]*live
}

func newJobs(s *Server) *jobs {
	ctx, end := context.WithCancelCause(context.Background())
	return &jobs{server: s, ctx: ctx, end: end, live: map[string]*live{}}
}

func (j *jobs) count(state State) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, l := range j.live {
		l.mu.Lock()
		if l.job.State == state {
			n++
		}
		l.mu.Unlock()
	}
	return n
}

// submit accepts a job, or returns an existing job that does the same.
func (j *jobs) submit(ctx context.Context, client string, q *question) (Job, error) {
	key, request, err := q.key()
	if err != nil {
		return Job{}, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	own := 0
	var before []*live // cancelled jobs for the same request whose work has not ended
	for _, l := range j.live {
		l.mu.Lock()
		job, same := l.job, l.key == key && !q.command.Measures
		if l.client == client && !job.State.Over() {
			own++
		}
		l.mu.Unlock()
		switch {
		case same && !job.State.Over():
			return job, nil
		case same:
			before = append(before, l)
		}
	}
	if own >= j.server.config.Limits.Jobs {
		return Job{}, errManyJobs
	}
	l := &live{client: client, key: key, changed: make(chan struct{}), job: Job{
		ID: strings.ToLower(rand.Text()), Command: q.command.Name, State: Queued, Created: time.Now().Unix(), Request: request,
	}}
	if err := j.server.store.saveJob(ctx, l); err != nil {
		return Job{}, err
	}
	job := l.job
	j.start(l, q, before)
	return job, nil
}

// start runs a job once the work of the jobs in before is over. The caller holds the lock.
func (j *jobs) start(l *live, q *question, before []*live) {
	ctx, stop := context.WithCancelCause(j.ctx)
	l.stop, l.ended = stop, make(chan struct{})
	j.live[l.job.ID] = l
	j.group.Go(func() {
		defer close(l.ended)
		defer stop(nil)
		for _, other := range before {
			select {
			case <-other.ended:
			case <-ctx.Done():
			}
		}
		j.run(ctx, l, q)
	})
}

// resume restarts the jobs that the end of the service interrupted.
func (j *jobs) resume(ctx context.Context) error {
	waiting, err := j.server.store.unfinished(ctx)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range waiting {
		q, err := j.server.complete(ctx, j.server.lookup(l.job.Command), l.job.Request)
		if err != nil {
			problem := problemOf(err)
			l.job.State, l.job.Error = Failed, &problem
			if err := j.server.store.saveJob(ctx, l); err != nil {
				return err
			}
			continue
		}
		j.server.log.InfoContext(ctx, "job resumed", "job", l.job.ID, "command", l.job.Command, "starts", l.job.Starts)
		j.start(l, q, nil)
	}
	return nil
}

// run does the work of a job and stores how it ended.
func (j *jobs) run(ctx context.Context, l *live, q *question) {
	a, err := j.work(ctx, l, q)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // the reason of the interruption
	}
	forgot := false
	l.update(func() {
		l.news.status = ""
		forgot = l.forgot
		switch {
		case l.job.State.Over(): // it was cancelled
		case err == nil:
			l.job.State, l.job.Plan = Done, a.plan
			if q.command.Measures {
				l.body = a.body
			}
		case errors.Is(err, errShutdown):
			l.job.State = Queued // it continues when the service restarts
			l.job.Starts--
			l.stalls--
		case errors.Is(err, errCancelled):
			l.job.State = Cancelled
		default:
			problem := problemOf(err)
			l.job.State, l.job.Error = Failed, &problem
		}
	})
	if forgot {
		return
	}
	if err := j.server.store.saveJob(context.WithoutCancel(ctx), l); err != nil {
		j.server.log.ErrorContext(ctx, "a job could not be written down", "job", l.job.ID, "error", err)
	}
	j.mu.Lock()
	delete(j.live, l.job.ID)
	j.mu.Unlock()
}

func (j *jobs) work(ctx context.Context, l *live, q *question) (answer, error) {
	s := j.server
	if !q.command.Measures {
		if a, err := s.store.find(ctx, l.key); err == nil {
			return a, j.known(ctx, l)
		}
	}
	leave, err := s.places.enterJob(ctx)
	if err != nil {
		return answer{}, err
	}
	// The columns of a sweep take turns; other work is one long turn.
	grid, sweeps := q.request.(*lightpath.SweepRequest)
	turns, k := threads.TakeTurns(ctx, s.places.turns), &s.sweep
	if !sweeps {
		over, err := threads.Turn(turns)
		if err != nil {
			leave()
			return answer{}, err
		}
		place := leave
		leave = func() { over(); place() }
		turns, k = ctx, &s.job
	}
	options := l.watch()
	if s.config.Launcher != nil {
		options = append(options, lightpath.WithLauncher(s.config.Launcher))
	}
	kept := 0
	if sweeps {
		store, finish, err := s.followSweep(ctx, grid, l)
		if err != nil {
			leave()
			return answer{}, err
		}
		defer finish()
		if kept, err = store.Count(ctx); err != nil {
			leave()
			return answer{}, err
		}
		options = append(options, lightpath.WithSweepStore(store))
	}
	if err := l.begin(q.command, kept); err != nil {
		leave()
		return answer{}, err
	}
	if err := s.store.saveJob(ctx, l); err != nil {
		leave()
		return answer{}, err
	}
	l.update(func() { // report running only once the start is stored
		if !l.job.State.Over() { // it may have been cancelled meanwhile
			l.job.State = Running
		}
	})
	return s.compute(turns, seat{k, leave}, q, l.key, l.job.Request, options...)
}

// begin records that a job of a command starts with the given number of cells from earlier starts.
// It gives the job up if the service ended too often in a row before there were more cells. A
// command that does not continue starts over, and so never has more.
func (l *live) begin(c *command, kept int) error {
	progress := kept > l.kept
	if !progress && l.stalls >= mostStalls {
		found := "before it had an answer"
		if c.Continues {
			found = fmt.Sprintf("without a new cell, after %d", kept)
		}
		return fmt.Errorf("given up: the service ended %d times in a row while it ran, %s", l.stalls, found)
	}
	l.update(func() {
		if progress {
			l.kept, l.stalls = kept, 0
		}
		l.stalls++
		l.job.Starts++
	})
	return nil
}

// known gives a job whose answer was already in the store the counts of the job that found it,
// or 1 of 1 if that job is unknown.
func (j *jobs) known(ctx context.Context, l *live) error {
	done, total, err := j.server.store.countOf(ctx, l.key)
	if err != nil {
		return err
	}
	l.update(func() {
		l.job.Starts++
		l.job.Done, l.job.Total = done, total
	})
	return nil
}

// now returns, in the form of lists, the jobs that are not over or whose followers have not all
// seen that they are.
func (j *jobs) now() map[string]Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := make(map[string]Job, len(j.live))
	for id, l := range j.live {
		l.mu.Lock()
		job := l.job
		l.mu.Unlock()
		job.Request = nil
		all[id] = job
	}
	return all
}

// cancel stops a job that is not over, or deletes one that is. A stopped job reports this at
// once, although its work may take a moment to stop.
func (j *jobs) cancel(ctx context.Context, id string) error {
	j.mu.Lock()
	l := j.live[id]
	j.mu.Unlock()
	if l == nil {
		return j.server.store.deleteJob(ctx, id)
	}
	over := false
	l.update(func() {
		if over = l.job.State.Over(); !over {
			l.job.State = Cancelled
			l.news.status = ""
			return
		}
		l.forgot = true
	})
	l.stop(errCancelled)
	if !over {
		return j.server.store.saveJob(ctx, l)
	}
	j.mu.Lock()
	delete(j.live, id)
	j.mu.Unlock()
	return j.server.store.deleteJob(ctx, id)
}

// get returns a job, live or stored.
func (j *jobs) get(ctx context.Context, id string) (*live, error) {
	j.mu.Lock()
	l := j.live[id]
	j.mu.Unlock()
	if l != nil {
		return l, nil
	}
	return j.server.store.job(ctx, id)
}

// close stops all jobs, which continue when the service restarts, and waits for them.
func (j *jobs) close() {
	j.end(errShutdown)
	j.group.Wait()
}
