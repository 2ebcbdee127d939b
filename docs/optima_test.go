package docs_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/bound/boundtest"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

var optima = flag.Bool("optima", false, "find all optima of docs/optima.md anew, and write it")

// The cells of the table.
var optimaSizes = []units.Bytes{16 * units.KiB, 64 * units.KiB, 256 * units.KiB, units.MiB}

const (
	fewestOptima, mostOptima = 3, 6
	mostOptimaPorts          = 2
)

// optimumCell is a problem of the table.
type optimumCell struct {
	op           collective.Op
	nodes, ports int
	size         units.Bytes
}

// optimaOf lists the cells of an operation. Left out are those that take many minutes: pipelines of
// many steps, and small allreduces among five and six GPUs, whose states are up to 2^25 and 2^36.
func optimaOf(op collective.Op) []optimumCell {
	var list []optimumCell
	for nodes := fewestOptima; nodes <= mostOptima; nodes++ {
		for ports := 1; ports <= mostOptimaPorts; ports++ {
			for _, size := range optimaSizes {
				switch op {
				case collective.AllReduce:
					switch {
					case nodes+ports > 7, nodes == 5 && ports == 2 && size == 64*units.KiB, nodes == 6 && size < 256*units.KiB:
						continue
					}
				case collective.Broadcast, collective.RootReduce:
					if size > 256*units.KiB && nodes >= 4+ports {
						continue
					}
				}
				list = append(list, optimumCell{op, nodes, ports, size})
			}
		}
	}
	return list
}

// quick reports whether a cell is proven again in every test.
func (c optimumCell) quick() bool {
	switch {
	case c.op == collective.AllReduce:
		return c.nodes <= 4 && c.ports == 1 || c.nodes == 3
	case c.size > 256*units.KiB && (c.op == collective.Broadcast || c.op == collective.RootReduce):
		return c.nodes == 3
	}
	return c.nodes <= 4 || c.nodes == 5 && c.size <= 64*units.KiB
}

func (c optimumCell) fabric() fabric.Fabric {
	f := fabric.Default()
	f.Nodes, f.Ports = c.nodes, c.ports
	return f
}

func (c optimumCell) plan(t *testing.T) *plan.Plan {
	t.Helper()
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: c.fabric(), Operations: []lightpath.Operation{{Op: c.op, Size: c.size}}}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// find returns what is proven. A plan that keeps its circuits is a limit that speeds it up.
func (c optimumCell) find(limit units.Time) boundtest.Answer {
	f := c.fabric()
	return boundtest.Find(boundtest.Problem{Fabric: &f, Op: c.op, Size: c.size}, limit)
}

// overChanges reports whether no plan that changes circuits is faster than a time: it takes two
// start-ups, two hops, the change, and what a GPU must send or receive.
func (c optimumCell) overChanges(time units.Time) bool {
	f := c.fabric()
	bytes := float64(c.size)
	switch c.op {
	case collective.AllReduce:
		bytes *= 2 * float64(c.nodes-1) / float64(c.nodes)
	case collective.AllGather, collective.ReduceScatter, collective.AllToAll:
		bytes *= float64(c.nodes-1) / float64(c.nodes)
	}
	return f.LeastWait()+2*(f.Alpha.Time()+f.Delta.Time())+f.Bandwidth.Transmit(bytes/float64(c.ports)) >= time
}

const optimaHead = `# Proven optima

These are the fastest possible plans for three to six GPUs, found by exhaustive search, beside the plans of "lightpath
plan". The fabric is the default: 800 Gbps per port, start-up and hop 500 ns each, cut-through, reconfiguration 10 us.

The search (package "bound/boundtest") tries all circuits before the first step, and all numbers of steps and of hops per
step. For each of these, a linear program finds the best division of the data over everything that a byte can do. So
"fastest" ranges over all plans that keep their circuits, in steps that all GPUs take together. Buffers may be cut into
parts of any size, and the parts may take different routes. Where the last column says "all", plans that reconfigure are
not faster either: the reconfiguration delay alone takes longer.

For an allreduce, the search follows single bytes: whose inputs are in the sums of each GPU, and how many circuits a byte
passes. That proves a bound for every plan ("at least"), and the optimum where our plan takes no longer.

Columns: "fastest" in ns; the hops of its steps, first to last; our plan in ns, how much longer it takes, and its
reconfigurations if it has any (the search does not cover such a plan, and it may be faster); how far the general bound
([joint.md](joint.md), section 5) is below the fastest. "go test ./docs -run Optima -optima -timeout 0" writes this page.
Every test run proves the smallest rows again, and checks that no plan is faster than its row.
`

