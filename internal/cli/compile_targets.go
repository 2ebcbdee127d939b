package cli

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/units"
)

// targetFlags are the flags for the options of compile targets: one for every field that has
// a help, by its name in JSON. Targets whose options have the same name share its flag.
type targetFlags struct {
	all    compile.Targets
	values map[string]reflect.Value // by the name of the flag
}

// names lists the formats.
func (f *targetFlags) names(between string) string {
	var names []string
	for _, t := range f.all {
		names = append(names, string(t.Format()))
	}
	return strings.Join(names, between)
}

// list describes the formats, in lines of help.
func (f *targetFlags) list() string {
	const column, width = 13, 79
	var text strings.Builder
	for _, t := range f.all {
		line := fmt.Sprintf("  %-*s", column-2, t.Format())
		for i, word := range strings.Fields(t.About()) {
			if i > 0 && len(line)+1+len(word) > width {
				fmt.Fprintln(&text, line)
				line = strings.Repeat(" ", column-1)
			}
			if len(line) > column || i > 0 {
				line += " "
			}
			line += word
		}
		fmt.Fprintln(&text, line)
	}
	return text.String()
}

func flagName(name string) string { return strings.ReplaceAll(name, "_", "-") }

// having lists the formats whose targets have an option.
func (f *targetFlags) having(name string) []string {
	var all []string
	for _, t := range f.all {
		for o := range compile.Fields(t.Options()) {
			if o.Help != "" && flagName(o.Name) == name {
				all = append(all, string(t.Format()))
			}
		}
	}
	return all
}

// add defines the flags.
func (f *targetFlags) add(c *cobra.Command) {
	f.values = map[string]reflect.Value{}
	for _, t := range f.all {
		for o := range compile.Fields(t.Options()) {
			name := flagName(o.Name)
			if _, defined := f.values[name]; defined || o.Help == "" {
				continue
			}
			f.values[name] = o.Value
			text := strings.NewReplacer("${", "`", "}", "`").Replace(o.Help)
			if from := f.having(name); len(from) < len(f.all) {
				text = strings.Join(from, ", ") + ": " + text
			}
			switch at := o.Value.Addr().Interface().(type) {
			case *bool:
				c.Flags().BoolVar(at, name, *at, text)
			case *units.Bytes:
				c.Flags().Var(&optionFlag{set: func(text string) (err error) {
					*at, err = units.ParseBytes(text)
					return err
				}}, name, text)
			case encoding.TextUnmarshaler:
				c.Flags().Var(&optionFlag{set: func(text string) error { return at.UnmarshalText([]byte(text)) }}, name, text)
			default: // words
				c.Flags().Var(&optionFlag{text: o.Default, set: func(text string) error {
					o.Value.SetString(text)
					return nil
				}}, name, text)
			}
		}
	}
}

// options returns what the flags that were given say for a format; nil: nothing. A flag that
// the target does not have is an error.
func (f *targetFlags) options(c *cobra.Command, format compile.Format) (compile.Options, error) {
	target, err := f.all.Lookup(format)
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	options := target.Options()
	given := false
	for _, t := range f.all { // in the order of the flags
		for o := range compile.Fields(t.Options()) {
			name := flagName(o.Name)
			if o.Help == "" || !c.Flags().Changed(name) {
				continue
			}
			if from := f.having(name); !slices.Contains(from, string(format)) {
				return nil, fmt.Errorf("--%s: %s has no such option; use it with %s", name, format, strings.Join(from, ", "))
			}
			given = true
		}
	}
	if !given {
		return nil, nil
	}
	for o := range compile.Fields(options) {
		if name := flagName(o.Name); o.Help != "" && c.Flags().Changed(name) {
			o.Value.Set(f.values[name])
		}
	}
	err = options.Complete()
	var bad *lightpath.FieldError
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("--%s: %w", flagName(bad.Path), bad.Err)
	}
	return options, err
}

// optionFlag is a flag whose value is read from text.
type optionFlag struct {
	text string // as it was given, or the default
	set  func(text string) error
}

// Set reads the value.
func (f *optionFlag) Set(text string) error {
	f.text = text
	return f.set(text)
}

// String is the value as it was given, or the default.
func (f *optionFlag) String() string { return f.text }

// Type is the kind of value in the help, where that does not name it.
func (f *optionFlag) Type() string { return "string" }
