package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
)

func init() {
	own["train"] = (*session).trainCommand
	own["iterate"] = (*session).iterateCommand
}

func (s *session) trainCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.TrainRequest{}
	f := &face{asked: asked, request: r, doing: "training", Command: &cobra.Command{
		Use: "train",
		Long: `Simulate a minibatch of data-parallel training with wait-free back-propagation:
the gradients of a layer are allreduced while the layers before it still
compute. The network runs one collective at a time; gradients that become ready
meanwhile share the next one, or go in buckets of a fixed size (--bucket).

A trace is CSV with a line per layer, in the order of the forward pass, and the
heading name,bytes,forward_ns,backward_ns,alltoall_bytes: bytes of gradients,
compute times, and, for a layer of experts, what a GPU sends in an all-to-all
before and after it computes. The last column is optional. Some traces are built
in (--list).

With --topology, circuits never change: an allreduce follows the
breadth-first-broadcast schedule and takes steps x alpha + bandwidth x size /
node bandwidth. Without it, collectives are planned on the fabric. Planner auto
plans the minibatch as a whole: it keeps one topology where reconfigurations do
not pay, and otherwise reconfigures between collectives, while the GPUs compute
if possible. Any other planner plans each collective by itself and pays to
change the circuits that the one before left.`,
		Example: `  lightpath train --list
  lightpath train --trace resnet50 --topology 'Torus(8,8)' --alpha 10us \
    --node-bandwidth 100Gbps
  lightpath train --trace gpt2 --topology 'Torus(8,8)' --bucket 25MiB
  lightpath train --trace mine.csv --nodes 64 --reconfig 10us --planner auto`,
		Args: input.NoArgument,
	}}
	f.bind()
	f.read = func([]string) error {
		if r.Trace == nil {
			return errors.New("--trace: want a FILE.csv, or a name from train --list")
		}
		if !f.Flags().Changed("topology") {
			return nil
		}
		return onTopology(f.Command, r.Topology)
	}
	return f.listing(s, "list the built-in traces", func() (any, error) { return lightpath.Traces() })
}

// usedWithTopology lists the settings of a fabric that matter with fixed circuits.
var usedWithTopology = map[string]bool{"alpha": true, "bandwidth": true}

// onTopology refuses flags that would have no effect with --topology.
func onTopology(c *cobra.Command, topology string) error {
	if topology == "" {
		return fmt.Errorf("--topology: empty; want an expression such as Torus(8,8)")
	}
	refused := []string{"planner", "algorithm"}
	for _, s := range fabric.Settings() {
		if !usedWithTopology[s.Name] {
			refused = append(refused, s.Name)
		}
	}
	for _, flag := range refused {
		if c.Flags().Changed(flag) {
			return fmt.Errorf("--%s: not with --topology, whose circuits are fixed; use --alpha and --node-bandwidth", flag)
		}
	}
	if c.Flags().Changed("node-bandwidth") && c.Flags().Changed("bandwidth") {
		return fmt.Errorf("--node-bandwidth and --bandwidth: want one of them")
	}
	return nil
}

func (s *session) iterateCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.IterateRequest{}
	f := &face{asked: asked, request: r, doing: "planning the iteration", own: []string{"workload"}, Command: &cobra.Command{
		Use: "iterate [WORKLOAD.json]",
		Long: `Plan a whole training iteration: when every collective and every send starts, on
how many ports and by which plan, and when ports reconfigure, even while GPUs
compute or other ports send. The workload is a file (workload -o), or a model
with the given degrees of parallelism. The plan is for the steady state: each
iteration begins with the circuits that the previous one left.

It is compared with common policies: ports divided once among the kinds of
groups (static), all ports for the kind that communicates (phases, and
phases-ahead, which reconfigures as soon as ports are free), each collective on
its own (each) and one topology for all (one). It is never slower than these.

With --demand-trace the demand of experts changes from step to step. The trace
has a matrix for each step; only its proportions matter. At the start of a step,
iterate decides whether to reconfigure or to keep the circuits and take other
routes, without knowing the next step. -o then writes the plan of the last step.`,
		Example: `  lightpath iterate --model llama3-8b --tp 4 --dp 2 --global-batch 4 --ports 2
  lightpath iterate --model llama3-70b --tp 8 --pp 8 --dp 8 --island 8 \
    --island-bandwidth 3600Gbps --reconfig 10us -o iteration.json
  lightpath verify iteration.json
  lightpath iterate --model mixtral-8x7b --dp 8 --ep 8 --global-batch 8 \
    --ports 2 --reconfig 10ms --demand-trace drift:20:0.1`,
		Args: input.Wants(0, 1, "want at most one workload", "workload.json"),
	}}
	var output string
	f.bind()
	guard.Output(f.Flags(), &output, "output", "write the plan to `FILE`.json, which verify reads")
	f.read = func(args []string) (err error) {
		if output != "" {
			if err := files.Check(output); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		if len(args) == 1 {
			f.file = args[0]
			r.Workload, err = input.Workload(args[0])
		}
		return input.By(f.Command, err)
	}
	f.keep = on(func(answer *lightpath.Iteration) error {
		if output == "" {
			return nil
		}
		alone := *answer
		alone.Online = nil
		if err := files.Write(output, alone.Encode); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		return nil
	})
	return f.command(s)
}
