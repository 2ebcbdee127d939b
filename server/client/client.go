// Package client asks a lightpath service, with the requests and answers of package
// lightpath.
package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/film"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Client knows where a service is. It is safe for concurrent use.
type Client struct {
	Base  string       // e.g. "http://127.0.0.1:8080"
	Token string       // "" if the service wants none
	HTTP  *http.Client // nil: http.DefaultClient
}

// Error is an answer that is none.
type Error struct {
	Status int // of HTTP
	server.Problem
}

// Error gives the field and what is wrong with it.
func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Problem.Problem
	}
	return e.Problem.Problem
}

// do asks. The caller closes the body of the answer.
func (c *Client) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.Base, "/")+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	web := c.HTTP
	if web == nil {
		web = http.DefaultClient
	}
	answer, err := web.Do(r)
	if err != nil || answer.StatusCode < 300 {
		return answer, err
	}
	defer answer.Body.Close()
	failed := &Error{Status: answer.StatusCode}
	var doc server.Error
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if failed.Problem = doc.Error; err != nil {
		failed.Problem.Problem = fmt.Sprintf("%s: %.200s", answer.Status, text)
	}
	return nil, failed
}

func ask[A any](ctx context.Context, c *Client, method, path string, body any) (*A, http.Header, error) {
	answer, err := c.do(ctx, method, path, body)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	a := new(A)
	if err := json.NewDecoder(answer.Body).Decode(a); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, answer.Header, nil
}

func command[A any](ctx context.Context, c *Client, name string, request any) (*A, error) {
	a, _, err := ask[A](ctx, c, http.MethodPost, "/v1/"+name, request)
	return a, err
}

// Plan makes a plan and returns its summary and its ID, by which other requests name it.
func (c *Client) Plan(ctx context.Context, r lightpath.PlanRequest) (summary *plan.Summary, id string, err error) {
	summary, header, err := ask[plan.Summary](ctx, c, http.MethodPost, "/v1/plan", r)
	if err != nil {
		return nil, "", err
	}
	return summary, header.Get("Lightpath-Plan"), nil
}

// PlanFile returns a whole plan of the store.
func (c *Client) PlanFile(ctx context.Context, id string) (*plan.Plan, error) {
	p, _, err := ask[plan.Plan](ctx, c, http.MethodGet, "/v1/plans/"+id, nil)
	return p, err
}

// Compare plans with every algorithm and planner.
func (c *Client) Compare(ctx context.Context, r lightpath.CompareRequest) (*lightpath.Comparison, error) {
	return command[lightpath.Comparison](ctx, c, "compare", r)
}

// Explain says why a plan rewires when it does.
func (c *Client) Explain(ctx context.Context, r lightpath.ExplainRequest) (*explain.Explanation, error) {
	return command[explain.Explanation](ctx, c, "explain", r)
}

// Verify checks a plan.
func (c *Client) Verify(ctx context.Context, r lightpath.VerifyRequest) (*plan.Report, error) {
	return command[plan.Report](ctx, c, "verify", r)
}

// Topology measures the graph of an expression.
func (c *Client) Topology(ctx context.Context, r lightpath.TopologyRequest) (*topology.Metrics, error) {
	return command[topology.Metrics](ctx, c, "topology", r)
}

// Schedule returns the schedule on a topology.
func (c *Client) Schedule(ctx context.Context, r lightpath.ScheduleRequest) (*lightpath.Schedule, error) {
	return command[lightpath.Schedule](ctx, c, "schedule", r)
}

// Find returns the best topologies of a size and degree.
func (c *Client) Find(ctx context.Context, r lightpath.FindRequest) (*lightpath.TopologyFrontier, error) {
	return command[lightpath.TopologyFrontier](ctx, c, "find", r)
}

// Simulate replays a plan or traffic.
func (c *Client) Simulate(ctx context.Context, r lightpath.SimulateRequest) (*lightpath.Simulation, error) {
	return command[lightpath.Simulation](ctx, c, "simulate", r)
}

