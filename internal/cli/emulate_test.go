package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
)

// emulated is a plan file for a small fabric, and what emulate says of it in JSON.
func planFile(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan.json")
	if code, _, stderr := run(t, append(append([]string{"plan"}, args...), "-o", file)...); code != 0 {
		t.Fatal(stderr)
	}
	return file
}

func TestEmulateRunsProcessesAndChecksResults(t *testing.T) {
	plan := planFile(t, "allreduce", "--nodes", "8", "--size", "64KiB", "--algorithm", "recursive-doubling", "--planner", "every-step")
	code, stdout, stderr := run(t, "emulate", plan, "--dtype", "int32", "--slow", "2000", "--json", "--patience", "60s")
	var got lightpath.Emulation
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || stderr != "" {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if !got.OK || got.Fault != nil || got.Ranks != 8 || got.Processes != 8 || !got.Exact || got.Slow != 2000 || len(got.Steps) != 6 ||
		got.BytesMoved != 2*7*64<<10 || got.BytesChecked != 8*64<<10 || len(got.Changes) != 5 {
		t.Errorf("%+v", got)
	}
	for _, s := range got.Steps {
		if s.PredictedNs <= 0 || s.SimulatedNs <= 0 || s.MeasuredNs <= 0 {
			t.Errorf("%+v", s)
		}
	}
	code, stdout, stderr = run(t, "emulate", plan, "--no-wait", "--control", "scpi", "--patience", "60s")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "circuits set over scpi: ") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = run(t, "emulate", plan, "--no-wait", "--ranks-per-process", "3", "--timing", "asynchronous", "--patience", "60s")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "8 ranks in 3 processes") || !strings.Contains(stdout, "within the rounding error of float32") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

