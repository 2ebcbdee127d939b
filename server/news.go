package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sweep"
)

// news is what work has found so far, for its followers.
type news struct {
	status  string
	cells   []sweep.AnswerCell // of a sweep
	betters int                // plans that were the fastest so far
	better  json.RawMessage    // the summary of the last such plan, or nil
	attempt int                // of an emulation that is replanned around faults, from 1
	steps   []lightpath.EmulatedStep
	ranks   map[int]int // the last step that each rank has ended
	ended   int         // how often a rank has ended a step
}

// Better is a plan that was the fastest when it was found. It is not verified yet.
type Better struct {
	Count   int             `json:"count"`   // such plans so far
	Summary json.RawMessage `json:"summary"` // the plan's summary, without baselines
}

// RunSteps are steps of an emulation that have ended.
type RunSteps struct {
	// Attempt counts from 1; it is more after a fault that was planned around.
	Attempt int                      `json:"attempt"`
	Steps   []lightpath.EmulatedStep `json:"steps"`
}

// RunRanks is the progress of the ranks of an emulation.
type RunRanks struct {
	Attempt int      `json:"attempt"`
	Ended   [][2]int `json:"ended"` // rank, and the last step that it has ended
}

// summarySteps is the largest number of steps of a plan whose summary is sent before it is the
// answer.
const summarySteps = 1000

// watch returns the options that make work report what it finds.
func (l *live) watch() []lightpath.Option {
	n := &l.news
	return []lightpath.Option{
		lightpath.WithProgress(func(done, total int) { l.update(func() { l.job.Done, l.job.Total = done, total }) }),
		lightpath.WithStatus(func(text string) { l.update(func() { n.status = text }) }),
		lightpath.WithBetter(func(p *plan.Plan) {
			var out bytes.Buffer
			if p.CountSteps() > summarySteps || p.EncodeSummary(&out) != nil {
				return
			}
			l.update(func() { n.betters, n.better = n.betters+1, out.Bytes() })
		}),
		lightpath.WithEmulatedSteps(
			func(s lightpath.EmulatedStep) {
				l.update(func() { n.steps = append(n.steps, s) })
			},
			func(rank, step int) {
				l.update(func() {
					if n.attempt == 0 || n.ranks[rank] >= step { // a new attempt has begun
						n.attempt, n.steps, n.ranks = n.attempt+1, nil, map[int]int{}
					}
					n.ranks[rank] = step
					n.ended++
				})
			}),
	}
}

// follower is what a client has been told so far.
type follower struct {
	cells, betters, steps, ended, attempt int
	status                                string
}

// tell sends the news, and returns the job and what to wait for.
func (f *follower) tell(w http.ResponseWriter, l *live) (job Job, changed <-chan struct{}, err error) {
	l.mu.Lock()
	job, changed = l.job, l.changed
	n := l.news
	var ranks RunRanks
	if n.ended != f.ended {
		ranks.Attempt = n.attempt
		for rank, step := range n.ranks {
			ranks.Ended = append(ranks.Ended, [2]int{rank, step})
		}
	}
	l.mu.Unlock()
	job.Request = nil
	slices.SortFunc(ranks.Ended, func(a, b [2]int) int { return a[0] - b[0] })
	if n.attempt != f.attempt {
		f.attempt, f.steps = n.attempt, 0
	}
	send := func(fresh bool, kind string, value any) {
		if fresh && err == nil {
			err = event(w, kind, value)
		}
	}
	send(len(n.cells) > f.cells, "cells", n.cells[min(f.cells, len(n.cells)):])
	send(n.betters > f.betters && n.better != nil, "better", Better{n.betters, n.better})
	send(len(ranks.Ended) > 0, "ranks", ranks)
	send(len(n.steps) > f.steps, "steps", RunSteps{n.attempt, n.steps[min(f.steps, len(n.steps)):]})
	send(n.status != f.status && n.status != "", "status", n.status)
	*f = follower{len(n.cells), n.betters, len(n.steps), n.ended, n.attempt, n.status}
	return job, changed, err
}

// eventStream is the type of server-sent events.
const eventStream = "text/event-stream"

// alive is how often a follower gets something, so that nobody takes the connection for dead.
const alive = 15 * time.Second

// together is how long changes are collected into one event.
const together = 50 * time.Millisecond

// events sends what happens to a job, as server-sent events, until it is over: "job" with its
// state and progress, "status" with a line on what was found, "cells" with new cells of a sweep,
// "better" with the fastest plan so far, "ranks" and "steps" with the progress of an emulation.
// A follower that comes late, or comes back, first gets everything so far.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	l, err := s.jobs.get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	beginEvents(w)
	var f follower
	control := http.NewResponseController(w)
	for {
		s.recallCells(r.Context(), l)
		job, changed, err := f.tell(w, l)
		if err != nil || event(w, "job", job) != nil || control.Flush() != nil || job.State.Over() {
			return nil //nolint:nilerr // the client has gone
		}
		select {
		case <-changed:
			select { // several changes are one event
			case <-time.After(together):
			case <-r.Context().Done():
				return nil
			}
		case <-time.After(alive):
		case <-r.Context().Done():
			return nil
		case <-s.ending:
			return nil
		}
	}
}

// recallCells tells followers of the cells of a finished sweep if nobody recorded them when they
// were found: before the service restarted, or because the answer was known.
func (s *Server) recallCells(ctx context.Context, l *live) {
	continues := s.of(l).Continues
	l.mu.Lock()
	needed := continues && l.job.State == Done && l.news.cells == nil
	l.mu.Unlock()
	if !needed {
		return
	}
	var table sweep.Answer
	a, err := s.answerOf(ctx, l)
	if err == nil {
		err = json.Unmarshal(a.body, &table)
	}
	if err != nil { // it may have been deleted meanwhile
		s.log.WarnContext(ctx, "the cells of a sweep are not known", "job", l.job.ID, "error", err)
		return
	}
	l.mu.Lock()
	l.news.cells = table.Cells
	l.mu.Unlock()
}

func beginEvents(w http.ResponseWriter) {
	w.Header().Set("Content-Type", eventStream)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

func event(w http.ResponseWriter, kind string, value any) error {
	data, err := json.Marshal(value)
	if err == nil {
		_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
	}
	return err
}
