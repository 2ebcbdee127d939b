package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/internal/exposition"
	"github.com/lightpath-net/lightpath/internal/strict"
	"github.com/lightpath-net/lightpath/plan"
)

// planHeader has the ID of the plan that an answer summarizes.
const planHeader = "Lightpath-Plan"

// prepare reads a request, checks its size and completes it. Reading a large request counts as
// work like any other.
func (s *Server) prepare(ctx context.Context, c *command, body []byte) (q *question, err error) {
	if len(body) <= smallBody {
		if q, err = s.complete(ctx, c, body); err != nil {
			err = c.withOthers(err, body, func(body []byte) error {
				_, err := s.complete(ctx, c, body)
				return err
			})
		}
		return q, err
	}
	return serveWork(ctx, s, "a request of "+c.Name, func(ctx context.Context) (*question, error) {
		return s.complete(ctx, c, body)
	})
}

func (s *Server) complete(ctx context.Context, c *command, body []byte) (*question, error) {
	body, err := s.inlined(ctx, body)
	if err != nil {
		return nil, err
	}
	q, err := c.read(body)
	if err != nil {
		var named *lightpath.FieldError
		if !errors.As(err, &named) {
			if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
				err = fmt.Errorf("not a request in JSON: %w", err)
			}
			err = &malformed{err}
		}
		return nil, s.config.Limits.lower(err)
	}
	if err := s.config.Limits.check(q.request); err != nil {
		return nil, s.config.Limits.lower(err)
	}
	if err := q.request.Complete(); err != nil {
		return nil, s.config.Limits.lower(err)
	}
	if r, ok := q.request.(*lightpath.EmulateRequest); ok {
		if r.Iteration != nil {
			return q, s.config.Limits.checkIterations(r.Iteration)
		}
		p := r.Plan
		if p == nil {
			if p, err = s.store.Plan(ctx, r.PlanID); err != nil {
				return nil, err
			}
		}
		return q, s.config.Limits.checkEmulation(p)
	}
	return q, nil
}

// ask answers a request of a command.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, c *command) error {
	body, err := s.body(w, r)
	if err != nil {
		return err
	}
	// A body with the same bytes as a recent one need not even be parsed.
	same, streamed := sameBytes(c, body), strings.HasPrefix(r.Header.Get("Accept"), eventStream)
	if a, ok := s.store.recent.get(same); ok && !c.Long {
		s.metrics.hits.Add(1)
		if streamed {
			return streamAnswer(w, a)
		}
		return writeAnswer(w, a)
	}
	q, err := s.prepare(r.Context(), c, body)
	if err != nil {
		return err
	}
	if c.Long {
		return s.accept(w, r, q)
	}
	if streamed {
		return s.stream(w, r, q, same)
	}
	a, err := s.answer(r.Context(), q)
	if err != nil {
		return err
	}
	s.store.recent.put(same, a)
	return writeAnswer(w, a)
}

// sameBytes names a body by its bytes. It differs from all keys of the store, which are
// hexadecimal digits.
func sameBytes(c *command, body []byte) string {
	sum := sha256.Sum256(body)
	return c.Name + " " + string(sum[:])
}

// answer finds an answer in the store or computes it.
func (s *Server) answer(ctx context.Context, q *question, options ...lightpath.Option) (answer, error) {
	key, request, err := q.key()
	if err != nil {
		return answer{}, err
	}
	a, err := s.store.find(ctx, key)
	if err == nil {
		s.metrics.hits.Add(1)
		return a, nil
	}
	if !errors.Is(err, errNone) {
		return a, err
	}
	leave, err := s.places.enter(ctx)
	if err != nil {
		return a, err
	}
	if a, err := s.store.find(ctx, key); err == nil { // another client asked the same meanwhile
		leave()
		s.metrics.hits.Add(1)
		return a, nil
	}
	s.metrics.misses.Add(1)
	return s.compute(ctx, seat{&s.request, leave}, q, key, request, options...)
}

// pieceBytes is how many bytes are written at once: a slow client has a deadline for each piece.
const pieceBytes = 256 << 10

func writeAnswer(w http.ResponseWriter, a answer) error {
	if a.plan != "" {
		w.Header().Set(planHeader, a.plan)
	}
	w.Header().Set("Content-Type", "application/json")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	for rest := a.body; len(rest) > 0; {
		n := min(len(rest), pieceBytes)
		if _, err := w.Write(rest[:n]); err != nil {
			return nil //nolint:nilerr // the client has gone
		}
		rest = rest[n:]
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, value any) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(value) // the client may have gone
	return nil
}

// accept makes a question a job.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, q *question) error {
	job, err := s.jobs.submit(r.Context(), clientOf(r), q)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/jobs/"+job.ID)
	return writeJSON(w, http.StatusAccepted, job)
}

// JobRequest asks to run a command as a job.
type JobRequest struct {
	Command string          `json:"command"`
	Request json.RawMessage `json:"request"`
}

func (s *Server) makeJob(w http.ResponseWriter, r *http.Request) error {
	body, err := s.body(w, r)
	if err != nil {
		return err
	}
	var asked JobRequest
	if err := strict.Unmarshal(body, &asked); err != nil {
		return &malformed{err}
	}
	c := s.lookup(asked.Command)
	if c == nil {
		return &lightpath.FieldError{Path: "command", Err: fmt.Errorf("unknown command %.80q", asked.Command)}
	}
	if len(asked.Request) == 0 {
		return &lightpath.FieldError{Path: "request", Err: errors.New("missing; want the request of the command")}
	}
	q, err := s.prepare(r.Context(), c, asked.Request)
	if err != nil {
		return err
	}
	return s.accept(w, r, q)
}

