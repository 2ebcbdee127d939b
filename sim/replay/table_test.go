package replay_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

var rewrite = flag.Bool("rewrite", false, "write the table of docs/packets.md anew")

// The table is between these lines of the file.
const (
	packetsFile = "../../docs/packets.md"
	tableBegins = "<!-- written by go test ./sim/replay -run TestPacketTable -rewrite -->\n"
	tableEnds   = "<!-- end -->\n"
)

// listed are the plans of the table: planner, operation/algorithm, GPUs, ports.
var listed = []struct {
	planner, operation string
	nodes, ports       int
	size               units.Bytes
}{
	{"static", "allreduce/ring", 32, 1, 4 * units.MiB},
	{"static", "allreduce/recursive-doubling", 32, 1, 4 * units.MiB},
	{"static", "allreduce/swing", 32, 2, 4 * units.MiB},
	{"static", "allreduce/swing", 16, 3, 4 * units.MiB},
	{"static", "alltoall/retri", 32, 3, 4 * units.MiB},
	{"static", "alltoall/direct", 16, 4, 4 * units.MiB},
	{"static", "broadcast/binomial", 32, 2, units.MiB},
	{"static", "allreduce/recursive-doubling", 64, 6, units.MiB},
	{"every-step", "allreduce/recursive-doubling", 32, 1, 4 * units.MiB},
	{"every-step", "allreduce/swing", 32, 2, 4 * units.MiB},
	{"every-step", "alltoall/shift", 16, 1, units.MiB},
	{"every-step", "alltoall/bruck-index", 16, 2, units.MiB},
	{"every-step", "broadcast/binomial", 32, 1, units.MiB},
	{"every-step", "allgather/bruck", 24, 3, units.MiB},
	{"light-bends", "allreduce/recursive-doubling", 32, 1, 4 * units.MiB},
	{"light-bends", "allreduce/swing", 32, 2, 4 * units.MiB},
	{"light-bends", "alltoall/shift", 16, 2, units.MiB},
	{"light-bends", "allreduce/bine", 64, 4, units.MiB},
	{"light-bends", "broadcast/binomial", 64, 2, units.MiB},
	{"light-bends", "allreduce/halving-doubling", 32, 3, 64 * units.KiB},
	{"harvest", "allreduce/recursive-doubling", 64, 1, 4 * units.MiB},
	{"harvest", "allreduce/swing", 32, 2, 4 * units.MiB},
	{"harvest", "alltoall/shift", 16, 2, units.MiB},
	{"harvest", "alltoall/direct", 12, 6, 4 * units.MiB},
	{"harvest", "allgather/bruck", 24, 2, units.MiB},
	{"harvest", "allreduce/halving-doubling", 32, 4, 64 * units.KiB},
	{"harvest", "broadcast/binomial", 32, 3, 16 * units.KiB},
	{"exchange", "alltoall/exchange", 16, 1, units.MiB},
	{"exchange", "alltoall/exchange", 16, 2, units.MiB},
	{"exchange", "alltoall/exchange", 24, 3, 4 * units.MiB},
	{"exchange", "alltoall/exchange", 32, 2, 64 * units.KiB},
	{"exchange", "alltoall/exchange", 64, 1, units.MiB},
	{"direct-connect", "allreduce/bfb", 32, 2, 4 * units.MiB},
	{"direct-connect", "allreduce/bfb", 16, 4, units.MiB},
	{"direct-connect", "allgather/bfb", 64, 4, units.MiB},
	{"direct-connect", "reducescatter/bfb", 24, 3, units.MiB},
	{"staggered", "allreduce/recursive-doubling", 32, 4, 4 * units.MiB},
	{"staggered", "allreduce/recursive-doubling", 16, 2, units.MiB},
	{"joint", "allreduce/joint", 64, 1, 4 * units.MiB},
	{"joint", "allreduce/joint", 32, 2, units.MiB},
	{"joint", "allgather/joint", 32, 2, units.MiB},
	{"joint", "broadcast/joint", 32, 1, units.MiB},
	{"derived", "gather/derived", 20, 1, 256 * units.KiB},
	{"derived", "broadcast/derived", 16, 4, units.MiB},
	{"resized", "allreduce/resized", 31, 1, 64 * units.KiB},
}

