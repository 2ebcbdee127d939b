package cli

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/topology"
)

// commands lists every command and its path.
func commands(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	s := &session{out: bufio.NewWriter(&bytes.Buffer{}), err: &bytes.Buffer{}}
	all := map[string]*cobra.Command{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		all[strings.TrimPrefix(c.CommandPath(), "lightpath")] = c
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(s.root())
	return all
}

func TestHelpFitsATerminalAndSaysDefaultsOnce(t *testing.T) {
	for path := range commands(t) {
		code, stdout, stderr := run(t, append(strings.Fields(path), "--help")...)
		if code != 0 || stderr != "" {
			t.Errorf("%s --help: exit %d, %q", path, code, stderr)
		}
		for line := range strings.SplitSeq(stdout, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%s --help: %d columns: %q", path, n, line)
			}
		}
		text := strings.Join(strings.Fields(stdout), " ")
		for _, bad := range []string{"auto NAME", "exact HOW", "allreduce OP", "(default: none)"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s --help says %q", path, bad)
			}
		}
	}
}

// Whatever can be parsed is in the help.
func TestTopologyHelpListsEveryFamily(t *testing.T) {
	_, help, _ := run(t, "topology", "--help")
	_, err := topology.ParseExpr("Nothing(3)")
	if err == nil {
		t.Fatal("it is a family")
	}
	_, known, ok := strings.Cut(err.Error(), "known: ")
	if !ok {
		t.Fatalf("%v lists no families", err)
	}
	for family := range strings.SplitSeq(known, ", ") {
		if !strings.Contains(help, family) {
			t.Errorf("%s is not in the help", family)
		}
	}
}

func TestEveryCommandHasAManualPage(t *testing.T) {
	for path := range commands(t) {
		code, stdout, stderr := run(t, append([]string{"man"}, strings.Fields(path)...)...)
		if code != 0 || stderr != "" || !strings.HasPrefix(stdout, ".TH LIGHTPATH") || !strings.Contains(stdout, ".SH OPTIONS") {
			t.Errorf("man %s: exit %d, %q, %.80q", path, code, stderr, stdout)
		}
		for line := range strings.SplitSeq(stdout, "\n") {
			if strings.HasPrefix(line, "'") {
				t.Errorf("man %s: %q is a command to the formatter", path, line)
			}
		}
	}
	if code, _, stderr := run(t, "man", "nothing"); code != 2 || !strings.Contains(stderr, "unknown command") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

func TestCompletionOffersWhatThereIs(t *testing.T) {
	for line, want := range map[string]string{
		"plan a": "allreduce", "compare all": "alltoall", "collective br": "broadcast", "plan --algorithm sw": "swing",
		"plan --planner har": "harvest", "plan --preset po": "polatis", "plan --synthesis e": "exact", "plan --strategy pa": "paper",
		"simulate --level f": "flow", "train --trace res": "resnet50", "find --op allr": "allreduce", "plan --format c": "csv",
		"plan --overlap po": "ports", "man pl": "plan",
	} {
		_, stdout, _ := run(t, append([]string{"__complete"}, strings.Fields(line)...)...)
		if !strings.Contains(stdout, want) {
			t.Errorf("%s is completed with %q, not %s", line, stdout, want)
		}
	}
}

func TestUnknownCommandsAreSaidToBe(t *testing.T) {
	for line, want := range map[string]string{
		"plna --nodes 3":     `unknown command "plna"; did you mean plan?`,
		"verfy plan.json":    `unknown command "verfy"; did you mean verify?`,
		"frontier allreduce": `unknown command "frontier"; did you mean plan?`,
		"frobnicate --x":     `unknown command "frobnicate"; see lightpath --help`,
		"help nothing":       `unknown command "nothing"`,
		"completion nothing": `completion: unknown shell "nothing"; use bash, fish, powershell, zsh`,
		"--colour":           "unknown flag: --colour",
		"plan a --nodes=x":   "unknown operation",
		"plan a --seed x":    `--seed: "x": not a whole number that fits`,
		"plan a --duplex=no": `--duplex: "no": a switch takes =true or =false, or nothing`,
	} {
		code, stdout, stderr := run(t, strings.Fields(line)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) || strings.Contains(stderr, "lightpath: lightpath:") {
			t.Errorf("%s: exit %d, %q, want %q", line, code, stderr, want)
		}
	}
}

func TestErrorsAreShortLines(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, args := range [][]string{{"plan", long}, {"plan", "allreduce", "--algorithm", long}, {long}, {"topology", long}, {"verify", long}} {
		code, _, stderr := run(t, args...)
		if code != 2 || len(stderr) > 1100 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %d bytes", args[0][:min(20, len(args[0]))], code, len(stderr))
		}
	}
}

