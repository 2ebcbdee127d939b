package controlling

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/lightpath-net/lightpath/internal/exposition"
	"github.com/lightpath-net/lightpath/internal/gate"
)

// Handler answers requests to a run: POST /demand and /stage, GET /status, /metrics and /healthz.
func (n *Runner) Handler(g *gate.Gate) http.Handler {
	g.Open = func(path string) bool { return path == "/healthz" }
	mux := http.NewServeMux()
	post := func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxEvent))
		if err != nil {
			n.Bad()
			refuse(w, http.StatusRequestEntityTooLarge, err)
			return
		}
		e, err := ParseEvent(data)
		if err == nil && (e.Demand != nil) != strings.HasSuffix(r.URL.Path, "/demand") {
			err = errors.New("a demand belongs to /demand, and a stage to /stage")
		}
		if err != nil {
			n.Bad()
			refuse(w, http.StatusBadRequest, err)
			return
		}
		answer, err := n.carry(r, e)
		if err != nil {
			refuse(w, n.statusOf(err), err)
			return
		}
		write(w, http.StatusOK, answer)
	}
	mux.HandleFunc("POST /demand", post)
	mux.HandleFunc("POST /stage", post)
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, n.Status()) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, map[string]bool{"ok": true}) })
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", exposition.ContentType)
		var out bytes.Buffer
		n.WriteMetrics(&out)
		_, _ = w.Write(out.Bytes()) // whoever asked may be gone
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if status, err := g.Admit(r); err != nil {
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer realm="lightpath"`)
			}
			refuse(w, status, err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// carry does what a request asks for. If the client goes away, planning stops and nothing is
// decided. A change of circuits that has begun is completed, and a repeated request for the step
// gets the same answer.
func (n *Runner) carry(r *http.Request, e Event) (any, error) {
	if e.Demand == nil {
		return n.Stage(r.Context(), e.Step, e.Stage)
	}
	step, err := n.Step(r.Context(), e.Step, e.Demand, nil)
	if step != nil {
		return step, nil // Status.Unsaved says if it could not be saved
	}
	return nil, err
}

// statusOf returns the HTTP status for an error.
func (n *Runner) statusOf(err error) int {
	switch {
	case errors.Is(err, ErrOrder):
		return http.StatusConflict
	case errors.Is(err, ErrSwitches):
		return http.StatusServiceUnavailable
	}
	n.Bad()
	return http.StatusBadRequest
}

// refuse answers with the reason of a refusal, in one line.
func refuse(w http.ResponseWriter, status int, err error) {
	write(w, status, map[string]string{"error": strings.Join(strings.Fields(err.Error()), " ")})
}

// write writes an answer as JSON.
func write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // whoever asked may be gone
}
