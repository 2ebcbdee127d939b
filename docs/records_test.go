package docs_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/direct/finder/findertest"
	"github.com/lightpath-net/lightpath/units"
)

var (
	records        = flag.Bool("records", false, "plan all classes of docs/records.md anew, and write it")
	recordedGraphs = flag.Bool("record-topologies", false, "write the topologies of docs/records.md anew, and no plans")
)

// The classes that have a record. The fabric is the default one but for its GPUs and ports.
var (
	recordOps   = []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Broadcast, collective.RootReduce}
	recordNodes = []int{8, 12, 16, 32, 64, 128}
	recordPorts = []int{1, 2, 4}
	recordSizes = []units.Bytes{16 * units.KiB, units.MiB, 64 * units.MiB}
)

// mostChecked is the number of GPUs up to which records are planned in tests: fewChecked rows of
// all operations and sizes, or all of them with -every.
const mostChecked, fewChecked = 16, 41

// record plans a class, and writes its row: the fastest plan, how it is made, and the bound.
func record(t *testing.T, op collective.Op, nodes, ports int, size units.Bytes) string {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: op, Size: size}}}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	least := p.OperationBound().Total()
	return fmt.Sprintf("| %d | %d | %v | %v | %s, %s | %d | %v | %.1f%% |", nodes, ports, size, p.Cost.Total(), p.Collective.Algorithm, p.Planner,
		p.Reconfigurations, least, 100*max(0, float64(p.Cost.Total()/least)-1))
}

// recordsHead is what the document says before its tables.
const recordsHead = `# Records

These are the fastest plans known, and the bounds that no plan can beat. The fabric is that of "lightpath plan" without
flags: 800 Gbps per port, start-up and hop 500 ns each, cut-through, reconfiguration 10 us; the first circuits cost no
delay. Every plan was verified when it was made. A bound holds for any algorithm, any circuits and any routes
([model.md](model.md)). A gap of 0.0% proves that no plan is faster by more than 0.05%.

See a record, save it and prove it:

__FENCE__sh
lightpath plan allgather --nodes 12 --ports 2 --size 1MiB -o record.json
lightpath verify record.json
__FENCE__

To beat a record, write a plan file for the same fabric, operation and size in any way you like ([plan files](plan-files.md)). If
"lightpath verify" accepts it and its time is below the record, the record is yours. "go test ./docs -run Records
-records" writes this page. Every test run plans some rows of up to 16 GPUs again.
`

// Records are what is planned today. All of them are planned anew on demand, and some small ones
// in every test.
func TestRecordsAreWhatIsPlanned(t *testing.T) {
	path := filepath.Join(root, "docs", "records.md")
	if *records {
		text := strings.ReplaceAll(recordsHead, "__FENCE__", "```")
		for _, op := range recordOps {
			text += fmt.Sprintf("\n## %s\n\n| GPUs | ports | size | time | algorithm, planner | changes | bound | gap |\n|---:|---:|---:|---:|---|---:|---:|---:|\n", op)
			for _, nodes := range recordNodes {
				for _, ports := range recordPorts {
					for _, size := range recordSizes {
						text += record(t, op, nodes, ports, size) + "\n"
					}
				}
			}
		}
		text += topologies(t)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		// The studio has them, too.
		if out, err := exec.CommandContext(t.Context(), "go", "test", "../server/studio", "-run", "Records", "-stored").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *recordedGraphs {
		plans, _, _ := strings.Cut(string(written), "\n## Topologies\n")
		written = []byte(plans + topologies(t))
		if err := os.WriteFile(path, written, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasPrefix(string(written), strings.ReplaceAll(recordsHead, "__FENCE__", "```")) {
		t.Error("docs/records.md begins with other words than here")
	}
	if !strings.HasSuffix(string(written), topologies(t)) {
		t.Error("docs/records.md ends with other topologies; go test ./docs -run Records -record-topologies")
	}
	var checks []func()
	for _, op := range recordOps {
		_, table, _ := strings.Cut(string(written), "\n## "+string(op)+"\n")
		table, _, _ = strings.Cut(table, "\n## ")
		for _, nodes := range recordNodes {
			for _, ports := range recordPorts {
				for _, size := range recordSizes {
					start := fmt.Sprintf("\n| %d | %d | %v | ", nodes, ports, size)
					if strings.Count(table, start) != 1 {
						t.Errorf("%s: %d rows begin with %q", op, strings.Count(table, start), start)
					}
					if nodes > mostChecked || *records {
						continue
					}
					checks = append(checks, func() {
						if row := record(t, op, nodes, ports, size); !strings.Contains(table, "\n"+row+"\n") {
							t.Errorf("%s: no row is %s; go test ./docs -run Records -records", op, row)
						}
					})
				}
			}
		}
	}
	for _, check := range samples.Few(fewChecked, checks) {
		check()
	}
}

// topologiesHead is what the document says before the table of topologies.
const topologiesHead = `
## Topologies

These topologies never change. They come from a search, because no family of graphs is as good. Steps and bandwidth are
those of an allreduce by breadth-first broadcasts; bandwidth is the time in units of M/B, with M the size and B the rate
of all ports of a GPU. The last column is the bound for any graph of this size; *both* means that the topology meets it in
both respects, so no other can be better. "lightpath find --nodes 17 --degree 2" shows these topologies beside those of
the families (two-way: "--bidirectional"). To beat a topology, find a graph with as many steps and less bandwidth, or
with fewer steps and as much bandwidth. Up to 32 GPUs and seven ports, 3.5 to 7.9 billion exchanges of circuits of
random graphs beat none of these ("planner/direct/stored/swaps.txt" lists them; one core makes 1.3 billion in an hour).

| GPUs | ports | circuits | steps | bandwidth | topology | bound |
|---:|---:|---|---:|---:|---|---|
`

// topologies writes the topologies that are stored.
func topologies(t *testing.T) string {
	t.Helper()
	all, err := findertest.Records()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString(topologiesHead)
	for _, r := range all {
		way, bound := "one-way", fmt.Sprintf("%d steps, %s", r.Bound.Steps, r.Bound.Bandwidth.RatString())
		if r.TwoWay {
			way = "two-way"
		}
		if r.Optimal() {
			bound = "both"
		}
		expr := r.Expr.String()
		if len(expr) > 60 {
			expr = expr[:57] + "..."
		}
		fmt.Fprintf(&text, "| %d | %d | %s | %d | %s | `%s` | %s |\n", r.Nodes, r.Degree, way, r.Cost.Steps, r.Cost.Bandwidth.RatString(), expr, bound)
	}
	return text.String()
}
