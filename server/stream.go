package server

import (
	"encoding/json"
	"net/http"
	"time"
)

// Streamed is the last event, "answer", of a request sent with Accept: text/event-stream.
type Streamed struct {
	// Plan is the ID of the plan that the answer summarizes.
	Plan   string          `json:"plan,omitempty"`
	Answer json.RawMessage `json:"answer"`
}

// Unanswered is the last event, "error", of a request that has no answer.
type Unanswered struct {
	Status int     `json:"status"` // the status without the stream
	Error  Problem `json:"error"`
}

// stream answers a question with events during the work: "status" and "better" as for a job,
// "progress", and at the end "answer" or "error". The work ends when the client disconnects.
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
			return failed // failed at once: no stream needed
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

// tellProgress sends the news of a streamed request.
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

// streamAnswer sends the final event: the whole stream for a known answer, or its end.
func streamAnswer(w http.ResponseWriter, a answer) error {
	if w.Header().Get("Content-Type") == "" {
		beginEvents(w)
	}
	_ = event(w, "answer", Streamed{a.plan, a.body}) // the client may have gone
	return nil
}
