package cli

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTopologiesOfOnesOwn: a file wherever an expression is taken, and back.
func TestTopologiesOfOnesOwn(t *testing.T) {
	folder := t.TempDir()
	ring, dot := filepath.Join(folder, "ring.csv"), filepath.Join(folder, "ring.dot")
	if err := os.WriteFile(ring, []byte("u,v\n0,1\n1,2\n2,3\n3,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var metrics struct {
		Expr            string
		Nodes, Diameter int
	}
	answer(t, &metrics, "topology", "@"+ring, "--wiring", dot)
	if metrics.Nodes != 4 || metrics.Diameter != 3 || metrics.Expr != "Edges(4;0,1,1,1,2,1,2,3,1,3,0,1)" {
		t.Errorf("%+v", metrics)
	}
	answer(t, &metrics, "topology", "@"+dot)
	if metrics.Diameter != 3 {
		t.Errorf("read back: %+v", metrics)
	}
	var schedule struct {
		Steps     int
		Bandwidth string
	}
	answer(t, &schedule, "schedule", "@"+ring)
	if schedule.Steps != 3 || schedule.Bandwidth != "3/4" {
		t.Errorf("%+v", schedule)
	}
	var plan struct {
		Stages []struct{ Topology string }
		Fabric struct{ Base string }
	}
	answer(t, &plan, "plan", "allreduce", "--nodes", "4", "--planner", "static", "--base", "@"+ring)
	if !strings.HasPrefix(plan.Fabric.Base, "Edges(4;") || len(plan.Stages) != 1 {
		t.Errorf("the plan must carry the circuits, not a path: %+v", plan)
	}
	var found struct{ Best struct{ Expr string } }
	answer(t, &found, "find", "--nodes", "8", "--degree", "2", "--wiring", filepath.Join(folder, "best.graphml"))
	answer(t, &metrics, "topology", "@"+filepath.Join(folder, "best.graphml"))
	if metrics.Nodes != 8 {
		t.Errorf("the best of find: %+v", metrics)
	}
}

// TestScheduleOnCircuitsThatDiffer: a ring of four whose slowest circuit, at half the
// rate and 300 ns more, is busy in every step of an allgather of 4 MiB.
func TestScheduleOnCircuitsThatDiffer(t *testing.T) {
	uneven := filepath.Join(t.TempDir(), "uneven.csv")
	if err := os.WriteFile(uneven, []byte("0,1,1,400Gbps,300ns\n1,2\n2,3\n3,0,1,,1us\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Steps     int
		TimeNs    float64   `json:"time_ns"`
		PerStepNs []float64 `json:"per_step_ns"`
	}
	answer(t, &got, "schedule", "@"+uneven)
	step := 300 + float64(4<<20)/4*8/400 // ns: Gbit/s is bits per ns
	if got.Steps != 3 || len(got.PerStepNs) != 3 || got.PerStepNs[0] != step || got.TimeNs != 3*step {
		t.Errorf("%+v, want three steps of %v ns", got, step)
	}
	code, _, stderr := run(t, "plan", "allreduce", "--nodes", "4", "--initial", "@"+uneven)
	if code != 2 || !strings.Contains(stderr, "--initial: the file gives circuits") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// A ring of four on a file's circuits: every step takes what the slowest circuit and the
// longest delay say. The plan's file has the circuits, and verifies.
func TestPlanOnCircuitsThatDiffer(t *testing.T) {
	uneven := filepath.Join(t.TempDir(), "uneven.csv")
	if err := os.WriteFile(uneven, []byte("0,1,1,400Gbps,300ns\n1,2\n2,3\n3,0,1,,1us\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Fabric   struct{ Links string }
		Requires []string
		CostNs   struct{ Propagation, Transmission float64 } `json:"cost_ns"`
	}
	file := filepath.Join(t.TempDir(), "plan.json")
	answer(t, &got, "plan", "allreduce", "--nodes", "4", "--base", "@"+uneven, "--planner", "static", "--algorithm", "ring", "-o", file)
	bytes := float64(4<<20) / 4 * 8 / 400 // ns: Gbit/s is bits per ns
	if got.Fabric.Links != "0>1:400Gbps+300ns,3>0:+1us" || !slices.Equal(got.Requires, []string{"links"}) ||
		got.CostNs.Propagation != 6*1000 || math.Abs(got.CostNs.Transmission-6*bytes) > 1e-6 {
		t.Errorf("%+v, want six steps of %v ns and 1000 ns", got, bytes)
	}
	if code, stdout, stderr := run(t, "verify", file); code != 0 {
		t.Errorf("exit %d, %q %q", code, stdout, stderr)
	}
	for _, with := range [][]string{{"allreduce", "--planner", "joint"}, {"allreduce", "--planner", "direct-connect"}, {"alltoall", "--planner", "exchange"}, {"allreduce", "--timing", "asynchronous"}} {
		made := append([]string{"plan"}, append(with, "--nodes", "4", "--base", "@"+uneven, "-o", file)...)
		if code, _, stderr := run(t, made...); code != 0 {
			t.Errorf("%v: exit %d, %q", with, code, stderr)
		}
		for _, check := range [][]string{{"verify", file}, {"simulate", file, "--timing", "asynchronous"}} {
			if code, stdout, stderr := run(t, check...); code != 0 {
				t.Errorf("%v, %v: exit %d, %q %q", with, check, code, stdout, stderr)
			}
		}
	}
}

// --links adds to the links of the file of --base, and takes precedence if both name a circuit.
func TestLinksAddToThoseOfAFile(t *testing.T) {
	uneven := filepath.Join(t.TempDir(), "uneven.csv")
	if err := os.WriteFile(uneven, []byte("0,1,1,400Gbps,300ns\n1,2\n2,3\n3,0,1,,1us\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for links, want := range map[string]string{
		"1>2:+1us":             "0>1:400Gbps+300ns,3>0:+1us,1>2:+1us",
		"3>0:200Gbps,1>2:+1us": "0>1:400Gbps+300ns,3>0:200Gbps,1>2:+1us",
		"none":                 "",
	} {
		var got struct{ Fabric struct{ Links string } }
		answer(t, &got, "plan", "allreduce", "--nodes", "4", "--base", "@"+uneven, "--links", links, "--planner", "static", "--algorithm", "ring")
		if got.Fabric.Links != want {
			t.Errorf("with %s: %q, want %q", links, got.Fabric.Links, want)
		}
	}
	if code, _, stderr := run(t, "plan", "allreduce", "--nodes", "4", "--base", "@"+uneven, "--links", "nonsense"); code != 2 || !strings.Contains(stderr, "--links: ") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}
