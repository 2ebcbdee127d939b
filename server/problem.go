package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/planner"
)

// Problem says why there is no answer, and which field of the request is wrong, if any.
type Problem struct {
	// Field is the path in JSON names: "fabric.reconfig", "operations[0].size_bytes".
	Field   string `json:"field,omitempty"`
	Problem string `json:"problem"`
}

// Error is the body of every error answer.
type Error struct {
	Error Problem `json:"error"`
	// Others are further wrong fields of the request, as far as they can be found.
	Others []Problem `json:"others,omitempty"`
}

// Reasons for which work is stopped.
var (
	errTooLong   = errors.New("it takes longer than this service allows a request; POST it to /v1/jobs, where there is more time")
	errJobLong   = errors.New("it takes longer than this service allows a job")
	errCPU       = errors.New("it takes more processor time than this service allows a request; POST it to /v1/jobs, where there is more")
	errJobCPU    = errors.New("it takes more processor time than this service allows a job")
	errMemory    = errors.New("it takes more memory than this service has; ask for fewer nodes or a plan that is smaller")
	errBodies    = errors.New("too many large requests are here already; try again later")
	errBusy      = errors.New("too many requests wait already; try again later")
	errManyJobs  = errors.New("this client has too many jobs that are not done; wait for them or cancel some")
	errFull      = errors.New("the disk of this service is full: it answers what it knows, and keeps nothing new")
	errStuck     = errors.New("work that was told to stop has not come back")
	errShutdown  = errors.New("the service is ending; a job goes on when it starts again")
	errCancelled = errors.New("it was cancelled")
	errNotOver   = errors.New("there is no answer yet; /v1/jobs/ID/events says when")
	errNoAnswer  = errors.New("there is no answer")
	errInternal  = errors.New("internal error; the log of the service says more")
)

// longestProblem bounds a message, which may quote client input.
const longestProblem = 1000

// problemOf says what is wrong in words for the client.
func problemOf(err error) Problem {
	p := Problem{Problem: err.Error()}
	var named *lightpath.FieldError
	if errors.As(err, &named) {
		p.Field = named.Path
		if err == error(named) {
			p.Problem = named.Err.Error()
		}
	}
	p.Problem = strings.ToValidUTF8(strings.Join(strings.Fields(p.Problem), " "), "?")
	if words := []rune(p.Problem); len(words) > longestProblem {
		const part = longestProblem/2 - 2
		p.Problem = string(words[:part]) + " .. " + string(words[len(words)-part:])
	}
	return p
}

// statusOf returns the status of an error answer. Requests that are not JSON are handled where
// they are read.
func statusOf(err error) int {
	var large *http.MaxBytesError
	var named *lightpath.FieldError
	var wrong *lightpath.IncorrectPlanError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, errBusy), errors.Is(err, errBodies), errors.Is(err, errManyJobs):
		return http.StatusTooManyRequests
	case errors.Is(err, errShutdown), errors.Is(err, errStuck):
		return http.StatusServiceUnavailable
	case errors.Is(err, errFull):
		return http.StatusInsufficientStorage
	case errors.As(err, &named):
		return http.StatusUnprocessableEntity
	case errors.Is(err, errNotOver):
		return http.StatusConflict
	case errors.Is(err, errNone), errors.Is(err, errNoAnswer):
		return http.StatusNotFound
	case errors.As(err, &wrong), errors.Is(err, planner.ErrInfeasible), errors.Is(err, compile.ErrRefused),
		errors.Is(err, errTooLong), errors.Is(err, errCPU), errors.Is(err, errMemory), errors.Is(err, context.DeadlineExceeded):
		return http.StatusUnprocessableEntity
	case errors.Is(err, errInternal):
		return http.StatusInternalServerError
	}
	return http.StatusUnprocessableEntity // an invalid request, without a field
}

// retryAfter is how many seconds a client that is told to wait should wait.
const retryAfter = 2

// refuse answers with a problem.
func refuse(w http.ResponseWriter, status int, err error) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		h.Set("Retry-After", strconv.Itoa(retryAfter))
	}
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	// It does not matter if the client has gone.
	answer := Error{Error: problemOf(err)}
	var all *several
	if errors.As(err, &all) {
		answer = Error{problemOf(all.error), all.others}
	}
	_ = encoder.Encode(answer)
}
