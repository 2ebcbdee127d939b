// Package input reads, from flags, arguments and files, whatever is not a plain field of a
// request: fabrics, operations, topologies, plans.
package input

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
)

// Fabric are the flags that describe a fabric.
type Fabric struct {
	Values map[string]*bind.Text // by setting
	Duplex bool
	preset string
	File   string
	set    map[string]string // values that are not from flags, see fixed
}

// AddFabric defines the flags of a fabric.
func AddFabric(c *cobra.Command) *Fabric {
	f := &Fabric{Values: map[string]*bind.Text{}}
	standard := fabric.Default()
	flags := c.Flags()
	for _, s := range fabric.Settings() {
		if s.Name == "duplex" {
			flags.BoolVar(&f.Duplex, s.Name, standard.Duplex, s.About)
			continue
		}
		f.Values[s.Name] = bind.NewText(s.Get(&standard), s.Value)
		flags.Var(f.Values[s.Name], s.Name, s.About)
		if words := field.Words(s.About); words != nil {
			bind.Offer(c, s.Name, func() []string { return words })
		}
	}
	flags.StringVar(&f.preset, "preset", "", "start from preset `NAME`, a switch or a paper's setting (plan --list)")
	flags.StringVar(&f.File, "fabric", "", "read settings from `FILE`.yaml; flags override it")
	bind.Offer(c, "preset", presetNames)
	return f
}

// fixed gives a setting a value that only a flag overrides.
func (f *Fabric) fixed(setting, value string) {
	if f.set == nil {
		f.set = map[string]string{}
	}
	f.set[setting] = value
}

// Read combines the fabric from default, preset, file and flags. The request checks whether it
// is valid.
func (f *Fabric) Read(c *cobra.Command) (fabric.Fabric, error) {
	made, err := f.Unflagged()
	if err != nil {
		return made, err
	}
	var inFile fabric.Links // links of the file that --base names, to which --links adds
	for _, s := range fabric.Settings() {
		if text, ok := f.set[s.Name]; ok {
			if err := s.Set(&made, text); err != nil {
				return made, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
		if !c.Flags().Changed(s.Name) {
			continue
		}
		if s.Name == "duplex" {
			made.Duplex = f.Duplex
			continue
		}
		text := f.Values[s.Name].String()
		var err error
		switch s.Name { // the value may be in a file
		case "base":
			text, inFile, err = Base(text)
			made.Links = inFile
		case "links":
			text, err = WithLinks(inFile, text)
		case "initial", "fixed":
			text, err = Expression(text)
		case "switches":
			text, err = Layout(text)
		case "held":
			text, err = Held(c.Context(), text)
		}
		if err != nil {
			return made, fmt.Errorf("--%s: %w", s.Name, err)
		}
		if err := s.Set(&made, text); err != nil {
			return made, fmt.Errorf("--%s: %w", s.Name, err)
		}
	}
	return made, nil
}

// Unflagged combines the fabric without flags, which are axes.
func (f *Fabric) Unflagged() (fabric.Fabric, error) {
	made := fabric.Default()
	if f.preset != "" {
		if err := made.ApplyPreset(f.preset); err != nil {
			return made, fmt.Errorf("--preset: %w", err)
		}
	}
	if f.File != "" {
		if err := made.LoadFile(f.File); err != nil {
			return made, fmt.Errorf("--fabric: %w", err)
		}
	}
	return made, nil
}
