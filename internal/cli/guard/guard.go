// Package guard keeps commands from overwriting the files that they read.
package guard

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// replaces is the annotation of a flag that names a file to be overwritten. --out of a sweep has
// none, because it adds to an existing store.
const replaces = "lightpath_replaces"

// Output adds a flag that names a file to be overwritten. The flag "output" also has the short
// form -o.
func Output(flags *pflag.FlagSet, name *string, flag, usage string) {
	short := ""
	if flag == "output" {
		short = "o"
	}
	flags.StringVarP(name, flag, short, "", usage)
	flags.Lookup(flag).Annotations = map[string][]string{replaces: nil}
}

// writes reports whether a flag names a file to be overwritten.
func writes(f *pflag.Flag) bool {
	_, ok := f.Annotations[replaces]
	return ok
}

// Commands makes a command and all its subcommands refuse to overwrite a file that they read.
func Commands(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			if err := keepsInput(c, args); err != nil {
				return err
			}
			return run(c, args)
		}
	}
	for _, sub := range c.Commands() {
		Commands(sub)
	}
}

// keepsInput refuses to write a file that an argument or another flag names as input, under any
// name or link.
func keepsInput(c *cobra.Command, args []string) error {
	type input struct {
		by   string // the flag or argument that reads it
		info os.FileInfo
	}
	var inputs []input
	add := func(by, name string) {
		// A value of another kind, such as a size, is not a file; a pipe or device cannot be
		// lost.
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			inputs = append(inputs, input{by, info})
		}
	}
	for _, arg := range args {
		add(c.Name(), arg)
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if writes(f) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			add("--"+f.Name, strings.TrimPrefix(value, "@"))
		}
	})
	var bad error
	c.Flags().Visit(func(f *pflag.Flag) {
		info, err := os.Stat(f.Value.String())
		if bad != nil || err != nil || !writes(f) {
			return
		}
		for _, in := range inputs {
			if os.SameFile(info, in.info) {
				bad = fmt.Errorf("--%s: would overwrite %s, which %s reads; want another file", f.Name, f.Value, in.by)
				return
			}
		}
	})
	return bad
}
