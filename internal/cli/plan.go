package cli

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// planCommandFlags are the flags of the command.
type planCommandFlags struct {
	planner, output, pattern, synthesis string
	tuned                               string
	plot                                *plotFlag
	budget                              *word
	choose, timing                      *string
	list, frontier, simulate            bool
	work                                *operationFlags
	machine                             *fabricFlags
	exchange                            *exchangeFlags
}

func (s *session) planCommand() *cobra.Command {
	f := &planCommandFlags{budget: &word{"10s", "TIME"}}
	c := &cobra.Command{
		Use:   "plan OP..",
		Short: "Plan a collective: circuits, steps, time, bound",
		Long: `Plan a collective operation (allreduce, allgather, reducescatter, alltoall,
broadcast, reduce, gather, scatter): which circuits are up in which steps, when
to reconfigure them, how long it all takes, and how far that is from a proven
lower bound. Several operations are planned as one sequence. Every plan is
verified.

` + operationHelp + `
` + sizeHelp,
		Example: `  lightpath plan allreduce
  lightpath plan alltoall --size 16KiB --algorithm shift --reconfig 1us
  lightpath plan allreduce/64MiB alltoall/1MiB --ports 2
  lightpath plan alltoall --nodes 16 --demand zipf:0.4 --seed 7
  lightpath plan --pattern mine.json
  lightpath plan allreduce --preset polatis --size 1GiB -o plan.json.gz
  lightpath plan allreduce --frontier
  lightpath plan --list`,
		ValidArgsFunction: offerOperations,
	}
	f.add(c)
	c.Flags().BoolVar(&s.verbose, "verbose", false, "print what the time and the bound are made of, and every stage")
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.list {
			if len(args) > 0 {
				return fmt.Errorf("plan --list: takes no argument")
			}
			return s.print(lightpath.List())
		}
		request, err := f.request(c, args)
		if err != nil {
			return err
		}
		if err := f.plot.check(c); err != nil {
			return err
		}
		var table *lightpath.Tuning
		if f.tuned != "" {
			if table, err = useTuning(c, f.tuned, &request); err != nil {
				return fmt.Errorf("--tuned: %w", err)
			}
		}
		if f.frontier {
			return s.frontier(c, &request, f.plot)
		}
		if c.Flags().Changed("output") {
			if err := files.Check(f.output); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		if err := s.asks(&request); err != nil {
			return err
		}
		if !s.text() || f.output != "" {
			table = nil // a plan that is written says what it is compared with
		}
		bar := s.progress("planning")
		made, row, err := planned(c, table, request, bar)
		bar.end()
		if err != nil {
			return blame(c, err)
		}
		if err := s.printPlan(c, made, f.output); err != nil {
			return err
		}
		if row != nil && s.text() {
			fmt.Fprintf(s.out, "\n%s", tunedNote(f.tuned, row, made))
		}
		return s.plot(made, f.plot)
	}
	return c
}

// planned makes the plan, of a tuning table if there is one.
func planned(c *cobra.Command, table *lightpath.Tuning, request lightpath.PlanRequest, bar *progress) (*plan.Plan, *lightpath.TuneRow, error) {
	if table != nil {
		return table.Plan(c.Context(), request, bar.options()...)
	}
	made, err := lightpath.Plan(c.Context(), request, bar.options()...)
	return made, nil, err
}

// tunedNote says what was not done again, and if the table is not of this version.
func tunedNote(name string, row *lightpath.TuneRow, made *plan.Plan) string {
	text := fmt.Sprintf("from %s: %s with %s from %v on; nothing else was planned or compared\n", name, row.Algorithm, row.Planner, units.Bytes(row.FromBytes))
	if says, ok := row.At(made.Collective.Size); ok && math.Abs(float64(says-made.Cost.Total())) > tunedTolerance*float64(says) {
		text += fmt.Sprintf("the table's time, %v, is not what this plan takes: another version wrote it; run tune again\n", says)
	}
	return text
}

// tunedTolerance is the relative rounding of a time that is read off a line.
const tunedTolerance = 1e-6

