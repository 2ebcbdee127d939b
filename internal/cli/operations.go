package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/units"
)

// operationFlags say what is common to the operations of a command.
type operationFlags struct {
	size      *word
	algorithm string
	gpus      *word
	demand    demandFlags
}

func addOperationFlags(c *cobra.Command) *operationFlags {
	f := &operationFlags{size: &word{collective.DefaultSize.String(), "SIZE"}, gpus: &word{"", "LIST"}}
	c.Flags().SortFlags = false
	c.Flags().Var(f.size, "size", "size of the collective, as defined above, e.g. 16KiB")
	c.Flags().StringVar(&f.algorithm, "algorithm", lightpath.Auto, "algorithm `NAME`, or auto: the fastest")
	c.Flags().Var(f.gpus, "gpus", "participating GPUs, e.g. 0-7,16 or 0-62:2 (default: all)")
	f.demand.add(c)
	offer(c, "algorithm", algorithmNames)
	return f
}

// demandFlags describe an all-to-all with bytes per pair.
type demandFlags struct {
	spec string
	seed uint64
}

func (f *demandFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.spec, "demand", "", "bytes of every pair of an all-to-all, `WHAT`: FILE.csv or FILE.json, or uniform, random, zipf:S or moe:K with the given size as the mean")
	c.Flags().Uint64Var(&f.seed, "seed", collective.DefaultSeed, "random seed `N` of --demand")
}

// value returns the demand: that of a file, or the word of a generator.
func (f *demandFlags) value() (d collective.DemandValue, err error) {
	if !f.isFile() {
		d.Generator = f.spec
		return d, nil
	}
	d.Bytes, err = collective.ReadDemandFile(f.spec)
	if err != nil {
		return d, fmt.Errorf("--demand: %w", err)
	}
	return d, nil
}

// isFile reports whether the demand is in a file, which says the bytes itself.
func (f *demandFlags) isFile() bool {
	lower := strings.ToLower(f.spec)
	return strings.HasSuffix(lower, ".csv") || strings.HasSuffix(lower, ".json")
}

// seedOf returns the seed if it was given.
func seedOf(c *cobra.Command, seed uint64) *uint64 {
	if !c.Flags().Changed("seed") {
		return nil
	}
	return &seed
}

const operationHelp = `An operation is OP, or OP/SIZE/ALGORITHM/gpus=LIST with any of the last three
left out, e.g. allreduce/64MiB/swing:8x8 or alltoall/gpus=0-7; flags fill in
what it leaves out.
`

// operations reads arguments as collective.ParseOperation does; flags fill in what they
// leave out. A demand's file says the number of GPUs where no flag does.
func (f *operationFlags) operations(c *cobra.Command, args []string, machine *fabricFlags) ([]lightpath.Operation, error) {
	common, err := f.common(c)
	if err != nil {
		return nil, err
	}
	demand, err := f.demand.value()
	if err != nil {
		return nil, err
	}
	if demand.Bytes != nil && !c.Flags().Changed("nodes") && !c.Flags().Changed("gpus") {
		machine.fixed("nodes", fmt.Sprint(len(demand.Bytes)))
	}
	var list []lightpath.Operation
	for _, arg := range args {
		o, err := collective.ParseOperation(arg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name(), err)
		}
		if o.Op == collective.AllToAll {
			if demand.Bytes != nil && (o.Size > 0 || len(args) == 1 && c.Flags().Changed("size")) {
				return nil, fmt.Errorf("%s: a size: --demand %s already gives the bytes of every pair", c.Name(), f.demand.spec)
			}
			o.Demand, o.Generator = demand.Bytes, demand.Generator
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
	if f.demand.spec != "" && !slices.ContainsFunc(list, func(o lightpath.Operation) bool { return o.Op == collective.AllToAll }) {
		return nil, fmt.Errorf("--demand: only for %s", collective.AllToAll)
	}
	return list, nil
}

// common is what the flags say, of those that were given.
func (f *operationFlags) common(c *cobra.Command) (o lightpath.Operation, err error) {
	if c.Flags().Changed("size") {
		if o.Size, err = units.ParsePositiveBytes(f.size.text); err != nil {
			return o, fmt.Errorf("--size: %w", err)
		}
	}
	if c.Flags().Changed("gpus") {
		if o.GPUs, err = collective.ParseMembers(f.gpus.text); err != nil {
			return o, fmt.Errorf("--gpus: %w", err)
		}
	}
	if c.Flags().Changed("algorithm") {
		o.Algorithm = f.algorithm
	}
	o.Seed = seedOf(c, f.demand.seed)
	if o.Seed != nil && f.demand.spec == "" {
		return o, fmt.Errorf("--seed: only with a random --demand")
	}
	return o, nil
}

// single reads the one argument OP.
func single(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s: want one operation, got %d arguments; e.g. %s allreduce", c.Name(), len(args), c.CommandPath())
	}
	return nil
}

const sizeHelp = `SIZE means the buffer for allreduce, broadcast and reduce; the gathered result
for allgather and gather; the input for reducescatter and scatter; and what one
GPU holds for alltoall.`
