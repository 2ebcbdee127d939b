package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// simulateFiles makes files for the command: a plan, one whose hops take no time, and traffic.
func simulateFiles(t *testing.T) (dir, plan, instant, traffic string) {
	t.Helper()
	dir = t.TempDir()
	plan, instant, traffic = filepath.Join(dir, "plan.json"), filepath.Join(dir, "instant.json"), filepath.Join(dir, "flows.csv")
	for file, delta := range map[string]string{plan: "500ns", instant: "0ns"} {
		if code, _, stderr := run(t, "plan", "allreduce", "--nodes", "8", "--size", "64KiB", "--delta", delta, "-o", file); code != 0 {
			t.Fatal(stderr)
		}
	}
	writeFile(t, traffic, "src,dst,bytes,start_ns\n0,2,10000,0\n1,2,5000,1.5\n")
	return dir, plan, instant, traffic
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSimulateBadInputIsOneLineAndExit2(t *testing.T) {
	dir, plan, instant, traffic := simulateFiles(t)
	bad := func(name, text string) string {
		file := filepath.Join(dir, name)
		writeFile(t, file, text)
		return file
	}
	const header = "src,dst,bytes,start_ns\n"
	raw := func(file string, more ...string) []string {
		return append([]string{"--topology", "DC(4;1)", "--traffic", file}, more...)
	}
	for _, c := range []struct {
		args []string
		want string // in the message
	}{
		{nil, "want one plan file"},
		{raw(bad("dark.csv", "src,dst,bytes,start_ns,rewire,dark_ns\n,,,10,DC(4;2),1000\n0,2,10,0,,\n0,1,9999999,0,,\n")), "dark.csv: line 4: "},
		{raw(bad("route.csv", "src,dst,bytes,start_ns,route\n0,1,10,0,\n0,2,10,0,0-2\n")), "route.csv: line 3: "},
		{raw(bad("none.csv", header)), "none.csv lists no message"},
		{raw(bad("large.cm", "Nodes 4\nConnections 1\n0->1 id 1 start 0 size 5000000000\n")), `size "5000000000"; want a whole number from 0 to 2147483647`},
		{[]string{plan, plan}, "got 2 arguments"},
		{[]string{""}, "empty"},
		{[]string{filepath.Join(dir, "none.json")}, "none.json"},
		{[]string{bad("a.json", "{}")}, "a.json"},
		{[]string{plan, "--level", "atom"}, `--level: unknown level "atom"`},
		{[]string{plan, "--packet", "-1KiB"}, "--packet"},
		{[]string{plan, "--packet", "0B"}, "--packet: must be above 0B"},
		{[]string{plan, "--packet", "4096"}, "--packet"},
		{[]string{plan, "--packet", "8000000TiB"}, "53 days"},
		{[]string{plan, "--jitter", "-1ns"}, "--jitter"},
		{[]string{plan, "--jitter", "10"}, "--jitter"},
		{[]string{plan, "--seed", "-1"}, "--seed"},
		{[]string{plan, "--threads", "-1"}, "--threads"},
		{[]string{plan, "--orbit", "--jitter", "1ns"}, "--orbit"},
		{[]string{plan, "--fail", "link:3"}, "--fail"},
		{[]string{plan, "--fail", "port:1/1"}, "--fail: port:1.1@0ns: there is no port 1; ports are 0 to 0"},
		{[]string{plan, "--fail", "gpu:8@1us"}, "--fail: gpu:8@1us: there is no node 8; nodes are 0 to 7"},
		{[]string{plan, "--fail", "gpu:1@1us", "--level", "flow"}, "--fail"},
		{[]string{plan, "--fail", "gpu:1@1us", "--orbit"}, "--fail"},
		{[]string{plan, "--trace", dir}, "--trace"},
		{[]string{plan, "--trace", ""}, "--trace"},
		{[]string{plan, "--csv", filepath.Join(dir, "none", "x.csv")}, "--csv"},
		{[]string{plan, "--csv", filepath.Join(dir, "x"), "--trace", filepath.Join(dir, "x")}, "which --csv writes; want another file"},
		{[]string{plan, "--bandwidth", "1Gbps"}, "--bandwidth: only with --traffic"},
		{[]string{plan, "--delta", "1ns"}, "--delta: only with --traffic"},
		{[]string{plan, "--forwarding", "cut-through"}, "--forwarding: only with --traffic"},
		{[]string{instant}, "plan.fabric.delta_ns: 0ns per hop"},
		{raw(traffic, plan), "want one or the other"},
		{[]string{"--topology", "DC(4;1)"}, "both --topology and --traffic"},
		{[]string{"--traffic", traffic}, "both --topology and --traffic"},
		{[]string{"--traffic", traffic, "--topology", "DC(4;1"}, "--topology"},
		{[]string{"--traffic", traffic, "--topology", "Tours(4,4)"}, "--topology"},
		{raw(filepath.Join(dir, "none.csv")), "none.csv"},
		{raw(dir), "directory"},
		{raw(bad("b.csv", "")), "--traffic: " + filepath.Join(dir, "b.csv") + ": line 1"},
		{raw(bad("c.csv", "from,to\n")), "line 1"},
		{raw(bad("d.csv", header+"0,1,5\n")), "line 2: 3 fields"},
		{raw(bad("e.csv", header+"0,1,5,0\n0,x,5,0\n")), `line 3: dst "x"`},
		{raw(bad("f.csv", header+"0,4,5,0\n")), "line 2: dst 4 is not one of the nodes 0 to 3"},
		{raw(bad("g.csv", header+"0,1,-5,0\n")), "line 2: bytes"},
		{raw(bad("h.csv", header+"0,1,5,-1\n")), "line 2: start_ns"},
		{raw(bad("i.csv", header+"0,1,\"5,0\n")), "line 2"},
		{raw(bad("j.csv", header+"0,1,9223372036854775807,0\n")), "53 days"},
		{raw(traffic, "--bandwidth", "0bps"), "--bandwidth"},
		{raw(traffic, "--bandwidth", "1GB"), "--bandwidth"},
		{raw(traffic, "--delta", "1"), "--delta"},
		{raw(traffic, "--forwarding", "teleport"), "cut-through"},
		{raw(traffic, "--forwarding", "cut-through", "--delta", "0ns"), "--delta: 0ns per hop, but packets that cut through need at least 1ps"},
		{raw(traffic, "--fail", "link:3-4@1us"), "--fail: link:3-4@1us: there is no node 4"},
		{raw(traffic, "--fail", "port:1"), "--fail: port:1@0ns: ports are those of a plan; name a link"},
		{[]string{"--topology", "DC(4;2)", "--traffic", bad("k.csv", header+"0,1,5,0\n")}, "k.csv: line 2: no circuits lead from 0 to 1"},
	} {
		args := append([]string{"simulate"}, c.args...)
		code, stdout, stderr := run(t, args...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "lightpath: ") ||
			strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, stdout %.100q, stderr %q; want exit 2 and one line with %q", args, code, stdout, stderr, c.want)
		}
	}
}

