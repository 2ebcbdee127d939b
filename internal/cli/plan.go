package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/report"
)

func (s *session) planCommand() *cobra.Command {
	var algorithm, planner, output string
	var list bool
	c := &cobra.Command{
		Use:   "plan OP",
		Short: "Plan a collective: circuits, steps, time, bound",
		Long: `Plan a collective operation (allreduce, allgather, reducescatter, alltoall,
broadcast, reduce, gather, scatter): which circuits are up in which steps, when
they are rewired, how long it all takes, how far that is from a proven bound.
Every plan is verified.

` + sizeHelp,
		Example: `  lightpath plan allreduce
  lightpath plan alltoall --size 16KiB --algorithm shift --reconfig 1us
  lightpath plan allreduce --preset polatis --size 1GiB -o plan.json.gz
  lightpath plan --list`,
	}
	problem := addProblemFlags(c)
	c.Flags().StringVar(&algorithm, "algorithm", lightpath.Auto, "`NAME` of the algorithm, or auto: the fastest")
	c.Flags().StringVar(&planner, "planner", lightpath.Auto, "`NAME` of the planner, or auto: the fastest")
	c.Flags().StringVarP(&output, "output", "o", "", "write the whole plan to `FILE`.json or .json.gz")
	c.Flags().BoolVar(&list, "list", false, "list algorithms, planners and presets")
	c.RunE = func(c *cobra.Command, args []string) error {
		if list {
			if len(args) > 0 {
				return fmt.Errorf("plan --list: takes no argument")
			}
			catalog := lightpath.List()
			return s.print(catalog, func(w io.Writer) { report.Catalog(w, catalog) })
		}
		op, size, fabric, err := problem.read(c, args)
		if err != nil {
			return err
		}
		if c.Flags().Changed("output") {
			if err := checkOutput(output); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		bar := s.progress("planning")
		made, err := lightpath.Plan(c.Context(), lightpath.PlanRequest{
			Fabric: fabric, Op: op, Size: size, Algorithm: algorithm, Planner: planner, Progress: bar.report,
		})
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