// useTuning reads a tuning table and takes the algorithm and the planner from it.
func useTuning(c *cobra.Command, name string, r *lightpath.PlanRequest) (*lightpath.Tuning, error) {
	for _, flag := range []string{"algorithm", "planner"} {
		if c.Flags().Changed(flag) {
			return nil, fmt.Errorf("not with --%s, which the table decides", flag)
		}
	}
	for _, flag := range []string{"synthesis", "budget", "strategy", "stages", "chunk"} {
		if c.Flags().Changed(flag) {
			return nil, fmt.Errorf("not with --%s: the table was made without it", flag)
		}
	}
	if frontier, err := c.Flags().GetBool("frontier"); err == nil && frontier {
		return nil, fmt.Errorf("not with --frontier: the table holds for one delay, a frontier for every delay")
	}
	if c.Flags().Changed("choose-by") {
		return nil, fmt.Errorf("not with --choose-by: the table was made by the model")
	}
	t, err := lightpath.ReadTuning(name)
	if err != nil {
		return nil, err
	}
	return t, t.Apply(r)
}

// printPlan writes the whole plan to a file, if asked for, and says what it is.
func (s *session) printPlan(c *cobra.Command, made *plan.Plan, output string) error {
	if output == "" {
		return s.print(made)
	}
	bar := s.progress("writing")
	err := made.WriteFile(c.Context(), output, plan.FileProgress(bar.report))
	bar.end()
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	if err := s.print(made); err != nil {
		return err
	}
	if s.text() {
		fmt.Fprintf(s.out, "\nwritten to %s\n", output)
	}
	return nil
}

func (f *planCommandFlags) add(c *cobra.Command) {
	f.work = addOperationFlags(c)
	c.Flags().StringVar(&f.pattern, "pattern", "", "plan the steps in `FILE`.json instead of an operation")
	f.machine = addFabricFlags(c)
	c.Flags().StringVar(&f.planner, "planner", lightpath.Auto, "planner `NAME`, or auto: the fastest")
	c.Flags().StringVar(&f.synthesis, "synthesis", string(staged.SynthesisPool), "`HOW` harvest finds topologies: pool | search | exact")
	c.Flags().Var(f.budget, "budget", "effort of the topology search, per algorithm, e.g. 30s")
	f.exchange = addExchangeFlags(c)
	c.Flags().StringVarP(&f.output, "output", "o", "", "write the whole plan to `FILE`.json or .json.gz")
	c.Flags().StringVar(&f.tuned, "tuned", "", "take algorithm and planner from `FILE`.json, written by tune; a plan that is only printed then skips the baselines")
	f.plot = addPlotFlag(c)
	c.Flags().BoolVar(&f.frontier, "frontier", false, "show the best plan for every reconfiguration delay, of all planners or of --planner")
	c.Flags().BoolVar(&f.simulate, "simulate", false, "simulate the plan packet by packet, even if that takes long")
	f.choose, f.timing = addChooseFlags(c, "auto chooses")
	c.Flags().BoolVar(&f.list, "list", false, "list algorithms, planners and presets")
	offer(c, "planner", plannerNames)
	offer(c, "synthesis", func() []string {
		return []string{string(staged.SynthesisPool), string(staged.SynthesisSearch), string(staged.SynthesisExact)}
	})
}

// request reads the flags.
func (f *planCommandFlags) request(c *cobra.Command, args []string) (r lightpath.PlanRequest, err error) {
	if c.Flags().Changed("planner") {
		r.Planner = f.planner
	}
	if c.Flags().Changed("synthesis") {
		if r.Synthesis, err = staged.ParseSynthesis(f.synthesis); err != nil {
			return r, fmt.Errorf("--synthesis: %w", err)
		}
	}
	if c.Flags().Changed("budget") {
		if r.Budget, err = units.ParsePositiveDuration(f.budget.text); err != nil {
			return r, fmt.Errorf("--budget: %w", err)
		}
	}
	if r.ExchangeOptions, err = f.exchange.options(c); err != nil {
		return r, err
	}
	r.Simulate = f.simulate
	readChooseFlags(c, &r.PacketOptions, f.choose, f.timing)
	if c.Flags().Changed("pattern") {
		r.Pattern, err = readPattern(c, args, f.pattern, f.work, f.machine)
	} else if len(args) == 0 {
		err = single(c, args)
	} else {
		r.Operations, err = f.work.operations(c, args, f.machine)
	}
	if err != nil {
		return r, err
	}
	r.Fabric, err = f.machine.fabric(c)
	return r, err
}

