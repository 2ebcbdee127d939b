package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// planFlags say how a plan file is read.
type planFlags struct {
	maxExpand *bind.Text
	schedule  *scheduleFlags // nil: plans only
}

func addPlanFlags(c *cobra.Command) *planFlags {
	f := &planFlags{maxExpand: bind.NewText("", "SIZE")}
	c.Flags().Var(f.maxExpand, "max-expand", fmt.Sprintf("largest size a compressed plan may expand to (default: %d times its size, at least %v)", plan.DefaultExpand, plan.LeastExpand))
	return f
}

// readsPlan has a command read a plan from the file that is its argument.
func (f *face) readsPlan(s *session, into **plan.Plan, files *planFlags) {
	f.Args = wants(1, 1, "want one plan file", "plan.json")
	f.read = func(args []string) (err error) {
		f.file = args[0]
		*into, err = files.read(s, f.Command, args[0])
		return err
	}
}

// read reads a plan file.
func (f *planFlags) read(s *session, c *cobra.Command, name string) (*plan.Plan, error) {
	if name == "" {
		return nil, fmt.Errorf("%s: the file name is empty", c.Name())
	}
	if name == "-" {
		name = "/dev/stdin"
	}
	bar := s.progress("reading")
	defer bar.End()
	options := []plan.FileOption{plan.FileProgress(bar.Report)}
	if c.Flags().Changed("max-expand") {
		most, err := units.ParsePositiveBytes(f.maxExpand.String())
		if err != nil {
			return nil, fmt.Errorf("--max-expand: %w", err)
		}
		options = append(options, plan.MaxExpand(most))
	}
	if f.schedule != nil {
		options = append(options, plan.Foreign(harvest.Recognise, func(r io.Reader) (*plan.Plan, error) {
			return f.schedule.read(s, c, name, r)
		}))
	}
	p, err := plan.ReadFile(c.Context(), name, options...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	return p, f.schedule.unused(c)
}

// inFile says which file a plan that is not correct is in.
func inFile(name string, err error) error {
	var wrong *lightpath.IncorrectPlanError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}
