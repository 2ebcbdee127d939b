package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/sweeping"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/figure"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// sweepFlags are the flags of the command.
type sweepFlags struct {
	request *lightpath.SweepRequest
	axes    map[string]*bind.Text // size, algorithm and planner
	machine *input.Fabric
	out     string
	resume  bool
	show    showFlags
	cluster clusterFlags
}

// showFlags say what to show of a sweep.
type showFlags struct {
	metrics string
	plot    string
}

func (f *showFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.metrics, "metric", "speedup:static", "metrics to plot, `NAMES`: "+strings.Join(metricNames(), ", "))
	guard.Output(c.Flags(), &f.plot, "plot", "draw the sweep as `FILE`.svg, .png, .pdf or .html")
	bind.Offer(c, "metric", metricNames)
}

func metricNames() []string {
	return each.Of(sweep.Metrics(), func(m sweep.Metric) string { return m.Name })
}

// read returns the metrics, after checking that the picture can be written.
func (f *showFlags) read(c *cobra.Command) ([]sweep.Metric, error) {
	if c.Flags().Changed("plot") {
		if err := chart.CheckFile(f.plot); err != nil {
			return nil, fmt.Errorf("--plot: %w", err)
		}
	}
	var metrics []sweep.Metric
	for name := range strings.SplitSeq(f.metrics, ",") {
		m, err := sweep.MetricOf(name)
		if err != nil {
			return nil, fmt.Errorf("--metric: %w", err)
		}
		metrics = append(metrics, m)
	}
	return metrics, nil
}

// checkMetrics refuses metrics that the cells of a sweep do not have: packet times, or metrics
// of only operations or only iterations.
func checkMetrics(metrics []sweep.Metric, simulates, iterations bool, whose string) error {
	for i := range metrics {
		m := &metrics[i]
		if !m.Has(iterations) {
			of, others := "operations", "iterations"
			if iterations {
				of, others = others, of
			}
			return fmt.Errorf("--metric: %s: only for %s; %s is of %s", m.Name, others, whose, of)
		}
		if m.Name == sweep.Simulated && !simulates {
			return fmt.Errorf("--metric: %s: %s has no simulated times; sweep --simulate adds them", m.Name, whose)
		}
	}
	return nil
}

func init() { own["sweep"] = (*session).sweepCommand }

func (s *session) sweepCommand(*lightpath.Command) *cobra.Command {
	f := &sweepFlags{axes: map[string]*bind.Text{}, request: &lightpath.SweepRequest{}}
	c := &cobra.Command{
		Use: "sweep OP[/SIZE].. | --workload FILE.json",
		Long: `Plan every combination of parameters: operations, --size, --algorithm, --planner
and every setting of the fabric may be a list A,B,C or a range A..B (by
factors), A..B/K (in K points) or A..B+STEP. An operation may have its own size,
allreduce/100MB. With --workload every cell is a whole training iteration;
--policy may then be a list, too (see iterate).

Results are saved to the file --out, and --resume continues from it: a killed
sweep loses less than a second of work. --format csv and --json print them all.`,
		Example: `  lightpath sweep allreduce --size 1KiB..1GiB --reconfig 1us..9ms --plot map.svg
  lightpath sweep allreduce --nodes 256 --ports 1,2,4 --reconfig 100ns..10ms \
      --size 1MiB,64MiB --out s.db
  lightpath sweep allreduce alltoall --size 1KiB..1GiB --reconfig 10ns..10ms \
      --planner harvest --algorithm recursive-doubling,swing,direct \
      --metric speedup:same-static,speedup:same-every-step --plot fig5.html
  lightpath sweep show s.db --metric winner --plot winners.png
  lightpath sweep --workload w.json --reconfig 1us..100ms --ports 1,2,4 \
      --metric speedup:static,exposed --plot iterations.svg`,
		ValidArgsFunction: input.OfferOperations,
	}
	f.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.read(c, args); err != nil {
			return err
		}
		metrics, err := f.show.read(c)
		if err != nil {
			return err
		}
		if err := checkMetrics(metrics, f.request.Simulate, f.request.Workload != nil, "this sweep"); err != nil {
			return err
		}
		if err := s.asks(f.request); err != nil {
			return err
		}
		if f.cluster.engine != engineLocal {
			return f.submit(s, c, f.request)
		}
		return f.run(s, c, *f.request, metrics)
	}
	c.AddCommand(s.sweepShowCommand(), s.sweepDiffCommand(), s.sweepMergeCommand())
	return c
}