var wallTime = regexp.MustCompile(`"wall_ns": \d+`)

// simulateJSON runs the command and returns its answer without the time that it took.
func simulateJSON(t *testing.T, args ...string) (code int, answer string) {
	t.Helper()
	code, stdout, _ := run(t, append(append([]string{"simulate"}, args...), "--json")...)
	if !json.Valid([]byte(stdout)) {
		t.Fatalf("%q: not one JSON document: %.200q", args, stdout)
	}
	return code, wallTime.ReplaceAllString(stdout, `"wall_ns": 0`)
}

func TestSimulateIsTheSameOnAnyNumberOfThreads(t *testing.T) {
	_, plan, _, traffic := simulateFiles(t)
	for _, args := range [][]string{
		{plan},
		{plan, "--level", "flow"},
		{plan, "--jitter", "200ns", "--seed", "5"},
		{plan, "--fail", "gpu:3@5us"},
		{"--topology", "DC(4;1)", "--traffic", traffic},
		{"--topology", "Torus(4,4)", "--traffic", traffic, "--level", "flow"},
	} {
		code, one := simulateJSON(t, append(args, "--threads", "1")...)
		for _, threads := range []string{"2", "0"} {
			if again, two := simulateJSON(t, append(args, "--threads", threads)...); code != again || one != two {
				t.Errorf("%q: other bytes with --threads %s", args, threads)
			}
		}
	}
	_, a := simulateJSON(t, plan, "--jitter", "200ns", "--seed", "5")
	if _, b := simulateJSON(t, plan, "--jitter", "200ns", "--seed", "6"); a == b {
		t.Error("another seed makes no difference")
	}
}