// -o writes through a symbolic link, and what a killed run left behind goes.
func TestOutputKeepsSymbolicLinksAndCleansUp(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "k.json.gz")
	if err := os.Symlink("real.json.gz", link); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, "plan", "allreduce", "--nodes", "8", "-o", link); code != 0 {
		t.Fatal(stderr)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if code, _, stderr := run(t, "verify", filepath.Join(dir, "real.json.gz")); code != 0 {
		t.Error(stderr)
	}
	if code, _, stderr := run(t, "verify", link, "--max-expand", "1KiB"); code != 2 || !strings.Contains(stderr, "--max-expand") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

func TestFormats(t *testing.T) {
	code, stdout, stderr := run(t, "compare", "allreduce", "--nodes", "8", "--format", "csv")
	if code != 0 || !strings.HasPrefix(stdout, "algorithm,planner,strategy,total_ns,") || strings.Count(stdout, "\n") < 10 {
		t.Errorf("exit %d, %q, %.200q", code, stderr, stdout)
	}
	if code, _, stderr := run(t, "topology", "K(4)", "--format", "csv"); code != 2 || !strings.Contains(stderr, "no such form") {
		t.Errorf("exit %d, %q", code, stderr)
	}
	if code, _, stderr := run(t, "topology", "K(4)", "--format", "xml"); code != 2 || !strings.Contains(stderr, "use text, json, csv") {
		t.Errorf("exit %d, %q", code, stderr)
	}
	_, a, _ := run(t, "topology", "K(4)", "--format", "json")
	if _, b, _ := run(t, "topology", "K(4)", "--json"); a != b {
		t.Error("--json is not --format json")
	}
}

// Spreadsheets put a byte order mark before the first line.
func TestFilesMayBeginWithAByteOrderMark(t *testing.T) {
	t.Chdir(filesIn(t, map[string]string{
		"demand.csv": "\ufeffsrc,dst,bytes\n0,1,5\n1,0,7\n", "flows.csv": "\ufeffsrc,dst,bytes,start_ns\n0,2,10000,0\n",
		"trace.csv": "\ufeffname,bytes,forward_ns,backward_ns\na,100,1.5,2\n",
	}))
	for _, line := range []string{
		"plan alltoall --demand demand.csv", "simulate --topology DC(4;1) --traffic flows.csv", "train --trace trace.csv --topology K(4)",
	} {
		if code, _, stderr := run(t, strings.Fields(line)...); code != 0 {
			t.Errorf("%s: %s", line, stderr)
		}
	}
}

// A picture is offered where the answer has one.
func TestPicturesAreOfferedWhereThereAre(t *testing.T) {
	all := commands(t)
	for _, c := range lightpath.Commands() {
		shown := all[" "+c.Name]
		if shown == nil {
			continue // it is part of another
		}
		if want := c.Name != "wire" && c.Name != "availability" && c.Name != "list"; (shown.Flags().Lookup("plot") != nil) != want {
			t.Errorf("%s: a picture is offered: %v", c.Name, !want)
		}
	}
	for _, line := range []string{"wire --radix 8 --plot x.svg", "availability --plot x.svg"} {
		if code, stdout, stderr := run(t, strings.Fields(line)...); code != exitUsage || stdout != "" || !strings.Contains(stderr, "--plot") {
			t.Errorf("%s: exit %d, %q, %q", line, code, stdout, stderr)
		}
	}
}