// TestPacketTable: the table in the documentation has what the simulator finds now and all
// planners, and no plan in it is more than 2% late.
func TestPacketTable(t *testing.T) {
	var table strings.Builder
	fmt.Fprintln(&table, "| planner | operation | GPUs | ports | size | model | packets | difference | why |")
	fmt.Fprintln(&table, "|---------|-----------|-----:|------:|-----:|------:|--------:|-----------:|-----|")
	var planners []string
	var on, off paces
	for _, x := range listed {
		f := fabric.Default()
		f.Nodes, f.Ports = x.nodes, x.ports
		if x.planner == "staggered" {
			f.Overlap.Kind = fabric.OverlapPlanes
		}
		p := makePlan(t, f, x.operation, x.size, x.planner, strategy.Auto, "")
		if p == nil {
			t.Errorf("no plan of %+v", x)
			continue
		}
		planners = append(planners, p.Planner)
		o := sim.Options{Forwarding: f.Forwarding, Orbit: true}
		result, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, replay.PaceMerging), o)
		if err != nil {
			t.Fatal(err)
		}
		on.add(t, p, replay.PaceOn, o, result.Completion)
		off.add(t, p, replay.PaceOff, o, result.Completion)
		explanation, err := replay.Explain(p, sim.PacketLevel, o, result.Phases, nil)
		if err != nil {
			t.Fatal(err)
		}
		difference := float64(result.Completion.Time()/p.Cost.Total()) - 1
		if difference > 0.02 {
			t.Errorf("%+v is %.2f%% late", x, 100*difference)
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %d | %v | %v | %v | %+.2f%% | %s |\n", x.planner, strings.Replace(x.operation, "/", ", ", 1),
			x.nodes, x.ports, x.size, p.Cost.Total(), result.Completion.Time(), 100*difference, reasons(explanation.Total))
	}
	for _, p := range lightpath.Planners() {
		traits, ideal := planner.TraitsOf(p), fabric.Default()
		if traits.Applies != nil && traits.Applies(&ideal) != nil {
			continue // it is for layouts: see its own tests
		}
		if !slices.Contains(planners, p.Name()) && !traits.Best {
			t.Errorf("no plan of planner %s", p.Name())
		}
	}
	if len(planners) < 40 {
		t.Errorf("%d plans", len(planners))
	}
	if on.faster > on.slower/10 {
		t.Errorf("%d plans are faster at a pace in all steps, %d slower", on.faster, on.slower)
	}
	fmt.Fprintf(&table, "\nWhy the pace is held only where routes merge: with `--pace on`, in all steps, %d of these plans\n"+
		"take longer, by up to %.1f%%, because packets no longer hide propagation, and %d less, by up to\n"+
		"%.1f%%; with `--pace off` %d take longer, by up to %.1f%%, and %d less, by up to %.1f%%.\n",
		on.slower, 100*on.most, on.faster, 100*on.least, off.slower, 100*off.most, off.faster, 100*off.least)
	checkTable(t, table.String())
}

// paces compares the times of plans at another pace with those at the default one.
type paces struct {
	slower, faster int
	most, least    float64 // by how much at most
}

func (x *paces) add(t *testing.T, p *plan.Plan, pace replay.Pace, o sim.Options, normal units.Duration) {
	t.Helper()
	result, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, pace), o)
	if err != nil {
		t.Fatal(err)
	}
	// Less than a thousandth is rounding.
	switch by := float64(result.Completion)/float64(normal) - 1; {
	case by > 1e-3:
		x.slower++
		x.most = max(x.most, by)
	case by < -1e-3:
		x.faster++
		x.least = max(x.least, -by)
	}
}

// reasons lists what makes a difference, the largest first, without what is below a nanosecond.
func reasons(parts []replay.Part) string {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p replay.Part) bool { return math.Abs(float64(p.Time)) < 1 })
	slices.SortStableFunc(parts, func(a, b replay.Part) int {
		return cmp.Compare(math.Abs(float64(b.Time)), math.Abs(float64(a.Time)))
	})
	var texts []string
	for _, p := range parts {
		sign, time := "+", p.Time
		if time < 0 {
			sign, time = "-", -time
		}
		texts = append(texts, fmt.Sprintf("%s %s%v", p.Cause, sign, time))
	}
	return cmp.Or(strings.Join(texts, ", "), "exact")
}

// checkTable compares the table with the one in the file, or writes it.
func checkTable(t *testing.T, table string) {
	t.Helper()
	text, err := os.ReadFile(packetsFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegins)
	old, after, ended := strings.Cut(rest, tableEnds)
	switch {
	case !ok || !ended:
		t.Fatalf("%s has no place for the table", packetsFile)
	case *rewrite:
		if err := os.WriteFile(packetsFile, []byte(before+tableBegins+table+tableEnds+after), 0o666); err != nil {
			t.Fatal(err)
		}
	case old != table:
		t.Errorf("the table in %s has changed (-rewrite if that is right):\n%s", packetsFile, table)
	}
}
