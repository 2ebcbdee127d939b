package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// operationFlags say what is common to the operations of a command.
type operationFlags struct {
	size      *word
	algorithm string
	gpus      *word
	demand    demandFlags
}

// defaultSize is a gradient bucket: large enough for bandwidth to matter, small enough
// for latency to matter too.
const defaultSize = "4MiB"

func addOperationFlags(c *cobra.Command) *operationFlags {
	f := &operationFlags{size: &word{defaultSize, "SIZE"}, gpus: &word{"", "LIST"}}
	c.Flags().SortFlags = false
	c.Flags().Var(f.size, "size", "of the collective, as said above, e.g. 16KiB")
	c.Flags().StringVar(&f.algorithm, "algorithm", lightpath.Auto, "`NAME` of the algorithm, or auto: the fastest")
	c.Flags().Var(f.gpus, "gpus", "that take part, e.g. 0-7,16 or 0-62:2 (default: all)")
	f.demand.add(c)
	return f
}

// demandFlags describe an all-to-all with bytes per pair.
type demandFlags struct {
	spec string
	seed uint64
}

func (f *demandFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.spec, "demand", "", "bytes per pair of an all-to-all: FILE.csv or FILE.json,\nor uniform, random, zipf:S, moe:K, of the given size on average `WHAT`")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of a demand that is drawn at random")
}

// read returns the demand for a number of GPUs, nil if there is none.
func (f *demandFlags) read(gpus int, size units.Bytes) (collective.Demand, error) {
	if f.spec == "" {
		return nil, nil
	}
	var d collective.Demand
	var err error
	if f.isFile() {
		d, err = collective.ReadDemandFile(f.spec)
	} else {
		d, err = collective.GenerateDemand(f.spec, gpus, size, f.seed)
	}
	if err != nil {
		return nil, fmt.Errorf("--demand: %w", err)
	}
	return d, nil
}

// isFile reports whether the demand is in a file, which says the bytes itself.
func (f *demandFlags) isFile() bool {
	lower := strings.ToLower(f.spec)
	return strings.HasSuffix(lower, ".csv") || strings.HasSuffix(lower, ".json")
}

const operationHelp = `An operation is OP, or OP/SIZE/ALGORITHM/gpus=LIST with any of these left out,
e.g. allreduce/64MiB/swing:8x8 or alltoall/gpus=0-7; flags apply to what it leaves
out.
`

// fixNodes takes the number of GPUs from a demand's file where no flag says it.
func (f *operationFlags) fixNodes(c *cobra.Command, machine *fabricFlags) error {
	if !f.demand.isFile() || c.Flags().Changed("nodes") || c.Flags().Changed("gpus") {
		return nil
	}
	d, err := collective.ReadDemandFile(f.demand.spec)
	if err != nil {
		return fmt.Errorf("--demand: %w", err)
	}
	machine.fixed("nodes", fmt.Sprint(len(d)))
	return nil
}

// operations reads arguments of the form OP[/SIZE][/ALGORITHM][/gpus=LIST].
func (f *operationFlags) operations(c *cobra.Command, args []string, on *fabric.Fabric) ([]lightpath.Operation, error) {
	if c.Flags().Changed("seed") && f.demand.spec == "" {
		return nil, fmt.Errorf("--seed: there is no --demand that is drawn at random")
	}
	common := lightpath.Operation{Algorithm: f.algorithm}
	size, err := positiveBytes(f.size.text)
	if err != nil {
		return nil, fmt.Errorf("--size: %w", err)
	}
	if c.Flags().Changed("gpus") {
		if common.GPUs, err = collective.ParseMembers(f.gpus.text); err == nil {
			err = collective.CheckMembers(common.GPUs, on.Nodes)
		}
		if err != nil {
			return nil, fmt.Errorf("--gpus: %w", err)
		}
	}
	var list []lightpath.Operation
	for _, arg := range args {
		o, err := parseOperation(arg, common, on)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name(), err)
		}
		if o.Op == collective.AllToAll && f.demand.isFile() && (o.Size > 0 || len(args) == 1 && c.Flags().Changed("size")) {
			return nil, fmt.Errorf("%s: a size, where --demand %s says the bytes of every pair", c.Name(), f.demand.spec)
		}
		if o.Size == 0 {
			o.Size = size
		}
		if o.Op == collective.AllToAll {
			gpus := on.Nodes
			if o.GPUs != nil {
				gpus = len(o.GPUs)
			}
			if o.Demand, err = f.demand.read(gpus, o.Size); err != nil {
				return nil, err
			}
		}
		list = append(list, o)
	}
	if f.demand.spec != "" && !slices.ContainsFunc(list, func(o lightpath.Operation) bool { return o.Op == collective.AllToAll }) {
		return nil, fmt.Errorf("--demand: bytes per pair are for %s", collective.AllToAll)
	}
	return list, nil
}

func parseOperation(text string, o lightpath.Operation, on *fabric.Fabric) (lightpath.Operation, error) {
	words := strings.Split(text, "/")
	op, err := collective.ParseOp(words[0])
	if err != nil {
		return o, err
	}
	o.Op = op
	given := map[string]bool{}
	for _, word := range words[1:] {
		kind := "algorithms"
		switch {
		case strings.HasPrefix(word, "gpus="):
			kind = "lists of GPUs"
			if o.GPUs, err = collective.ParseMembers(strings.TrimPrefix(word, "gpus=")); err == nil {
				err = collective.CheckMembers(o.GPUs, on.Nodes)
			}
		case word != "" && word[0] >= '0' && word[0] <= '9':
			kind = "sizes"
			o.Size, err = positiveBytes(word)
		case word == "":
			err = fmt.Errorf("nothing between two /")
		default:
			o.Algorithm = word
		}
		if err == nil && given[kind] {
			err = fmt.Errorf("two %s", kind)
		}
		if err != nil {
			return o, fmt.Errorf("%q: %w", text, err)
		}
		given[kind] = true
	}
	return o, nil
}

func positiveBytes(text string) (units.Bytes, error) {
	size, err := units.ParseBytes(text)
	if err == nil && size == 0 {
		err = fmt.Errorf("must be above 0B")
	}
	return size, err
}

// single reads the one argument OP.
func single(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s: want one operation, got %d arguments; e.g. %s allreduce", c.Name(), len(args), c.CommandPath())
	}
	return nil
}

const sizeHelp = `SIZE is, for allreduce, broadcast and reduce, the buffer; for allgather and
gather the gathered result; for reducescatter and scatter the input; for
alltoall what one GPU holds.`
