package cli

import (
	"strings"
	"testing"
)

// What has no effect on iterations, or no answer for them, is refused in one line; what has one has
// rows.
func TestIterationsRefuseWhatHasNoEffect(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{
		"workload --model llama3-8b --tp 2 --dp 2 --global-batch 2 --sequence 512 -o w.json",
		"iterate w.json --ports 2 --policy each -o iteration.json",
		"iterate w.json --ports 2 --policy one -o one.json",
	} {
		if code, _, stderr := run(t, strings.Fields(line)...); code != 0 {
			t.Fatalf("%s: %s", line, stderr)
		}
	}
	for _, c := range [][2]string{
		{"advise --workload w.json --size 1MiB", "--size: not with a workload"},
		{"advise --workload w.json --algorithm ring", "--algorithm: not with a workload"},
		{"advise --workload w.json --gpus 0-1", "--gpus: not with a workload"},
		{"advise --workload w.json --demand uniform", "--demand: not with a workload"},
		{"advise --workload w.json --seed 3", "--seed: not with a workload"},
		{"simulate iteration.json --replan", "--replan: nothing fails"},
		{"simulate iteration.json --slow gpu:1:2 --slow gpu:1:3", "GPU 1 is slow already"},
		{"simulate w.json", "a workload, which has no plan yet; iterate w.json"},
		{"verify w.json", "a workload, which has no plan yet; iterate w.json"},
		{"iterate iteration.json", "iteration.json: the plan of an iteration, not a workload; verify, explain and simulate take it"},
		{"advise --workload iteration.json", "the plan of an iteration, not a workload"},
		{"compile iteration.json --to msccl --lowered -o x", "--lowered: for a plan; an iteration"},
		{"sweep --workload w.json --ports 1,2 --metric speedup:every-step --plot a.svg", "speedup:every-step: only for operations; this sweep is of iterations"},
		{"sweep allreduce --ports 1,2 --metric exposed --plot a.svg", "exposed: only for iterations; this sweep is of operations"},
		{"sweep --workload w.json --reconfig per-port:1us+1us", "--reconfig: iterations are not planned"},
		{"sweep --workload w.json --ports 1,2 --overlap ports", "--overlap: iterations are not planned"},
	} {
		code, stdout, stderr := run(t, strings.Fields(c[0])...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c[1]) {
			t.Errorf("%s: exit %d, stdout %.80q, stderr %q; want exit 2 and one line with %q", c[0], code, stdout, stderr, c[1])
		}
	}
	if code, _, stderr := run(t, "compile", "one.json", "--to", "msccl", "-o", "x"); code == 0 || !strings.Contains(stderr, "each or phases-ahead") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for _, line := range []string{"simulate iteration.json --format csv", "explain iteration.json --budget-only --format csv"} {
		code, stdout, stderr := run(t, strings.Fields(line)...)
		if code != 0 || strings.Count(stdout, "\n") < 3 || !strings.Contains(stdout, "tp") || !strings.Contains(stdout, "dp") {
			t.Errorf("%s: exit %d, %s%s", line, code, stdout, stderr)
		}
	}
}
