package tuning_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/tuning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// A table for NCCL has one line for every size, and its algorithm is the faster of ring and tree.
func TestTablesForNCCLChooseTheFasterOfRingAndTree(t *testing.T) {
	t.Parallel()
	for _, f := range samples.Few(2, []fabric.Fabric{{Nodes: 8, Ports: 1}, {Nodes: 16, Ports: 1}, {Nodes: 6, Ports: 2}, {Nodes: 12, Ports: 2}, {Nodes: 16, Ports: 4}}) {
		machine := fabric.Default()
		machine.Nodes, machine.Ports = f.Nodes, f.Ports
		for _, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.Broadcast} {
			if op == collective.Broadcast && f.Ports == 1 && !samples.Every() {
				continue // such a table takes seconds
			}
			table, err := lightpath.Tune(t.Context(), lightpath.TuneRequest{Op: op, Fabric: machine, To: tuning.NCCLTuner, Most: 64 * units.MiB})
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := table.WriteNCCL(&file, 0); err != nil {
				t.Fatal(err)
			}
			reader := csv.NewReader(&file)
			reader.Comment = '#'
			lines, err := reader.ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for size := units.KiB; size <= 64*units.MiB; size = size*5 + 3 {
				var chosen []string
				for _, l := range lines {
					low, _ := strconv.ParseInt(l[1], 10, 64)
					high, _ := strconv.ParseInt(l[2], 10, 64)
					if int64(size) >= low && int64(size) <= high {
						chosen = append(chosen, l[3])
					}
					if len(l) != 8 || l[0] != string(op) || l[4] != "simple" || l[5] != strconv.Itoa(f.Ports) || l[6] != "-1" || l[7] != strconv.Itoa(f.Nodes) {
						t.Fatalf("%q", l)
					}
				}
				want, least := "", math.Inf(1)
				for _, name := range [][2]string{{"ring", "ring"}, {"double-binary-tree", "tree"}, {"chain", "ring"}} {
					if op != collective.AllReduce && name[1] == "tree" || (name[0] == "chain") != (op == collective.Broadcast) {
						continue
					}
					p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
						Fabric: machine, Planner: "static", Operations: []lightpath.Operation{{Op: op, Size: size, Algorithm: name[0]}},
					}, lightpath.WithoutBaselines())
					if err != nil {
						t.Fatal(err)
					}
					if took := float64(p.Cost.Total()); took < least {
						want, least = name[1], took
					}
				}
				if strings.Join(chosen, " ") != want {
					t.Errorf("%d GPUs, %d ports, %s of %v: %q, not %q", f.Nodes, f.Ports, op, size, chosen, want)
				}
			}
		}
	}
}

// Choices that NCCL's tuner does not offer are refused.
func TestTablesForNCCLRefuse(t *testing.T) {
	t.Parallel()
	for says, r := range map[string]lightpath.TuneRequest{
		"does not choose for alltoall": {Op: collective.AllToAll, To: tuning.NCCLTuner},
		"unknown format":               {Op: collective.AllReduce, To: "nccl"},
		"not in 1..64":                 {Op: collective.AllReduce, To: tuning.NCCLTuner, Channels: -1},
		"leave algorithm and planner":  {Op: collective.AllReduce, To: tuning.NCCLTuner, Algorithm: "ring"},
		"only tables for NCCL":         {Op: collective.AllReduce, Channels: 2},
	} {
		if _, err := lightpath.Tune(t.Context(), r); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want ..%s..", err, says)
		}
	}
}
