package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

func (s *session) findCommand() *cobra.Command {
	var r lightpath.FindRequest
	var op string
	var fill int
	alpha, bandwidth, size := &word{"10us", "TIME"}, &word{"100Gbps", "RATE"}, &word{"1MiB", "SIZE"}
	bucket := &word{train.DefaultBucket.String(), "SIZE"}
	var trace string
	c := &cobra.Command{
		Use:   "find",
		Short: "Find the best topologies of a size and degree",
		Long: `Find the topologies of a number of nodes and ports on which no other collective
schedule has both fewer steps and less bandwidth: families of graphs and their
expansions, each with the best schedule that is known for it. The best of them is the
one that is fastest for the given latency of a step, bandwidth and size.

Bandwidth is in units of M/B: M is the size, B what all ports of a node carry.`,
		Example: `  lightpath find --nodes 1024 --degree 4
  lightpath find --nodes 12 --degree 4 --op allgather --bidirectional
  lightpath find --nodes 256 --degree 4 --trace resnet50 --bucket 25MiB
  lightpath find --nodes 1000 --degree 4 --store found.txt
  lightpath find --degree 4 --fill 2000 --store found.txt`,
	}
	c.Flags().SortFlags = false
	c.Flags().IntVar(&r.Nodes, "nodes", 64, "`N`umber of nodes")
	c.Flags().IntVar(&r.Degree, "degree", 4, "ports of a node `D`")
	c.Flags().StringVar(&op, "op", string(collective.AllReduce), "allgather | reducescatter | allreduce `OP`")
	c.Flags().BoolVar(&r.Bidirectional, "bidirectional", false, "every circuit has one the other way")
	c.Flags().Var(alpha, "alpha", "latency of a step")
	c.Flags().Var(bandwidth, "node-bandwidth", "of all ports of a node together")
	c.Flags().Var(size, "size", "of the collective")
	c.Flags().StringVar(&trace, "trace", "", "choose for the gradients of a model instead of one size: `NAME` or FILE.csv\n(see lightpath train --list)")
	c.Flags().Var(bucket, "bucket", "of gradients that are sent together, with --trace; the first is 1MiB")
	c.Flags().StringVar(&r.Store, "store", "", "`FILE` in which what was found is kept and looked up")
	c.Flags().IntVar(&fill, "fill", 0, "find all sizes from 2 to `N` for the store")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("find: takes no argument, but %q", args[0])
		}
		if err := readFind(&r, op, alpha.text, bandwidth.text, size.text); err != nil {
			return err
		}
		if c.Flags().Changed("trace") {
			if c.Flags().Changed("size") {
				return fmt.Errorf("--size: not with --trace, which says the sizes")
			}
			var err error
			if r.Loads, err = traceLoads(trace, bucket.text); err != nil {
				return err
			}
		}
		bar := s.progress("finding")
		defer bar.end()
		if c.Flags().Changed("fill") {
			answer, err := lightpath.FillStore(c.Context(), r, fill, bar.report)
			bar.end()
			if err != nil {
				return fmt.Errorf("find: %w", err)
			}
			return s.print(answer, func(w io.Writer) { report.Filled(w, answer) })
		}
		r.Progress = bar.report
		answer, err := lightpath.Find(c.Context(), r)
		bar.end()
		if err != nil {
			return fmt.Errorf("find: %w", err)
		}
		return s.print(answer, func(w io.Writer) { report.Found(w, answer) })
	}
	return c
}

// traceLoads returns the allreduces of a minibatch of a model.
func traceLoads(name, bucket string) ([]finder.Weighted, error) {
	limit, err := positiveBytes(bucket)
	if err != nil {
		return nil, fmt.Errorf("--bucket: %w", err)
	}
	trace, err := train.Load(name)
	if err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	buckets := trace.Buckets(limit)
	loads := make([]finder.Weighted, len(buckets))
	for i, bytes := range buckets {
		loads[i] = finder.Weighted{Size: bytes, Weight: 1}
	}
	return loads, nil
}

// readFind reads the flags that need reading.
func readFind(r *lightpath.FindRequest, op, alpha, bandwidth, size string) error {
	var err error
	if r.Op, err = collective.ParseOp(op); err != nil {
		return fmt.Errorf("--op: %w", err)
	}
	if r.Machine.Alpha, err = units.ParseDuration(alpha); err != nil {
		return fmt.Errorf("--alpha: %w", err)
	}
	r.Machine.NodeBandwidth, err = units.ParseBandwidth(bandwidth)
	if err == nil && r.Machine.NodeBandwidth == 0 {
		err = fmt.Errorf("must be above 0")
	}
	if err != nil {
		return fmt.Errorf("--node-bandwidth: %w", err)
	}
	bytes, err := positiveBytes(size)
	if err != nil {
		return fmt.Errorf("--size: %w", err)
	}
	r.Loads = []finder.Weighted{{Size: bytes, Weight: 1}}
	return nil
}