// time prints what is compared: a tenth of a nanosecond.
func optimumTime(t units.Time) string { return strconv.FormatFloat(float64(t), 'f', 1, 64) }

// rows finds the rows of some cells, as many at a time as there are cores.
func rows(t *testing.T, cells []optimumCell) []string {
	t.Helper()
	var work sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	list := make([]string, len(cells))
	for i, c := range cells {
		p := c.plan(t)
		free <- struct{}{}
		work.Go(func() {
			list[i] = c.row(p)
			<-free
		})
	}
	work.Wait()
	return list
}

// row finds an optimum and writes its row.
func (c optimumCell) row(p *plan.Plan) string {
	time, limit := p.Cost.Total(), units.Time(math.Inf(1))
	stays := p.Reconfigurations == 0
	if stays {
		limit = time * (1 + 1e-5) // to find it, too
	}
	a := c.find(limit)
	fastest, ranges := optimumTime(a.Lower), "those that stay"
	reached := stays && time < a.Lower*(1+1e-5)
	if reached {
		fastest = optimumTime(min(time, a.Lower))
	}
	if c.overChanges(a.Lower) {
		ranges = "all"
	}
	if c.op == collective.AllReduce && !reached {
		fastest = "at least " + fastest
	}
	longer := fmt.Sprintf("%.1f%%", max(0, 100*float64(time/a.Lower-1)))
	if !stays {
		longer = fmt.Sprintf("%.1f%%, %d changes", 100*float64(time/a.Lower-1), p.Reconfigurations)
	}
	steps := strings.ReplaceAll(strings.Trim(fmt.Sprint(a.Steps), "[]"), " ", ", ")
	return fmt.Sprintf("%s%s | %s | %s | %s | %.1f%% | %s |", c.begins(), fastest, steps, optimumTime(time), longer,
		max(0, 100*(1-float64(p.OperationBound().Total()/a.Lower))), ranges)
}

// begins is how the row of a cell begins.
func (c optimumCell) begins() string {
	return fmt.Sprintf("| %d | %d | %v | ", c.nodes, c.ports, c.size)
}

// The table says what can be proven again, and no plan is faster than that or slower than it was.
func TestOptimaAreProvenAndNotBeaten(t *testing.T) {
	path := filepath.Join(root, "docs", "optima.md")
	if *optima {
		text := optimaHead
		for _, op := range boundtest.Ops {
			text += fmt.Sprintf("\n## %s\n\n| GPUs | ports | size | fastest | hops of steps | our plan | longer by | bound below by | of plans |\n|---:|---:|---:|---:|---|---:|---:|---:|---|\n", op)
			for _, row := range rows(t, optimaOf(op)) {
				text += row + "\n"
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(written), optimaHead) {
		t.Error("docs/optima.md begins with other words than here")
	}
	proven, reached, rows := 0, 0, 0
	for _, op := range boundtest.Ops {
		_, table, _ := strings.Cut(string(written), "\n## "+string(op)+"\n")
		table, _, _ = strings.Cut(table, "\n## ")
		for _, c := range optimaOf(op) {
			_, row, ok := strings.Cut(table, "\n"+c.begins())
			row, _, _ = strings.Cut(row, "\n")
			cells := strings.Split(row, " | ")
			if !ok || len(cells) != 6 {
				t.Fatalf("%s: no row begins with %s", op, c.begins())
			}
			fastest, err := strconv.ParseFloat(strings.TrimPrefix(cells[0], "at least "), 64)
			if err != nil {
				t.Fatal(err)
			}
			before, err := strconv.ParseFloat(cells[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			const rounded = 0.11 // of what is written, and a relative 1e-6 of what is found
			p := c.plan(t)
			now := float64(p.Cost.Total())
			if p.Reconfigurations == 0 && now < fastest-rounded {
				t.Errorf("%s%s: a plan takes %v ns", c.begins(), row, now)
			}
			if now > before+rounded {
				t.Errorf("%s%s: now %v ns", c.begins(), row, now)
			}
			if least := float64(p.OperationBound().Total()); least > fastest+rounded {
				t.Errorf("%s%s: the bound is %v ns", c.begins(), row, least)
			}
			rows++
			if now < fastest+rounded {
				reached++
			}
			if c.quick() && !*optima {
				proven++
				if a := c.find(units.Time(fastest * (1 + 1e-4))); math.Abs(float64(a.Lower)-fastest) > rounded+1e-5*fastest {
					t.Errorf("%s%s: proven anew: %v ns", c.begins(), row, float64(a.Lower))
				}
			}
		}
	}
	t.Logf("%d rows, %d proven anew, our plan is the fastest in %d", rows, proven, reached)
}
