package server_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/emulate/launch"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/server"
	"github.com/lightpath-net/lightpath/server/client"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// iterationOf is the plan of an iteration of a small model.
func iterationOf(t *testing.T, c parallel.Config) *lightpath.Iteration {
	t.Helper()
	f := fabric.Default()
	f.Ports = 2
	m := &model.Model{Name: "small", Layers: 2, Hidden: 64, Heads: 4, FFN: 128, Words: 256, Norm: "rms", Length: 32}
	d, err := lightpath.Iterate(t.Context(), lightpath.IterateRequest{Model: m, Config: c, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Jobs of the service do the same with the plan of an iteration as commands do. The service
// stores their answers, which equal the commands'.
func TestJobsOfIterations(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, base := started(t, server.Config{Launcher: &launch.Processes{Path: self}})
	c := &client.Client{Base: base}
	d := iterationOf(t, parallel.Config{TP: 2, DP: 2, PP: 2, GlobalBatch: 4})
	finish := func(name string, request, into any) {
		t.Helper()
		job, err := c.Submit(t.Context(), name, request)
		if err != nil {
			t.Fatal(name, err)
		}
		done, err := c.Follow(t.Context(), job.ID, func(client.Event) {})
		if err != nil || done.State != server.Done {
			t.Fatalf("%s: %+v %v", name, done, err)
		}
		if err := c.Answer(t.Context(), job.ID, into); err != nil {
			t.Fatal(name, err)
		}
	}
	simulate := lightpath.SimulateRequest{Iteration: d, Replan: true, Fail: []replay.Failure{{OnePort: true, Port: 1, From: 3, To: 3}}}
	var simulated lightpath.Simulation
	finish("simulate", simulate, &simulated)
	alone, err := lightpath.Simulate(t.Context(), simulate)
	if err != nil {
		t.Fatal(err)
	}
	if simulated.CompletionNs != alone.CompletionNs || len(simulated.Iteration.Stalls) != 1 || simulated.Iteration.Stalls[0].Replanned == nil ||
		simulated.Iteration.Stalls[0].Replanned.FailingNs != alone.Iteration.Stalls[0].Replanned.FailingNs {
		t.Errorf("%+v; alone %+v", simulated.Iteration, alone.Iteration)
	}
	var verified struct{ OK bool }
	finish("verify", lightpath.VerifyRequest{Iteration: d}, &verified)
	if !verified.OK {
		t.Error("it is not correct")
	}
	var compiled lightpath.Compilation
	finish("compile", lightpath.CompileRequest{Iteration: d, To: "timetable", Inline: true}, &compiled)
	if len(compiled.Files) == 0 {
		t.Errorf("%+v", compiled)
	}
	var emulated lightpath.Emulation
	finish("emulate", lightpath.EmulateRequest{Iteration: d, NoWait: true, Iterations: 2, RanksPerProcess: 4}, &emulated)
	if !emulated.OK || emulated.Processes != 2 || emulated.Iteration == nil || len(emulated.Steps) != 2 || emulated.Iteration.Results == 0 {
		t.Errorf("%+v", emulated)
	}
}

// A service accepts no more ranks and no larger buffers than its limits allow, also for
// iterations.
func TestLimitsOfEmulatedIterations(t *testing.T) {
	d := iterationOf(t, parallel.Config{TP: 2, DP: 2, GlobalBatch: 2})
	for want, limits := range map[string]server.Limits{
		"4 ranks; this service emulates at most 2": {Ranks: 2},
		"its buffers take about":                   {Memory: 1 << 10},
	} {
		_, base := started(t, server.Config{Limits: limits})
		_, err := (&client.Client{Base: base}).Submit(t.Context(), "emulate", lightpath.EmulateRequest{Iteration: d, NoWait: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	_, base := started(t, server.Config{})
	status, _, body := call(t, http.MethodPost, base+"/v1/emulate", `{"iteration":{"schema":"lightpath.iterate/v1"},"no_wait":true}`)
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity || !strings.Contains(string(body), "workload") {
		t.Errorf("%d %s", status, body)
	}
}

// A job that has planned an iteration returns the whole document. Other requests take the
// document by value or by the ID of the job.
func TestDocumentsOfIterations(t *testing.T) {
	_, base := started(t, server.Config{})
	c := &client.Client{Base: base}
	want := iterationOf(t, parallel.Config{TP: 2, DP: 2, GlobalBatch: 2})
	finish := func(name string, request any) string {
		t.Helper()
		job, err := c.Submit(t.Context(), name, request)
		if err != nil {
			t.Fatal(name, err)
		}
		if done, err := c.Follow(t.Context(), job.ID, func(client.Event) {}); err != nil || done.State != server.Done {
			t.Fatalf("%s: %+v %v", name, done, err)
		}
		return job.ID
	}
	id := finish("iterate", lightpath.IterateRequest{Workload: want.Workload, Fabric: want.Fabric})
	var summary lightpath.Iteration
	if err := c.Answer(t.Context(), id, &summary); err != nil || summary.Workload != nil {
		t.Errorf("the summary: %v, %v", err, summary.Workload)
	}
	whole, err := c.Iteration(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	text := func(d *lightpath.Iteration) string {
		var out strings.Builder
		if err := d.Encode(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if text(whole) != text(want) {
		t.Error("the document is another than without the service")
	}
	byValue, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"verify", "simulate", "explain", "compile"} {
		also := map[string]string{"explain": `,"budget_only":true`, "compile": `,"to":"timetable","inline":true`}[name]
		status, _, inline := call(t, http.MethodPost, base+"/v1/"+name, `{"iteration":`+string(byValue)+also+`}`)
		if status != http.StatusOK {
			t.Errorf("%s: %d %s", name, status, inline)
		}
		if status, _, named := call(t, http.MethodPost, base+"/v1/"+name, `{"iteration":{"id":"`+id+`"}`+also+`}`); status != http.StatusOK || !bytes.Equal(named, inline) {
			t.Errorf("%s by the job: %d %.200s", name, status, named)
		}
	}
	other := finish("verify", lightpath.VerifyRequest{Iteration: want})
	for job, problem := range map[string]string{"none": "there is none", other: "want one of iterate"} {
		status, _, body := call(t, http.MethodPost, base+"/v1/verify", `{"iteration":{"id":"`+job+`"}}`)
		if status/100 != 4 || !strings.Contains(string(body), problem) || !strings.Contains(string(body), "iteration.id") {
			t.Errorf("%d %s", status, body)
		}
	}
	for full, want := range map[string]int{"0": 200, "1": 200, "2": 422} {
		if status, _, body := call(t, http.MethodGet, base+"/v1/jobs/"+other+"/answer?full="+full, ""); status != want {
			t.Errorf("full=%s: %d %s", full, status, body)
		}
	}
}

// A trace that does not name a generator is refused before a job starts.
func TestTracesAreNoFiles(t *testing.T) {
	_, base := started(t, server.Config{})
	status, _, body := call(t, http.MethodPost, base+"/v1/iterate",
		`{"model":"mixtral-8x7b","ep":4,"dp":4,"global_batch":4,"demand_trace":"/etc/passwd"}`)
	if status != http.StatusUnprocessableEntity || !strings.Contains(string(body), `"demand_trace"`) {
		t.Errorf("%d %s", status, body)
	}
}
