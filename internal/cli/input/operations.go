package input

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// Operations are the flags for what the operations of a command have in common.
type Operations struct{ given collective.OperationFields }

// AddOperations defines the flags of operations.
func AddOperations(c *cobra.Command) *Operations {
	f := &Operations{}
	Binder.Flags(c, &f.given, "op")
	return f
}

// Unused returns an error if a flag of operations is given although there are none, and says why
// there are none.
func (f *Operations) Unused(c *cobra.Command, why string) error {
	only := &cobra.Command{}
	Binder.Flags(only, &collective.OperationFields{}, "op")
	var err error
	only.Flags().VisitAll(func(one *pflag.Flag) {
		if err == nil && c.Flags().Changed(one.Name) {
			err = fmt.Errorf("--%s: %s", one.Name, why)
		}
	})
	return err
}

// OperationHelp explains operations.
const OperationHelp = `An operation is OP, or OP/SIZE/ALGORITHM/gpus=LIST with any of the last three
left out, e.g. allreduce/64MiB/swing:8x8 or alltoall/gpus=0-7; flags fill in
what it leaves out.
`

// Read reads arguments as collective.ParseOperation does; flags fill in what they leave out. A
// demand's file gives the number of GPUs if no flag does.
func (f *Operations) Read(c *cobra.Command, args []string, machine *Fabric) ([]lightpath.Operation, error) {
	if err := Binder.Fill(c, &f.given, "op"); err != nil {
		return nil, err
	}
	common := &f.given
	if common.Seed != nil && common.Demand.IsZero() {
		return nil, errors.New("--seed: only with a random --demand")
	}
	if common.Demand.Bytes != nil && !c.Flags().Changed("nodes") && !c.Flags().Changed("gpus") {
		machine.fixed("nodes", fmt.Sprint(len(common.Demand.Bytes)))
	}
	var list []lightpath.Operation
	for _, arg := range args {
		o, err := collective.ParseOperation(arg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name(), err)
		}
		if o.Op == collective.AllToAll {
			if common.Demand.Bytes != nil && (o.Size > 0 || len(args) == 1 && c.Flags().Changed("size")) {
				return nil, fmt.Errorf("%s: a size: --demand %s already gives the bytes of every pair", c.Name(), c.Flags().Lookup("demand").Value)
			}
			o.Demand, o.Generator = common.Demand.Bytes, common.Demand.Generator
		}
		if o.Generator != "" || len(args) == 1 {
			o.Seed = common.Seed
		}
		if o.Size == 0 && o.Demand == nil {
			o.Size = common.Size
		}
		o.Algorithm = cmp.Or(o.Algorithm, common.Algorithm)
		if o.GPUs == nil {
			o.GPUs = common.GPUs
		}
		list = append(list, o)
	}
	if !common.Demand.IsZero() && !slices.ContainsFunc(list, func(o lightpath.Operation) bool { return o.Op == collective.AllToAll }) {
		return nil, fmt.Errorf("--demand: only for %s", collective.AllToAll)
	}
	return list, nil
}

// ReadOrPattern reads what to plan: at most the given number of operations, or a pattern, which
// gives the numbers of GPUs and ports unless flags do.
func (f *Operations) ReadOrPattern(c *cobra.Command, args []string, most int, pattern *collective.PatternFile, machine *Fabric) ([]lightpath.Operation, error) {
	if pattern == nil {
		if len(args) == 0 || len(args) > most {
			return nil, Single(c, args)
		}
		return f.Read(c, args, machine)
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("%s --pattern: takes no operation", c.Name())
	}
	for _, flag := range Binder.Given(c, &f.given) {
		if flag != "size" {
			return nil, fmt.Errorf("--%s: not with --pattern, which defines it", flag)
		}
		if pattern.Space.Kind == collective.Listed || pattern.Space.Sizes != nil {
			return nil, fmt.Errorf("--size: %s gives the size of each chunk", c.Flags().Lookup("pattern").Value)
		}
		if err := Binder.Fill(c, &f.given, "op"); err != nil {
			return nil, err
		}
		pattern.Size = f.given.Size
	}
	PatternFabric(c, pattern, machine)
	return nil, nil
}

// PatternFabric takes the numbers of GPUs and ports from a pattern unless flags give them.
func PatternFabric(c *cobra.Command, p *collective.PatternFile, machine *Fabric) {
	if !c.Flags().Changed("nodes") {
		machine.fixed("nodes", fmt.Sprint(p.Nodes))
	}
	if !c.Flags().Changed("ports") && p.Ports > 0 {
		machine.fixed("ports", fmt.Sprint(p.Ports))
	}
}

// Single refuses arguments other than a single OP.
func Single(c *cobra.Command, args []string) error {
	return Wants(1, 1, "want one operation", "allreduce")(c, args)
}

// SizeHelp explains the size of an operation.
const SizeHelp = `SIZE means the buffer for allreduce, broadcast and reduce; the gathered result
for allgather and gather; the input for reducescatter and scatter; and what one
GPU holds for alltoall.`

// Wants refuses fewer or more arguments, and says what the command is for.
func Wants(least, most int, what, example string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return By(c, fmt.Errorf("%s, got %s; e.g. %s %s", what, units.Count(len(args), "argument"), c.CommandPath(), example))
		}
		return nil
	}
}

// By adds to an error the command that it ends, with those above it: "control run".
func By(c *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "), err)
}

// NoArgument refuses arguments.
func NoArgument(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: takes no argument, got %q", c.Name(), args[0])
	}
	return nil
}
