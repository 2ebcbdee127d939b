package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
)

// asked returns the status and the body of a service's answer.
func asked(t *testing.T, s *Server, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

// Work that does not heed its context is given up: its client is told, others are answered
// although there is only one place, and the service is not ready until the work comes back.
func TestWorkThatDoesNotStopIsGivenUp(t *testing.T) {
	s, err := New(t.Context(), Config{Data: t.TempDir(), Limits: Limits{Running: 1, Waiting: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.places.grace = 1 // a nanosecond
	end, back := make(chan struct{}), make(chan struct{})
	why := errors.New("enough")
	stuck := func(wait <-chan struct{}) error {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := serveWork(ctx, s, "something long", func(context.Context) (int, error) {
			cancel(why)
			<-wait
			return 1, nil
		})
		return err
	}
	go func() {
		defer close(back)
		if err := stuck(end); !errors.Is(err, why) {
			t.Errorf("work that was given up: %v", err)
		}
	}()
	<-back
	if r, text := asked(t, s, "GET", "/readyz", ""); r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "something long") {
		t.Errorf("ready while work is stuck: %s %s", r.Status, text)
	}
	if r, _ := asked(t, s, "GET", "/healthz", ""); r.StatusCode != http.StatusOK {
		t.Errorf("not alive: %s", r.Status)
	}
	if _, text := asked(t, s, "GET", "/metrics", ""); !strings.Contains(text, `lightpath_work{state="stuck"} 1`) {
		t.Error("metrics do not show stuck work")
	}
	// The only place is free.
	if r, text := asked(t, s, "POST", "/v1/plan", `{"operations":[{"op":"allreduce","size":"1MiB"}],"fabric":{"nodes":4,"ports":1}}`); r.StatusCode != http.StatusOK {
		t.Errorf("another request: %s %s", r.Status, text)
	}
	// A second one keeps its place: at most as many abandoned threads may run as there are
	// places.
	second := make(chan struct{})
	if err := stuck(second); !errors.Is(err, why) {
		t.Errorf("work that was given up: %v", err)
	}
	if n := len(s.places.requests); n != 1 {
		t.Errorf("%d places are taken, want 1", n)
	}
	close(end)
	close(second)
	for { // the threads come back by themselves
		if _, n := s.places.used(); n == 0 {
			break
		}
	}
	if r, text := asked(t, s, "GET", "/readyz", ""); r.StatusCode != http.StatusOK {
		t.Errorf("not ready though all work is back: %s %s", r.Status, text)
	}
}

// Processor time is counted while work is under way.
func TestProcessorTimeOfWorkUnderWayIsCounted(t *testing.T) {
	s, err := New(t.Context(), Config{Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = serveWork(t.Context(), s, "something", func(context.Context) (int, error) {
		for sum := 0; ; sum++ {
			if used, _ := s.places.used(); used > 0 {
				return sum, nil
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	_, text := asked(t, s, "GET", "/metrics", "")
	if !regexp.MustCompile(`(?m)^lightpath_work_cpu_seconds_total [0-9.e-]*[1-9]`).MatchString(text) {
		t.Error("no processor time in the metrics")
	}
}

// A job reports that it is cancelled as soon as the request arrives, though its work takes time
// to stop. The same job, started again, waits for that work.
func TestACancelledJobSaysSoAtOnce(t *testing.T) {
	s, err := New(t.Context(), Config{Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begun, end := make(chan struct{}, 2), make(chan struct{})
	c := s.lookup("topology")
	q, err := c.read([]byte(`{"topology":"Ring(4)"}`))
	if err != nil {
		t.Fatal(err)
	}
	ask := q.ask
	q.ask = func(ctx context.Context, options ...lightpath.Option) (any, error) {
		begun <- struct{}{}
		<-end
		return ask(ctx, options...)
	}
	first, err := s.jobs.submit(t.Context(), "somebody", q)
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if r, text := asked(t, s, "DELETE", "/v1/jobs/"+first.ID, ""); r.StatusCode != http.StatusNoContent {
		t.Fatal(r.Status, text)
	}
	if _, text := asked(t, s, "GET", "/v1/jobs/"+first.ID, ""); !strings.Contains(text, `"cancelled"`) {
		t.Errorf("right after it was cancelled: %s", text)
	}
	second, err := s.jobs.submit(t.Context(), "somebody", q)
	if err != nil || second.ID == first.ID {
		t.Fatalf("the same again: %v, %v", second.ID, err)
	}
	if len(begun) > 0 {
		t.Error("it began before the work of the one before was over")
	}
	close(end)
	l, err := s.jobs.get(t.Context(), second.ID)
	if err != nil {
		t.Fatal(err)
	}
	if l.ended != nil {
		<-l.ended
	}
	for id, want := range map[string]string{first.ID: `"cancelled"`, second.ID: `"done"`} {
		if _, text := asked(t, s, "GET", "/v1/jobs/"+id, ""); !strings.Contains(text, want) {
			t.Errorf("in the end: %s, want %s", text, want)
		}
	}
}
