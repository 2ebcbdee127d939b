package input

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/internal/files"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/topology/wiring"
)

// Wiring is the flag that writes a topology to a file.
type Wiring struct{ name string }

// AddWiring defines it.
func AddWiring(c *cobra.Command, what string) *Wiring {
	f := &Wiring{}
	c.Flags().StringVar(&f.name, "wiring", "", "write the circuits of "+what+" to `FILE`.csv, .dot or .graphml")
	return f
}

// Check finds out whether the file can be written.
func (f *Wiring) Check() error {
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

// Write writes the circuits of an expression.
func (f *Wiring) Write(expr string) error {
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
