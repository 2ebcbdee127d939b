package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/cli/bind"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Targets are the flags for the options of compile targets: one for every field with a help
// text, by its JSON name. Targets whose options have the same name share the flag.
type Targets struct{ All compile.Targets }

// Names returns the formats.
func (f Targets) Names() []string {
	return each.Of(f.All, func(t compile.Target) string { return string(t.Format()) })
}

// About describes the formats, in lines of help.
func (f Targets) About() string {
	const column, width = 13, 79
	var text strings.Builder
	for _, t := range f.All {
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

// having lists the formats whose targets have the option of a flag.
func (f Targets) having(flag string) (formats []string) {
	for _, t := range f.All {
		for o := range field.All(t.Options()) {
			if o.Help != "" && bind.Flag(&o.Info) == flag {
				formats = append(formats, string(t.Format()))
			}
		}
	}
	return formats
}

// Add defines the flags.
func (f Targets) Add(c *cobra.Command) {
	options := &bind.Binder{Prefix: func(flag string) string {
		if from := f.having(flag); len(from) < len(f.All) {
			return strings.Join(from, ", ") + ": "
		}
		return ""
	}}
	for _, t := range f.All {
		options.Flags(c, t.Options(), unhelped(t.Options())...)
	}
}

// unhelped lists the options that have no help and are set in another way.
func unhelped(o compile.Options) (names []string) {
	for one := range field.All(o) {
		if one.Help == "" {
			names = append(names, one.Name)
		}
	}
	return names
}

// Options returns the options that flags give for a format; nil if there are none. A flag that
// the target does not have is an error.
func (f Targets) Options(c *cobra.Command, format compile.Format) (compile.Options, error) {
	target, err := f.All.Lookup(format)
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	given := false
	for _, t := range f.All { // in the order of the flags
		for _, flag := range Binder.Given(c, t.Options(), unhelped(t.Options())...) {
			if from := f.having(flag); !slices.Contains(from, string(format)) {
				return nil, fmt.Errorf("--%s: %s has no such option; use it with %s", flag, format, strings.Join(from, ", "))
			}
			given = true
		}
	}
	if !given {
		return nil, nil
	}
	options := target.Options()
	if err := Binder.Fill(c, options, unhelped(options)...); err != nil {
		return nil, err
	}
	err = options.Complete()
	var bad *lightpath.FieldError
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("--%s: %w", strings.ReplaceAll(bad.Path, "_", "-"), bad.Err)
	}
	return options, err
}