// addChooseFlags adds --choose-by and --timing.
func addChooseFlags(c *cobra.Command, what string) (by, timing *string) {
	by = c.Flags().String("choose-by", lightpath.ChooseByModel, what+" by `WHAT`: model (the plans' times) | simulated (packet by packet)")
	offer(c, "choose-by", func() []string { return []string{lightpath.ChooseByModel, lightpath.ChooseBySimulated} })
	timing = c.Flags().String("timing", string(replay.Barrier), "`HOW` simulated GPUs proceed from step to step: barrier | asynchronous")
	offer(c, "timing", timings)
	return by, timing
}

// readChooseFlags reads them.
func readChooseFlags(c *cobra.Command, o *lightpath.PacketOptions, by, timing *string) {
	if c.Flags().Changed("choose-by") {
		o.ChooseBy = *by
	}
	if c.Flags().Changed("timing") {
		o.Timing = replay.Timing(*timing)
	}
}

// frontier prints the best plans for every reconfiguration delay.
func (s *session) frontier(c *cobra.Command, request *lightpath.PlanRequest, plot *plotFlag) error {
	for _, flag := range []string{"output", "pattern", "synthesis", "budget", "strategy", "stages", "chunk", "simulate", "choose-by", "timing"} {
		if c.Flags().Changed(flag) {
			return fmt.Errorf("--%s: not with --frontier, which covers every delay", flag)
		}
	}
	if err := single(c, c.Flags().Args()); err != nil {
		return err
	}
	asked := lightpath.FrontierRequest{Fabric: request.Fabric, Operation: request.Operations[0], Planner: request.Planner}
	answer, err := answered(s, c, "planning", lightpath.FindFrontier, asked)
	if err != nil {
		return err
	}
	return s.printPlotted(answer, plot)
}

// readPattern reads a pattern file, which says for how many GPUs and ports it is unless
// flags do.
func readPattern(c *cobra.Command, args []string, name string, work *operationFlags, machine *fabricFlags) (*collective.PatternFile, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("%s --pattern: takes no operation", c.Name())
	}
	if name == "" {
		return nil, fmt.Errorf("--pattern: the file name is empty")
	}
	for _, flag := range []string{"algorithm", "gpus", "demand", "seed"} {
		if c.Flags().Changed(flag) {
			return nil, fmt.Errorf("--%s: not with --pattern, which defines it", flag)
		}
	}
	p, err := collective.ReadPatternFile(name)
	if err != nil {
		return nil, fmt.Errorf("--pattern: %w", err)
	}
	if c.Flags().Changed("size") {
		if p.Space.Kind == collective.Listed || p.Space.Sizes != nil {
			return nil, fmt.Errorf("--size: %s gives the size of each chunk", name)
		}
		if p.Size, err = units.ParsePositiveBytes(work.size.text); err != nil {
			return nil, fmt.Errorf("--size: %w", err)
		}
	}
	patternFabric(c, p, machine)
	return p, nil
}

// patternFabric has a pattern say how many GPUs and ports there are where no flag does.
func patternFabric(c *cobra.Command, p *collective.PatternFile, machine *fabricFlags) {
	if !c.Flags().Changed("nodes") {
		machine.fixed("nodes", fmt.Sprint(p.Nodes))
	}
	if !c.Flags().Changed("ports") && p.Ports > 0 {
		machine.fixed("ports", fmt.Sprint(p.Ports))
	}
}

// alongside reads a pattern that is one more algorithm of its operation; nil if there is none.
func alongside(c *cobra.Command, name string, machine *fabricFlags) (*collective.PatternFile, error) {
	if !c.Flags().Changed("pattern") {
		return nil, nil
	}
	p, err := collective.ReadPatternFile(name)
	if err != nil {
		return nil, fmt.Errorf("--pattern: %w", err)
	}
	patternFabric(c, p, machine)
	return p, nil
}
