package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
)

// answer runs a command with --json and reads its answer.
func answer(t *testing.T, into any, args ...string) {
	t.Helper()
	code, stdout, stderr := run(t, append(args, "--json")...)
	if code != 0 || stderr != "" {
		t.Fatalf("%v: exit %d, %q", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

// The schedules whose figures the contract gives.
func TestScheduleCommand(t *testing.T) {
	for _, c := range []struct {
		args      string
		steps     int
		bandwidth string
		optimal   bool
	}{
		{"Torus(3,3,2)", 3, "17/18", true},
		{"GenKautz(4,1024)", 5, "341/256", false},
		{"GenKautz(4,1024) --op allreduce", 10, "341/128", false},
		{"GenKautz(2,9) --op reducescatter", 3, "10/9", false},
		{"GenKautz(2,9) --op allgather", 3, "14/9", false},
		{"Line(C(16;3,4),3) --op allreduce", 12, "261/128", false},
		{"C(12;2,3) --chunks 1", 2, "1", false},
	} {
		var got struct {
			Nodes, Degree, Steps int
			Bandwidth            string
			BandwidthOptimal     bool `json:"bandwidth_optimal"`
			Chunks               int
		}
		answer(t, &got, append([]string{"schedule"}, strings.Fields(c.args)...)...)
		if got.Steps != c.steps || got.Bandwidth != c.bandwidth || got.BandwidthOptimal != c.optimal {
			t.Errorf("%s: %+v, want %d steps, %s", c.args, got, c.steps, c.bandwidth)
		}
	}
}

// The frontier at 1024 nodes and degree 4 covers every row of Zhao et al., Table 4, with
// the printed times for alpha = 10us and 1 MiB at 100 Gbps.
func TestFindCoversTable4(t *testing.T) {
	type point struct {
		Expr      string
		Steps     int
		Bandwidth string
		TimeNs    float64 `json:"time_ns"`
	}
	var got struct {
		Frontier    []point
		Bound, Best point
	}
	answer(t, &got, "find", "--nodes", "1024", "--degree", "4", "--alpha", "10us", "--node-bandwidth", "100Gbps", "--size", "1MiB")
	rat := func(text string) *big.Rat {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is no fraction", text)
		}
		return r
	}
	for _, row := range []struct {
		steps     int
		bandwidth string
		micro     float64 // printed; 0: not
	}{{10, "341/128", 323.5}, {12, "261/128", 291.0}, {16, "257/128", 0}, {22, "2", 0}, {40, "1023/512", 0}} {
		covered := false
		for _, p := range got.Frontier {
			covered = covered || p.Steps <= row.steps && rat(p.Bandwidth).Cmp(rat(row.bandwidth)) <= 0
			if p.Steps == row.steps && p.Bandwidth == row.bandwidth && row.micro > 0 && math.Abs(p.TimeNs/1000-row.micro) > 0.05 {
				t.Errorf("%s takes %v ns, printed %v us", p.Expr, p.TimeNs, row.micro)
			}
		}
		if !covered {
			t.Errorf("no point covers %d steps, %s", row.steps, row.bandwidth)
		}
	}
	if got.Bound.Steps != 10 || got.Bound.Bandwidth != "1023/512" || math.Abs(got.Bound.TimeNs-267600) > 50 {
		t.Errorf("bound %+v, printed 267.6us", got.Bound)
	}
	if got.Best.TimeNs > 291_000 {
		t.Errorf("best %+v, the paper has 291.0us", got.Best)
	}
}

// The motivating example of Zhou et al.: 8 GPUs, one port, a chunk for every pair, and a
// reconfiguration that takes seven slots.
func TestMotivatingExampleOfExchanges(t *testing.T) {
	for strategy, want := range map[string]float64{"static": 35, "direct": 56, "paper": 30, "relay": 28, "auto": 28} {
		for _, forwarding := range []string{"cut-through", "store-and-forward"} {
			var got struct {
				CostNs   struct{ Total float64 } `json:"cost_ns"`
				Slots    int
				Strategy string
			}
			answer(t, &got, "plan", "alltoall", "--planner", "exchange", "--strategy", strategy, "--nodes", "8", "--bandwidth", "8Gbps",
				"--alpha", "0ns", "--delta", "0ns", "--size", "8B", "--reconfig", "7ns", "--initial", "dark", "--forwarding", forwarding)
			if math.Abs(got.CostNs.Total-want) > 1e-9 || got.Slots == 0 || got.Strategy == "" {
				t.Errorf("%s, %s: %+v, want %v", strategy, forwarding, got, want)
			}
		}
	}
	var got struct {
		Stages []struct{ Topology string }
		Slots  int
	}
	answer(t, &got, "plan", "alltoall", "--planner", "exchange", "--nodes", "8", "--stages", "3", "--initial", "dark")
	if len(got.Stages) != 3 {
		t.Errorf("--stages 3: %+v", got)
	}
}

// Whatever plan writes, verify, explain and simulate read.
func TestPlansGoThroughEveryCommand(t *testing.T) {
	for i, args := range []string{
		"allreduce --nodes 16", "alltoall --nodes 8 --planner exchange", "allreduce --nodes 8 --ports 4 --planner direct-connect",
		"allreduce/1MiB alltoall/64KiB --nodes 8 --ports 2", "alltoall --nodes 6 --demand zipf:0.4", "allreduce/gpus=1-5 --nodes 8",
		"broadcast/binomial --nodes 8 --ports 2 --duplex --overlap circuits --sync 1us --initial base",
	} {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("plan%d.json", i))
		if code, _, stderr := run(t, append(append([]string{"plan"}, strings.Fields(args)...), "-o", file)...); code != 0 {
			t.Errorf("plan %s: %s", args, stderr)
			continue
		}
		for _, command := range [][]string{{"verify", file}, {"explain", file}, {"simulate", file}, {"simulate", file, "--level", "flow"}} {
			if code, stdout, stderr := run(t, command...); code != 0 || stderr != "" || stdout == "" {
				t.Errorf("%s, then %s: exit %d, %q", args, command[0], code, stderr)
			}
		}
	}
}

func TestBadAnswersAreOneLineAndExit2(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"schedule", "want one topology"},
		{"schedule Torus(3", "Torus(3"},
		{"schedule DC(8;2)", "not strongly connected"},
		{"schedule Ring(4) --op alltoall", "alltoall"},
		{"schedule Ring(4) --chunks 0", "--chunks"},
		{"find --nodes 1", "nodes"},
		{"find --nodes 10 --degree 0", "degree"},
		{"find --nodes 64 --degree 4096", "4096 is not in 1..1024, the ports that a fabric may have"},
		{"find --alpha 10", "--alpha"},
		{"find --node-bandwidth 0Gbps", "--node-bandwidth"},
		{"find --fill 10", "store"},
		{"find 64", "takes no argument"},
		{"find --trace nomodel", "--trace"},
		{"find --trace resnet50 --size 1MiB", "--size"},
		{"find --trace resnet50 --bucket 0B", "--bucket"},
		{"plan alltoall --planner exchange --strategy best", "--strategy"},
		{"plan alltoall --planner exchange --stages 0", "--stages"},
		{"plan alltoall --planner exchange --chunk 0B", "--chunk"},
		{"plan alltoall --planner harvest --strategy relay", "--strategy: only applies to planner exchange and auto, not to harvest"},
		{"plan alltoall --planner harvest --stages 2", "--stages"},
		{"plan alltoall --planner static --chunk 4KiB", "--chunk"},
		{"plan alltoall --planner exchange --synthesis search", "--synthesis: only applies to planner harvest, staggered and auto, not to exchange"},
		{"plan allreduce --planner joint --budget 1s", "--budget"},
		{"plan allreduce --synthesis magic", "--synthesis"},
		{"plan allreduce --budget 0s", "--budget"},
		{"plan allreduce --overlap all", "--overlap"},
		{"plan allreduce --sync -1us", "--sync"},
		{"plan allreduce --reconfig per-switch/2:1us+1us", "switches"},
		{"plan allreduce --theta 2", "--theta"},
		{"plan allreduce --frontier -o x.json", "--output"},
		{"plan allreduce --frontier --overlap ports", "overlap"},
		{"explain", "want one plan"},
		{"explain nothing.json", "nothing.json"},
	} {
		code, stdout, stderr := run(t, strings.Fields(c.args)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q, %q; want exit 2 and one line with %q", c.args, code, stdout, stderr, c.want)
		}
	}
}
