package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/fabric"
)

// fabricFlags are the flags that describe the fabric.
type fabricFlags struct {
	values map[string]*word // by setting
	duplex bool
	preset string
	file   string
	set    map[string]string // what something else than a flag says, see fixed
}

// word is a flag whose text is read later; its kind is shown in the help.
type word struct{ text, kind string }

func (w *word) String() string     { return w.text }
func (w *word) Set(s string) error { w.text = s; return nil }
func (w *word) Type() string       { return w.kind }

func addFabricFlags(c *cobra.Command) *fabricFlags {
	f := &fabricFlags{values: map[string]*word{}}
	standard := fabric.Default()
	flags := c.Flags()
	for _, s := range fabric.Settings() {
		if s.Name == "duplex" {
			flags.BoolVar(&f.duplex, s.Name, standard.Duplex, s.About)
			continue
		}
		f.values[s.Name] = &word{s.Get(&standard), s.Value}
		flags.Var(f.values[s.Name], s.Name, s.About)
	}
	flags.StringVar(&f.preset, "preset", "", "start from preset `NAME`, a switch or a paper's setting (plan --list)")
	flags.StringVar(&f.file, "fabric", "", "read settings from `FILE`.yaml; flags override it")
	offer(c, "preset", presetNames)
	for flag, words := range map[string][]string{
		"forwarding": {string(fabric.CutThrough), string(fabric.StoreAndForward)},
		"initial":    {fabric.InitialFree, fabric.InitialDark, fabric.InitialBase},
		"overlap":    {"none", "compute:", "ports", "circuits", "planes"},
		"routing":    {"optimal", "shortest", "shortest-split"},
		"theta":      {"ports", "1"},
	} {
		offer(c, flag, func() []string { return words })
	}
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
		text := f.values[s.Name].text
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
