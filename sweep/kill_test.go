package sweep_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/sweep"
)

// kills is how often TestKilledSweepsResume kills; scripts/soak asks for more.
var kills = flag.Int("kills", 5, "how often to kill a sweep")

const childStore = "LIGHTPATH_TEST_SWEEP_STORE"

func TestMain(m *testing.M) {
	if name := os.Getenv(childStore); name != "" {
		if err := child(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// killGrid takes the child some seconds.
func killGrid() (*sweep.Spec, error) {
	var axes []sweep.Axis
	for _, a := range [][2]string{{"op", "allreduce"}, {"algorithm", "halving-doubling"}, {"planner", "harvest"}, {"nodes", "4,8"}, {"size", "1KiB..1GiB/150"}, {"reconfig", "10ns..10ms/10"}} {
		axis, err := sweep.ParseAxis(a[0], a[1], 0)
		if err != nil {
			return nil, err
		}
		axes = append(axes, axis)
	}
	return sweep.NewSpec(fabricOf(8), axes, 0, "test")
}

// slow takes its time for every column.
type slow struct {
	sweep.Solver
	wait time.Duration
}

func (s slow) Solve(ctx context.Context, column []sweep.Request) ([]sweep.Outcome, error) {
	time.Sleep(s.wait)
	return s.Solver.Solve(ctx, column)
}

// child is the process that is killed.
func child(name string) error {
	spec, err := killGrid()
	if err != nil {
		return err
	}
	s, err := sweep.Create(context.Background(), name, false)
	if err != nil {
		return err
	}
	if err := sweep.Run(context.Background(), spec, s, slow{solver(), 15 * time.Millisecond}, sweep.Options{Workers: 1}); err != nil {
		return err
	}
	return s.Close()
}

// A sweep that is killed with SIGKILL and resumed again and again ends with exactly the results
// of an undisturbed sweep, and committed cells are not planned again.
func TestKilledSweepsResume(t *testing.T) {
	spec, err := killGrid()
	if err != nil {
		t.Fatal(err)
	}
	calm := store(t, "calm.db")
	if err := sweep.Run(t.Context(), spec, calm, solver(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "killed.db")
	rng := rand.New(rand.NewPCG(18, 9))
	known := 0
	for range *kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childStore+"="+name)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(50+rng.IntN(900)) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // it was killed, or had ended
		if _, err := os.Stat(name); err != nil {
			continue // before it made the file
		}
		s, err := sweep.Create(t.Context(), name, false)
		if err != nil {
			t.Fatal(err)
		}
		table, err := s.Load(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if found := len(table.Cells) - table.Missing; found < known {
			t.Errorf("%d cells were known, and %d are after a kill", known, found)
		} else {
			known = found
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sweep.Create(t.Context(), name, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rest := &counting{Solver: solver()}
	if err := sweep.Run(t.Context(), spec, s, rest, sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	if solved := int(rest.cells.Load()); solved != spec.Cells()-known {
		t.Errorf("%d cells of %d were known, and %d were planned", known, spec.Cells(), solved)
	}
	if export(t, s, spec) != export(t, calm, spec) {
		t.Error("what was killed and resumed found something else")
	}
	if known == 0 {
		t.Error("nothing was committed before the kills: the test shows nothing")
	}
}