func (f *sweepFlags) add(c *cobra.Command) {
	c.Flags().SortFlags = false
	for _, a := range [][3]string{
		{sweep.AxisSize, collective.DefaultSize.String(), "sizes of the collective, e.g. 1KiB..1GiB"},
		{sweep.AxisAlgorithm, lightpath.Auto, "algorithms, or auto: the fastest"},
		{sweep.AxisPlanner, lightpath.Auto, "planners, or auto: the fastest"},
		{sweeping.AxisPolicy, iteration.Best, "with --workload: policies, or best: the fastest"},
	} {
		f.axes[a[0]] = bind.NewText(a[1], "VALUES")
		c.Flags().Var(f.axes[a[0]], a[0], a[2])
	}
	f.machine = input.AddFabric(c)
	input.Binder.Flags(c, f.request, sweepOwn...)
	guard.Store(c.Flags(), &f.out, "out", "keep results in `FILE`.db")
	c.Flags().BoolVar(&f.resume, "resume", false, "continue the sweep in --out")
	f.show.add(c)
	f.cluster.add(c)
	bind.Offer(c, "algorithm", input.AlgorithmNames)
	bind.Offer(c, "planner", input.PlannerNames)
}

// sweepOwn lists the fields of the request that are read here.
var sweepOwn = []string{"axes", "fabric"}

// read reads the flags: every given flag is an axis, even with one value.
func (f *sweepFlags) read(c *cobra.Command, args []string) error {
	if err := input.Binder.Fill(c, f.request, sweepOwn...); err != nil {
		return err
	}
	if p := f.request.Pattern; p != nil {
		if p.Op == collective.Pattern {
			return errors.New("--pattern: it names no operation, so there is nothing to compare it with")
		}
		if len(args) == 0 {
			args = []string{string(p.Op)}
		}
		if f.cluster.engine != engineLocal {
			return fmt.Errorf("--pattern: only with --engine %s", engineLocal)
		}
	}
	iterations := f.request.Workload != nil
	switch {
	case iterations && len(args) > 0:
		return fmt.Errorf("sweep: %s together with --workload: want one or the other", args[0])
	case iterations && f.cluster.engine != engineLocal:
		return fmt.Errorf("--workload: only with --engine %s", engineLocal)
	case !iterations && len(args) == 0:
		return fmt.Errorf("sweep: want an operation; e.g. %s allreduce --size 1KiB..1GiB", c.CommandPath())
	}
	if f.cluster.dryRun && f.cluster.engine == engineLocal {
		return fmt.Errorf("--dry-run: prints the scripts of a cluster; add --engine %s or --engine %s", engineSlurm, engineK8s)
	}
	r := f.request
	var err error
	if !iterations {
		if r.Axes, err = f.operations(c, args); err != nil {
			return err
		}
	}
	if r.Fabric, err = f.machine.Unflagged(); err != nil {
		return err
	}
	if p := r.Pattern; p != nil && !c.Flags().Changed("nodes") {
		r.Fabric.Nodes = p.Nodes
		if p.Ports > 0 && !c.Flags().Changed("ports") {
			r.Fabric.Ports = p.Ports
		}
	}
	var inFile fabric.Links // links of the file that --base names, to which --links adds
	for _, name := range append(sweep.Names(), sweeping.AxisPolicy) {
		values := f.axes[name]
		if values == nil {
			values = f.machine.Values[name]
		}
		if values == nil || !c.Flags().Changed(name) {
			continue
		}
		if name == sweep.AxisSize && !iterations && strings.Contains(r.Axes[0].Values[0], "/") {
			continue // the default size of operations
		}
		text := values.String()
		switch name {
		case "base":
			if text, inFile, err = input.Base(text); err != nil {
				return fmt.Errorf("--base: %w", err)
			}
			if !inFile.IsZero() {
				r.Fabric.Links = inFile
			}
		case "links": // itself a list, and so not an axis
			if text, err = input.WithLinks(inFile, text); err != nil {
				return fmt.Errorf("--links: %w", err)
			}
			if err := r.Fabric.Set(name, text); err != nil {
				return fmt.Errorf("--links: %w", err)
			}
			continue
		case "fixed": // one topology, which may have commas, or a list
			if text, err = input.Expression(text); err != nil {
				return fmt.Errorf("--fixed: %w", err)
			}
			if r.Fabric.Set(name, text) == nil {
				continue
			}
		case "switches": // one layout, which may have commas, or a list
			if text, err = input.Layout(text); err != nil {
				return fmt.Errorf("--switches: %w", err)
			}
			if r.Fabric.Set(name, text) == nil {
				continue
			}
		}
		a, err := parseAxis(name, text, r.Points)
		if err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
		r.Axes = append(r.Axes, a)
	}
	if c.Flags().Changed("duplex") {
		r.Fabric.Duplex = f.machine.Duplex
	}
	return blame(c, r.Complete())
}

// parseAxis reads an axis; policies are words like algorithms.
func parseAxis(name, text string, points int) (sweep.Axis, error) {
	if name != sweeping.AxisPolicy {
		return sweep.ParseAxis(name, text, points)
	}
	a, err := sweep.ParseAxis(sweep.AxisAlgorithm, text, points)
	a.Name = name
	return a, err
}

