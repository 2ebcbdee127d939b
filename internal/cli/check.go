package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/units"
)

func (s *session) checkCommand() *cobra.Command {
	var runtime, output, of, pattern string
	var toPlan bool
	size := &word{"4MiB", "SIZE"}
	c := &cobra.Command{
		Use:   "check FILE|MANIFEST.json",
		Short: "Check a program of MSCCL, RCCL or MSCCL++, whatever wrote it",
		Long: `Check a program, or every program of a manifest, for every order in which its
thread blocks may run: sends and receives match, nothing deadlocks, no two steps
race, every operand is inside its buffer, the runtime's limits hold, every
contribution is counted exactly once, and every rank ends with the result.
Exit 0: correct. 1: not correct. 2: not a program.

--to-plan lifts the program to a plan on the fabric's base topology, which can
be priced, simulated and compared like any other plan. A HARVEST schedule can be
lifted too, with --of or --pattern.`,
		Example: `  lightpath check allreduce.xml --for rccl
  lightpath check out/manifest.json
  lightpath check harvest.json --to-plan --of allreduce/4MiB/swing -o p.json
  lightpath check taccl.xml --to-plan --base 'Torus(4,4)' --size 64MiB -o p.json`,
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&runtime, "for", "", "check the limits of this `RUNTIME`: msccl | rccl | mscclpp (default: the file's own)")
	c.Flags().BoolVar(&toPlan, "to-plan", false, "lift the program to a plan")
	c.Flags().StringVarP(&output, "output", "o", "", "write the plan to `FILE`")
	c.Flags().Var(size, "size", "buffer size of the plan, with --to-plan")
	c.Flags().StringVar(&of, "of", "", "the `OP/SIZE/ALGORITHM` that a HARVEST schedule carries out")
	c.Flags().StringVar(&pattern, "pattern", "", "the pattern in `FILE`.json that a HARVEST schedule carries out")
	machine := addFabricFlags(c)
	plot := addPlotFlag(c)
	offer(c, "for", func() []string {
		return []string{string(compile.MSCCL), string(compile.RCCL), string(compile.MSCCLPP)}
	})
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("check: want one file, got %d arguments; e.g. lightpath check allreduce.xml", len(args))
		}
		if err := notFolder(args[0]); err != nil {
			return err
		}
		request := lightpath.CheckRequest{File: args[0], For: compile.Format(runtime), ToPlan: toPlan}
		var err error
		if request.Size, err = units.ParsePositiveBytes(size.text); err != nil {
			return fmt.Errorf("--size: %w", err)
		}
		if err := checkMachine(c, machine, &request); err != nil {
			return err
		}
		if of != "" {
			o, err := collective.ParseOperation(of)
			if err != nil {
				return fmt.Errorf("--of: %w", err)
			}
			request.Operation = &o
		}
		if pattern != "" {
			if request.Pattern, err = collective.ReadPatternFile(pattern); err != nil {
				return fmt.Errorf("--pattern: %w", err)
			}
		}
		if flag := fabricFlag(c); flag != "" && !toPlan {
			return fmt.Errorf("--%s: only with --to-plan: a program is checked by itself", flag)
		}
		if output != "" && !toPlan {
			return fmt.Errorf("-o: only with --to-plan: a check writes nothing")
		}
		if err := plot.check(c); err != nil {
			return err
		}
		answer, err := answered(s, c, "checking", lightpath.Check, request, lightpath.WithFiles(files.Open))
		if err != nil {
			return err
		}
		if answer.Lifted != nil && output != "" {
			if err := answer.Lifted.WriteFile(c.Context(), output); err != nil {
				return fmt.Errorf("-o: %w", err)
			}
		}
		if err := s.printPlotted(answer, plot); err != nil {
			return err
		}
		if bad := answer.First(); bad != nil {
			return s.no(fmt.Sprintf("%s: %s: %s", args[0], bad.Name, bad.Detail))
		}
		return nil
	}
	return c
}

// notFolder refuses a folder and names the manifest to check, if compile wrote one into it.
func notFolder(name string) error {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return nil
	}
	manifest := filepath.Join(name, "manifest.json")
	if _, err := os.Stat(manifest); err != nil {
		return fmt.Errorf("check: %s: a folder without manifest.json; want the file of a program or of a manifest", name)
	}
	return fmt.Errorf("check: %s: a folder; check its manifest: lightpath check %s", name, manifest)
}

// fabricFlag is the first flag given that says something of a fabric, or "".
func fabricFlag(c *cobra.Command) string {
	names := []string{"preset", "fabric"}
	for _, s := range fabric.Settings() {
		names = append(names, s.Name)
	}
	for _, name := range names {
		if c.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// checkMachine fills in the fabric: all of it if a flag says more of it than its base.
func checkMachine(c *cobra.Command, f *fabricFlags, r *lightpath.CheckRequest) error {
	more := c.Flags().Changed("preset") || c.Flags().Changed("fabric")
	for _, s := range fabric.Settings() {
		more = more || s.Name != "base" && c.Flags().Changed(s.Name)
	}
	machine, err := f.fabric(c)
	if err != nil {
		return err
	}
	if more {
		r.Fabric = machine
	} else {
		r.Base = machine.Base
	}
	return nil
}
