package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/command/controlling"
	"github.com/lightpath-net/lightpath/control"
	"github.com/lightpath-net/lightpath/control/gnmi"
	"github.com/lightpath-net/lightpath/control/scpi"
)

// switchProcess starts an emulated switch and returns where it listens.
func switchProcess(t *testing.T, flags ...string) string {
	t.Helper()
	return speaking(t, append([]string{"--speak", "scpi", "--size", "8"}, flags...)...)
}

// speaking starts an emulated switch with the given flags and returns where it listens.
func speaking(t *testing.T, flags ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"switch"}, flags...)...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, said)
	words := strings.Fields(line)
	return words[len(words)-1]
}

// controlled makes the files of a plan of three stages on two switches.
func controlled(t *testing.T, east, west string) (dir, table, list string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	plan, table := filepath.Join(dir, "p.json"), filepath.Join(dir, "t.json")
	var ports strings.Builder
	ports.WriteString("gpu,port,switch,ingress,egress\n")
	for u := range 4 {
		fmt.Fprintf(&ports, "%d,0,east,%d,%d\n%d,1,west,%d,%d\n", u, u+1, u+9, u, 5-u-1, u+13)
	}
	for _, args := range [][]string{
		{"plan", "allreduce", "--nodes", "4", "--ports", "2", "--switches", "rails", "--size", "64MiB", "--reconfig", "1us", "--algorithm", "halving-doubling", "--planner", "every-step", "-o", plan},
		{"compile", plan, "--to", "timetable", "--port-map", write("ports.csv", ports.String()), "-o", table},
	} {
		if code, _, stderr := run(t, args...); code != 0 {
			t.Fatal(stderr)
		}
	}
	return dir, table, write("switches.yaml", "switches:\n- {name: east, driver: scpi, address: \""+east+"\"}\n- {name: west, driver: scpi, address: \""+west+"\"}\n")
}

