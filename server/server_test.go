package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/studio"
	"github.com/lightpath-net/lightpath/units"
)

// started returns a service of its own, and its address.
func started(t testing.TB, c server.Config) (*server.Server, string) {
	t.Helper()
	if c.Data == "" {
		c.Data = t.TempDir()
	}
	s, err := server.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, web.URL
}

// call sends a request and returns the status, the headers and the body of the answer.
func call(t testing.TB, method, url, body string, headers ...string) (int, http.Header, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, data
}

func decode[T any](t testing.TB, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %.300s", err, data)
	}
	return v
}

// finished waits for a job by its events and returns it.
func finished(t testing.TB, base, id string) server.Job {
	t.Helper()
	call(t, "GET", base+"/v1/jobs/"+id+"/events", "") // ends with the job
	_, _, data := call(t, "GET", base+"/v1/jobs/"+id, "")
	return decode[server.Job](t, data)
}

type openAPI struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]any }
}

type operation struct {
	RequestBody struct {
		Content map[string]struct{ Example json.RawMessage }
	}
}

// Every command of the document has an example, and the service answers it.
func TestEveryExampleOfTheAPIRuns(t *testing.T) {
	_, base := started(t, server.Config{})
	_, _, data := call(t, "GET", base+"/openapi.json", "")
	doc := decode[openAPI](t, data)
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("OpenAPI %q", doc.OpenAPI)
	}
	example := string(doc.Paths["/v1/plan"]["post"].RequestBody.Content["application/json"].Example)
	status, header, data := call(t, "POST", base+"/v1/plan", example)
	if status != 200 {
		t.Fatalf("plan: %d %s", status, data)
	}
	id, ran := header.Get("Lightpath-Plan"), 0
	var paths []string
	for path, methods := range doc.Paths {
		if methods["post"].RequestBody.Content["application/json"].Example != nil {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range samples.Some(paths) {
		text := string(doc.Paths[path]["post"].RequestBody.Content["application/json"].Example)
		ran++
		status, _, data := call(t, "POST", base+path, strings.ReplaceAll(text, "PLAN", id))
		switch status {
		case 200:
		case 202:
			job := finished(t, base, decode[server.Job](t, data).ID)
			if job.State != server.Done {
				t.Errorf("%s: %+v %+v", path, job, job.Error)
			}
			if status, _, data := call(t, "GET", base+"/v1/jobs/"+job.ID+"/answer", ""); status != 200 || !json.Valid(data) {
				t.Errorf("%s: answer %d %.200s", path, status, data)
			}
		default:
			t.Errorf("%s: %d %s", path, status, data)
		}
	}
	if ran < samples.Of(19) {
		t.Errorf("%d examples", ran)
	}
	for _, reference := range bytes.Split(data0(t, base), []byte(`"$ref": "#/components/schemas/`))[1:] {
		name, _, _ := strings.Cut(string(reference), `"`)
		name, _, _ = strings.Cut(name, "/")
		if doc.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
}

// The iteration of a request may be the job that has made it, and the document says so.
func TestTheAPISaysThatJobsNameIterations(t *testing.T) {
	_, base := started(t, server.Config{})
	doc := decode[openAPI](t, data0(t, base))
	for _, name := range []string{"simulate", "verify", "explain", "compile"} {
		data, err := json.Marshal(doc.Components.Schemas[name+"_request"])
		if err != nil || !strings.Contains(string(data), "the job that has made it") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func data0(t testing.TB, base string) []byte {
	_, _, data := call(t, "GET", base+"/openapi.json", "")
	return data
}

// The answer has the bytes that the command prints with --json, from the planner and from
// the store alike.
func TestAnswersAreWhatTheCommandPrints(t *testing.T) {
	_, base := started(t, server.Config{})
	const text = `{"operations":[{"op":"allreduce","size_bytes":4194304}],"fabric":{"nodes":8,"ports":2,"reconfig":"10us"}}`
	var request lightpath.PlanRequest
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		t.Fatal(err)
	}
	made, err := lightpath.Plan(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	var want, whole bytes.Buffer
	if err := lightpath.Render(made).JSON(&want); err != nil {
		t.Fatal(err)
	}
	if err := made.Encode(&whole); err != nil {
		t.Fatal(err)
	}
	id, err := made.ID()
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{text, ` {"fabric":{"nodes":8,"ports":2,"reconfig":"10us"},"operations":["allreduce/4MiB"],"planner":"auto"}`} {
		status, header, data := call(t, "POST", base+"/v1/plan", body)
		if status != 200 || !bytes.Equal(data, want.Bytes()) || header.Get("Lightpath-Plan") != id {
			t.Errorf("%s: %d, plan %s, %.200s", body, status, header.Get("Lightpath-Plan"), data)
		}
	}
	_, _, metrics := call(t, "GET", base+"/metrics", "")
	if !bytes.Contains(metrics, []byte(`lightpath_store_total{outcome="hit"} 1`)) {
		t.Errorf("the second was not answered from the store:\n%s", metrics)
	}
	if !bytes.Contains(metrics, []byte(`lightpath_requests_total{route="/v1/plan",status="200"} 2`)) || bytes.Contains(metrics, []byte(`route="none"`)) {
		t.Errorf("the two are not counted under their route:\n%s", metrics)
	}
	if _, _, data := call(t, "GET", base+"/v1/plans/"+id, ""); !bytes.Equal(data, whole.Bytes()) {
		t.Errorf("the plan is another: %.200s", data)
	}
	if status, _, data := call(t, "POST", base+"/v1/plans", whole.String()); status != 201 || decode[server.PlanID](t, data).ID != id {
		t.Errorf("uploaded: %d %s", status, data)
	}
	if _, _, data := call(t, "GET", base+"/v1/plans?q=allreduce", ""); len(decode[server.PlanList](t, data).Plans) != 1 {
		t.Errorf("listed: %s", data)
	}
	if status, _, _ := call(t, "DELETE", base+"/v1/plans/"+id, ""); status != 204 {
		t.Errorf("deleted: %d", status)
	}
	if status, _, _ := call(t, "GET", base+"/v1/plans/"+id, ""); status != 404 {
		t.Errorf("after it was deleted: %d", status)
	}
}

func TestWrongRequestsAreRefusedByFieldAndReason(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Body: 12 * units.KiB, Nodes: 64, Cells: 10}})
	for _, c := range []struct {
		path, body   string
		status       int
		field, words string
	}{
		{"plan", `{`, 400, "", "not a request in JSON"},
		{"plan", `[]`, 400, "", ""},
		{"plan", `{"operations":["allreduce"],"fabric":{"nodes":1}}`, 422, "fabric.nodes", ""},
		{"plan", `{"operations":["allreduce"],"fabric":{"nodes":65}}`, 422, "fabric.nodes", "at most 64"},
		{"plan", `{"operations":["allreduce"],"fabric":{"reconfig":"10"}}`, 422, "fabric.reconfig", ""},
		{"plan", `{"operations":[{"op":"allreduce","size":"4"}]}`, 422, "operations[0].size", ""},
		{"plan", `{"operations":["allreduce"],"planner":"nobody"}`, 422, "planner", "nobody"},
		{"plan", `{"operations":["allreduce"],"nothing":1}`, 422, "nothing", ""},
		{"plan", `{"operations":["allreduce"],"fabric":{"base":"@/etc/passwd"}}`, 422, "fabric.base", ""},
		{"plan", `{"x":"` + strings.Repeat("y", 13_000) + `"}`, 413, "", "larger than 12KiB"},
		{"plan", `{"operations":[` + strings.Repeat(`"reduce",`, 1024) + `"reduce"]}`, 422, "operations", "at most 1024"},
		{"topology", `{"topology":"@/etc/passwd"}`, 422, "topology", ""},
		{"topology", `{"topology":"Torus(100,100)"}`, 422, "topology", "at most 64"},
		{"verify", `{"plan":{"id":"00"}}`, 422, "plan.id", "none"},
		{"check", `{"file":"/etc/passwd"}`, 422, "content", "missing"},
		{"find", `{"nodes":100}`, 422, "nodes", "at most 64"},
		{"sweep", `{"axes":[{"name":"op","values":["allreduce"]},{"name":"size","values":["1KiB..1GiB"]}]}`, 422, "axes", "more than 10 cells"},
		{"sweep", `{"axes":[{"name":"op","values":["allreduce"]},{"name":"nodes","values":["8","128"]}]}`, 422, "axes[1]", "at most 64"},
		{"jobs", `{"command":"nothing","request":{}}`, 422, "command", "unknown"},
		{"nothing", `{}`, 404, "", "no such path"},
	} {
		status, _, data := call(t, "POST", base+"/v1/"+c.path, c.body)
		got := decode[server.Error](t, data).Error
		if status != c.status || got.Field != c.field || !strings.Contains(got.Problem, c.words) || got.Problem == "" {
			t.Errorf("%s %.80s: %d %+v, want %d %q %q", c.path, c.body, status, got, c.status, c.field, c.words)
		}
	}
}

func TestOtherMethodsAreToldWhichThereAre(t *testing.T) {
	_, base := started(t, server.Config{})
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/v1/plan", 405, "POST"},
		{"PUT", "/v1/plan", 405, "POST"},
		{"POST", "/v1/list", 405, "GET, HEAD"},
		{"PATCH", "/v1/jobs", 405, "GET, HEAD, POST"},
		{"PUT", "/v1/plans/00", 405, "GET, HEAD, DELETE"},
		{"GET", "/v1/nothing", 404, ""},
	} {
		status, header, data := call(t, c.method, base+c.path, "")
		if status != c.status || header.Get("Allow") != c.allow || decode[server.Error](t, data).Error.Problem == "" {
			t.Errorf("%s %s: %d, Allow %q: %s", c.method, c.path, status, header.Get("Allow"), data)
		}
	}
}

