package cli

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What cannot charge steps refuses in one line, with exit 2.
func TestChargeStepsIsRefusedInOneLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.json")
	if code, _, stderr := run(t, "plan", "allreduce", "--nodes", "8", "--charge", "steps", "-o", file); code != 0 {
		t.Fatal(stderr)
	}
	for _, line := range []string{
		"plan allreduce --charge often",
		"plan allreduce --charge steps --reconfig per-port:1us+10ns",
		"plan allreduce --charge steps --overlap ports",
		"plan allreduce --charge steps --nodes 16 --island 4 --island-bandwidth 3.2Tbps",
		"plan allreduce --charge steps --avoid gpu:3",
		"plan allreduce --charge steps --timing asynchronous",
		"plan allreduce --charge steps --frontier",
		"compare allreduce --charge steps --nodes 8 --timing asynchronous",
		"place allreduce --charge steps --nodes-needed 4",
		"availability allreduce --charge steps",
		"design --mix allreduce/1MiB --charge steps",
		"advise allreduce --charge steps",
		"wire --nodes 16 --ports 2 --radix 16 --charge steps",
		"train --trace resnet50 --charge steps",
		"iterate --model llama3-8b --tp 2 --dp 2 --charge steps",
		"simulate " + file + " --timing asynchronous",
		"emulate " + file,
		"compile " + file + " --to msccl -o " + file + ".xml",
	} {
		code, stdout, stderr := run(t, strings.Fields(line)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "charge") {
			t.Errorf("%s: exit %d, %q, %q", line, code, stdout, stderr)
		}
	}
}

// A cell of a sweep has the time, charges and baselines of the plan for it.
func TestSweepsAndPlansChargeStepsAlike(t *testing.T) {
	fabric := []string{"--nodes", "8", "--ports", "2", "--initial", "base", "--charge", "steps", "--json"}
	code, stdout, stderr := run(t, append([]string{"sweep", "allreduce", "--size", "4KiB,1MiB", "--reconfig", "100ns,3us,40us", "--out", filepath.Join(t.TempDir(), "s.db")}, fabric...)...)
	if code != 0 {
		t.Fatal(stderr)
	}
	type answer struct {
		Reconfigurations int
		BaselinesNs      map[string]float64 `json:"baselines_ns"`
	}
	var swept struct {
		Cells []struct {
			answer
			Params struct {
				SizeBytes  int64   `json:"size_bytes"`
				ReconfigNs float64 `json:"reconfig_ns"`
			}
			TotalNs float64 `json:"total_ns"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &swept); err != nil || len(swept.Cells) != 6 {
		t.Fatalf("%d cells, %v", len(swept.Cells), err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*b }
	for _, c := range swept.Cells {
		size, delay := strconv.FormatInt(c.Params.SizeBytes, 10)+"B", strconv.FormatFloat(c.Params.ReconfigNs, 'f', -1, 64)+"ns"
		code, stdout, stderr := run(t, append([]string{"plan", "allreduce", "--size", size, "--reconfig", delay}, fabric...)...)
		if code != 0 {
			t.Fatal(stderr)
		}
		var planned struct {
			answer
			CostNs struct{ Total float64 } `json:"cost_ns"`
		}
		if err := json.Unmarshal([]byte(stdout), &planned); err != nil {
			t.Fatal(err)
		}
		if !near(c.TotalNs, planned.CostNs.Total) || c.Reconfigurations != planned.Reconfigurations {
			t.Errorf("%s, %s: swept %v and %d, planned %v and %d", size, delay, c.TotalNs, c.Reconfigurations, planned.CostNs.Total, planned.Reconfigurations)
		}
		for _, name := range []string{"static", "every-step"} {
			if !near(c.BaselinesNs[name], planned.BaselinesNs[name]) || planned.CostNs.Total > planned.BaselinesNs[name]*(1+1e-9) {
				t.Errorf("%s, %s: %s swept %v, planned %v; the plan takes %v", size, delay, name, c.BaselinesNs[name], planned.BaselinesNs[name], planned.CostNs.Total)
			}
		}
	}
}
