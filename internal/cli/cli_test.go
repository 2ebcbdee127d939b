package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/internal/countdown"
)

// run executes a command line and returns what it printed.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = Run(context.Background(), args, &out, &err)
	return code, out.String(), err.String()
}

func TestBadUsageIsOneLineAndExit2(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, c := range []struct {
		args []string
		want string // in the message
	}{
		{[]string{"frobnicate"}, "unknown command"},
		{[]string{"plan"}, "want one operation"},
		{[]string{"plan", "sum"}, "use allreduce"},
		{[]string{"plan", "allreduce", "--colour", "red"}, "--colour"},
		{[]string{"plan", "--list", "allreduce"}, "no argument"},
		{[]string{"plan", "allreduce", "--size", "10"}, "--size"},
		{[]string{"plan", "allreduce", "--size", "0B"}, "above 0"},
		{[]string{"plan", "allreduce", "--size", "-1MiB"}, "negative"},
		{[]string{"plan", "allreduce", "--size", "NaN"}, "--size"},
		{[]string{"plan", "allreduce", "--size", "99999999999999TiB"}, "--size"},
		{[]string{"plan", "allreduce", "--size", "5ns"}, "--size"},
		{[]string{"plan", "allreduce", "--alpha", "100"}, "--alpha"},
		{[]string{"plan", "allreduce", "--delta", "1e9s"}, "--delta"},
		{[]string{"plan", "allreduce", "--bandwidth", "800GB"}, "--bandwidth"},
		{[]string{"plan", "allreduce", "--bandwidth", "0Gbps"}, "above 0"},
		{[]string{"plan", "allreduce", "--nodes", "1"}, "--nodes"},
		{[]string{"plan", "allreduce", "--nodes", "99999999999999999999"}, "--nodes"},
		{[]string{"plan", "allreduce", "--nodes", "6.5"}, "--nodes"},
		{[]string{"plan", "allreduce", "--ports", "0"}, "--ports"},
		{[]string{"plan", "allreduce", "--reconfig", "fast"}, "--reconfig"},
		{[]string{"plan", "allreduce", "--reconfig", "per-port:1us"}, "BASE+PER_PORT"},
		{[]string{"plan", "allreduce", "--forwarding", "teleport"}, "cut-through"},
		{[]string{"plan", "allreduce", "--routing", "scenic"}, "shortest"},
		{[]string{"plan", "allreduce", "--initial", "bright"}, "dark"},
		{[]string{"plan", "allreduce", "--base", "Torus(8,8)"}, "1 port"},
		{[]string{"plan", "allreduce", "--base", "Torus(8"}, "--base"},
		{[]string{"plan", "allreduce", "--base", "DC(32;1)"}, "64"},
		{[]string{"plan", "allreduce", "--base", "DC(64;2)", "--planner", "static"}, "every GPU"},
		{[]string{"plan", "allreduce", "--preset", "abacus"}, "harvest-sim"},
		{[]string{"plan", "allreduce", "--algorithm", "telepathy"}, "recursive-doubling"},
		{[]string{"plan", "allreduce", "--algorithm", "shift"}, "alltoall"},
		{[]string{"plan", "allreduce", "--algorithm", "swing", "--nodes", "48"}, "power of two"},
		{[]string{"plan", "allreduce", "--planner", "oracle"}, "light-bends"},
		{[]string{"plan", "allreduce", "--fabric", filepath.Join(dir, "none.yaml")}, "none.yaml"},
		{[]string{"plan", "allreduce", "--fabric", write("a.yaml", "nodes: 64\nalpha: 5\n")}, "a.yaml:2"},
		{[]string{"plan", "allreduce", "--fabric", write("b.yaml", "nodes: [1\n")}, "b.yaml"},
		{[]string{"plan", "allreduce", "--fabric", write("c.yaml", "colour: red\n")}, "c.yaml:1: colour"},
		{[]string{"plan", "allreduce", "-o", filepath.Join(dir, "none", "x.json")}, "x.json"},
		{[]string{"verify"}, "one plan file"},
		{[]string{"verify", filepath.Join(dir, "none.json")}, "none.json"},
		{[]string{"verify", write("d.json", "{}")}, "d.json"},
		{[]string{"verify", write("e.json", `{"schema":"lightpath.plan/v1",`)}, "e.json"},
		{[]string{"verify", write("f.json.gz", "not gzip")}, "f.json.gz"},
		{[]string{"topology"}, "one expression"},
		{[]string{"topology", "Tours(4,4)"}, "Torus"},
		{[]string{"topology", "K(100000)"}, "circuits"},
		{[]string{"topology", "C(8;4)"}, "C"},
		{[]string{"compare"}, "want one operation"},
	} {
		code, stdout, stderr := run(t, c.args...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "lightpath: ") ||
			strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q; want exit 2 and one line with %q", c.args, code, stdout, stderr, c.want)
		}
	}
}

