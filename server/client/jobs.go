package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/sweep"
)

// run runs a command as a job, waits for it and returns its answer. If the caller stops waiting,
// it cancels the job.
func (c *Client) run(ctx context.Context, name string, request any, tell func(Event), into any) error {
	job, err := c.Submit(ctx, name, request)
	if err != nil {
		return err
	}
	over, err := c.Follow(ctx, job.ID, tell)
	if err != nil {
		if ctx.Err() != nil {
			_ = c.Cancel(context.WithoutCancel(ctx), job.ID) // the job may be over, or the service gone
		}
		return err
	}
	if over.State != server.Done {
		failed := &Error{Status: http.StatusUnprocessableEntity, Problem: server.Problem{Problem: "job " + job.ID + " is " + string(over.State)}}
		if over.Error != nil {
			failed.Problem = *over.Error
		}
		return failed
	}
	_, err = c.ask(ctx, http.MethodGet, "/v1/jobs/"+url.PathEscape(job.ID)+"/answer", nil, into)
	return err
}

// Jobs lists the jobs in a state, or all if the state is "", the newest first.
func (c *Client) Jobs(ctx context.Context, state server.State) ([]server.Job, error) {
	list, err := get[server.JobList](ctx, c, "/v1/jobs?state="+url.QueryEscape(string(state)))
	if err != nil {
		return nil, err
	}
	return list.Jobs, nil
}

// Submit submits any command as a job.
func (c *Client) Submit(ctx context.Context, name string, request any) (*server.Job, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	return post[server.Job](ctx, c, "jobs", server.JobRequest{Command: name, Request: text})
}

// Job returns the current state of a job.
func (c *Client) Job(ctx context.Context, id string) (*server.Job, error) {
	return get[server.Job](ctx, c, "/v1/jobs/"+url.PathEscape(id))
}

// Cancel stops a job, or deletes one that is over.
func (c *Client) Cancel(ctx context.Context, id string) error {
	return c.remove(ctx, "/v1/jobs/"+url.PathEscape(id))
}

// Answer decodes the answer of a job that is done.
func (c *Client) Answer(ctx context.Context, id string, into any) error {
	answer, err := c.do(ctx, http.MethodGet, "/v1/jobs/"+url.PathEscape(id)+"/answer", nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(into)
}

// Iteration returns the whole plan of an iteration that a job has made: other requests take it
// whole, and Answer has only its summary.
func (c *Client) Iteration(ctx context.Context, id string) (*lightpath.Iteration, error) {
	return get[lightpath.Iteration](ctx, c, "/v1/jobs/"+url.PathEscape(id)+"/answer?full=1")
}

// Event is something that happened to a job; other fields are nil.
type Event struct {
	Job    *server.Job
	Status string
	Cells  []sweep.AnswerCell // new cells of a sweep
	Better *server.Better     // the fastest plan so far
	Ranks  server.RunRanks    // progress of the ranks of an emulation
	Steps  server.RunSteps    // newly ended steps of an emulation
}

// longestEvent bounds one event, which may have all cells of a sweep.
const longestEvent = 256 << 20

// Follow calls tell with the events of a job until it is over, and then returns the job.
func (c *Client) Follow(ctx context.Context, id string, tell func(Event)) (*server.Job, error) {
	answer, err := c.do(ctx, http.MethodGet, "/v1/jobs/"+url.PathEscape(id)+"/events", nil)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, longestEvent)
	kind := ""
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			kind = name
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e Event
		var into any = &e.Status
		switch kind {
		case "job":
			into = &e.Job
		case "cells":
			into = &e.Cells
		case "better":
			into = &e.Better
		case "ranks":
			into = &e.Ranks
		case "steps":
			into = &e.Steps
		}
		if err := json.Unmarshal([]byte(data), into); err != nil {
			return nil, fmt.Errorf("job %s: event %s: %w", id, kind, err)
		}
		if tell != nil {
			tell(e)
		}
		if e.Job != nil && e.Job.State.Over() {
			return e.Job, nil
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("job %s: the service ended before it", id)
}