func TestStrangersAreRefused(t *testing.T) {
	const token = "0123456789abcdef"
	_, base := started(t, server.Config{Token: token, Hosts: []string{"planner.example"}})
	for _, c := range []struct {
		path    string
		headers []string
		status  int
	}{
		{"/v1/list", nil, 401},
		{"/v1/list", []string{"Authorization", "Bearer 0123456789abcdeX"}, 401},
		{"/v1/list", []string{"Authorization", "Bearer " + token}, 200},
		{"/metrics", nil, 401},
		{"/healthz", nil, 200},
		{"/readyz", nil, 200},
		{"/healthz", []string{"Host", "evil.example"}, 421},
		{"/healthz", []string{"Host", "planner.example:8080"}, 200},
		{"/healthz", []string{"Host", "localhost:1"}, 200},
		{"/healthz", []string{"Host", "[::1]:1"}, 200},
		{"/v1/list", []string{"Authorization", "Bearer " + token, "Origin", "https://evil.example"}, 403},
		{"/v1/list", []string{"Authorization", "Bearer " + token, "Origin", "null"}, 403},
		{"/v1/list", []string{"Authorization", "Bearer " + token, "Sec-Fetch-Site", "cross-site"}, 403},
		{"/v1/list", []string{"Authorization", "Bearer " + token, "Origin", base}, 200},
	} {
		status, header, _ := call(t, "GET", base+c.path, "", c.headers...)
		if status != c.status {
			t.Errorf("%s %v: %d, want %d", c.path, c.headers, status, c.status)
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "X-Request-Id"} {
			if header.Get(name) == "" {
				t.Errorf("%s: no %s", c.path, name)
			}
		}
	}
}

