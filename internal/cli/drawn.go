package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/internal/cli/guard"
	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/topology/wiring"
)

// plotFlag is --plot: a picture of the answer beside its text.
type plotFlag struct{ name string }

func addPlotFlag(c *cobra.Command) *plotFlag {
	f := &plotFlag{}
	guard.Output(c.Flags(), &f.name, "plot", "draw the answer as `FILE`.svg, .png, .pdf or .html")
	return f
}

// check checks, before the work, that the picture can be written.
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

// drawPage writes the page of an answer.
func (s *session) drawPage(f *plotFlag, page func() (*chart.Page, error)) error {
	made, err := page()
	if err == nil {
		err = writePage(f.name, made)
	}
	if err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	if s.text() {
		fmt.Fprintf(s.out, "\nwritten to %s\n", f.name)
	}
	return nil
}

// writePage writes a page to a file that appears once it is complete.
func writePage(name string, page *chart.Page) error {
	w, err := files.Create(name)
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := page.Write(w); err != nil {
		return err
	}
	return w.Commit()
}

// wiringFlag is the flag that writes a topology to a file.
type wiringFlag struct{ name string }

func addWiringFlag(c *cobra.Command, what string) *wiringFlag {
	f := &wiringFlag{}
	guard.Output(c.Flags(), &f.name, "wiring", "write the circuits of "+what+" to `FILE`.csv, .dot or .graphml")
	return f
}

// check checks that the file can be written.
func (f *wiringFlag) check() error {
	if f.name == "" {
		return nil
	}
	if _, err := wiring.FormatOf(f.name); err != nil {
		return fmt.Errorf("--wiring: %w", err)
	}
	if err := files.Check(f.name); err != nil {
		return fmt.Errorf("--wiring: %w", err)
	}
	return nil
}

// write writes the circuits of an expression.
func (f *wiringFlag) write(expr string) error {
	if f.name == "" {
		return nil
	}
	g, err := topology.Parse(expr)
	if err != nil {
		return err
	}
	format, err := wiring.FormatOf(f.name)
	if err != nil {
		return err
	}
	err = files.Write(f.name, func(w io.Writer) error { return wiring.Of(g).Write(w, format) })
	if err != nil {
		return fmt.Errorf("--wiring: %w", err)
	}
	return nil
}
