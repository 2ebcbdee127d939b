package cli

import (
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// trainFlags are the flags of the command.
type trainFlags struct {
	trace, topology              string
	planner, algorithm           string
	nodeBandwidth, bucket, speed *word
	allToAllFirst, list          bool
	machine                      *fabricFlags
}

func (s *session) trainCommand() *cobra.Command {
	f := &trainFlags{nodeBandwidth: &word{"", "RATE"}, bucket: &word{"", "SIZE"}, speed: &word{"1", "FACTOR"}}
	c := &cobra.Command{
		Use:   "train",
		Short: "Simulate data-parallel training: minibatch time and overlap",
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
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.trace, "trace", "", "built-in trace `NAME`, or a FILE.csv")
	c.Flags().StringVar(&f.topology, "topology", "", "fixed circuits, a topology expression `EXPR` (default: plan on the fabric)")
	c.Flags().Var(f.nodeBandwidth, "node-bandwidth", "with --topology: rate of all ports of a node together (default: --bandwidth for every port)")
	c.Flags().Var(f.bucket, "bucket", "collect gradients in buckets of this size, e.g. 25MiB (default: send all that are ready together)")
	c.Flags().BoolVar(&f.allToAllFirst, "alltoall-first", false, "let an all-to-all overtake gradients that wait for the network")
	c.Flags().Var(f.speed, "speedup", "compute this many times as fast as the trace")
	c.Flags().StringVar(&f.planner, "planner", lightpath.Auto, "planner `NAME`, or auto: the fastest")
	c.Flags().StringVar(&f.algorithm, "algorithm", lightpath.Auto, "allreduce algorithm `NAME`, or auto: the fastest")
	f.machine = addFabricFlags(c)
	offer(c, "trace", train.Names)
	offer(c, "planner", plannerNames)
	offer(c, "algorithm", algorithmNames)
	c.Flags().BoolVar(&f.list, "list", false, "list the built-in traces")
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("train: takes no argument; e.g. lightpath train --trace resnet50 --topology 'Torus(8,8)'")
		}
		if f.list {
			if c.Flags().Changed("plot") {
				return fmt.Errorf("--plot: not with --list, which has no picture")
			}
			traces, err := lightpath.Traces()
			if err != nil {
				return err
			}
			return s.print(traces)
		}
		request, err := f.request(c)
		if err != nil {
			return err
		}
		if err := plot.check(c); err != nil {
			return err
		}
		answer, err := answered(s, c, "training", lightpath.Train, request)
		if err != nil {
			return err
		}
		return s.printPlotted(answer, plot)
	}
	return c
}

// request reads the flags.
func (f *trainFlags) request(c *cobra.Command) (r lightpath.TrainRequest, err error) {
	if f.trace == "" {
		return r, fmt.Errorf("--trace: want a FILE.csv, or a name from train --list")
	}
	if r.Trace, err = train.Load(f.trace); err != nil {
		return r, fmt.Errorf("--trace: %w", err)
	}
	speed, err := strconv.ParseFloat(f.speed.text, 64)
	if err != nil || !(speed > 0) || math.IsInf(speed, 0) {
		return r, fmt.Errorf("--speedup: %q; want a number above 0", f.speed.text)
	}
	if speed != 1 {
		r.Speedup = speed
	}
	r.AllToAllFirst = f.allToAllFirst
	if c.Flags().Changed("bucket") {
		if r.Bucket, err = units.ParsePositiveBytes(f.bucket.text); err != nil {
			return r, fmt.Errorf("--bucket: %w", err)
		}
	}
	if r.Fabric, err = f.machine.fabric(c); err != nil {
		return r, err
	}
	if r.Topology, err = expression(f.topology); err != nil {
		return r, fmt.Errorf("--topology: %w", err)
	}
	if c.Flags().Changed("planner") {
		r.Planner = f.planner
	}
	if c.Flags().Changed("algorithm") {
		r.Algorithm = f.algorithm
	}
	if c.Flags().Changed("node-bandwidth") {
		if r.NodeBandwidth, err = units.ParsePositiveBandwidth(f.nodeBandwidth.text); err != nil {
			return r, fmt.Errorf("--node-bandwidth: %w", err)
		}
	}
	if c.Flags().Changed("topology") {
		return r, f.onTopology(c)
	}
	return r, nil
}

// usedWithTopology are the settings of a fabric that count where circuits stay.
var usedWithTopology = map[string]bool{"alpha": true, "bandwidth": true}

// onTopology refuses flags that would have no effect with --topology.
func (f *trainFlags) onTopology(c *cobra.Command) error {
	if f.topology == "" {
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