// Work that exceeds the time limit of a request is stopped with the reason.
func TestWorkStopsAtItsLimit(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Request: time.Millisecond}})
	const large = `{"operation":{"op":"alltoall","size":"64MiB"},"fabric":{"nodes":512,"ports":3}}`
	status, _, data := call(t, "POST", base+"/v1/compare", large)
	if got := decode[server.Error](t, data).Error; status != 422 || !strings.Contains(got.Problem, "longer than") {
		t.Errorf("%d %+v", status, got)
	}
}

// Work stops when its client goes: the place is free again.
func TestWorkStopsWhenTheClientGoes(t *testing.T) {
	_, base := started(t, server.Config{Limits: server.Limits{Running: 1, Waiting: 1}})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", base+"/v1/compare", strings.NewReader(`{"operation":{"op":"alltoall","size":"64MiB"},"fabric":{"nodes":2048,"ports":3}}`))
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if answer, err := http.DefaultClient.Do(r); err == nil {
			answer.Body.Close()
		}
	}()
	waitFor(t, base, `lightpath_work{state="running"} 1`)
	cancel()
	<-gone
	waitFor(t, base, `lightpath_work{state="running"} 0`)
}

// waitFor waits until the metrics say something.
func waitFor(t testing.TB, base, words string) {
	t.Helper()
	for range 6000 {
		if _, _, data := call(t, "GET", base+"/metrics", ""); bytes.Contains(data, []byte(words)) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the metrics never said %s", words)
}

// All wrong fields are reported at once, the first one as before.
func TestAllWrongFieldsAreSaid(t *testing.T) {
	_, base := started(t, server.Config{})
	for _, c := range []struct {
		command, body string
		fields        []string
	}{
		{"plan", `{"operations":[{"op":"foo","size":"4"}],"fabric":{"nodes":"x","ports":0,"reconfig":"10"}}`,
			[]string{"operations[0].size", "operations[0].op", "fabric.nodes", "fabric.ports", "fabric.reconfig"}},
		{"plan", `{"operations":[{"op":"allreduce","size":"4"}]}`, []string{"operations[0].size"}},
		{"find", `{"nodes":"x","degree":"y","size":"1"}`, []string{"nodes", "degree", "size"}},
		{"sweep", `{"axes":[{"name":"op","values":["allreduce"]},{"name":"size","values":["1..2"]},{"name":"reconfig","values":["5"]}]}`, []string{"size", "reconfig"}},
	} {
		status, _, data := call(t, "POST", base+"/v1/"+c.command, c.body)
		answer := decode[server.Error](t, data)
		got := []string{answer.Error.Field}
		for _, o := range answer.Others {
			got = append(got, o.Field)
		}
		slices.Sort(got)
		slices.Sort(c.fields)
		if status < 400 || !slices.Equal(got, c.fields) {
			t.Errorf("%s %s: %d %s", c.command, c.body, status, data)
		}
	}
}

// Graphs too large to draw are not listed.
func TestWiringsAreNotEndless(t *testing.T) {
	_, base := started(t, server.Config{})
	if status, _, data := call(t, "GET", base+"/v1/wiring?topology=K(300)", ""); status != 200 {
		t.Errorf("%d %.200s", status, data)
	}
	status, _, data := call(t, "GET", base+"/v1/wiring?topology=K(900)", "")
	if got := decode[server.Error](t, data).Error; status != 422 || got.Field != "topology" || !strings.Contains(got.Problem, "at most 500000") {
		t.Errorf("%d %s", status, data)
	}
}

// The places where ports are plugged in equal those of the technicians' list.
func TestPluggingsAreThoseOfTheList(t *testing.T) {
	_, base := started(t, server.Config{})
	for _, c := range []struct {
		text         string
		nodes, ports int
	}{{"rails", 6, 2}, {"4x4:1,1", 16, 2}, {"places:4/2", 16, 1}, {"cut:3x3", 8, 2}, {"cubes:2x2x2", 16, 3}} {
		status, _, data := call(t, "GET", fmt.Sprintf("%s/v1/plugging?nodes=%d&ports=%d&switches=%s", base, c.nodes, c.ports, c.text), "")
		if status != 200 {
			t.Fatalf("%s: %d %s", c.text, status, data)
		}
		l, err := layout.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := l.Plug(c.nodes, c.ports)
		if err != nil {
			t.Fatal(err)
		}
		var list strings.Builder
		if err := p.WriteCSV(&list); err != nil {
			t.Fatal(err)
		}
		got := "gpu,port,switch\n"
		for u, ports := range decode[server.Plugging](t, data).At {
			for port, s := range ports {
				if s >= 0 {
					got += fmt.Sprintf("%d,%d,%d\n", u, port, s)
				}
			}
		}
		if got != list.String() {
			t.Errorf("%s: %s; want %s", c.text, got, list.String())
		}
	}
	for query, where := range map[string]string{
		"nodes=8&ports=1&switches=3x3": "switches", "nodes=8&ports=1&switches=foo": "switches", "nodes=x&ports=1": "nodes", "nodes=8": "ports",
		"nodes=5000&ports=1": "fabric.nodes", "nodes=4096&ports=999999": "ports", "nodes=8&ports=0": "ports", "nodes=8&ports=2&switches=@/etc/passwd": "switches",
	} {
		status, _, data := call(t, "GET", base+"/v1/plugging?"+query, "")
		if got := decode[server.Error](t, data).Error; status != 422 || got.Field != where {
			t.Errorf("%s: %d %s", query, status, data)
		}
	}
	if status, _, data := call(t, "GET", base+"/v1/plugging?nodes=3&ports=2", ""); status != 200 || !strings.Contains(string(data), `"switches": 1`) {
		t.Errorf("%d %s", status, data)
	}
}

// A plan with a misstated sum is not mistaken for the correct plan that was verified before.
func TestMisstatedPlansAreNotTheKnownOnes(t *testing.T) {
	_, base := started(t, server.Config{})
	f := fabric.Default()
	f.Nodes = 8
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllGather, Size: units.MiB}}}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	var right bytes.Buffer
	if err := p.Encode(&right); err != nil {
		t.Fatal(err)
	}
	wrong := regexp.MustCompile(`("cost_ns": ?\{"total": ?)[0-9.]+`).ReplaceAllString(right.String(), "${1}1")
	if wrong == right.String() {
		t.Fatal("no total")
	}
	for _, c := range []struct {
		plan string
		ok   bool
	}{{right.String(), true}, {wrong, false}, {right.String(), true}} {
		status, _, data := call(t, "POST", base+"/v1/verify", `{"plan":`+c.plan+`}`)
		if got := decode[struct{ OK bool }](t, data).OK; status != 200 || got != c.ok {
			t.Errorf("%d %v; want %v", status, got, c.ok)
		}
	}
}

