package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An array of 8 shards on a real Slurm ends, although one task is killed, with the very bytes that
// this machine alone finds.
func TestSlurmFindsWhatOneMachineFinds(t *testing.T) {
	for _, v := range startSlurm(t) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	grid := []string{"sweep", "allreduce", "alltoall", "--nodes", "4,8", "--size", "1KiB..1GiB/8", "--reconfig", "10ns..10ms/7", "--planner", "harvest"}
	local := filepath.Join(dir, "local.db")
	if code, _, stderr := run(t, append(grid, "--out", local)...); code != 0 {
		t.Fatal(stderr)
	}
	out := filepath.Join(dir, "cluster.db")
	code, stdout, stderr := run(t, append(grid, "--out", out, "--engine", "slurm", "--shards", "8", "--json")...)
	if code != 0 {
		t.Fatal(stderr)
	}
	var answer struct {
		Shards int
		Jobs   struct{ Array, Merge string }
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || answer.Shards != 8 || answer.Jobs.Array == "" || answer.Jobs.Merge == "" {
		t.Fatalf("%s: %v", stdout, err)
	}
	if text, err := exec.Command("scancel", answer.Jobs.Array+"_7").CombinedOutput(); err != nil {
		t.Fatalf("scancel: %s", text)
	}
	eventually(t, "the jobs", func() error {
		text, err := exec.Command("squeue", "-h", "-o", "%i %T %R").CombinedOutput()
		if err == nil && strings.TrimSpace(string(text)) != "" {
			err = fmt.Errorf("%s", text)
		}
		return err
	})
	merged, err := os.ReadFile(filepath.Join(dir, "cluster.shards", "merge.log"))
	if err != nil || !strings.Contains(string(merged), "starting shards 7 again") {
		t.Errorf("merge.log: %s (%v)", merged, err)
	}
	csv := func(name string) string {
		code, stdout, stderr := run(t, "sweep", "show", name, "--format", "csv")
		if code != 0 {
			t.Fatal(stderr)
		}
		return stdout
	}
	if want, got := csv(local), csv(out); got != want {
		t.Errorf("the cluster has %d lines, this machine %d", strings.Count(got, "\n"), strings.Count(want, "\n"))
	}
}
