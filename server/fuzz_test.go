package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/units"
)

// FuzzHandlers: no body makes a handler fail in a way that is the service's fault.
func FuzzHandlers(f *testing.F) {
	s, err := server.New(f.Context(), server.Config{Data: f.TempDir(), Limits: server.Limits{
		Body: 64 * units.KiB, Nodes: 16, Cells: 20, Request: 50 * time.Millisecond, Job: 50 * time.Millisecond,
	}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	handler := s.Handler()
	for _, seed := range []string{
		`{"operations":["allreduce"],"fabric":{"nodes":4}}`, `{"operation":{"op":"alltoall","demand":"zipf:1"}}`, `{"topology":"K(4)"}`,
		`{"axes":[{"name":"op","values":["allreduce"]}]}`, `{"plan":{"id":"x"}}`, `{"command":"plan","request":{}}`, `{"file":"a","content":{"a":"<algo>"}}`, `null`, `"`, `{`,
	} {
		for path := range uint8(4) {
			f.Add(path, seed)
		}
	}
	paths := []string{"plan", "compare", "frontier", "explain", "verify", "topology", "schedule", "find", "simulate", "compile", "check", "collective", "reproduce", "train", "advise", "tune", "sweep", "emulate", "jobs", "plans"}
	f.Fuzz(func(t *testing.T, path uint8, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/v1/"+paths[int(path)%len(paths)], strings.NewReader(body))
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%s %q: %d %s", r.URL.Path, body, w.Code, w.Body)
		}
	})
}
