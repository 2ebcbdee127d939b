package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// A HARVEST schedule goes where a plan goes: the plan that is compiled to it, and the schedule with
// the size and the fabric that it does not hold, give the same times.
func TestVerifySimulateAndExplainTakeHarvestSchedules(t *testing.T) {
	t.Chdir(t.TempDir())
	do := func(want int, line string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := run(t, strings.Fields(line)...)
		if code != want {
			t.Fatalf("%s: exit %d, want %d: %s%s", line, code, want, stdout, stderr)
		}
		return stdout, stderr
	}
	do(0, "plan allreduce --nodes 8 --ports 2 --algorithm swing:peers=1 --planner harvest --alpha 1us --reconfig 2us --size 1MiB -o plan.json")
	do(0, "compile plan.json --to harvest -o schedule.json")
	if err := os.WriteFile("fabric.yaml", []byte("alpha: 1us\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const given = " --of allreduce/1MiB --fabric fabric.yaml"
	number := func(text, key string) float64 {
		t.Helper()
		var answer map[string]any
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		return answer[key].(float64)
	}
	for command, key := range map[string]string{"simulate": "completion_ns", "explain": "total_ns"} {
		of, stderr := do(0, command+" schedule.json --json"+given)
		if stderr != "" {
			t.Errorf("%s: nothing is assumed, and yet: %s", command, stderr)
		}
		want, _ := do(0, command+" plan.json --json")
		if got, want := number(of, key), number(want, key); got != want {
			t.Errorf("%s: %v, of the plan %v", command, got, want)
		}
	}
	out, _ := do(0, "verify schedule.json"+given)
	if !strings.Contains(out, "ok  schedule") || !strings.Contains(out, `the steps are those of "swing:peers=1"`) {
		t.Error(out)
	}
	out, stderr := do(0, "verify schedule.json")
	if !strings.Contains(out, "--  schedule") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "assumed: 800Gbps a port, alpha 500ns") {
		t.Errorf("with nothing given: %s%s", out, stderr)
	}
	if _, stderr := do(1, "verify schedule.json --of allreduce/2MiB --fabric fabric.yaml"); !strings.Contains(stderr, "schedule.json: schedule: cost: the schedule states") {
		t.Error(stderr)
	}
	if err := os.WriteFile("broken.json", []byte("{\"cost\": 1,\n \"steps\": [{\"step\": \"1\"}]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, says := range map[string]string{
		"verify broken.json":                                     "broken.json: a schedule: line 2: steps[0].step: ",
		"verify plan.json --of allreduce":                        "--of: only for a HARVEST schedule",
		"simulate plan.json --preset lightbends":                 "--preset: only for a HARVEST schedule",
		"explain schedule.json --of alltoall/1MiB":               "the schedule is of allreduce, not alltoall",
		"explain schedule.json --of allreduce/1MiB/ring":         "the schedule has 6 steps, the collective 14",
		"explain schedule.json --pattern x.json --of allreduce":  "--pattern: not with --of",
		"verify schedule.json --of allreduce/1MiB/swing:peers=9": "at most as many peers as ports",
	} {
		if _, stderr := do(2, line); !strings.Contains(stderr, says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %s; want ..%s..", line, stderr, says)
		}
	}
}
