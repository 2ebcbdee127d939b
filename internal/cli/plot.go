package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/chart"
)

// plotFlag is --plot: a picture of the answer beside its text.
type plotFlag struct{ name string }

func addPlotFlag(c *cobra.Command) *plotFlag {
	f := &plotFlag{}
	c.Flags().StringVar(&f.name, "plot", "", "draw the answer as `FILE`.svg, .png, .pdf or .html")
	return f
}

// check finds out before the work whether the picture can be written.
func (f *plotFlag) check(c *cobra.Command) error {
	if !c.Flags().Changed("plot") {
		return nil
	}
	if err := chart.CheckFile(f.name); err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return nil
}

// draw draws a picture if asked for.
func (s *session) draw(f *plotFlag, picture func() (*chart.Scene, error)) error {
	if f.name == "" {
		return nil
	}
	scene, err := picture()
	if err == nil {
		err = scene.WriteFile(f.name)
	}
	if err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	if s.text() {
		fmt.Fprintf(s.out, "\ndrawn as %s\n", f.name)
	}
	return nil
}
