package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// planFlags say how a plan file is read.
type planFlags struct {
	maxExpand *word
	schedule  *scheduleFlags // nil: plans only
}

func addPlanFlags(c *cobra.Command) *planFlags {
	f := &planFlags{maxExpand: &word{"", "SIZE"}}
	c.Flags().Var(f.maxExpand, "max-expand", fmt.Sprintf("largest size a compressed plan may expand to (default: %d times its size, at least %v)", plan.DefaultExpand, plan.LeastExpand))
	return f
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
	defer bar.end()
	options := []plan.FileOption{plan.FileProgress(bar.report)}
	if c.Flags().Changed("max-expand") {
		most, err := units.ParsePositiveBytes(f.maxExpand.text)
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
