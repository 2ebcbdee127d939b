package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/direct/finder"
	"github.com/lightpath-net/lightpath/train"
	"github.com/lightpath-net/lightpath/units"
)

// findFlags are the flags of the command.
type findFlags struct {
	nodes, degree, fill            int
	op, trace, store               string
	bidirectional                  bool
	wiring                         *wiringFlag
	alpha, bandwidth, size, bucket *word
}

func (s *session) findCommand() *cobra.Command {
	f := &findFlags{
		alpha: &word{"10us", "TIME"}, bandwidth: &word{"100Gbps", "RATE"}, size: &word{"1MiB", "SIZE"},
		bucket: &word{train.DefaultBucket.String(), "SIZE"},
	}
	c := &cobra.Command{
		Use:   "find",
		Short: "Find the best static topologies for a size and degree",
		Long: `Find the topologies with this many nodes and ports that are Pareto-optimal: no
other has a schedule with both fewer steps and less bandwidth. The search covers
families of graphs and their expansions, each with its best known schedule. The
best is the fastest for the given step latency, bandwidth and size.

Bandwidth is in units of M/B: M is the size, B the rate of all ports of a node.`,
		Example: `  lightpath find --nodes 1024 --degree 4
  lightpath find --nodes 12 --degree 4 --op allgather --bidirectional
  lightpath find --nodes 256 --degree 4 --trace resnet50 --bucket 25MiB
  lightpath find --nodes 1000 --degree 4 --store topologies.gz
  lightpath find --degree 4 --fill 2000 --store topologies.gz`,
	}
	f.add(c)
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := plot.check(c); err != nil {
			return err
		}
		if len(args) > 0 {
			return fmt.Errorf("find: takes no argument, got %q", args[0])
		}
		bar := s.progress("finding")
		defer bar.end()
		options := bar.options()
		if f.store != "" {
			store, err := finder.Open(f.store)
			if err != nil {
				return fmt.Errorf("--store: %w", err)
			}
			options = append(options, lightpath.WithStore(store))
		}
		op, err := collective.ParseOp(f.op)
		if err != nil {
			return fmt.Errorf("--op: %w", err)
		}
		if c.Flags().Changed("fill") {
			request := lightpath.FillRequest{Fill: f.fill, Degree: f.degree, Op: op, Bidirectional: f.bidirectional}
			if err := s.asks(&request); err != nil {
				return err
			}
			answer, err := lightpath.Fill(c.Context(), request, options...)
			bar.end()
			if err != nil {
				return blame(c, err)
			}
			return s.print(answer)
		}
		request := lightpath.FindRequest{Op: op, Bidirectional: f.bidirectional}
		if err := f.single(c, &request); err != nil {
			return err
		}
		if err := s.asks(&request); err != nil {
			return err
		}
		if err := f.wiring.check(); err != nil {
			return err
		}
		answer, err := lightpath.Find(c.Context(), request, options...)
		bar.end()
		if err != nil {
			return blame(c, err)
		}
		if err := f.wiring.write(answer.Best.Expr); err != nil {
			return err
		}
		return s.printPlotted(answer, plot)
	}
	return c
}

func (f *findFlags) add(c *cobra.Command) {
	c.Flags().SortFlags = false
	c.Flags().IntVar(&f.nodes, "nodes", 64, "number of nodes `N`")
	c.Flags().IntVar(&f.degree, "degree", 4, "ports per node `D`")
	c.Flags().StringVar(&f.op, "op", string(collective.AllReduce), "collective `OP`: allgather | reducescatter | allreduce")
	c.Flags().BoolVar(&f.bidirectional, "bidirectional", false, "only two-way circuits")
	c.Flags().Var(f.alpha, "alpha", "latency per step")
	c.Flags().Var(f.bandwidth, "node-bandwidth", "rate of all ports of a node together")
	c.Flags().Var(f.size, "size", "size of the collective")
	c.Flags().StringVar(&f.trace, "trace", "", "choose for the gradients of a model, trace `NAME` or FILE.csv (train --list), instead of one size")
	c.Flags().Var(f.bucket, "bucket", "with --trace: bucket size of gradients sent together; the first bucket is 1MiB")
	c.Flags().StringVar(&f.store, "store", "", "cache results in `FILE`: lines of text, compressed if it ends in .gz")
	c.Flags().IntVar(&f.fill, "fill", 0, "fill the store with all sizes from 2 to `N`")
	f.wiring = addWiringFlag(c, "the best")
	offer(c, "op", scheduledOps)
	offer(c, "trace", train.Names)
}

// single reads the flags of a search for one size.
func (f *findFlags) single(c *cobra.Command, r *lightpath.FindRequest) (err error) {
	if r.Nodes, r.Degree = f.nodes, f.degree; f.nodes < 1 || f.degree < 1 { // 0 is not the default of a flag
		if f.nodes < 1 {
			return fmt.Errorf("--nodes: %d; want 2 or more", f.nodes)
		}
		return fmt.Errorf("--degree: %d; want 1 or more", f.degree)
	}
	alpha, err := units.ParseDuration(f.alpha.text)
	if err != nil {
		return fmt.Errorf("--alpha: %w", err)
	}
	r.Alpha = &alpha
	if r.NodeBandwidth, err = units.ParsePositiveBandwidth(f.bandwidth.text); err != nil {
		return fmt.Errorf("--node-bandwidth: %w", err)
	}
	if c.Flags().Changed("size") || !c.Flags().Changed("trace") {
		if r.Size, err = units.ParsePositiveBytes(f.size.text); err != nil {
			return fmt.Errorf("--size: %w", err)
		}
	}
	if !c.Flags().Changed("trace") {
		return nil
	}
	if r.Bucket, err = units.ParsePositiveBytes(f.bucket.text); err != nil {
		return fmt.Errorf("--bucket: %w", err)
	}
	if r.Trace, err = train.Load(f.trace); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	return nil
}
