package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
)

// fabricFlags are the flags that describe the fabric.
type fabricFlags struct {
	values map[string]*bind.Text // by setting
	duplex bool
	preset string
	file   string
	set    map[string]string // what something else than a flag says, see fixed
}

func addFabricFlags(c *cobra.Command) *fabricFlags {
	f := &fabricFlags{values: map[string]*bind.Text{}}
	standard := fabric.Default()
	flags := c.Flags()
	for _, s := range fabric.Settings() {
		if s.Name == "duplex" {
			flags.BoolVar(&f.duplex, s.Name, standard.Duplex, s.About)
			continue
		}
		f.values[s.Name] = bind.NewText(s.Get(&standard), s.Value)
		flags.Var(f.values[s.Name], s.Name, s.About)
		if words := field.Words(s.About); words != nil {
			bind.Offer(c, s.Name, func() []string { return words })
		}
	}
	flags.StringVar(&f.preset, "preset", "", "start from preset `NAME`, a switch or a paper's setting (plan --list)")
	flags.StringVar(&f.file, "fabric", "", "read settings from `FILE`.yaml; flags override it")
	bind.Offer(c, "preset", presetNames)
	return f
}

// fixed gives a setting a value that only a flag overrides.
func (f *fabricFlags) fixed(setting, value string) {
	if f.set == nil {
		f.set = map[string]string{}
	}
	f.set[setting] = value
}

// fabric puts the fabric together: default, preset, file, flags. Whether it makes sense
// the request will tell.
func (f *fabricFlags) fabric(c *cobra.Command) (fabric.Fabric, error) {
	made := fabric.Default()
	if f.preset != "" {
		if err := made.ApplyPreset(f.preset); err != nil {
			return made, fmt.Errorf("--preset: %w", err)
		}
	}
	if f.file != "" {
		if err := made.LoadFile(f.file); err != nil {
			return made, fmt.Errorf("--fabric: %w", err)
		}
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
			made.Duplex = f.duplex
			continue
		}
		text := f.values[s.Name].String()
		var err error
		switch s.Name { // which may be in a file
		case "base":
			text, inFile, err = baseOf(text)
			made.Links = inFile
		case "links":
			text, err = withLinks(inFile, text)
		case "initial":
			text, err = expression(text)
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