// Compile makes the files of a plan.
func (c *Client) Compile(ctx context.Context, r lightpath.CompileRequest) (*lightpath.Compilation, error) {
	return command[lightpath.Compilation](ctx, c, "compile", r)
}

// Reproduce compares numbers of the papers with what is computed here.
func (c *Client) Reproduce(ctx context.Context, r lightpath.ReproduceRequest) (*lightpath.Reproduction, error) {
	return command[lightpath.Reproduction](ctx, c, "reproduce", r)
}

// Film simulates a plan of the store packet by packet, and returns what can be seen of it
// over time. A packet of 0 bytes is one of the usual size.
func (c *Client) Film(ctx context.Context, id string, packet units.Bytes) (*film.Film, error) {
	query := ""
	if packet != 0 {
		query = "?packet=" + url.QueryEscape(packet.String())
	}
	f, _, err := ask[film.Film](ctx, c, http.MethodGet, "/v1/plans/"+id+"/film"+query, nil)
	return f, err
}

// Switches returns when the switches of a plan of the store are dark.
func (c *Client) Switches(ctx context.Context, id string) (*server.Switches, error) {
	s, _, err := ask[server.Switches](ctx, c, http.MethodGet, "/v1/plans/"+id+"/switches", nil)
	return s, err
}

// Export gives every plan and answer of the store to a function, until that returns an error.
// An export that does not end as it should is an error.
func (c *Client) Export(ctx context.Context, each func(server.ExportLine) error) (server.ExportEnd, error) {
	answer, err := c.do(ctx, http.MethodGet, "/v1/export", nil)
	if err != nil {
		return server.ExportEnd{}, err
	}
	defer answer.Body.Close()
	for lines := json.NewDecoder(answer.Body); ; {
		var line server.ExportLine
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF):
			return server.ExportEnd{}, errors.New("export: the service ended before it")
		case err != nil:
			return server.ExportEnd{}, fmt.Errorf("export: %w", err)
		case line.End != nil:
			return *line.End, nil
		case line.Schema != "" && line.Schema != server.ExportSchema:
			return server.ExportEnd{}, fmt.Errorf("export: %.80q; want %s", line.Schema, server.ExportSchema)
		case line.Schema == "":
			if err := each(line); err != nil {
				return server.ExportEnd{}, err
			}
		}
	}
}

// Submit has any command carried out as a job.
func (c *Client) Submit(ctx context.Context, name string, request any) (*server.Job, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	return command[server.Job](ctx, c, "jobs", server.JobRequest{Command: name, Request: text})
}

// Job returns a job as it is now.
func (c *Client) Job(ctx context.Context, id string) (*server.Job, error) {
	job, _, err := ask[server.Job](ctx, c, http.MethodGet, "/v1/jobs/"+id, nil)
	return job, err
}

// Cancel stops a job, or forgets one that is over.
func (c *Client) Cancel(ctx context.Context, id string) error {
	answer, err := c.do(ctx, http.MethodDelete, "/v1/jobs/"+id, nil)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// Answer decodes the answer of a job that is done.
func (c *Client) Answer(ctx context.Context, id string, into any) error {
	answer, err := c.do(ctx, http.MethodGet, "/v1/jobs/"+id+"/answer", nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(into)
}

// Event is something that happened to a job; the fields that it does not concern are nil.
type Event struct {
	Job    *server.Job
	Status string
	Cells  []sweep.AnswerCell // of a sweep, that are new
	Better *server.Better     // the fastest plan so far
	Ranks  server.RunRanks    // how far the ranks of an emulation are
	Steps  server.RunSteps    // of an emulation, that have ended since
}

// longestEvent bounds one event: all cells that a sweep may have.
const longestEvent = 256 << 20

// Follow tells what happens to a job until it is over, and returns it then.
func (c *Client) Follow(ctx context.Context, id string, tell func(Event)) (*server.Job, error) {
	answer, err := c.do(ctx, http.MethodGet, "/v1/jobs/"+id+"/events", nil)
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
