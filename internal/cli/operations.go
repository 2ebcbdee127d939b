package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
)

// operationFlags say what is common to the operations of a command.
type operationFlags struct{ given collective.OperationFields }

func addOperationFlags(c *cobra.Command) *operationFlags {
	f := &operationFlags{}
	binder.Flags(c, &f.given, "op")
	return f
}

const operationHelp = `An operation is OP, or OP/SIZE/ALGORITHM/gpus=LIST with any of the last three
left out, e.g. allreduce/64MiB/swing:8x8 or alltoall/gpus=0-7; flags fill in
what it leaves out.
`

// operations reads arguments as collective.ParseOperation does; flags fill in what they
// leave out. A demand's file says the number of GPUs where no flag does.
func (f *operationFlags) operations(c *cobra.Command, args []string, machine *fabricFlags) ([]lightpath.Operation, error) {
	if err := binder.Fill(c, &f.given, "op"); err != nil {
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
		if o.Algorithm == "" {
			o.Algorithm = common.Algorithm
		}
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

// operationOrPattern reads what is planned: operations, at most so many, or a pattern, which
// says for how many GPUs and ports it is unless flags do.
func (f *operationFlags) operationOrPattern(c *cobra.Command, args []string, most int, pattern *collective.PatternFile, machine *fabricFlags) ([]lightpath.Operation, error) {
	if pattern == nil {
		if len(args) == 0 || len(args) > most {
			return nil, single(c, args)
		}
		return f.operations(c, args, machine)
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("%s --pattern: takes no operation", c.Name())
	}
	for _, flag := range binder.Given(c, &f.given) {
		if flag != "size" {
			return nil, fmt.Errorf("--%s: not with --pattern, which defines it", flag)
		}
		if pattern.Space.Kind == collective.Listed || pattern.Space.Sizes != nil {
			return nil, fmt.Errorf("--size: %s gives the size of each chunk", c.Flags().Lookup("pattern").Value)
		}
		if err := binder.Fill(c, &f.given, "op"); err != nil {
			return nil, err
		}
		pattern.Size = f.given.Size
	}
	patternFabric(c, pattern, machine)
	return nil, nil
}

// patternFabric has a pattern say how many GPUs and ports there are where no flag does.
func patternFabric(c *cobra.Command, p *collective.PatternFile, machine *fabricFlags) {
	if !c.Flags().Changed("nodes") {
		machine.fixed("nodes", fmt.Sprint(p.Nodes))
	}
	if !c.Flags().Changed("ports") && p.Ports > 0 {
		machine.fixed("ports", fmt.Sprint(p.Ports))
	}
}

// single refuses other arguments than one OP.
func single(c *cobra.Command, args []string) error {
	return wants(1, 1, "want one operation", "allreduce")(c, args)
}

const sizeHelp = `SIZE means the buffer for allreduce, broadcast and reduce; the gathered result
for allgather and gather; the input for reducescatter and scatter; and what one
GPU holds for alltoall.`
