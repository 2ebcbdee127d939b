package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoCommandWritesOverWhatItReads: under any name, the file stays unchanged.
func TestNoCommandWritesOverWhatItReads(t *testing.T) {
	dir, plan, _, traffic := simulateFiles(t)
	hard, soft, machine := filepath.Join(dir, "hard.svg"), filepath.Join(dir, "soft.csv"), filepath.Join(dir, "fabric.yaml")
	if err := os.Link(plan, hard); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(traffic, soft); err != nil {
		t.Fatal(err)
	}
	writeFile(t, machine, "nodes: 8\n")
	raw := []string{"simulate", "--topology", "DC(4;1)", "--traffic", traffic}
	for _, c := range []struct {
		args       []string
		flag, file string
	}{
		{raw, "--trace", traffic},
		{raw, "--csv", soft},
		{raw, "--series", dir + "/./flows.csv"},
		{[]string{"simulate", plan}, "--csv", plan},
		{[]string{"simulate", plan}, "--plot", hard},
		{[]string{"check", plan}, "--output", plan},
		{[]string{"plan", "allreduce", "--fabric", machine}, "--output", machine},
	} {
		before, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := run(t, append(c.args, c.flag, c.file)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.flag+": would overwrite "+c.file) {
			t.Errorf("%q %s: exit %d, %q", c.args, c.flag, code, stderr)
		}
		if after, err := os.ReadFile(c.file); err != nil || string(after) != string(before) {
			t.Errorf("%q %s: the file has changed: %v", c.args, c.flag, err)
		}
	}
}
