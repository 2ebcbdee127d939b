package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
)

// smallModel is one whose messages are of some kilobytes.
const smallModel = "name: small\nlayers: 4\nhidden: 64\nheads: 4\nffn: 128\nvocabulary: 256\nsequence: 32\nnorm: rms\n"

// iterationFile is the plan of an iteration of a small model.
func iterationFile(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	model, file := filepath.Join(dir, "small.yaml"), filepath.Join(dir, "iteration.json")
	writeFile(t, model, smallModel)
	if code, _, stderr := run(t, append([]string{"iterate", "--model", model, "-o", file}, args...)...); code != 0 {
		t.Fatal(stderr)
	}
	return file
}

func TestEmulateRunsIterations(t *testing.T) {
	file := iterationFile(t, "--tp", "2", "--dp", "2", "--pp", "2", "--global-batch", "4", "--ports", "2")
	code, stdout, stderr := run(t, "emulate", file, "--dtype", "int32", "--slow", "2000", "--iterations", "2", "--compute", "burn", "--json", "--patience", "60s")
	var got lightpath.Emulation
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || stderr != "" {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if !got.OK || got.Ranks != 8 || got.Processes != 8 || !got.Exact || got.Slow != 2000 || len(got.Steps) != 2 || got.Iteration == nil || got.Iteration.Compute != "burn" || got.Iteration.Results == 0 {
		t.Errorf("%+v", got)
	}
	kinds := map[string]bool{}
	for _, k := range got.Iteration.Kinds {
		kinds[k.Kind] = k.Jobs > 0 && k.PredictedNs > 0 && k.SimulatedNs > 0 && k.MeasuredNs > 0
	}
	if !kinds["compute"] || !kinds["tp"] || !kinds["dp"] || !kinds["pp"] || got.PredictedNs <= 0 || got.SimulatedNs <= 0 || got.MeasuredNs <= 0 {
		t.Errorf("%+v", got)
	}
	code, stdout, stderr = run(t, "emulate", file, "--no-wait", "--ranks-per-process", "4", "--patience", "60s")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "8 ranks in 2 processes") || !strings.Contains(stdout, "an iteration") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	one := iterationFile(t, "--tp", "2", "--dp", "2", "--pp", "2", "--global-batch", "4", "--ports", "1", "--reconfig", "1us")
	code, stdout, stderr = run(t, "emulate", one, "--no-wait", "--control", "scpi", "--iterations", "2", "--json", "--patience", "60s")
	got = lightpath.Emulation{}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || stderr != "" {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if !got.OK || got.Control == nil || got.Control.Protocol != "scpi" || got.Control.Commands == 0 || got.Iteration.Results == 0 || got.Processes != 8 {
		t.Errorf("%+v", got)
	}
	code, _, stderr = run(t, "emulate", file, "--no-wait", "--fail", "gpu:3@step:2", "--patience", "60s")
	if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "lightpath: emulate: rank 3, iteration 2, ") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Plans of iterations that are wrong, and flags that make no sense for them, are refused in one
// line before anything runs.
func TestEmulateRefusesWrongIterations(t *testing.T) {
	file := iterationFile(t, "--tp", "2", "--dp", "2", "--global-batch", "4", "--ports", "2")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d lightpath.Iteration
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	mutant := func(name string, change func()) string {
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		change()
		wrong, err := json.Marshal(&d)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), name)
		writeFile(t, to, string(wrong))
		return to
	}
	sooner := mutant("sooner.json", func() { d.Ops[len(d.Ops)-1].Start -= 100 })
	other := mutant("other.json", func() {
		for i := range d.Ops {
			if d.Ops[i].Plan > 0 {
				d.Ops[i].Plan = d.Ops[i].Plan%len(d.Plans) + 1
			}
		}
	})
	dark := iterationFile(t, "--tp", "2", "--dp", "2", "--global-batch", "4", "--ports", "2", "--initial", "dark")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{sooner}, "plan"},
		{[]string{other}, "plan"},
		{[]string{dark, "--iterations", "2"}, "--iterations: 2; this iteration stands by itself"},
		{[]string{file, "--iterations", "-1"}, "--iterations"},
		{[]string{file, "--compute", "wait"}, "--compute"},
		{[]string{file, "--timing", "asynchronous"}, "--timing"},
		{[]string{file, "--replan"}, "--replan"},
		{[]string{file, "--fail", "gpu:9@step:1"}, "there is no node 9"},
		{[]string{file, "--fail", "gpu:1@step:4"}, "there is no step 4"},
		{[]string{planFile(t, "allreduce", "--nodes", "4", "--size", "64KiB"), "--compute", "burn"}, "--compute"},
	} {
		code, stdout, stderr := run(t, append([]string{"emulate"}, c.args...)...)
		if code == 0 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %.100q, %q; want %q", c.args, code, stdout, stderr, c.want)
		}
	}
}
