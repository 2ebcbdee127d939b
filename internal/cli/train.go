package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/cli/input"
)

func init() { own["train"] = (*session).trainCommand }

func (s *session) trainCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.TrainRequest{}
	f := &face{asked: asked, request: r, doing: "training", Command: &cobra.Command{
		Use: "train",
		Long: `Simulate a minibatch of data-parallel training with wait-free back-propagation:
the gradients of a layer are allreduced while the layers before it still
compute. The network runs one collective at a time; gradients that become ready
meanwhile go together in the next one, or in buckets of a fixed size (--bucket).

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

// usedWithTopology are the settings of a fabric that count where circuits stay.
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
