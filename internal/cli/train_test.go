package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const smallTrace = "name,bytes,forward_ns,backward_ns,alltoall_bytes\na,4000,10,20,0\nb,2000,30,40,800\n"

func writeTrace(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestBadTrainingIsOneLineAndExit2(t *testing.T) {
	bad := writeTrace(t, strings.Replace(smallTrace, "2000", "many", 1))
	on := []string{"--trace", "resnet50", "--topology", "Torus(4,4)"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "--trace"},
		{[]string{"resnet50"}, "no argument"},
		{[]string{"--trace", "resnet51"}, "resnet50"},
		{[]string{"--trace", "none.csv"}, "--trace: none.csv"},
		{[]string{"--trace", bad}, "mine.csv: line 3: bytes \"many\""},
		{[]string{"--trace", "resnet50", "--topology", ""}, "--topology"},
		{[]string{"--trace", "resnet50", "--topology", "Tours(4,4)"}, "Torus"},
		{[]string{"--trace", "resnet50", "--topology", "DC(8;2)"}, "connected"},
		{[]string{"--trace", "resnet50", "--node-bandwidth", "1Gbps"}, "--node-bandwidth: is for a topology"},
		{[]string{"--trace", "resnet50", "--planner", "oracle"}, "light-bends"},
		{[]string{"--trace", "resnet50", "--algorithm", "telepathy"}, "recursive-doubling"},
		{append(on, "--node-bandwidth", "100"), "--node-bandwidth"},
		{append(on, "--node-bandwidth", "0Gbps"), "above 0"},
		{append(on, "--node-bandwidth", "1Gbps", "--bandwidth", "1Gbps"), "one of them"},
		{append(on, "--bandwidth", "9000000Tbps"), "64 bits"},
		{append(on, "--bucket", "25"), "--bucket"},
		{append(on, "--bucket", "0B"), "above 0"},
		{append(on, "--alpha", "1"), "--alpha"},
		{append(on, "--speedup", "0"), "--speedup"},
		{append(on, "--speedup", "NaN"), "--speedup"},
		{append(on, "--planner", "static"), "--planner: not with --topology"},
		{append(on, "--nodes", "16"), "--nodes: not with --topology"},
		{append(on, "--reconfig", "1us"), "--reconfig: not with --topology"},
	} {
		code, stdout, stderr := run(t, append([]string{"train"}, c.args...)...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "lightpath: ") ||
			strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q; want exit 2 and one line with %q", c.args, code, stdout, stderr, c.want)
		}
	}
}

func TestTrainingFitsATerminalAndIsOneDocument(t *testing.T) {
	for _, args := range [][]string{
		{"--list"},
		{"--trace", "resnet50", "--topology", "Torus(8,8)", "--alpha", "10us", "--node-bandwidth", "100Gbps"},
		{"--trace", "resnet50", "--topology", "Torus(8,8)", "--bucket", "25MB"},
		{"--trace", "switch_base_128", "--topology", "Line(C(16;3,4),1)", "--alltoall-first"},
		{"--trace", "inception_v3", "--nodes", "4", "--planner", "harvest"},
		{"--trace", "switch_base_128", "--nodes", "8", "--bucket", "25MiB", "--speedup", "2.5"},
		{"--trace", writeTrace(t, smallTrace), "--nodes", "8"},
		{"--trace", writeTrace(t, "name,bytes,forward_ns,backward_ns\nnothing,0,0,0\n"), "--topology", "K(2)"},
	} {
		args = append([]string{"train"}, args...)
		code, stdout, stderr := run(t, args...)
		if code != 0 || stderr != "" {
			t.Errorf("%q: exit %d, stderr %q", args, code, stderr)
		}
		for line := range strings.SplitSeq(stdout, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%q: a line of %d columns: %q", args, n, line)
			}
		}
		code, stdout, stderr = run(t, append(args, "--json")...)
		if code != 0 || stderr != "" || !json.Valid([]byte(stdout)) {
			t.Errorf("%q: exit %d, stderr %q, stdout %.80q", args, code, stderr, stdout)
		}
		if _, again, _ := run(t, append(args, "--json")...); again != stdout {
			t.Errorf("%q: two runs print different bytes", args)
		}
	}
}

// One layer of 1 MB over 16 nodes in a directed ring: 30 steps of 10 us and 2 x 15/16 of
// 80 us, after 1000 ns of computation.
func TestTrainingTimeIsThatOfTheFormula(t *testing.T) {
	file := writeTrace(t, "name,bytes,forward_ns,backward_ns\nonly,1000000,400,600\n")
	code, stdout, stderr := run(t, "train", "--trace", file, "--topology", "UniRing(1,16)", "--alpha", "10us", "--node-bandwidth", "100Gbps", "--json")
	var answer struct {
		Schema  string
		Trace   string
		Network struct {
			Nodes    int
			Circuits struct {
				Steps     int
				Bandwidth string
			}
		}
		Minibatch float64 `json:"minibatch_ns"`
		Compute   float64 `json:"compute_ns"`
		Exposed   float64 `json:"exposed_ns"`
		Bound     float64 `json:"bound_ns"`
	}
	if err := json.Unmarshal([]byte(stdout), &answer); code != 0 || err != nil {
		t.Fatal(code, stderr, err)
	}
	if answer.Schema != "lightpath.train/v1" || answer.Trace != "mine" || answer.Network.Nodes != 16 ||
		answer.Network.Circuits.Steps != 30 || answer.Network.Circuits.Bandwidth != "15/8" ||
		answer.Minibatch != 451_000 || answer.Compute != 1000 || answer.Exposed != 450_000 || answer.Bound != 451_000 {
		t.Errorf("%s", stdout)
	}
}