func TestSimulateTextFitsATerminal(t *testing.T) {
	_, plan, _, traffic := simulateFiles(t)
	for _, args := range [][]string{
		{plan}, {plan, "--level", "flow"}, {plan, "--jitter", "1us"}, {plan, "--fail", "gpu:1@1s"},
		{"--topology", "DC(4;1)", "--traffic", traffic},
	} {
		code, stdout, stderr := run(t, append([]string{"simulate"}, args...)...)
		if code != 0 || stderr != "" {
			t.Errorf("%q: exit %d, %q", args, code, stderr)
		}
		for line := range strings.SplitSeq(stdout, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%q: a line of %d columns: %q", args, n, line)
			}
		}
	}
}

func TestSimulateTellsWhatFailuresLose(t *testing.T) {
	_, plan, _, _ := simulateFiles(t)
	code, answer := simulateJSON(t, plan, "--fail", "link:0-1@0ns", "--fail", "link:0->1@1s")
	var got struct {
		Failures []struct {
			Failure       string
			LostTransfers int `json:"lost_transfers"`
			LostBytes     int `json:"lost_bytes"`
			Steps         []struct {
				Index     int
				Transfers []struct{ Src, Dst, Bytes int }
			}
		}
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatal(err)
	}
	if code != 1 || len(got.Failures) != 2 || got.Failures[0].LostTransfers == 0 || got.Failures[0].LostBytes == 0 ||
		got.Failures[0].Steps[0].Index != 1 || got.Failures[1].LostTransfers != 0 {
		t.Errorf("exit %d, %+v", code, got)
	}
	code, stdout, stderr := run(t, "simulate", plan, "--fail", "link:0-1@0ns")
	if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "lightpath: simulate: link:0-1@0ns: step 1 fails at") ||
		!strings.Contains(stdout, "link:0-1@0ns: step 1 never ends") {
		t.Errorf("exit %d, %q\n%s", code, stderr, stdout)
	}
	if code, stdout, stderr = run(t, "simulate", plan, "--fail", "gpu:3@1s"); code != 0 || stderr != "" || !strings.Contains(stdout, "gpu:3@1s: nothing is lost") {
		t.Errorf("exit %d, %q\n%s", code, stderr, stdout)
	}
}

func TestSimulateFilesAppearOnlyWhenComplete(t *testing.T) {
	dir, plan, instant, _ := simulateFiles(t)
	csv, trace := filepath.Join(dir, "links.csv"), filepath.Join(dir, "trace.json")
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, csv, "precious")
	if code, _, _ := run(t, "simulate", instant, "--csv", csv, "--trace", trace); code != 2 {
		t.Fatal("there should be nothing to simulate")
	}
	if text, err := os.ReadFile(csv); err != nil || string(text) != "precious" {
		t.Errorf("a run that fails leaves %q, %v", text, err)
	}
	after, err := os.ReadDir(dir)
	if err != nil || len(after) != len(before)+1 {
		t.Errorf("a run that fails leaves %v", after)
	}
	if code, _, stderr := run(t, "simulate", plan, "--csv", csv, "--trace", trace); code != 0 {
		t.Fatal(stderr)
	}
	text, err := os.ReadFile(csv)
	if err != nil || !strings.HasPrefix(string(text), "from,to,circuits,bytes,packets,") || strings.Count(string(text), "\n") < 8 {
		t.Errorf("%v: %.80q", err, text)
	}
	if text, err = os.ReadFile(trace); err != nil || !json.Valid(text) {
		t.Errorf("%v: %.80q", err, text)
	}
	if after, err = os.ReadDir(dir); err != nil || len(after) != len(before)+2 {
		t.Errorf("files: %v", after)
	}
	if code, _, stderr := run(t, "simulate", plan, "--csv", os.DevNull); code != 0 {
		t.Errorf("a device: %s", stderr)
	}
}

// TestSimulateNamesItselfOnceInADeadlock: four messages that fill a circle of buffers.
func TestSimulateNamesItselfOnceInADeadlock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "circle.csv")
	writeFile(t, file, "src,dst,bytes,start_ns\n0,2,100000,0\n1,3,100000,0\n2,0,100000,0\n3,1,100000,0\n")
	code, _, stderr := run(t, "simulate", "--topology", "UniRing(1,4)", "--traffic", file, "--buffer", "4KiB", "--packet", "4KiB")
	if code != 1 || !strings.HasPrefix(stderr, "lightpath: simulate: stepwise: deadlock at ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

func TestSimulateHelpHasAnExample(t *testing.T) {
	code, stdout, _ := run(t, "simulate", "--help")
	if code != 0 || !strings.Contains(stdout, "Examples:") || !strings.Contains(stdout, "--fail link:3-4@10us") {
		t.Errorf("exit %d, %q", code, stdout)
	}
}
