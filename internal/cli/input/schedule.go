package input

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/plan"
)

// scheduleFlags give the information that a HARVEST schedule lacks.
type scheduleFlags struct {
	of, pattern, preset, fabric string
	Lifted                      *harvest.Lifted // the file, if it was a schedule
}

// ScheduleFields are the fields of a request that a schedule's own flags and file fill.
var ScheduleFields = []string{"schedule", "operation", "pattern"}

// AddPlanOrSchedule defines the flags of a plan file that may be a HARVEST schedule instead.
func AddPlanOrSchedule(c *cobra.Command) *Plan {
	f := AddPlan(c)
	f.Schedule = &scheduleFlags{}
	c.Flags().StringVar(&f.Schedule.of, "of", "", "of a HARVEST schedule: what it carries out, `OP/SIZE/ALGORITHM` (default: its collective, 4MiB)")
	c.Flags().StringVar(&f.Schedule.pattern, "pattern", "", "of a HARVEST schedule: the pattern in `FILE`.json that it carries out")
	c.Flags().StringVar(&f.Schedule.preset, "preset", "", "of a HARVEST schedule: preset `NAME` is its fabric; nodes, ports and delay are the schedule's unless given")
	c.Flags().StringVar(&f.Schedule.fabric, "fabric", "", "of a HARVEST schedule: the fabric, in `FILE`.yaml")
	bind.Offer(c, "preset", presetNames)
	return f
}

// given returns what the flags give for a schedule.
func (f *scheduleFlags) given(s *harvest.Schedule) (g harvest.Given, err error) {
	if f.of != "" && f.pattern != "" {
		return g, fmt.Errorf("--pattern: not with --of; want one or the other")
	}
	if f.of != "" {
		o, err := collective.ParseOperation(f.of)
		if err != nil {
			return g, fmt.Errorf("--of: %w", err)
		}
		g.Operation = &o
	}
	if f.pattern != "" {
		p, err := collective.ReadPatternFile(f.pattern)
		if err != nil {
			return g, fmt.Errorf("--pattern: %w", err)
		}
		g.Pattern = &p.Sized
	}
	if f.preset == "" && f.fabric == "" {
		return g, nil
	}
	machine := s.Machine()
	if f.preset != "" {
		if err := machine.ApplyPreset(f.preset); err != nil {
			return g, fmt.Errorf("--preset: %w", err)
		}
	}
	if f.fabric != "" {
		if err := machine.LoadFile(f.fabric); err != nil {
			return g, fmt.Errorf("--fabric: %w", err)
		}
	}
	g.Fabric = &machine
	return g, nil
}

// read reads a schedule as a plan, and says what it assumes.
func (f *scheduleFlags) read(c *cobra.Command, name string, r io.Reader) (*plan.Plan, error) {
	schedule, err := harvest.Read(r)
	if err != nil {
		return nil, err
	}
	given, err := f.given(schedule)
	if err != nil {
		return nil, err
	}
	if f.Lifted, err = schedule.Lift(c.Context(), given); err != nil {
		return nil, err
	}
	if assumed := f.Lifted.Assumed; len(assumed) > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "lightpath: note: %s is a HARVEST schedule, which holds only circuits and the delay; assumed: %s (--of, --preset, --fabric)\n", name, strings.Join(assumed, "; "))
	}
	return f.Lifted.Plan, nil
}

// unused refuses flags of schedules if the file is a plan.
func (f *scheduleFlags) unused(c *cobra.Command) error {
	if f == nil || f.Lifted != nil {
		return nil
	}
	for _, flag := range []string{"of", "pattern", "preset", "fabric"} {
		if c.Flags().Changed(flag) {
			return fmt.Errorf("--%s: only for a HARVEST schedule; a plan brings its own", flag)
		}
	}
	return nil
}