func TestEmulateTellsAFaultInOneLineAndExits1(t *testing.T) {
	plan := planFile(t, "allreduce", "--nodes", "8", "--size", "64KiB", "--algorithm", "ring", "--planner", "static")
	code, stdout, stderr := run(t, "emulate", plan, "--no-wait", "--fail", "link:3-4@step:5", "--json", "--patience", "60s")
	var got lightpath.Emulation
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 1 {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if got.OK || got.Fault == nil || got.Fault.Rank != 3 || got.Fault.Step != 5 || got.Fault.Peer != 4 {
		t.Errorf("%+v", got.Fault)
	}
	if want := "lightpath: emulate: rank 3, step 5, peer 4: the circuit from rank 3 to rank 4 is cut\n"; stderr != want {
		t.Errorf("%q; want %q", stderr, want)
	}
	code, stdout, stderr = run(t, "emulate", plan, "--no-wait", "--fail", "gpu:2@step:3", "--replan", "--json", "--patience", "60s")
	got = lightpath.Emulation{}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || stderr != "" {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if !got.OK || got.Ranks != 7 || len(got.Attempts) != 1 || got.Attempts[0].Fault.Rank != 2 {
		t.Errorf("%+v", got)
	}
}

func TestEmulateWithoutAPlanAroundAFaultExits1(t *testing.T) {
	plan := planFile(t, "allreduce", "--nodes", "2", "--size", "64KiB")
	code, _, stderr := run(t, "emulate", plan, "--no-wait", "--fail", "gpu:1@step:1", "--replan", "--patience", "60s")
	if code != 1 || !strings.Contains(stderr, "there is no plan without gpu:1: fewer than two GPUs are left") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	code, stdout, stderr := run(t, "emulate", plan, "--no-wait", "--fail", "gpu:1@3600s", "--patience", "60s")
	if code != 0 || !strings.Contains(stdout, "gpu:1@3600s never took effect") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

func TestEmulateAndCalibrateBadInputIsOneLineAndExit2(t *testing.T) {
	plan := planFile(t, "allreduce", "--nodes", "4", "--size", "64KiB")
	times := filepath.Join(t.TempDir(), "times.csv")
	writeFile(t, times, "bytes,time_ns\n1,5\n1,x\n")
	alike := filepath.Join(t.TempDir(), "alike.csv")
	writeFile(t, alike, "bytes,time_ns\n1,5\n1,6\n")
	t.Setenv("LIGHTPATH_SECRET", "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"emulate"}, "want one plan file"},
		{[]string{"emulate", "none.json"}, "none.json"},
		{[]string{"emulate", plan, "--dtype", "float8"}, "--dtype"},
		{[]string{"emulate", plan, "--timing", "soon"}, "--timing"},
		{[]string{"emulate", plan, "--slow", "0"}, "--slow"},
		{[]string{"emulate", plan, "--control", "telnet"}, "--control: \"telnet\" is not one of scpi, "},
		{[]string{"emulate", plan, "--slow", "fast"}, "--slow"},
		{[]string{"emulate", plan, "--slow", "1e10"}, "--slow"},
		{[]string{"emulate", plan, "--slow", "2", "--no-wait"}, "--slow: not with --no-wait"},
		{[]string{"emulate", plan, "--ranks-per-process", "-1"}, "--ranks-per-process"},
		{[]string{"emulate", plan, "--fail", "gpu:2"}, "--fail"},
		{[]string{"emulate", plan, "--fail", "gpu:4@step:1"}, "there is no node 4"},
		{[]string{"emulate", plan, "--fail", "gpu:1@step:99"}, "there is no step 99"},
		{[]string{"emulate", plan, "--patience", "5"}, "--patience"},
		{[]string{"rank", plan}, "LIGHTPATH_SECRET"},
		{[]string{"rank"}, "want one plan file"},
		{[]string{"switch"}, "--coordinator"},
		{[]string{"switch", "x"}, "no arguments"},
		{[]string{"switch", "--coordinator", "127.0.0.1:1", "--secret-file", "none"}, "--secret-file"},
		{[]string{"calibrate", times}, "line 3"},
		{[]string{"calibrate", alike}, "two different sizes"},
		{[]string{"calibrate", "none.csv"}, "none.csv"},
		{[]string{"calibrate", times, times}, "2 arguments"},
		{[]string{"calibrate", "--nodes", "1"}, "--nodes"},
		{[]string{"calibrate", "--repeats", "-1"}, "--repeats"},
	} {
		code, stdout, stderr := run(t, c.args...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "lightpath: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, stdout %.100q, stderr %q; want exit 2 and one line with %q", c.args, code, stdout, stderr, c.want)
		}
	}
}

func TestRankSaysWhatALauncherMustTell(t *testing.T) {
	plan := planFile(t, "allreduce", "--nodes", "4", "--size", "64KiB")
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "RANK", "MASTER_ADDR"} {
		t.Setenv(name, "")
	}
	t.Setenv("LIGHTPATH_SECRET", "secret")
	for _, c := range []struct {
		env  map[string]string
		args []string
		want string
	}{
		{nil, nil, "no launcher"},
		{map[string]string{"RANK": "9", "WORLD_SIZE": "4"}, nil, "RANK=9"},
		{map[string]string{"RANK": "0", "WORLD_SIZE": "4"}, nil, "--coordinator: missing"},
		{map[string]string{"RANK": "0", "WORLD_SIZE": "5", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}, nil, "only 4 ranks"},
		{nil, []string{"--ranks", "7", "--coordinator", "127.0.0.1:1"}, "--ranks"},
		{nil, []string{"--ranks", "1"}, "--coordinator: missing"},
	} {
		for name, value := range c.env {
			t.Setenv(name, value)
		}
		code, _, stderr := run(t, append([]string{"rank", plan, "--no-wait"}, c.args...)...)
		if code != 2 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, %q; want %q", c, code, stderr, c.want)
		}
		for name := range c.env {
			os.Unsetenv(name)
		}
	}
}

func TestCalibrateWritesAFabricThatPlanReads(t *testing.T) {
	dir := t.TempDir()
	times, fabric := filepath.Join(dir, "times.csv"), filepath.Join(dir, "fabric.yaml")
	writeFile(t, times, "bytes,time_ns\n0,2000\n1000000,12000\n100000000,1002000\n")
	code, stdout, stderr := run(t, "calibrate", times, "--json", "-o", fabric)
	var got lightpath.Calibration
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || stderr != "" {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	// 2 us and 10 ns per kilobyte, which is 800 Gbps, up to the digits of a fit.
	if got.AlphaNs < 1999.9 || got.AlphaNs > 2000.1 || got.BandwidthBps < 799.9e9 || got.BandwidthBps > 800.1e9 || got.Residual > 1e-6 || got.Samples != 3 {
		t.Errorf("%+v", got)
	}
	if code, _, stderr := run(t, "plan", "allreduce", "--nodes", "4", "--fabric", fabric); code != 0 {
		t.Error(stderr)
	}
	host := filepath.Join(dir, "host.yaml")
	code, stdout, stderr = run(t, "calibrate", "--nodes", "4", "--repeats", "2", "-o", host)
	if code != 0 || stderr != "" || !strings.Contains(stdout, "this host with 4 ranks") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := run(t, "plan", "allreduce", "--fabric", host); code != 0 {
		t.Error(stderr)
	}
}
