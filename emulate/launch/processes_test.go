package launch_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/launch"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// childVariable makes the test binary one of the processes that a test starts.
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

// childMain is "switch --coordinator A" or "rank PLAN --coordinator A --ranks 1,2".
func childMain(args []string) error {
	ctx := context.Background()
	secret := []byte(os.Getenv(launch.SecretVariable))
	if args[0] == "switch" {
		return launch.Switch(ctx, args[2], "127.0.0.1:0", secret)
	}
	p, err := plan.ReadFile(ctx, args[1])
	if err != nil {
		return err
	}
	w := launch.Worker{Plan: p, Coordinator: args[3], Secret: secret, Patience: 10 * time.Second}
	for _, text := range strings.Split(args[5], ",") {
		r, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		w.Ranks = append(w.Ranks, r)
	}
	return w.Run(ctx)
}

func processes(t *testing.T) *launch.Processes {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &launch.Processes{Path: path, Env: []string{childVariable + "=1"}}
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
	p := planOf(t, collective.AllReduce, 16, 1, units.MiB, "recursive-doubling", "harvest")
	r, err := emulate.Run(t.Context(), p, emulate.Options{Launcher: processes(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Fault, r.Elapsed, r.Moved)
	for _, text := range []string{"gpu:3@step:2", "stall:3@step:2", "restart:3@step:2", "garbage:3@step:2", "clock:3@step:2", "secret:3@step:1", "switch@step:2", "link:3-4@step:2", "link:0-1@1us"} {
		i, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		r, err := emulate.Run(t.Context(), p, emulate.Options{Launcher: processes(t), Faults: []fault.Injection{i}, Patience: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v %v", text, r.Fault, time.Since(begin))
	}
}