func TestJSONIsExactlyOneDocument(t *testing.T) {
	for _, args := range [][]string{
		{"plan", "allreduce"},
		{"plan", "--list"},
		{"compare", "alltoall", "--nodes", "8"},
		{"topology", "Torus(4,4)"},
	} {
		code, stdout, stderr := run(t, append(args, "--json")...)
		if code != 0 || stderr != "" || !json.Valid([]byte(stdout)) {
			t.Errorf("%q: exit %d, stderr %q, stdout %.80q", args, code, stderr, stdout)
		}
		if _, again, _ := run(t, append(args, "--json")...); again != stdout {
			t.Errorf("%q: two runs print different bytes", args)
		}
	}
}

func TestTextFitsATerminal(t *testing.T) {
	for _, args := range [][]string{
		{"plan", "allreduce"},
		{"plan", "alltoall", "--reconfig", "1us"},
		{"plan", "allreduce", "--ports", "4", "--nodes", "16"},
		{"plan", "allreduce", "--preset", "reconfigure-or-not"},
		{"plan", "broadcast", "--nodes", "5"},
		{"plan", "--list"},
		{"compare", "allreduce", "--nodes", "8"},
		{"topology", "DeBruijn(2,3)"},
	} {
		code, stdout, stderr := run(t, args...)
		if code != 0 || stderr != "" {
			t.Errorf("%q: exit %d, stderr %q", args, code, stderr)
		}
		for line := range strings.SplitSeq(stdout, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%q: a line of %d columns: %q", args, n, line)
			}
		}
	}
}

