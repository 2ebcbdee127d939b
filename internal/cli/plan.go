package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/report"
	"github.com/lightpath-net/lightpath/units"
)

func (s *session) planCommand() *cobra.Command {
	var strategy, output, pattern, synthesis string
	budget := &word{"10s", "TIME"}
	var list, frontier bool
	c := &cobra.Command{
		Use:   "plan OP..",
		Short: "Plan a collective: circuits, steps, time, bound",
		Long: `Plan a collective operation (allreduce, allgather, reducescatter, alltoall,
broadcast, reduce, gather, scatter): which circuits are up in which steps, when
they are rewired, how long it all takes, how far that is from a proven bound.
Several operations are planned as one, each after the one before. Every plan is
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
	}
	work := addOperationFlags(c)
	c.Flags().StringVar(&pattern, "pattern", "", "plan the steps in `FILE`.json instead of an operation")
	machine := addFabricFlags(c)
	c.Flags().StringVar(&strategy, "planner", lightpath.Auto, "`NAME` of the planner, or auto: the fastest")
	c.Flags().StringVar(&synthesis, "synthesis", "pool", "where harvest takes topologies from: pool | search | exact `HOW`")
	c.Flags().Var(budget, "budget", "for the search of topologies, e.g. 30s: an effort that is the same on\nevery machine and takes about that long")
	exchanged := addExchangeFlags(c)
	c.Flags().StringVarP(&output, "output", "o", "", "write the whole plan to `FILE`.json or .json.gz")
	c.Flags().BoolVar(&frontier, "frontier", false, "the best plans for every reconfiguration delay at once")
	c.Flags().BoolVar(&list, "list", false, "list algorithms, planners and presets")
	c.RunE = func(c *cobra.Command, args []string) error {
		if list {
			if len(args) > 0 {
				return fmt.Errorf("plan --list: takes no argument")
			}
			catalog := lightpath.List()
			return s.print(catalog, func(w io.Writer) { report.Catalog(w, catalog) })
		}
		request := lightpath.PlanRequest{Planner: strategy}
		err := readSynthesis(synthesis, budget.text, &request)
		if err != nil {
			return err
		}
		if err := exchanged.read(c, &request); err != nil {
			return err
		}
		if c.Flags().Changed("pattern") {
			err = readPattern(c, args, pattern, work, machine, &request)
		} else if err = work.fixNodes(c, machine); err == nil {
			if request.Fabric, err = machine.fabric(c); err == nil {
				request.Operations, err = planned(c, args, work, &request)
			}
		}
		if err != nil {
			return err
		}
		if frontier {
			return s.frontier(c, &request)
		}
		if c.Flags().Changed("output") {
			if err := checkOutput(output); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		bar := s.progress("planning")
		request.Progress, request.Status = bar.report, bar.say
		made, err := lightpath.Plan(c.Context(), request)
		bar.end()
		if err != nil {
			return fmt.Errorf("plan: %w", err)
		}
		if output != "" {
			if err := made.WriteFile(c.Context(), output); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		if s.json {
			return made.EncodeSummary(s.out)
		}
		report.Plan(s.out, made)
		if output != "" {
			fmt.Fprintf(s.out, "\nwritten to %s\n", output)
		}
		return nil
	}
	return c
}

// readSynthesis reads how topologies are found.
func readSynthesis(how, budget string, request *lightpath.PlanRequest) error {
	var err error
	if request.Synthesis, err = staged.ParseSynthesis(how); err != nil {
		return fmt.Errorf("--synthesis: %w", err)
	}
	time, err := units.ParseDuration(budget)
	if err == nil && time == 0 {
		err = fmt.Errorf("must be above 0s")
	}
	if err != nil {
		return fmt.Errorf("--budget: %w", err)
	}
	request.Budget = time.Std()
	return nil
}

// frontier prints the best plans for every reconfiguration delay.
func (s *session) frontier(c *cobra.Command, request *lightpath.PlanRequest) error {
	for _, flag := range []string{"output", "planner", "pattern"} {
		if c.Flags().Changed(flag) && (flag != "planner" || request.Planner != "harvest") {
			return fmt.Errorf("--%s: not with --frontier, which is for every delay and by planner harvest", flag)
		}
	}
	if err := single(c, c.Flags().Args()); err != nil {
		return err
	}
	bar := s.progress("planning")
	answer, err := lightpath.FindFrontier(c.Context(), lightpath.FrontierRequest{
		Fabric: request.Fabric, Operation: request.Operations[0], Progress: bar.report,
	})
	bar.end()
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	return s.print(answer, func(w io.Writer) { report.Frontier(w, answer) })
}

// planned reads the operations of the arguments.
func planned(c *cobra.Command, args []string, work *operationFlags, request *lightpath.PlanRequest) ([]lightpath.Operation, error) {
	if len(args) == 0 {
		return nil, single(c, args)
	}
	return work.operations(c, args, &request.Fabric)
}

// readPattern reads a pattern file, which says for how many GPUs and ports it is unless
// flags do.
func readPattern(c *cobra.Command, args []string, name string, work *operationFlags, machine *fabricFlags, request *lightpath.PlanRequest) error {
	if len(args) > 0 {
		return fmt.Errorf("plan --pattern: takes no operation")
	}
	if name == "" {
		return fmt.Errorf("--pattern: the file name is empty")
	}
	for _, flag := range []string{"algorithm", "gpus", "demand", "seed"} {
		if c.Flags().Changed(flag) {
			return fmt.Errorf("--%s: not with --pattern, which says it all", flag)
		}
	}
	p, err := collective.ReadPatternFile(name)
	if err != nil {
		return fmt.Errorf("--pattern: %w", err)
	}
	if c.Flags().Changed("size") {
		if p.Space.Kind == collective.Listed || p.Space.Sizes != nil {
			return fmt.Errorf("--size: the chunks of %s have sizes of their own", name)
		}
		if p.Size, err = positiveBytes(work.size.text); err != nil {
			return fmt.Errorf("--size: %w", err)
		}
	}
	if !c.Flags().Changed("nodes") {
		machine.fixed("nodes", fmt.Sprint(p.Nodes))
	}
	if !c.Flags().Changed("ports") && p.Ports > 0 {
		machine.fixed("ports", fmt.Sprint(p.Ports))
	}
	request.Pattern = p
	request.Fabric, err = machine.fabric(c)
	return err
}

// checkOutput finds out before the planning whether there is a place for the file.
func checkOutput(name string) error {
	if name == "" || name == "-" {
		return fmt.Errorf("%q is not a file name; write e.g. plan.json", name)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a directory", name)
	}
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: there is no directory %s", name, filepath.Dir(name))
	}
	return nil
}
