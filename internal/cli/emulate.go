package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/launch"
	"github.com/lightpath-net/lightpath/internal/cli/input"
)

func init() { own["emulate"] = (*session).emulateCommand }

func (s *session) emulateCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.EmulateRequest{}
	f := &face{asked: asked, request: r, doing: "running", options: ourOptions, own: []string{"iteration"}, Command: &cobra.Command{
		Use: "emulate PLAN.json | ITERATION.json",
		Long: `Run a plan file (plan -o) with real bytes: one process per GPU (above 64 GPUs,
several per process), connected only by a software optical switch. A circuit
exists only while the plan holds it. Times follow the fabric, slowed down so
that this host can keep up. Every rank checks its result. Predicted, simulated
and emulated times are three different clocks, shown side by side.

The plan of an iteration (iterate -o) is run several times: ranks compute, and
communicate in their groups over the circuits that the plan has up. Every rank
checks the result of each of its communications.

--fail injects a failure; in an iteration's plan, step:N is the N-th iteration.
--replan plans again around what failed and restarts from the inputs.

--control sets circuits as control does on a real switch: the software switch
answers in that protocol, and ranks go on when a reading confirms the circuits.
Exit 0: every result is right. 1: a fault, reported in one line. 2: bad input.`,
		Example: `  lightpath plan allreduce --nodes 16 -o plan.json
  lightpath emulate plan.json
  lightpath emulate plan.json --no-wait --dtype bfloat16
  lightpath emulate plan.json --fail link:3-4@step:5 --replan
  lightpath iterate --model small.yaml --tp 4 --dp 4 --pp 4 -o iteration.json
  lightpath emulate iteration.json --iterations 5 --compute burn
  lightpath emulate iteration.json --control scpi`,
	}}
	f.bind()
	f.readsPlan(&r.Plan, input.AddPlan(f.Command))
	f.orIteration(&r.Iteration)
	f.end = on(s.emulated)
	return f.command(s)
}

// emulated reports a failed run.
func (s *session) emulated(answer *lightpath.Emulation) error {
	if answer.Fault != nil {
		return s.no("emulate: " + answer.Fault.Text)
	}
	return nil
}

// ourOptions makes processes of an emulation run this program.
func ourOptions() ([]lightpath.Option, error) {
	launcher, err := ourselves()
	return []lightpath.Option{lightpath.WithLauncher(launcher)}, err
}

// ourselves returns a launcher that starts this program as ranks and switch.
func ourselves() (emulate.Launcher, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &launch.Processes{Path: path}, nil
}
