// Package guard keeps commands from overwriting the files that they read.
package guard

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// replaced lists the flags that name a file to be overwritten. --out of a sweep is not among
// them, because it adds to an existing store.
var replaced = []string{"output", "csv", "series", "plot"}

// writes reports whether a flag of a command names a file to be overwritten: in other commands,
// --trace is a file to read.
func writes(c *cobra.Command, flag string) bool {
	return slices.Contains(replaced, flag) || flag == "trace" && c.Name() == "simulate"
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
		if writes(c, f.Name) {
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
		if bad != nil || err != nil || !writes(c, f.Name) {
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