// TestKilledControllersLeaveNothingUnseen: a controller is killed 12 times, each time after another
// while, and its switches fail as well. Whatever is up was wanted in some stage. The next run says
// that it resumes, and in the end all is as planned.
func TestKilledControllersLeaveNothingUnseen(t *testing.T) {
	east, west := switchProcess(t, "--set-up", "2ms", "--fail", "half:3,forget:9,refuse:12"), switchProcess(t, "--set-up", "2ms", "--fail", "break:5")
	dir, table, list := controlled(t, east, west)
	rng := rand.New(rand.NewPCG(9, 9))
	resumed := 0
	for kill := range 12 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "control", "apply", table, "--switches-file", list)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// How far it has come shows in the journal; the pause is only to kill it at many places.
		size := 0
		for range 5000 {
			if text, _ := os.ReadFile(list + ".journal"); len(text) > size {
				if size > 0 || kill%3 == 0 {
					break
				}
				size = len(text)
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rng.IntN(8)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		for _, address := range []string{east, west} {
			c := &scpi.Client{Address: address}
			up, err := c.State(t.Context())
			c.Close()
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range up.Crosses() {
				if text, _ := os.ReadFile(table); !wants(t, text, x) {
					t.Errorf("%v was never wanted", x)
				}
			}
		}
		if known, err := control.Recall(list + ".journal"); err != nil {
			t.Fatal(err)
		} else if known.Open {
			resumed++
			code, _, stderr := run(t, "control", "watch", table, "--switches-file", list)
			if code != 1 || stderr == "" {
				t.Errorf("watching half a change: exit %d, %q", code, stderr)
			}
			if kill%4 == 3 {
				if code, _, stderr := run(t, "control", "apply", table, "--switches-file", list, "--undo"); code != 0 {
					t.Errorf("undoing: exit %d, %s", code, stderr)
				}
			}
		}
	}
	if resumed == 0 {
		t.Error("no kill was in the middle of a change")
	}
	code, stdout, stderr := run(t, "control", "apply", table, "--switches-file", list, "--json")
	var answer controlling.Applied
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 || !answer.OK || len(answer.Stages) != 3 || len(answer.Surprises) > 0 {
		t.Fatalf("exit %d, %+v, %v, %s", code, answer, err, stderr)
	}
	if code, _, stderr := run(t, "control", "watch", table, "--switches-file", list); code != 0 {
		t.Error(stderr)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*.journal")); err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

// wants reports whether a timetable ever connects two ports.
func wants(t *testing.T, table []byte, x control.Cross) bool {
	t.Helper()
	var doc struct {
		Stages []struct {
			Changes []control.Cross `json:"changes"`
		} `json:"stages"`
	}
	if err := json.Unmarshal(table, &doc); err != nil {
		t.Fatal(err)
	}
	for _, s := range doc.Stages {
		for _, c := range s.Changes {
			if c == x {
				return true
			}
		}
	}
	return false
}

// TestARefusalLeavesAllSwitchesAsTheyWere, exit 1, and the answer says so.
func TestARefusalLeavesAllSwitchesAsTheyWere(t *testing.T) {
	east, west := switchProcess(t, "--set-up", "0s"), switchProcess(t, "--set-up", "0s", "--fail", "refuse:2,refuse:3,refuse:4,refuse:5")
	_, table, list := controlled(t, east, west)
	code, stdout, stderr := run(t, "control", "apply", table, "--switches-file", list, "--json")
	var answer controlling.Applied
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 1 || answer.OK || len(answer.Stages) != 2 ||
		answer.Stages[1].Outcome != control.Undone || !strings.Contains(stderr, "all switches are back") || strings.Count(stderr, "\n") != 1 {
		t.Fatalf("exit %d, %+v, %v, %s", code, answer, err, stderr)
	}
	if code, stdout, _ := run(t, "control", "watch", table, "--switches-file", list, "--stage", "1"); code != 0 {
		t.Error(stdout)
	}
}

// TestMistakesOfControlAreOneLineAndExit2.
func TestMistakesOfControlAreOneLineAndExit2(t *testing.T) {
	dir, table, list := controlled(t, "127.0.0.1:1", "127.0.0.1:2")
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	plain := filepath.Join(dir, "plain.json")
	if code, _, stderr := run(t, "compile", filepath.Join(dir, "p.json"), "--to", "timetable", "-o", plain); code != 0 {
		t.Fatal(stderr)
	}
	other := write("other.csv", "gpu,port,switch,ingress,egress\n0,0,a,1,2\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"apply"}, "timetable"},
		{[]string{"apply", table}, "--switches-file"},
		{[]string{"apply", filepath.Join(dir, "none"), "--switches-file", list}, "no such file"},
		{[]string{"apply", list, "--switches-file", list}, "timetable"},
		{[]string{"apply", plain, "--switches-file", list}, "--port-map"},
		{[]string{"apply", plain, "--switches-file", list, "--port-map", other}, "not in the port map"},
		{[]string{"apply", table, "--switches-file", list, "--port-map", list}, "--port-map"},
		{[]string{"apply", table, "--switches-file", other}, "--switches-file"},
		{[]string{"apply", table, "--switches-file", write("one.yaml", "switches:\n- {name: east, driver: scpi, address: h}\n")}, "west"},
		{[]string{"apply", table, "--switches-file", list, "--stage", "4"}, "--stage"},
		{[]string{"apply", table, "--switches-file", list, "--undo", "--dry-run"}, "--undo"},
		{[]string{"apply", table, "--switches-file", list, "--journal", other}, "--journal"},
		{[]string{"apply", table, "--switches-file", list, "--timeout", "5"}, "--timeout"},
		{[]string{"watch", table, "--switches-file", list, "--every", "-1s"}, "--every"},
		{[]string{"watch", table, "--switches-file", list, "--stage", "-1"}, "--stage"},
	} {
		code, stdout, stderr := run(t, append([]string{"control"}, c.args...)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
	for _, c := range [][2]string{
		{"--speak telnet", "--speak"}, {"--speak scpi --size 0", "--size"}, {"--speak scpi --set-up 5", "--set-up"}, {"--speak scpi --fail burn:1", "--fail"},
		{"--size 8", "--speak"}, {"--speak scpi --tls-cert x", "--tls-key"}, {"--speak scpi --coordinator a:1", "--coordinator"}, {"--speak netconf --host-key none", "--host-key"},
	} {
		code, _, stderr := run(t, append([]string{"switch"}, strings.Fields(c[0])...)...)
		if code != 2 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c[1]) {
			t.Errorf("switch %s: exit %d, %q", c[0], code, stderr)
		}
	}
	// Switches that do not answer are no mistake of the caller, and nothing is changed.
	code, _, stderr := run(t, "control", "apply", table, "--switches-file", list, "--timeout", "200ms")
	if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "switch east") {
		t.Errorf("exit %d, %q", code, stderr)
	}
	// What is up there is unknown, and not nothing.
	code, stdout, stderr := run(t, "control", "watch", table, "--switches-file", list, "--timeout", "200ms")
	if code != 1 || !strings.Contains(stderr, "2 of 2 switches cannot be read") || strings.Count(stdout, "?  cannot be read: ") != 2 {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	code, stdout, _ = run(t, "control", "watch", table, "--switches-file", list, "--timeout", "200ms", "--json")
	if code != 1 || strings.Contains(stdout, `"up"`) || strings.Contains(stdout, `"missing"`) || strings.Count(stdout, `"error"`) != 2 {
		t.Errorf("exit %d, %q", code, stdout)
	}
}

// TestCircuitsOfASONiCSwitchAreSetInAFile, which replaces what was there; watch reads it.
func TestCircuitsOfASONiCSwitchAreSetInAFile(t *testing.T) {
	dir, table, list := controlled(t, "127.0.0.1:1", "127.0.0.1:2")
	var ports []string
	for p := range 8 {
		ports = append(ports, fmt.Sprintf(`"%dA":{},"%dB":{}`, p+1, p+1))
	}
	yaml := "switches:\n"
	for _, name := range []string{"east", "west"} {
		text := `{"OCS_PORT":{` + strings.Join(ports, ",") + `},"OCS_CROSS_CONNECT":{"8A-1B":{}}}`
		if name == "west" {
			text = strings.Replace(text, "8A-1B", "8A-2B", 1)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		yaml += "- {name: " + name + ", driver: sonic, address: " + name + ".json}\n"
	}
	if err := os.WriteFile(list, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	// The port of another is connected with one of ours: nothing is changed.
	if code, _, stderr := run(t, "control", "apply", table, "--switches-file", list); code != 1 || !strings.Contains(stderr, "which the map does not have") {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	for _, name := range []string{"east", "west"} {
		text, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(strings.NewReplacer("8A-1B", "8A-8B", "8A-2B", "8A-4B").Replace(string(text)))
		if err := os.WriteFile(filepath.Join(dir, name+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := run(t, "control", "apply", table, "--switches-file", list); code != 0 {
		t.Fatal(stderr)
	}
	if code, stdout, stderr := run(t, "control", "watch", table, "--switches-file", list); code != 0 {
		t.Fatal(stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "east.json"))
	if err != nil || !strings.Contains(string(text), `"8A-8B"`) || strings.Count(string(text), "a_side") != 4 {
		t.Errorf("%s, %v", text, err)
	}
}

// TestWatchIsToldOfChanges by a switch that speaks gNMI: it says so at once, not when it asks.
func TestWatchIsToldOfChanges(t *testing.T) {
	east := speaking(t, "--speak", "gnmi", "--size", "8", "--set-up", "0s")
	_, table, list := controlled(t, east, switchProcess(t, "--set-up", "0s"))
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "driver: scpi, address: \""+east, "driver: gnmi, tls: \"off\", address: \""+east, 1))
	if err := os.WriteFile(list, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, "control", "apply", table, "--switches-file", list); code != 0 {
		t.Fatal(stderr)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "control", "watch", table, "--switches-file", list, "--every", "1h")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	lines := bufio.NewScanner(out)
	until := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("no line with %q: %v", want, lines.Err())
	}
	until("as planned")
	c := &gnmi.Client{Address: east}
	defer c.Close()
	up, err := c.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone := up.Crosses()[0]
	if err := c.Change(t.Context(), control.Change{Disconnect: []control.Cross{gone}}); err != nil {
		t.Fatal(err)
	}
	until("missing " + gone.String())
}
