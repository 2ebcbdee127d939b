package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/cli/input"
	"github.com/lightpath-net/lightpath/internal/files"
)

func init() { own["check"] = (*session).checkCommand }

func (s *session) checkCommand(asked *lightpath.Command) *cobra.Command {
	r := &lightpath.CheckRequest{}
	f := &face{asked: asked, request: r, doing: "checking", own: []string{"file", "content", "fabric", "base"}, Command: &cobra.Command{
		Use: "check FILE|MANIFEST.json",
		Long: `Check a program, or every program of a manifest, for every order in which its
thread blocks may run: sends and receives match, nothing deadlocks, no two steps
race, every operand is inside its buffer, the runtime's limits hold, every
contribution is reduced exactly once, and every rank ends with the result.
Exit 0: correct. 1: not correct. 2: not a program.

--to-plan lifts the program to a plan on the fabric's base topology, which can
be priced, simulated and compared like any other plan. A HARVEST schedule can be
lifted too, with --of or --pattern.`,
		Example: `  lightpath check allreduce.xml --for rccl
  lightpath check out/manifest.json
  lightpath check harvest.json --to-plan --of allreduce/4MiB/swing -o p.json
  lightpath check taccl.xml --to-plan --base 'Torus(4,4)' --size 64MiB -o p.json`,
		Args: input.Wants(1, 1, "want one file", "allreduce.xml"),
	}}
	f.bind()
	var output string
	guard.Output(f.Flags(), &output, "output", "write the plan to `FILE`")
	machine := input.AddFabric(f.Command)
	f.read = func(args []string) error {
		if err := notFolder(args[0]); err != nil {
			return err
		}
		f.file, r.File = args[0], args[0]
		if flag := fabricFlag(f.Command); flag != "" && !r.ToPlan {
			return fmt.Errorf("--%s: only with --to-plan: a program is checked by itself", flag)
		}
		if output != "" && !r.ToPlan {
			return errors.New("-o: only with --to-plan: a check writes nothing")
		}
		return checkMachine(f.Command, machine, r)
	}
	f.options = func() ([]lightpath.Option, error) { return []lightpath.Option{lightpath.WithFiles(files.Open)}, nil }
	f.keep = on(func(answer *lightpath.Checked) error {
		if answer.Lifted == nil || output == "" {
			return nil
		}
		if err := answer.Lifted.WriteFile(f.Context(), output); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		return nil
	})
	f.end = on(func(answer *lightpath.Checked) error { return s.noIf(f.file, answer.First()) })
	return f.command(s)
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

// fabricFlag returns the first given flag of a fabric, or "".
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

// checkMachine fills in the fabric, completely if flags give more than its base.
func checkMachine(c *cobra.Command, f *input.Fabric, r *lightpath.CheckRequest) error {
	more := c.Flags().Changed("preset") || c.Flags().Changed("fabric")
	for _, s := range fabric.Settings() {
		more = more || s.Name != "base" && c.Flags().Changed(s.Name)
	}
	machine, err := f.Read(c)
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