// JobList is a list of jobs.
type JobList struct {
	Jobs []Job `json:"jobs"`
}

func (s *Server) listJobs(w http.ResponseWriter, r *http.Request) error {
	state := r.URL.Query().Get("state")
	running := s.jobs.now() // before the stored ones: a job that leaves this list is stored by then
	list, err := s.store.listJobs(r.Context(), state)
	if err != nil {
		return err
	}
	for i := range list {
		if job, ok := running[list[i].ID]; ok && !list[i].State.Over() {
			list[i] = job
		}
	}
	list = slices.DeleteFunc(list, func(j Job) bool { return state != "" && string(j.State) != state })
	return writeJSON(w, http.StatusOK, JobList{list})
}

func (s *Server) getJob(w http.ResponseWriter, r *http.Request) error {
	l, err := s.jobs.get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	l.mu.Lock()
	job := l.job
	l.mu.Unlock()
	return writeJSON(w, http.StatusOK, job)
}

func (s *Server) cancelJob(w http.ResponseWriter, r *http.Request) error {
	if err := s.jobs.cancel(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) jobAnswer(w http.ResponseWriter, r *http.Request) error {
	l, err := s.jobs.get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	a, err := s.answerOf(r.Context(), l)
	if err != nil {
		return err
	}
	switch full := r.URL.Query().Get("full"); full {
	case "", "0":
	case "1":
		if a, err = s.wholeOf(r.Context(), l, a); err != nil {
			return err
		}
	default:
		return &lightpath.FieldError{Path: "full", Err: fmt.Errorf("%.40q is neither 0 nor 1", full)}
	}
	return writeAnswer(w, a)
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, lightpath.List())
}

// PlanList is a list of plans.
type PlanList struct {
	Plans []StoredPlan `json:"plans"`
}

func (s *Server) listPlans(w http.ResponseWriter, r *http.Request) error {
	list, err := s.store.plans(r.Context(), r.URL.Query().Get("q"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, PlanList{list})
}

// PlanID names a plan.
type PlanID struct {
	ID string `json:"id"`
}

// addPlan stores a plan that was made elsewhere, after verifying it.
func (s *Server) addPlan(w http.ResponseWriter, r *http.Request) error {
	body, err := s.body(w, r)
	if err != nil {
		return err
	}
	whole, err := serveWork(r.Context(), s, "a plan from elsewhere", func(ctx context.Context) (*wholePlan, error) {
		p, err := plan.Decode(bytes.NewReader(body))
		if err != nil {
			return nil, &malformed{fmt.Errorf("not a plan: %w", err)}
		}
		request := lightpath.VerifyRequest{Plan: p}
		if err := s.config.Limits.check(&request); err != nil {
			return nil, err
		}
		report, err := lightpath.Verify(ctx, request)
		if err != nil {
			return nil, err
		}
		if bad := report.First(); bad != nil {
			return nil, &lightpath.IncorrectPlanError{Check: *bad}
		}
		whole, err := newWholePlan(p)
		if err != nil {
			return nil, err
		}
		return whole, s.store.addPlan(ctx, whole)
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, PlanID{whole.ID})
}

func (s *Server) getPlan(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	whole, err := s.store.planFile(r.Context(), id)
	if err != nil {
		return err
	}
	if unchanged(w, r, forGood, id) {
		return nil
	}
	w.Header().Set("Content-Disposition", `attachment; filename="plan.json"`)
	return writeAnswer(w, answer{body: whole, plan: id})
}

func (s *Server) deletePlan(w http.ResponseWriter, r *http.Request) error {
	if err := s.store.forget(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	if unchanged(w, r, askAgain, string(s.openAPI)) {
		return nil
	}
	return writeAnswer(w, answer{body: s.openAPI})
}

func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := fmt.Fprintln(w, "ok")
	return err
}

// ready says whether the service accepts work: the store answers, the service is not shutting
// down, and no work continues that was told to stop.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	select {
	case <-s.ending:
		return errShutdown
	default:
	}
	if err := s.places.trouble(); err != nil {
		return err
	}
	if err := s.store.view(r.Context(), func(*bbolt.Tx) error { return nil }); err != nil {
		return errors.Join(errShutdown, err)
	}
	if s.store.full.Load() { // until a write shows that there is room again
		if err := s.store.probe(r.Context()); err != nil {
			return err
		}
	}
	return s.healthy(w, r)
}

func (s *Server) getMetrics(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", exposition.ContentType)
	var out bytes.Buffer
	s.metrics.write(&out, s)
	_, err := w.Write(out.Bytes())
	return err
}

// figure draws the steps of a plan over time as SVG.
func (s *Server) figure(w http.ResponseWriter, r *http.Request) error {
	p, err := s.store.Plan(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	drawn, err := serveLarge(r.Context(), s, "figure", p.Fabric.Nodes, func(context.Context) ([]byte, error) {
		scene, err := figure.Timeline(p)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = scene.SVG(&out)
		return out.Bytes(), err
	})
	if err != nil {
		return err
	}
	if unchanged(w, r, askAgain, s.version, r.URL.Path) {
		return nil
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Disposition", `attachment; filename="plan.svg"`)
	_, err = w.Write(drawn)
	return err
}
