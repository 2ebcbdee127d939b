package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/command/controlling"
	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/inventory"
	"github.com/lightpath-net/lightpath/units"
)

// job is the files of a training job with experts on 4 ranks, whose demand changes, and a switch.
type job struct {
	t                                  *testing.T
	dir, workload, feed, list, portMap string
	lines                              []string
	driver, address                    string
	total, static, hindsight           units.Time // by following the trace at once
	want                               control.State
	rewired                            int
	fabric                             []string
}

// newJob makes them, and follows the trace at once: the twin of a run.
func newJob(t *testing.T, driver string, flags ...string) *job {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return in(name)
	}
	j := &job{t: t, dir: dir, driver: driver, fabric: []string{"--ports", "2", "--reconfig", "30us", "--policy", "static"}}
	j.workload = write("w.json", `{"schema":"lightpath.workload/v1","ranks":4,"kinds":{"ep":[[0,1,2,3]]},"programs":[{"ranks":"0-3","ops":[{"id":"attend","compute_ns":20000},
{"id":"send","op":"alltoall","kind":"ep","size_bytes":4194304,"skew":"uniform","after":["attend"]},{"id":"expert","compute_ns":20000,"after":["send"]},
{"id":"return","op":"alltoall","kind":"ep","size_bytes":4194304,"skew":"back:uniform","after":["expert"]}]}]}`)
	for _, distance := range []int{2, 2, 1, 1, 2, 1, 1, 2} {
		var rows [][]int
		for i := range 4 {
			row := make([]int, 4)
			for k := range row {
				if k == (i+distance)%4 || i == (k+distance)%4 {
					row[k] = 100
				} else if k != i {
					row[k] = 1
				}
			}
			rows = append(rows, row)
		}
		text, _ := json.Marshal(rows)
		j.lines = append(j.lines, string(text))
	}
	var ports strings.Builder
	ports.WriteString("gpu,port,switch,ingress,egress\n")
	for u := range 4 {
		fmt.Fprintf(&ports, "%d,0,a,%d,%d\n%d,1,a,%d,%d\n", u, 2*u+1, 2*u+13, u, 2*u+2, 2*u+14)
	}
	j.portMap, j.feed = write("ports.csv", ports.String()), in("feed.jsonl")
	j.address = speaking(t, append([]string{"--speak", driver, "--size", "12"}, flags...)...)
	j.list = write("switches.yaml", "switches:\n- {name: a, driver: "+driver+", address: \""+j.address+"\", tls: \"off\"}\n")
	trace, plan, table := write("trace.json", "["+strings.Join(j.lines, ",")+"]"), in("i.json"), in("t.json")
	code, stdout, stderr := run(t, append([]string{"iterate", j.workload, "--demand-trace", trace, "-o", plan, "--json"}, j.fabric...)...)
	var twin struct {
		Online struct {
			Total     units.Time `json:"total_ns"`
			Static    units.Time `json:"static_ns"`
			Hindsight units.Time `json:"hindsight_ns"`
			Rewired   int        `json:"rewired"`
		} `json:"online"`
	}
	if err := json.Unmarshal([]byte(stdout), &twin); code != 0 || err != nil {
		t.Fatal(stderr, err)
	}
	j.total, j.static, j.hindsight, j.rewired = twin.Online.Total, twin.Online.Static, twin.Online.Hindsight, twin.Online.Rewired
	if code, _, stderr := run(t, "compile", plan, "--to", "timetable", "--port-map", j.portMap, "-o", table); code != 0 {
		t.Fatal(stderr)
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var up struct {
		Up []control.Cross `json:"up"`
	}
	if err := json.Unmarshal(text, &up); err != nil {
		t.Fatal(err)
	}
	if j.want, err = control.Up(up.Up); err != nil || len(j.want) == 0 {
		t.Fatal(j.want, err)
	}
	return j
}

// args returns the arguments of a run.
func (j *job) args(more ...string) []string {
	args := append([]string{"control", "run", j.workload, "--switches-file", j.list, "--port-map", j.portMap, "--feed", j.feed}, j.fabric...)
	return append(args, more...)
}

// add adds lines to the feed.
func (j *job) add(lines ...string) {
	j.t.Helper()
	f, err := os.OpenFile(j.feed, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		j.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		j.t.Fatal(err)
	}
}

// check holds the end of a run against the twin, and against the switch.
func (j *job) check(code int, stdout, stderr string) {
	j.t.Helper()
	var s controlling.Status
	if err := json.Unmarshal([]byte(stdout), &s); err != nil || code != 0 {
		j.t.Fatalf("exit %d, %v, %s", code, err, stderr)
	}
	if s.Steps != len(j.lines) || s.Total != j.total || s.Static != j.static || s.Rewired != j.rewired || s.Reason+s.Unsaved != "" {
		j.t.Errorf("%+v; the trace takes %v, static %v, rewired %d times", s, j.total, j.static, j.rewired)
	}
	if s.Total > s.Static || s.Total > 1.2*j.hindsight || s.Rewired == 0 {
		j.t.Errorf("%v; static %v, in hindsight %v", s.Total, s.Static, j.hindsight)
	}
	d, err := inventory.Lookup(j.driver)
	if err != nil {
		j.t.Fatal(err)
	}
	c := d.Dial(j.address, inventory.Access{})
	defer c.Close()
	if up, err := c.State(j.t.Context()); err != nil || !up.Equal(j.want) {
		j.t.Errorf("%v is up, not %v: %v", up, j.want, err)
	}
	if known, err := control.Recall(j.list + ".journal"); err != nil || known.Open {
		j.t.Errorf("the journal: %+v, %v", known, err)
	}
}

