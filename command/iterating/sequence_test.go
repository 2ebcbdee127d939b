package iterating_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/command/planning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// sequenceOf returns a workload of consecutive collectives of all ranks.
func sequenceOf(ranks int, operations []collective.Operation) *workload.Workload {
	group := make([]int, ranks)
	for i := range group {
		group[i] = i
	}
	w := &workload.Workload{Schema: workload.Schema, Ranks: ranks, Kinds: map[string][][]int{"all": {group}}, Programs: []workload.Program{{Ranks: workload.NewRankSet(group)}}}
	for i, op := range operations {
		job := workload.Op{ID: fmt.Sprint(i), Op: op.Op, Kind: "all", Size: op.Size}
		if i > 0 {
			job.After = []string{fmt.Sprint(i - 1)}
		}
		w.Programs[0].Ops = append(w.Programs[0].Ops, job)
	}
	return w
}

// TestOneKindIsASequence: consecutive collectives of all ranks without compute take no longer
// than the sequence that plan makes of them, if both start without circuits: on 4 to 8 GPUs and
// on 128, and in a case that once took 2% longer.
func TestOneKindIsASequence(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 9))
	type drawn struct {
		fabric     fabric.Fabric
		operations []collective.Operation
	}
	dark := fabric.Default()
	dark.Nodes, dark.Initial, dark.Reconfig.Base = 8, fabric.InitialDark, 3*units.Microsecond
	cases := []drawn{{dark, []collective.Operation{{Op: collective.AllReduce, Size: units.MiB}, {Op: collective.AllToAll, Size: units.MiB}, {Op: collective.AllGather, Size: 64 * units.KiB}}}}
	for i := range samples.Draws(8, 16) {
		f := dark
		f.Nodes, f.Ports = []int{4, 5, 6, 8}[random.IntN(4)], 1+random.IntN(2)
		if i%8 == 7 {
			f.Nodes = 128
		}
		f.Reconfig.Base = []units.Duration{0, units.Microsecond, 3 * units.Microsecond, 10 * units.Microsecond, 50 * units.Microsecond}[random.IntN(5)]
		var operations []collective.Operation
		for range 2 + random.IntN(2) {
			operations = append(operations, collective.Operation{Op: []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll}[random.IntN(4)],
				Size: units.Bytes(64<<(3*random.IntN(3))) * units.KiB})
		}
		if i%2 > 0 || samples.Every() {
			cases = append(cases, drawn{f, operations})
		}
	}
	for _, c := range cases {
		f := c.fabric
		sequence, err := planning.Plan(t.Context(), planning.PlanRequest{Operations: c.operations, Fabric: f}, command.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		d, err := iterating.Iterate(t.Context(), iterating.IterateRequest{Workload: sequenceOf(f.Nodes, c.operations), Fabric: f})
		if err != nil {
			t.Fatal(err)
		}
		if d.Iteration > sequence.Cost.Total()*(1+1e-9) {
			t.Errorf("%v on %d GPUs with %d ports and a delay of %v: the iteration takes %v, the sequence %v", c.operations, f.Nodes, f.Ports, f.Reconfig.Base, d.Iteration, sequence.Cost.Total())
		}
	}
}
