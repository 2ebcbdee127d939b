package server

import (
	"encoding/json"
	"net/http"
	"time"
)

// Streamed is the last event, "answer", of a request that was asked with Accept:
// text/event-stream.
type Streamed struct {
	// Plan is the ID of the plan that the answer is the summary of.
	Plan   string          `json:"plan,omitempty"`
	Answer json.RawMessage `json:"answer"`
}

// Unanswered is the last event, "error", of a request that has no answer.
type Unanswered struct {
	Status int     `json:"status"` // that it would have without the stream
	Error  Problem `json:"error"`
}

// stream answers a question with events while it is worked on: "status" and "better" as for
// a job, "progress", and in the end "answer" or "error". The work ends when the client goes.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, q *question, same string) error {
	l := &live{changed: make(chan struct{})}
	var a answer
	var failed error
	over := make(chan struct{})
	go func() {
		defer close(over)
		if a, failed = s.answer(r.Context(), q, l.watch()...); failed == nil {
			s.store.recent.put(same, a)
		}
	}()
	working := true
	select {
	case <-over:
		if failed != nil {
			return failed // at once: it needs no stream
		}
		working = false
	case <-time.After(together):
	}
	beginEvents(w)
	var f follower
	gone := false
	for working {
		gone = gone || s.tellProgress(w, &f, l) != nil
		select {
		case <-over:
			working = false
		case <-l.next():
			select { // several changes are one event
			case <-over:
				working = false
			case <-time.After(together):
			}
		case <-time.After(alive):
		}
	}
	switch {
	case gone || s.tellProgress(w, &f, l) != nil:
		return nil
	case failed != nil:
		_ = event(w, "error", Unanswered{statusOf(failed), problemOf(failed)}) // the client may have gone
		return nil
	}
	return streamAnswer(w, a)
}

// tellProgress sends what is new of a request that is streamed.
func (s *Server) tellProgress(w http.ResponseWriter, f *follower, l *live) error {
	job, _, err := f.tell(w, l)
	if err == nil && job.Total > 0 {
		err = event(w, "progress", [2]int{job.Done, job.Total})
	}
	if err == nil {
		err = http.NewResponseController(w).Flush()
	}
	return err
}

// streamAnswer is the whole stream of what is known, or its end.
func streamAnswer(w http.ResponseWriter, a answer) error {
	if w.Header().Get("Content-Type") == "" {
		beginEvents(w)
	}
	_ = event(w, "answer", Streamed{a.plan, a.body}) // the client may have gone
	return nil
}
