package input

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/cli/terminal"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Plan are the flags for reading a plan file.
type Plan struct {
	maxExpand *bind.Text
	Schedule  *scheduleFlags // nil: plans only
}

// AddPlan defines the flags of a plan file.
func AddPlan(c *cobra.Command) *Plan {
	f := &Plan{maxExpand: bind.NewText("", "SIZE")}
	c.Flags().Var(f.maxExpand, "max-expand", fmt.Sprintf("largest size a compressed plan may expand to (default: %d times its size, at least %v)", plan.DefaultExpand, plan.LeastExpand))
	return f
}

// Read reads a plan file and shows its progress.
func (f *Plan) Read(c *cobra.Command, name string) (*plan.Plan, error) {
	if name == "" {
		return nil, fmt.Errorf("%s: the file name is empty", c.Name())
	}
	if name == "-" {
		name = "/dev/stdin"
	}
	bar := terminal.Start(c.ErrOrStderr(), "reading")
	defer bar.End()
	options := []plan.FileOption{plan.FileProgress(bar.Report)}
	if c.Flags().Changed("max-expand") {
		most, err := units.ParsePositiveBytes(f.maxExpand.String())
		if err != nil {
			return nil, fmt.Errorf("--max-expand: %w", err)
		}
		options = append(options, plan.MaxExpand(most))
	}
	if f.Schedule != nil {
		options = append(options, plan.Foreign(harvest.Recognise, func(r io.Reader) (*plan.Plan, error) {
			return f.Schedule.read(c, name, r)
		}))
	}
	p, err := plan.ReadFile(c.Context(), name, options...)
	if errors.Is(err, plan.ErrSummary) {
		err = fmt.Errorf("%w, which plan writes with -o FILE.json", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	return p, f.Schedule.unused(c)
}
