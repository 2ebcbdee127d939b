package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// problemFlags are the flags that say what to plan: the fabric and the size.
type problemFlags struct {
	values map[string]*word // by setting
	duplex bool
	preset string
	file   string
	size   *word
}

// word is a flag whose text is read later; its kind is shown in the help.
type word struct{ text, kind string }

func (w *word) String() string     { return w.text }
func (w *word) Set(s string) error { w.text = s; return nil }
func (w *word) Type() string       { return w.kind }

// defaultSize is a gradient bucket: large enough for bandwidth to matter, small enough
// for latency to matter too.
const defaultSize = "4MiB"

func addProblemFlags(c *cobra.Command) *problemFlags {
	f := &problemFlags{values: map[string]*word{}, size: &word{defaultSize, "SIZE"}}
	standard := fabric.Default()
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(f.size, "size", "of the collective, as said above, e.g. 16KiB")
	for _, s := range fabric.Settings() {
		if s.Name == "duplex" {
			flags.BoolVar(&f.duplex, s.Name, standard.Duplex, s.About)
			continue
		}
		f.values[s.Name] = &word{s.Get(&standard), s.Value}
		flags.Var(f.values[s.Name], s.Name, s.About)
	}
	flags.StringVar(&f.preset, "preset", "", "`NAME` of a technology or a paper's setting (plan --list)")
	flags.StringVar(&f.file, "fabric", "", "`FILE`.yaml with settings; flags override it")
	return f
}

// fabric puts the fabric together: default, preset, file, flags.
func (f *problemFlags) fabric(c *cobra.Command) (fabric.Fabric, error) {
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
	for _, s := range fabric.Settings() {
		if !c.Flags().Changed(s.Name) {
			continue
		}
		if s.Name == "duplex" {
			made.Duplex = f.duplex
			continue
		}
		if err := s.Set(&made, f.values[s.Name].text); err != nil {
			return made, fmt.Errorf("--%s: %w", s.Name, err)
		}
	}
	if err := made.Validate(); err != nil {
		for _, s := range fabric.Settings() { // "base: .." is "--base: .." if the flag was given
			if c.Flags().Changed(s.Name) && strings.HasPrefix(err.Error(), s.Name+": ") {
				return made, fmt.Errorf("--%w", err)
			}
		}
		return made, fmt.Errorf("fabric: %w", err)
	}
	return made, nil
}

func (f *problemFlags) bytes() (units.Bytes, error) {
	size, err := units.ParseBytes(f.size.text)
	if err == nil && size == 0 {
		err = fmt.Errorf("must be above 0B")
	}
	if err != nil {
		return 0, fmt.Errorf("--size: %w", err)
	}
	return size, nil
}

// operation reads the one argument OP.
func operation(c *cobra.Command, args []string) (collective.Op, error) {
	if len(args) != 1 {
		return "", fmt.Errorf("%s: want one operation, got %d arguments; e.g. %s allreduce", c.Name(), len(args), c.CommandPath())
	}
	op, err := collective.ParseOp(args[0])
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Name(), err)
	}
	return op, nil
}

// read returns the problem that the arguments and flags of a command describe.
func (f *problemFlags) read(c *cobra.Command, args []string) (op collective.Op, size units.Bytes, made fabric.Fabric, err error) {
	if op, err = operation(c, args); err != nil {
		return op, size, made, err
	}
	if size, err = f.bytes(); err != nil {
		return op, size, made, err
	}
	made, err = f.fabric(c)
	return op, size, made, err
}

const sizeHelp = `SIZE is, for allreduce, broadcast and reduce, the buffer; for allgather and
gather the gathered result; for reducescatter and scatter the input; for
alltoall what one GPU holds.`
