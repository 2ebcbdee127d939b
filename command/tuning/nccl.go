package tuning

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// NCCLTuner is the form of table that NCCL's example tuner plugin reads.
const NCCLTuner = "nccl-tuner"

// NCCL's own names.
const (
	ncclRing = algorithms.Ring
	ncclTree = "tree"
)

// ncclAlgorithms are NCCL's algorithms for the collectives that it tunes: our name, and NCCL's.
var ncclAlgorithms = map[collective.Op][][2]string{
	collective.AllReduce:     {{algorithms.Ring, ncclRing}, {algorithms.DoubleBinaryTree, ncclTree}},
	collective.AllGather:     {{algorithms.Ring, ncclRing}},
	collective.ReduceScatter: {{algorithms.Ring, ncclRing}},
	collective.Broadcast:     {{algorithms.Chain, ncclRing}},
	collective.RootReduce:    {{algorithms.Chain, ncclRing}},
}

// completeTo checks the requested form of the table.
func (r *TuneRequest) completeTo() error {
	switch {
	case r.To == "" && r.Channels != 0:
		return field.Errorf("channels", "only tables for NCCL have channels; want to %q", NCCLTuner)
	case r.To == "":
		return nil
	case r.To != NCCLTuner:
		return field.Errorf("to", "unknown format %q; use %s", r.To, NCCLTuner)
	case r.Channels < 0 || r.Channels > maxChannels:
		return field.Errorf("channels", "%d is not in 1..%d", r.Channels, maxChannels)
	case r.Algorithm != collective.Auto || r.Planner != collective.Auto:
		return field.Errorf("to", "%s chooses among NCCL's own algorithms; leave algorithm and planner out", NCCLTuner)
	case r.Pattern != nil:
		return field.Errorf("to", "%s chooses among NCCL's own algorithms; leave the pattern out", NCCLTuner)
	case r.Op != "" && ncclAlgorithms[r.Op] == nil:
		return field.Errorf("to", "NCCL's tuner does not choose for %s; it does for %s", r.Op, ncclOps())
	}
	return nil
}

// maxChannels is NCCL's largest number of channels.
const maxChannels = 64

// ncclOps lists the collectives that NCCL tunes.
func ncclOps() string {
	var names []string
	for _, op := range collective.Ops() {
		if ncclAlgorithms[op] != nil {
			names = append(names, string(op))
		}
	}
	return strings.Join(names, ", ")
}

// ncclFastest plans a size with NCCL's choices: its algorithms on the circuits that are up.
func (r *TuneRequest) ncclFastest(ctx context.Context, e *command.Run, f fabric.Fabric, size units.Bytes) (*plan.Plan, error) {
	var best *plan.Plan
	var last error
	stays := ""
	for _, by := range e.Search.Planners() {
		if planner.TraitsOf(by).Baseline == plan.Static {
			stays = by.Name()
		}
	}
	for _, name := range ncclAlgorithms[r.Op] {
		p, err := r.planned(ctx, e, f, size, choice{name[0], stays})
		if errors.Is(err, planner.ErrInfeasible) {
			last = err
			continue
		}
		if err != nil {
			return nil, err
		}
		if best == nil || p.Cost.Total() < best.Cost.Total() {
			best = p
		}
	}
	if best == nil {
		return nil, last
	}
	return best, nil
}

// WriteNCCL writes all tables as the configuration of NCCL's example tuner plugin: one line per
// range of sizes, with the given number of channels; 0: one channel per port.
func (t *Tuning) WriteNCCL(w io.Writer, channels int) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Written by Lightpath %s. Set NCCL_TUNER_CONFIG_FILE to this file.\n", t.Version)
	fmt.Fprintln(out, "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks")
	for _, table := range t.Tables() {
		width := channels
		if width == 0 {
			width = min(table.Fabric.Ports, maxChannels)
		}
		machines := -1 // any
		if g := table.Fabric.Island.Size; g > 0 {
			machines = (table.Fabric.Nodes + g - 1) / g
		}
		for i := 0; i < len(table.Rows); {
			row := &table.Rows[i]
			name, err := ncclName(table.Op, row.Algorithm)
			if err != nil {
				return err
			}
			for i++; i < len(table.Rows); i++ { // with another number of pieces, which NCCL chooses itself
				if next, _ := ncclName(table.Op, table.Rows[i].Algorithm); next != name {
					break
				}
			}
			end := table.MostBytes
			if i < len(table.Rows) {
				end = table.Rows[i].FromBytes - 1
			}
			fmt.Fprintf(out, "# %s on %s: %v at %v\n", table.Op, strings.Join(row.Topologies, ", "), row.TotalNs, units.Bytes(row.FromBytes))
			fmt.Fprintf(out, "%s,%d,%d,%s,simple,%d,%d,%d\n", table.Op, row.FromBytes, end, name, width, machines, table.Fabric.Nodes)
		}
	}
	return out.Flush()
}

// ncclName returns NCCL's name of an algorithm, ignoring its options and what it does within
// islands.
func ncclName(op collective.Op, algorithm string) (string, error) {
	core, _, _ := strings.Cut(algorithm[strings.LastIndex(algorithm, "/")+1:], ":")
	for _, name := range ncclAlgorithms[op] {
		if name[0] == core {
			return name[1], nil
		}
	}
	return "", fmt.Errorf("NCCL has no algorithm %s for %s", algorithm, op)
}
