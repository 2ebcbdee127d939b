package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate"
	"github.com/lightpath-net/lightpath/emulate/fault"
	"github.com/lightpath-net/lightpath/emulate/launch"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/units"
)

// emulateFlags say how a plan is run; emulate and rank have them.
type emulateFlags struct {
	dtype, slow, timing string
	noWait              bool
	fail                []string
	seed                uint64
	patience            *word
	files               *planFlags
}

func addEmulateFlags(c *cobra.Command) *emulateFlags {
	f := &emulateFlags{patience: &word{units.Duration(emulate.DefaultPatience.Nanoseconds() * 1000).String(), "TIME"}}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.dtype, "dtype", string(number.Float32), "element `TYPE`: float32 | float64 | int32 | bfloat16")
	c.Flags().StringVar(&f.slow, "slow", lightpath.Auto, "run the fabric `K` times slower; auto: the smallest factor this host can keep up with")
	c.Flags().BoolVar(&f.noWait, "no-wait", false, "run as fast as this host can, ignoring the fabric's times")
	c.Flags().StringVar(&f.timing, "timing", lightpath.TimingBarrier, "`HOW` ranks proceed: barrier (all together) | asynchronous (each as soon as it can)")
	c.Flags().StringArrayVar(&f.fail, "fail", nil, "inject a failure, `WHAT`: link:3-4@step:5, link:3>4@10us, gpu:2@step:5, stall:2@.., restart:2@.., garbage:2@.., clock:2@.., secret:2@.., switch@..; may be repeated")
	c.Flags().Uint64Var(&f.seed, "seed", collective.DefaultSeed, "random seed `N` of the input data")
	c.Flags().Var(f.patience, "patience", "a process that is silent for longer counts as stalled")
	f.files = addPlanFlags(c)
	offer(c, "timing", func() []string { return []string{lightpath.TimingBarrier, lightpath.TimingAsynchronous} })
	offer(c, "dtype", func() []string {
		var names []string
		for _, t := range number.Types() {
			names = append(names, string(t))
		}
		return names
	})
	return f
}

// request reads the flags.
func (f *emulateFlags) request(c *cobra.Command) (r lightpath.EmulateRequest, err error) {
	r.NoWait, r.Seed, r.Timing = f.noWait, seedOf(c, f.seed), f.timing
	if r.Type, err = number.Parse(f.dtype); err != nil {
		return r, fmt.Errorf("--dtype: %w", err)
	}
	if f.slow != lightpath.Auto {
		if r.Slow, err = strconv.ParseFloat(f.slow, 64); err != nil || !(r.Slow > 0) {
			return r, fmt.Errorf("--slow: %.40q; want a factor above 0, or %s", f.slow, lightpath.Auto)
		}
		if f.noWait {
			return r, errors.New("--slow: not with --no-wait, which never waits")
		}
	}
	if c.Flags().Changed("patience") {
		if r.Patience, err = units.ParseDuration(f.patience.text); err != nil {
			return r, fmt.Errorf("--patience: %w", err)
		}
	}
	for _, text := range f.fail {
		injection, err := fault.Parse(text)
		if err != nil {
			return r, fmt.Errorf("--fail: %w", err)
		}
		r.Fail = append(r.Fail, injection)
	}
	return r, nil
}

func (s *session) emulateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "emulate PLAN.json",
		Short: "Run a plan: real processes, real bytes, a software switch",
		Long: `Run a plan file (plan -o) with real bytes: one process per GPU (above 64 GPUs,
several per process), connected only by a software optical switch. A circuit
exists only while the plan holds it. Times follow the fabric, slowed down to
what this host can keep up with. Every rank checks its result. Predicted,
simulated and emulated times are three different clocks, shown side by side.

--fail injects a failure; --replan plans again around what failed and restarts
from the inputs.
Exit 0: every result is right. 1: a fault, reported in one line. 2: bad input.`,
		Example: `  lightpath plan allreduce --nodes 16 -o plan.json
  lightpath emulate plan.json
  lightpath emulate plan.json --no-wait --dtype bfloat16
  lightpath emulate plan.json --fail link:3-4@step:5 --replan`,
	}
	f := addEmulateFlags(c)
	var group int
	var replan bool
	c.Flags().IntVar(&group, "ranks-per-process", 0, "put `K` GPUs in each process; 0: one each up to 64 GPUs, then as many as make 64 processes")
	c.Flags().BoolVar(&replan, "replan", false, "plan again around what failed, and restart")
	plot := addPlotFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("emulate: want one plan file, got %d arguments; e.g. lightpath emulate plan.json", len(args))
		}
		request, err := f.request(c)
		if err != nil {
			return err
		}
		request.RanksPerProcess, request.Replan = group, replan
		if request.Plan, err = f.files.read(s, c, args[0]); err != nil {
			return err
		}
		if err := plot.check(c); err != nil {
			return err
		}
		if err := s.asks(&request); err != nil {
			return err
		}
		launcher, err := ourselves()
		if err != nil {
			return fmt.Errorf("emulate: %w", err)
		}
		bar := s.progress("running")
		defer bar.end()
		answer, err := lightpath.Emulate(c.Context(), request, append(bar.options(), lightpath.WithLauncher(launcher))...)
		if err != nil {
			return blame(c, inFile(args[0], err))
		}
		bar.end()
		return s.emulated(answer, plot)
	}
	return c
}

// emulated prints how a run went.
func (s *session) emulated(answer *lightpath.Emulation, plot *plotFlag) error {
	if err := s.printPlotted(answer, plot); err != nil {
		return err
	}
	if answer.Fault != nil {
		return s.no("emulate: " + answer.Fault.Text)
	}
	return nil
}

// ourselves starts this program again, as ranks and switch.
func ourselves() (emulate.Launcher, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &launch.Processes{Path: path}, nil
}
