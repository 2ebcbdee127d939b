package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/server"
)

// patient is a planner that the test adds: harvest, if it is not asked to wait too long.
type patient struct{ patientOptions }

type patientOptions struct {
	Wait int `json:"wait_turns,omitempty" help:"planner patient: turns to wait, ${N}: 1 | 2" default:"1"`
}

func (o *patientOptions) Complete() error {
	if o.Wait < 0 {
		return field.Errorf("wait_turns", "%d; want 1 or more", o.Wait)
	}
	o.Wait = max(o.Wait, 1)
	return nil
}

func (patient) Name() string  { return "patient" }
func (patient) About() string { return "harvest, after a while" }

func (p patient) Traits() planner.Traits {
	return planner.Traits{Options: planner.Takes(p.patientOptions, func(o patientOptions) planner.Planner { return patient{o} })}
}

func (p patient) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	made, err := staged.Harvest(staged.HarvestOptions{}).Plan(ctx, r)
	if err == nil {
		made.Planner = strings.Repeat("very ", p.Wait) + p.Name()
	}
	return made, err
}

// An option that a planner declares is a flag of plan, with help and completion, a field of its
// requests and of the service's description, without a word elsewhere.
func TestAPlannersOptionIsDeclaredInOnePlace(t *testing.T) {
	line := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		s := &session{out: bufio.NewWriter(&out), err: &errs, planners: []planner.Planner{patient{}}}
		code := s.run(t.Context(), args)
		return code, out.String(), errs.String()
	}
	has := func(what, text string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q: %.300s", what, w, text)
			}
		}
	}
	_, out, _ := line("plan", "--help")
	has("help", out, "--wait-turns N", "planner patient: turns to wait, N: 1 | 2")
	_, out, _ = line("__complete", "plan", "--wait-turns", "")
	has("completion", out, "1", "2")
	_, out, _ = line("plan", "--list")
	has("the list", out, "harvest, after a while")

	request := []string{"plan", "allgather", "--algorithm", "ring", "--nodes", "4", "--json"}
	code, out, errs := line(append(request, "--planner", "patient", "--wait-turns", "2")...)
	if code != 0 {
		t.Errorf("exit %d, %s", code, errs)
	}
	has("the answer", out, `"planner": "very very patient"`)
	for args, want := range map[string]string{
		"--planner patient --wait-turns -1": "lightpath: --wait-turns: -1; want 1 or more\n",
		"--planner static --wait-turns 2":   "lightpath: --wait-turns: only applies to planner patient and auto, not to static\n",
		"--planner patient --stages 2":      "lightpath: --stages: only applies to alltoall, where planner exchange uses it\n",
	} {
		if code, _, errs := line(append(request, strings.Fields(args)...)...); code != exitUsage || errs != want {
			t.Errorf("%s: exit %d, %q, want %q", args, code, errs, want)
		}
	}

	service, err := server.New(t.Context(), server.Config{Commands: lightpath.Commands(patient{})})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	web := httptest.NewServer(service.Handler())
	defer web.Close()
	post, err := http.Post(web.URL+"/v1/plan", "application/json",
		strings.NewReader(`{"operations":["allgather/1MiB/ring"],"fabric":{"nodes":4},"planner":"patient","wait_turns":2}`))
	if err != nil {
		t.Fatal(err)
	}
	defer post.Body.Close()
	body, err := io.ReadAll(post.Body)
	if err != nil || post.StatusCode != http.StatusOK {
		t.Errorf("the service: %s, %v", post.Status, err)
	}
	has("the service", string(body), `"planner": "very very patient"`)
	get, err := http.Get(web.URL + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer get.Body.Close()
	var description map[string]any
	if err := json.NewDecoder(get.Body).Decode(&description); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(description["components"])
	if err != nil {
		t.Fatal(err)
	}
	has("the description", string(text), `"wait_turns"`, "planner patient: turns to wait, N: 1 | 2 (default 1)")
}