// operations reads OP or OP/SIZE. If one operation has a size, all have one: the others get that
// of --size.
func (f *sweepFlags) operations(c *cobra.Command, args []string) ([]sweep.Axis, error) {
	axis := sweep.Axis{Name: sweep.AxisOp}
	var open []int // operations without a size
	for i, arg := range args {
		o, err := collective.ParseOperation(arg)
		switch {
		case err != nil:
			return nil, fmt.Errorf("sweep: %w", err)
		case o.Algorithm != "" || o.GPUs != nil:
			return nil, fmt.Errorf("sweep: %s: an operation of a sweep is OP or OP/SIZE; --algorithm says which algorithms", arg)
		case o.Size == 0:
			open = append(open, i)
			axis.Values = append(axis.Values, string(o.Op))
		default:
			axis.Values = append(axis.Values, fmt.Sprintf("%s/%v", o.Op, o.Size))
		}
	}
	if len(open) == len(args) {
		return []sweep.Axis{axis}, nil
	}
	if given := c.Flags().Changed(sweep.AxisSize); given && len(open) == 0 {
		return nil, errors.New("--size: every operation has a size of its own")
	}
	size, err := units.ParsePositiveBytes(f.axes[sweep.AxisSize].String())
	if err != nil {
		return nil, fmt.Errorf("--size: where operations have sizes of their own, it is the one of the others: %w", err)
	}
	for _, i := range open {
		axis.Values[i] += "/" + size.String()
	}
	return []sweep.Axis{axis}, nil
}

// run sweeps on this machine.
func (f *sweepFlags) run(s *session, c *cobra.Command, request lightpath.SweepRequest, metrics []sweep.Metric) error {
	bar := s.progress("sweeping")
	defer bar.End()
	bar.InParts()
	options := bar.Options()
	store, err := f.open(c.Context(), &request)
	if err != nil {
		return err
	}
	if store != nil {
		defer store.Close()
		options = append(options, lightpath.WithSweepStore(store))
	}
	table, err := lightpath.Sweep(c.Context(), request, options...)
	bar.End()
	if err != nil {
		if table != nil {
			err = errors.Join(err, f.partial(s, table, metrics))
		}
		return blame(c, err)
	}
	return s.printSweep(table, metrics, f.show.plot)
}

// partial says where the answers of an interrupted sweep are: in the store, or in this output.
func (f *sweepFlags) partial(s *session, table *sweep.Table, metrics []sweep.Metric) error {
	found := len(table.Cells) - table.Missing
	if f.out != "" {
		fmt.Fprintf(s.err, "lightpath: sweep: %d of %d cells are in %s; --resume continues\n", found, len(table.Cells), f.out)
		return nil
	}
	if found == 0 {
		return nil
	}
	fmt.Fprintf(s.err, "lightpath: sweep: %d of %d cells were planned; --out FILE.db would have kept them\n", found, len(table.Cells))
	return s.printSweep(table, metrics, f.show.plot)
}

// open opens the store, nil if there is none. It refuses a store with another grid, which would
// no longer be shown.
func (f *sweepFlags) open(ctx context.Context, request *lightpath.SweepRequest) (*sweep.Store, error) {
	if f.out == "" {
		if f.resume {
			return nil, errors.New("--resume: needs --out, the file to continue")
		}
		return nil, nil
	}
	if _, err := os.Stat(f.out); err == nil && !f.resume {
		return nil, fmt.Errorf("--out: %s exists; --resume continues it", f.out)
	}
	store, err := sweep.Create(ctx, f.out, f.request.Shard != "")
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	if err := sameGrid(ctx, store, request); err != nil {
		return nil, errors.Join(fmt.Errorf("--out: %s: %w", f.out, err), store.Close())
	}
	return store, nil
}

// sameGrid refuses a store whose last grid is not the requested one. Another version of the
// program may continue the store, because it computes its own answers to the same cells.
func sameGrid(ctx context.Context, store *sweep.Store, request *lightpath.SweepRequest) error {
	specs, err := store.Specs(ctx)
	if err != nil || len(specs) == 0 {
		return err
	}
	asked, err := request.Spec()
	if err != nil {
		return err
	}
	held := *specs[len(specs)-1]
	held.Version = asked.Version
	was, err := held.ID()
	if err != nil {
		return err
	}
	is, err := asked.ID()
	if err == nil && was != is {
		err = errors.New("it holds another grid; --resume continues the same grid only; want another file")
	}
	return err
}

// printSweep prints a table and draws it.
func (s *session) printSweep(t *sweep.Table, metrics []sweep.Metric, plot string) error {
	t.Alike = len(metrics) > 0 && !slices.ContainsFunc(metrics, func(m sweep.Metric) bool { return !strings.HasPrefix(m.Name, "speedup:same-") })
	if err := s.print(t); err != nil {
		return err
	}
	if s.terminal && s.text() {
		// A sweep that cannot be drawn with blocks is listed.
		if err := report.SweepMaps(s.out, t, true, metrics...); err != nil {
			fmt.Fprintf(s.out, "\n  no map: %v\n", err)
		}
	}
	if plot == "" {
		return nil
	}
	scene, err := figure.Sweep(t, metrics...)
	if err == nil {
		err = scene.WriteFile(plot)
	}
	if err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	if s.text() {
		fmt.Fprintf(s.out, "\ndrawn as %s\n", plot)
	}
	return nil
}
