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
	handlerWithin := func(data string, each time.Duration) http.Handler {
		s, err := server.New(f.Context(), server.Config{Data: data, Limits: server.Limits{
			Body: 64 * units.KiB, Nodes: 16, Cells: 20, Request: each, Job: each,
		}})
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { s.Close() })
		return s.Handler()
	}
	handler := handlerWithin(f.TempDir(), 50*time.Millisecond)
	paths := []string{"plan", "compare", "frontier", "explain", "verify", "topology", "schedule", "find", "simulate", "compile", "check", "collective",
		"train", "workload", "advise", "tune", "sweep", "emulate", "jobs", "plans", "reproduce"}
	// The example has the time, on any machine.
	example := seed(f, handlerWithin(f.TempDir(), time.Minute), paths)
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(f.Context(), http.MethodPost, "http://127.0.0.1/v1/plans", strings.NewReader(example)))
	f.Fuzz(func(t *testing.T, path uint8, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/v1/"+paths[int(path)%len(paths)], strings.NewReader(body))
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%s %q: %d %s", r.URL.Path, body, w.Code, w.Body)
		}
	})
}

// seed adds the examples of the API, their plan, requests with other spellings of fields, and
// invalid requests. It returns the plan.
func seed(f *testing.F, handler http.Handler, paths []string) string {
	ask := func(method, path, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(f.Context(), method, "http://127.0.0.1"+path, strings.NewReader(body)))
		return w
	}
	doc := decode[openAPI](f, ask("GET", "/openapi.json", "").Body.Bytes())
	example := func(name string) string {
		return string(doc.Paths["/v1/"+name]["post"].RequestBody.Content["application/json"].Example)
	}
	id := ask("POST", "/v1/plan", example("plan")).Header().Get("Lightpath-Plan")
	if id == "" {
		f.Fatal("the example has no plan")
	}
	made := ask("GET", "/v1/plans/"+id, "").Body.String()
	for i, path := range paths {
		text := strings.ReplaceAll(example(path), "PLAN", id)
		switch path {
		case "jobs":
			text = `{"command":"plan","request":` + example("plan") + `}`
		case "plans":
			text = made
		}
		if text == "" {
			f.Errorf("%s: no example", path)
		}
		f.Add(uint8(i), text)
	}
	for _, text := range []string{
		`{"operations":["allreduce"],"fabric":{"nodes":4}}`, `{"operations":["allreduce/4MiB","alltoall/1KB"],"fabric":{"nodes":5,"ports":2,"reconfig":"per-switch:1us+2us","initial":"dark"}}`,
		`{"operation":{"op":"alltoall","demand":"zipf:1"},"fabric":{"nodes":4}}`, `{"pattern":{"nodes":4,"steps":[[{"src":0,"dst":1,"chunks":[0]}]]}}`,
		`{"topology":"Edges(3;0,1,1,1,2,1,2,0,1)"}`, `{"topology":"Product(Ring(4),K(3))","traffic":[{"src":0,"dst":1,"bytes":9}]}`,
		`{"axes":[{"name":"op","values":["allreduce"]},{"name":"nodes","values":["4","8"]}]}`, `{"plan":{"id":"` + id + `"},"fail":["link:0-1@1us","gpu:2@2us"]}`,
		`{"plan":{"id":"` + id + `"},"to":"msccl","inline":true}`, `{"plan":{"id":"` + id + `"},"no_wait":true,"fail":["gpu:2@step:1"],"replan":true}`,
		`{"schedule":{"cost":1,"num_of_reconfigs":0,"alpha_r":10,"collective":"allreduce-ring","reconf_cost_total":0,"steps":[{"step":1,"topology":[[0,1,1],[1,0,1]]},{"step":2,"topology":[[0,1,1],[1,0,1]]}]},"operation":"allreduce/1KiB/ring","fabric":{"nodes":2}}`,
		`{"file":"a","content":{"a":"<algo>"}}`, `null`, `"`, `{`, `[]`, `{"operations":null}`, `{"fabric":{"nodes":1e99}}`, `{"seed":-1}`,
	} {
		for i := range paths {
			f.Add(uint8(i), text)
		}
	}
	return made
}
