package launch_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/launch"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// childVariable makes the test binary run as a process that a test starts. Its value identifies
// the test, to find the process again.
const childVariable = "LIGHTPATH_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		if err := childMain(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// childMain is "switch --coordinator A", "rank PLAN --coordinator A --ranks 1,2", or a
// parent that a test kills: "parent PLAN".
func childMain(args []string) error {
	ctx := context.Background()
	secret := []byte(os.Getenv(launch.SecretVariable))
	if args[0] == "switch" {
		return launch.Switch(ctx, args[2], "127.0.0.1:0", secret)
	}
	w := launch.Worker{Secret: secret, Patience: 10 * time.Second}
	file, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	if iteration.IsDocument(file[:min(256, len(file))]) {
		w.Iteration, err = iteration.Decode(bytes.NewReader(file))
	} else {
		w.Plan, err = plan.Decode(bytes.NewReader(file))
	}
	if err != nil {
		return err
	}
	if args[0] == "parent" {
		l := &launch.Processes{Path: os.Args[0]}
		_, err := emulate.Run(ctx, w.Plan, emulate.Options{Launcher: l, Slow: 1e8}) // does not end
		return err
	}
	w.Coordinator = args[3]
	for text := range strings.SplitSeq(args[5], ",") {
		r, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		w.Ranks = append(w.Ranks, r)
	}
	return w.Run(ctx)
}

// mark returns a value of childVariable that is unique to the test.
func mark(t *testing.T) string { return fmt.Sprintf("%s-%d", t.Name(), os.Getpid()) }

func processes(t *testing.T) *launch.Processes {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &launch.Processes{Path: path, Env: []string{childVariable + "=" + mark(t)}}
}

// left lists the processes of a test that are still running.
func left(t *testing.T) []string {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range entries {
		env, err := os.ReadFile(name)
		if err == nil && bytes.Contains(env, []byte(childVariable+"="+mark(t)+"\x00")) {
			found = append(found, filepath.Dir(name))
		}
	}
	return found
}

func planOf(t *testing.T, op collective.Op, nodes, ports int, size units.Bytes, algorithm, planner string) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
		Fabric: f, Planner: planner, Operations: []lightpath.Operation{{Op: op, Size: size, Algorithm: algorithm}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProcessesGetWhatTheOperationPromises(t *testing.T) {
	for _, c := range []struct {
		plan  *plan.Plan
		group int
	}{
		{planOf(t, collective.AllReduce, 16, 1, units.MiB, "recursive-doubling", "harvest"), 1},
		{planOf(t, collective.AllToAll, 27, 2, 27*units.KiB, "retri", "harvest"), 4},
		{planOf(t, collective.AllGather, 8, 4, 64*units.KiB, "", ""), 3},
	} {
		r, err := emulate.Run(t.Context(), c.plan, emulate.Options{Launcher: processes(t), RanksPerProcess: c.group, Type: number.Int32, Patience: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if want := (c.plan.Fabric.Nodes + c.group - 1) / c.group; !r.OK || r.Processes != want || r.Moved == 0 {
			t.Errorf("%v; %d processes, want %d", r.Fault, r.Processes, want)
		}
	}
	if found := left(t); len(found) > 0 {
		t.Errorf("left: %v", found)
	}
}

// injections returns faults at random places.
func injections(seed uint64, nodes, steps, count int) []string {
	random := rand.New(rand.NewPCG(seed, 0))
	var list []string
	for range count {
		when := fmt.Sprintf("step:%d", 1+random.IntN(steps))
		if random.IntN(3) == 0 {
			when = fmt.Sprintf("%dus", random.IntN(20))
		}
		u := random.IntN(nodes)
		what := []string{"gpu:%d", "stall:%d", "restart:%d", "garbage:%d", "clock:%d", "secret:%d"}[random.IntN(6)]
		switch what = fmt.Sprintf(what, u); random.IntN(8) {
		case 0:
			what = "switch"
		case 1, 2:
			what = fmt.Sprintf("link:%d-%d", u, (u+1)%nodes)
		}
		list = append(list, what+"@"+when)
	}
	return list
}

// soak returns the number of random faults to inject: 20 in tests, or LIGHTPATH_SOAK in
// scripts/soak.
func soak(t *testing.T) int {
	text := os.Getenv("LIGHTPATH_SOAK")
	if text == "" {
		return samples.Of(20)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRandomFaultsEndTheRun: no run hangs, leaves a process, or reports success with wrong data.
// A fault may come too late or hit an unused circuit; then the run succeeds, and its data was
// checked.
func TestRandomFaultsEndTheRun(t *testing.T) {
	p := planOf(t, collective.AllReduce, 8, 1, 256*units.KiB, "recursive-doubling", "every-step")
	failed := 0
	for i, text := range injections(1, 8, p.CountSteps(), soak(t)) {
		injection, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		o := emulate.Options{
			Launcher: processes(t), Faults: []fault.Injection{injection}, Patience: 3 * time.Second, Slow: float64(i%2) * 2000,
			Type: number.Types()[i%4], RanksPerProcess: 1 + i%3/2,
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r, err := emulate.Run(ctx, p, o)
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if r.OK != (r.Fault == nil) || r.OK && r.Checked == 0 {
			t.Errorf("%s: ok %v, fault %v, %d bytes checked", text, r.OK, r.Fault, r.Checked)
		}
		if r.Fault != nil {
			failed++
			if strings.Contains(r.Fault.Error(), "\n") || injection.Kind != fault.Cut && injection.From != r.Fault.Rank && o.RanksPerProcess == 1 {
				t.Errorf("%s: %v", text, r.Fault)
			}
		}
		if found := left(t); len(found) > 0 {
			t.Fatalf("%s: left: %v", text, found)
		}
	}
	if failed < soak(t)/2 {
		t.Errorf("only %d of %d faults were seen", failed, soak(t))
	}
	if files, _ := filepath.Glob(filepath.Join(os.TempDir(), "lightpath-plan-*")); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
}

// TestProcessesDieWithTheirParent: this holds even if the parent has no chance to end them.
func TestProcessesDieWithTheirParent(t *testing.T) {
	p := planOf(t, collective.AllReduce, 8, 1, 256*units.KiB, "ring", "static")
	file := filepath.Join(t.TempDir(), "plan.json")
	if err := p.WriteFile(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent, err := os.StartProcess(path, []string{path, "parent", file}, &os.ProcAttr{Env: append(os.Environ(), childVariable+"="+mark(t))})
	if err != nil {
		t.Fatal(err)
	}
	// Ten with the switch.
	for deadline := time.Now().Add(time.Minute); len(left(t)) < 10; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d processes have come", len(left(t)))
		}
	}
	if err := parent.Kill(); err != nil {
		t.Fatal(err)
	}
	parent.Wait()
	for deadline := time.Now().Add(time.Minute); len(left(t)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("left: %v", left(t))
		}
	}
}

func TestAnInterruptedRunLeavesNothing(t *testing.T) {
	p := planOf(t, collective.AllReduce, 8, 1, 256*units.KiB, "ring", "static")
	ctx, cancel := context.WithCancel(t.Context())
	o := emulate.Options{Launcher: processes(t), Slow: 1e4, Progress: func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}}
	if r, err := emulate.Run(ctx, p, o); err == nil {
		t.Errorf("%+v", r)
	}
	if found := left(t); len(found) > 0 {
		t.Errorf("left: %v", found)
	}
}