// TestARunEndsAsTheTraceSays over several protocols, on switches that fail, with lines in the feed
// that make no sense. Each is reported in one line.
func TestARunEndsAsTheTraceSays(t *testing.T) {
	for _, driver := range []string{"scpi", "gnmi"} {
		j := newJob(t, driver, "--set-up", "1ms", "--fail", "half:2,forget:4")
		j.add(j.lines[0], "", "[[0,1],[1,0]]", "nonsense")
		j.add(j.lines[1:]...)
		code, stdout, stderr := run(t, j.args("--end", "--json")...)
		if strings.Count(stderr, "\n") != 2 || !strings.Contains(stderr, "line 3:") || !strings.Contains(stderr, "line 4:") {
			t.Errorf("%s: %s", driver, stderr)
		}
		j.check(code, stdout, stderr)
	}
}

// TestKilledRunsGoOn: a run is killed again and again, in the middle of planning, of a transaction
// or of writing down what it did, while demands come. In the end all is as if it had never been
// killed: no step is lost, and none counts twice.
func TestKilledRunsGoOn(t *testing.T) {
	j := newJob(t, "scpi", "--set-up", "3ms", "--fail", "break:3,half:5")
	rng := rand.New(rand.NewPCG(3, 3))
	size := func(name string) int64 {
		info, err := os.Stat(name)
		if err != nil {
			return 0
		}
		return info.Size() + info.ModTime().UnixNano()
	}
	fed, interrupted := 0, 0
	for kill := range 10 {
		if fed < len(j.lines) {
			j.add(j.lines[fed])
			fed++
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], j.args()...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// How far it has come shows in its files; the pause is only to kill it at many places.
		for watched, from := []string{j.list + ".journal", j.list + ".run"}[kill%2], int64(-1); ; time.Sleep(time.Millisecond) {
			if now := size(watched); from < 0 {
				from = now
			} else if now != from {
				break
			}
			if s, err := os.ReadFile(j.list + ".run"); err == nil && strings.Contains(string(s), fmt.Sprintf(`"stream":{"step":%d,`, fed)) {
				break // it has done all there is to do
			}
		}
		time.Sleep(time.Duration(rng.IntN(6)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		known, err := control.Recall(j.list + ".journal")
		if err != nil {
			t.Fatal(err)
		}
		if known.Open {
			interrupted++
		}
	}
	j.add(j.lines[fed:]...)
	t.Logf("%d kills were in the middle of a change", interrupted)
	code, stdout, stderr := run(t, j.args("--end", "--json")...)
	j.check(code, stdout, stderr)
}

// TestARunStopsWhenItIsTold, after the change that is under way, and the next one goes on.
func TestARunStopsWhenItIsTold(t *testing.T) {
	j := newJob(t, "scpi", "--set-up", "20ms")
	j.add(j.lines[:3]...)
	cmd := exec.CommandContext(t.Context(), os.Args[0], j.args("--json")...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if s, err := os.ReadFile(j.list + ".run"); err == nil && strings.Contains(string(s), `"stream":{"step":2,`) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var s controlling.Status
	if err != nil || json.Unmarshal([]byte(said.String()), &s) != nil || s.Steps < 2 {
		t.Fatalf("%v, %s", err, said.String())
	}
	if known, err := control.Recall(j.list + ".journal"); err != nil || known.Open {
		t.Errorf("%+v, %v", known, err)
	}
	j.add(j.lines[3:]...)
	code, stdout, stderr := run(t, j.args("--end", "--json")...)
	j.check(code, stdout, stderr)
}

// TestMistakesOfRunsAreOneLineAndExit2.
func TestMistakesOfRunsAreOneLineAndExit2(t *testing.T) {
	j := newJob(t, "scpi")
	base := []string{"control", "run", j.workload, "--switches-file", j.list}
	with := func(more ...string) []string { return append(append([]string{}, base...), more...) }
	for _, c := range []struct {
		args []string
		want string
	}{
		{base[:2], "want one"},
		{base[:3], "--feed"},
		{with("--port-map", j.portMap), "--feed"},
		{with("--feed", j.feed), "--port-map"},
		{with("--listen", "127.0.0.1:0", "--end"), "--end"},
		{with("--listen", "0.0.0.0:0"), "--listen"},
		{with("--listen", "here"), "--listen"},
		{with("--feed", j.feed, "--token-file", j.feed), "--listen"},
		{j.args("--state", j.workload), "--state"},
		{j.args("--journal", j.workload), "--journal"},
		{[]string{"control", "run", j.list, "--feed", j.feed}, "switches.yaml"},
		{[]string{"control", "run", filepath.Join(j.dir, "none"), "--feed", j.feed}, "none"},
		{[]string{"control", "run", filepath.Join(j.dir, "i.json"), "--ports", "2", "--feed", j.feed}, "--ports"},
	} {
		code, stdout, stderr := run(t, c.args...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %q, %q; want %s", c.args, code, stdout, stderr, c.want)
		}
	}
}