// Where the command line accepts a HARVEST schedule in place of a plan, so does the service. The
// answers are those for the original plan; the request gives values that the schedule lacks, or
// the error names them.
func TestSchedulesAreInPlaceOfPlans(t *testing.T) {
	_, base := started(t, server.Config{})
	f := fabric.Default()
	f.Nodes = 8
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Planner: "harvest",
		Operations: []lightpath.Operation{{Op: collective.AllReduce, Algorithm: "recursive-doubling", Size: units.MiB}},
	}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	var schedule, whole bytes.Buffer
	if err := harvest.Of(p).Write(&schedule); err != nil {
		t.Fatal(err)
	}
	if err := p.Encode(&whole); err != nil {
		t.Fatal(err)
	}
	given := `,"operation":"allreduce/1MiB","fabric":{"nodes":8}`
	type answer struct {
		OK           bool     `json:"ok"`
		Assumed      []string `json:"assumed"`
		CompletionNs float64  `json:"completion_ns"`
		TotalNs      float64  `json:"total_ns"`
		Checks       []struct {
			Name string `json:"name"`
			OK   bool   `json:"ok"`
		} `json:"checks"`
	}
	ask := func(command, body string) (got answer) {
		t.Helper()
		code, _, data := call(t, "POST", base+"/v1/"+command, body)
		if code != http.StatusOK {
			t.Fatalf("%s: %d %s", command, code, data)
		}
		return decode[answer](t, data)
	}
	for _, command := range []string{"verify", "simulate", "explain"} {
		of, want := ask(command, `{"schedule":`+schedule.String()+given+`}`), ask(command, `{"plan":`+whole.String()+`}`)
		if of.OK != want.OK || of.CompletionNs != want.CompletionNs || of.TotalNs != want.TotalNs || of.Assumed != nil {
			t.Errorf("%s of the schedule: %+v, of its plan: %+v", command, of, want)
		}
		if last := len(of.Checks) - 1; command == "verify" && (of.Checks[last].Name != "schedule" || !of.Checks[last].OK) {
			t.Errorf("%+v", of.Checks)
		}
		if bare := ask(command, `{"schedule":`+schedule.String()+`}`); len(bare.Assumed) != 2 {
			t.Errorf("%s assumes %q", command, bare.Assumed)
		}
	}
	for body, want := range map[string]string{
		`{"schedule":` + schedule.String() + `,"plan":{"id":"a"}}`:                        "a plan and a schedule: want one of them",
		`{"plan":{"id":"a"},"operation":"allreduce"}`:                                     "only for a HARVEST schedule",
		`{"schedule":{"collective":"allreduce-ring","steps":[]}}`:                         "steps: the schedule has no steps",
		`{"schedule":{"steps":[{"step":1,"topology":[[0,70000,1]]}]}}`:                    "nodes; this service takes at most",
		`{"schedule":` + schedule.String() + `,"fabric":{"nodes":4}}`:                     "the circuits need 8 nodes",
		`{"schedule":` + schedule.String() + `,"operation":"alltoall/1MiB/direct"}`:       "steps",
		`{"schedule":{"collective":"allreduce-ring","steps":[{"step":1,"topology":[]}]}}`: "the schedule has 1 steps, the collective 2",
	} {
		code, _, data := call(t, "POST", base+"/v1/verify", body)
		if code/100 != 4 || !strings.Contains(string(data), want) {
			t.Errorf("%.60s: %d %s; want %q", body, code, data, want)
		}
	}
}

// The worker that keeps the studio is served as a script with its version, and browsers ask for it
// again each time.
func TestStudioWorkerIsServedWithItsVersion(t *testing.T) {
	_, base := started(t, server.Config{})
	status, h, data := call(t, "GET", base+"/worker.js", "")
	if status != http.StatusOK || !strings.HasPrefix(h.Get("Content-Type"), "text/javascript") || h.Get("Cache-Control") != "private, no-cache" || h.Get("ETag") == "" {
		t.Error(status, h)
	}
	if want, err := studio.WorkerScript(); err != nil || !bytes.Equal(data, want) {
		t.Errorf("%v: it begins with %.60s", err, data)
	}
}
