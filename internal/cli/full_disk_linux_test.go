package cli

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that is full, here for files above some bytes, leaves neither a part of a file nor a
// folder with some of its files, and what was there stays.
func TestFullDisksLeaveNothing(t *testing.T) {
	// The limit is on all files of a process, the test log too, so it is set in one of its own.
	const child = "LIGHTPATH_TEST_FULL_DISK"
	if os.Getenv(child) == "" {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		again.Env = append(os.Environ(), child+"=1")
		if text, err := again.CombinedOutput(); err != nil || !strings.Contains(string(text), "PASS") {
			t.Fatalf("%v: %s", err, text)
		}
		return
	}
	t.Chdir(t.TempDir())
	if code, _, errs := run(t, strings.Fields("plan allreduce --nodes 8 --size 1MiB --algorithm recursive-doubling --planner every-step -o plan.json")...); code != 0 {
		t.Fatal(errs)
	}
	if err := os.Mkdir("old", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"old/manifest.json", "old.svg"} {
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 2000, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	for line, name := range map[string]string{
		"plan allreduce --nodes 8 --planner static --plot new.svg":                "new.svg",
		"plan allreduce --nodes 8 --planner static --plot old.svg":                "old.svg",
		"plan allreduce --nodes 8 --planner static -o new.json":                   "new.json",
		"compile plan.json --to msccl -o new":                                     "new",
		"compile plan.json --to msccl -o old":                                     "old",
		"sweep allreduce --nodes 8 --planner static --size 1KiB..1GiB --out s.db": "s.db",
	} {
		code, _, errs := run(t, strings.Fields(line)...)
		if code != 2 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, name) || !strings.Contains(errs, "file too large") {
			t.Errorf("%s: exit %d, %q", line, code, errs)
		}
	}
	left, err := filepath.Glob("*")
	hidden, _ := filepath.Glob(".*") // the pattern is right
	if err != nil || len(hidden) > 0 || strings.Join(left, " ") != "old old.svg plan.json s.db" {
		t.Errorf("left: %q, %q, %v", left, hidden, err)
	}
	if in, err := filepath.Glob("old/*"); err != nil || len(in) != 1 {
		t.Errorf("in the folder: %q, %v", in, err)
	}
	for _, name := range []string{"old/manifest.json", "old.svg"} {
		if data, err := os.ReadFile(name); err != nil || string(data) != "old" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}