func TestVerifyAnswersNoWithExit1(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.json")
	if code, _, stderr := run(t, "plan", "allreduce", "--nodes", "8", "-o", file); code != 0 {
		t.Fatal(stderr)
	}
	if code, stdout, _ := run(t, "verify", file); code != 0 || !strings.Contains(stdout, "the plan is correct") {
		t.Errorf("a good plan: exit %d, %q", code, stdout)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(text), `"action":"reduce"`, `"action":"copy"`, 1)
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run(t, "verify", file, "--json")
	var report struct {
		OK     bool
		Checks []struct {
			Name, Detail string
			OK           bool
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 1 || report.OK || len(report.Checks) < 8 {
		t.Errorf("a broken plan: exit %d, %v, %q", code, err, stdout)
	}
	if !strings.HasPrefix(stderr, "lightpath: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "step") {
		t.Errorf("the violation is told as %q", stderr)
	}
}

func TestNoPlanIsExit1(t *testing.T) {
	code, stdout, stderr := run(t, "plan", "allreduce", "--duplex", "--planner", "static")
	if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "duplex") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestFabricFlagsOverrideFileOverridesPreset(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fabric.yaml")
	if err := os.WriteFile(file, []byte("nodes: 16\nalpha: 7ns\ndelta: 8ns\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stdout, _ := run(t, "plan", "allreduce", "--preset", "light-bends", "--fabric", file, "--delta", "9ns", "--json")
	var doc struct {
		Fabric struct {
			Nodes   int     `json:"nodes"`
			AlphaNs float64 `json:"alpha_ns"`
			DeltaNs float64 `json:"delta_ns"`
			Initial string  `json:"initial"`
		} `json:"fabric"`
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if f := doc.Fabric; f.Nodes != 16 || f.AlphaNs != 7 || f.DeltaNs != 9 || f.Initial != "base" {
		t.Errorf("the fabric is %+v", f)
	}
}

func TestHelpOfEveryCommandHasAnExample(t *testing.T) {
	for _, name := range []string{"plan", "compare", "verify", "topology"} {
		code, stdout, _ := run(t, name, "--help")
		if code != 0 || !strings.Contains(stdout, "Examples:") || !strings.Contains(stdout, "lightpath "+name) {
			t.Errorf("%s --help: exit %d, %q", name, code, stdout)
		}
	}
}

func TestInterruptedRunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, err bytes.Buffer
	if code := Run(ctx, []string{"plan", "allreduce"}, &out, &err); code != exitInterrupted || err.String() != "lightpath: interrupted\n" {
		t.Errorf("exit %d, %q", code, err.String())
	}
}

// What is known of an interrupted answer is printed, in the form that was asked for, and one line
// says that it is not all.
func TestInterruptedRunPrintsWhatItKnows(t *testing.T) {
	known := 0
	for asked := 64; asked < 1<<20; asked *= 2 {
		var out, err bytes.Buffer
		code := Run(countdown.New(t.Context(), asked), []string{"compare", "allreduce", "--nodes", "12", "--json"}, &out, &err)
		if code == exitDone {
			break
		}
		if code != exitInterrupted || strings.Count(err.String(), "\n") != 1 || !strings.HasPrefix(err.String(), "lightpath: interrupted") {
			t.Fatalf("after %d questions: exit %d, %q", asked, code, err.String())
		}
		if out.Len() == 0 {
			continue
		}
		known++
		var answer lightpath.Comparison
		if wrong := json.Unmarshal(out.Bytes(), &answer); wrong != nil || len(answer.Rows) == 0 || !strings.Contains(err.String(), "ways were compared") {
			t.Errorf("after %d questions: %d rows, %v, %q", asked, len(answer.Rows), wrong, err.String())
		}
	}
	if known == 0 {
		t.Error("nothing was ever known")
	}
}

// An interrupted availability prints what it knows, as text and as JSON.
func TestInterruptedAvailabilityPrintsWhatItKnows(t *testing.T) {
	for _, form := range []string{"text", "json"} {
		line := strings.Fields("availability allreduce/1MiB --nodes 8 --ports 2 --technology plzt --plans 4 --format " + form)
		known := 0
		for asked := 64; asked < 1<<20; asked *= 2 {
			var out, err bytes.Buffer
			code := Run(countdown.New(t.Context(), asked), line, &out, &err)
			if code == exitDone {
				break
			}
			if code != exitInterrupted || strings.Count(err.String(), "\n") != 1 || !strings.HasPrefix(err.String(), "lightpath: interrupted") {
				t.Fatalf("%s after %d questions: exit %d, %q", form, asked, code, err.String())
			}
			if out.Len() == 0 {
				continue
			}
			known++
			var answer lightpath.Availability
			if form == "json" {
				if wrong := json.Unmarshal(out.Bytes(), &answer); wrong != nil || len(answer.Cases) == 0 {
					t.Errorf("after %d questions: %d cases, %v", asked, len(answer.Cases), wrong)
				}
			}
			if !strings.Contains(err.String(), "this is not the whole answer") {
				t.Errorf("after %d questions: %q", asked, err.String())
			}
		}
		if known == 0 {
			t.Errorf("%s: nothing was ever known", form)
		}
	}
}

// An interrupted wire prints and writes the best layout so far. Operations may follow one --for, or
// have one each.
func TestInterruptedWireWritesWhatItKnows(t *testing.T) {
	line := strings.Fields("wire --nodes 8 --ports 2 --radix 4 --json --for allreduce/1MiB allgather/1MiB --for reduce/1KiB")
	known := 0
	for asked := 64; asked < 1<<20; asked *= 2 {
		file := filepath.Join(t.TempDir(), "plug.csv")
		var out, err bytes.Buffer
		code := Run(countdown.New(t.Context(), asked), append(line, "-o", file), &out, &err)
		var answer lightpath.LayoutTable
		if out.Len() > 0 {
			if wrong := json.Unmarshal(out.Bytes(), &answer); wrong != nil {
				t.Fatal(wrong)
			}
		}
		if _, missing := os.Stat(file); (missing == nil) != (answer.Best != "") {
			t.Errorf("after %d questions: best %q, file: %v", asked, answer.Best, missing)
		}
		if code == exitDone {
			if len(answer.For) != 3 {
				t.Errorf("for %+v", answer.For)
			}
			break
		}
		if code != exitInterrupted || strings.Count(err.String(), "\n") != 1 {
			t.Fatalf("after %d questions: exit %d, %q", asked, code, err.String())
		}
		if out.Len() > 0 {
			known++
		}
	}
	if known == 0 {
		t.Error("nothing was ever known")
	}
	if code, _, errs := run(t, "wire", "--radix", "4", "allreduce/1MiB"); code != 2 || !strings.Contains(errs, "--for") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// Two forms at once are refused, and so is an unknown one, before anything is planned.
func TestOneFormIsAskedFor(t *testing.T) {
	for line, want := range map[string]string{
		"compare allreduce --nodes 4096 --json --format csv": "lightpath: --json: --format csv asks for another form; want one of them\n",
		"compare allreduce --nodes 4096 --format yaml":       "lightpath: --format: unknown form \"yaml\"; use text, json, csv, sql\n",
	} {
		if code, out, errs := run(t, strings.Fields(line)...); code != 2 || out != "" || errs != want {
			t.Errorf("%s: exit %d, %q, %q", line, code, out, errs)
		}
	}
	_, plain, _ := run(t, "topology", "K(4)", "--json")
	if code, out, _ := run(t, "topology", "K(4)", "--json", "--format", "json"); code != 0 || out != plain {
		t.Errorf("exit %d, %s", code, out)
	}
}
