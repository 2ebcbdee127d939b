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

// Two flags that name one file, new or not, are refused before either is written.
func TestNoCommandWritesTwiceToAFile(t *testing.T) {
	dir := t.TempDir()
	name := func(file string) string { return filepath.Join(dir, file) }
	writeFile(t, name("old.svg"), "mine")
	for _, c := range []struct {
		args []string
		flag string
		ok   bool
	}{
		{[]string{"plan", "allreduce", "--nodes", "4", "-o", name("p.svg"), "--plot", name("p.svg")}, "--plot", false},
		{[]string{"plan", "allreduce", "--nodes", "4", "-o", name("p.svg"), "--plot", dir + "/./p.svg"}, "--plot", false},
		{[]string{"plan", "allreduce", "--nodes", "4", "-o", name("old.svg"), "--plot", name("old.svg")}, "--plot", false},
		{[]string{"sweep", "allreduce", "--nodes", "4", "--out", name("s.svg"), "--plot", name("s.svg")}, "--plot", false},
		{[]string{"topology", "K(4)", "--wiring", name("w.csv"), "--plot", name("w.svg")}, "", true},
		{[]string{"plan", "allreduce", "--nodes", "4", "-o", name("p.json"), "--plot", name("p.svg")}, "", true},
	} {
		code, stdout, stderr := run(t, c.args...)
		if c.ok {
			if code != 0 {
				t.Errorf("%q: exit %d, %q", c.args, code, stderr)
			}
			continue
		}
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.flag+": would overwrite ") {
			t.Errorf("%q: exit %d, %q", c.args, code, stderr)
		}
	}
	if text, err := os.ReadFile(name("old.svg")); err != nil || string(text) != "mine" {
		t.Errorf("the file has changed: %q, %v", text, err)
	}
}
