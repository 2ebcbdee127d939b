// Package guard keeps commands from overwriting the files that they read or have just written.
package guard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// written is the annotation of a flag that names a file to write. Its value says how.
const written = "lightpath_written"

// How a file is written.
const (
	replaced = "replaced"
	extended = "extended" // what it holds stays
)

// Output adds a flag that names a file to be overwritten. The flag "output" also has the short
// form -o.
func Output(flags *pflag.FlagSet, name *string, flag, usage string) {
	add(flags, name, flag, usage, replaced)
}

// Store adds a flag that names a file to which a command adds what it finds.
func Store(flags *pflag.FlagSet, name *string, flag, usage string) {
	add(flags, name, flag, usage, extended)
}

func add(flags *pflag.FlagSet, name *string, flag, usage, how string) {
	short := ""
	if flag == "output" {
		short = "o"
	}
	flags.StringVarP(name, flag, short, "", usage)
	flags.Lookup(flag).Annotations = map[string][]string{written: {how}}
}

// writes reports whether a flag names a file to be overwritten.
func writes(f *pflag.Flag) bool {
	how := f.Annotations[written]
	return len(how) > 0 && how[0] == replaced
}

// Commands makes a command and all its subcommands refuse to overwrite a file that they read, and
// to write two things to one file.
func Commands(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			if err := keepsInput(c, args); err != nil {
				return err
			}
			if err := keepsOutput(c); err != nil {
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

// keepsOutput refuses flags that would write to the same file.
func keepsOutput(c *cobra.Command) error {
	var earlier []*pflag.Flag
	var bad error
	c.Flags().Visit(func(f *pflag.Flag) {
		if bad != nil || f.Annotations[written] == nil || f.Value.String() == "" {
			return
		}
		for _, e := range earlier {
			if name := f.Value.String(); sameFile(name, e.Value.String()) {
				bad = fmt.Errorf("--%s: would overwrite %s, which --%s writes; want another file", f.Name, name, e.Name)
				return
			}
		}
		earlier = append(earlier, f)
	})
	return bad
}

// sameFile reports whether two names are of one file, which may not exist yet. Pipes and devices
// take everything that is written to them.
func sameFile(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return first.Mode().IsRegular() && os.SameFile(first, second)
	}
	a, errA = filepath.Abs(a)
	b, errB = filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}
