package planning_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// sparse returns a demand in which most pairs have nothing, but at least one pair has something.
func sparse(n int, seed uint64) collective.Demand {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := make(collective.Demand, n)
	for s := range d {
		d[s] = make([]int64, n)
		for t := range d[s] {
			if rng.IntN(3) == 0 {
				d[s][t] = 1 + rng.Int64N(1<<22)
			}
		}
	}
	d[n-1][0] = 12345
	return d
}

// drawn returns a random demand of a kind.
func drawn(t testing.TB, kind string, n int, seed uint64) collective.Demand {
	t.Helper()
	if kind == "sparse" {
		return sparse(n, seed)
	}
	d, err := collective.GenerateDemand(kind, n, units.MiB, seed)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// proven checks a plan against the naive interpreter and the naive price, and returns the bytes
// delivered from each node to each other node.
func proven(t testing.TB, p *plan.Plan) [][]float64 {
	t.Helper()
	n := naive(t, p)
	delivered, err := n.run()
	if err != nil {
		t.Fatal(err)
	}
	total, err := n.price(p.Fabric.Initial == fabric.InitialDark)
	if err != nil {
		t.Fatal(err)
	}
	if !alike(total, float64(p.Cost.Total())) || !alike(n.CostNs["total"], total) {
		t.Fatalf("takes %v ns, the plan says %v and its file %v", total, p.Cost.Total(), n.CostNs["total"])
	}
	if p.Bound > p.Cost.Total()*(1+1e-9) {
		t.Fatalf("the bound %v is above %v", p.Bound, p.Cost.Total())
	}
	return delivered
}

// Every algorithm and every planner delivers the demand of every pair: Plan verifies the plans,
// and the naive interpreter and the naive price of a file agree.
func TestExchangesWithBytesPerPair(t *testing.T) {
	t.Parallel()
	kinds := []string{"random", "zipf:1.2", "moe:2", "sparse"}
	planners := []string{"static", "every-step", "light-bends", "harvest"}
	for n := 2; n <= 12; n++ {
		for ports := 1; ports <= 4; ports++ {
			kind := kinds[(n+ports)%len(kinds)] // each n meets each kind
			d := drawn(t, kind, n, uint64(n*ports))
			t.Run(fmt.Sprintf("%s/n=%d/ports=%d", kind, n, ports), func(t *testing.T) {
				t.Parallel()
				f := fabric.Default()
				f.Nodes, f.Ports = n, ports
				if n <= 5 {
					exchangeEveryWay(t, f, d, planners)
					return
				}
				f.Routing = flow.ShortestSplit // linear programs without symmetry take long
				exchangeEveryWay(t, f, d, planners[n%4:n%4+1])
			})
		}
	}
}

func exchangeEveryWay(t *testing.T, f fabric.Fabric, d collective.Demand, planners []string) {
	shape, _ := algorithms.ExchangeShape(d, f.Ports)
	for _, a := range algorithms.For(collective.AllToAll, shape) {
		for _, planning := range planners {
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{
				Fabric: f, Planner: planning,
				Operations: []lightpath.Operation{{Op: collective.AllToAll, Algorithm: a.Name, Demand: d}},
			}, lightpath.WithoutBaselines())
			if errors.Is(err, planner.ErrInfeasible) {
				continue
			}
			if err != nil {
				t.Fatalf("%s with %s: %v", a.Name, planning, err)
			}
			delivered := proven(t, p)
			for s := range d {
				for r, bytes := range d[s] {
					if s != r && !alike(delivered[s][r], float64(bytes)) {
						t.Errorf("%s with %s: %d sends %v to %d, want %d", a.Name, planning, s, delivered[s][r], r, bytes)
					}
				}
			}
		}
	}
}

// made plans operations on a fabric.
func made(t testing.TB, f fabric.Fabric, planning string, operations ...lightpath.Operation) *plan.Plan {
	t.Helper()
	p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Planner: planning, Operations: operations}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatalf("%+v: %v", operations, err)
	}
	return p
}

// With circuits for every matching, a decomposition takes the time that the busiest node needs
// to send or receive: no division into matchings is faster.
func TestBvnSendsNoLongerThanTheBusiestNode(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"random", "zipf:0.4", "zipf:1.2", "moe:2", "sparse"} {
		for _, n := range []int{2, 3, 5, 8, 13, 16} {
			d := drawn(t, kind, n, 7)
			if _, uniform := d.Uniform(); uniform {
				continue
			}
			busiest := int64(0)
			for u := range n {
				row, column := int64(0), int64(0)
				for v := range n {
					if u != v {
						row += d[u][v]
						column += d[v][u]
					}
				}
				busiest = max(busiest, row, column)
			}
			f := fabric.Default()
			f.Nodes = n
			p := made(t, f, "every-step", lightpath.Operation{Op: collective.AllToAll, Algorithm: "bvn", Demand: d})
			if want := f.Bandwidth.Transmit(float64(busiest)); !alike(float64(p.Cost.Transmission), float64(want)) {
				t.Errorf("%s, n=%d: sends for %v, the busiest node for %v", kind, n, p.Cost.Transmission, want)
			}
		}
	}
}

func TestUniformDemandIsTheOrdinaryAllToAll(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 5, 8} {
		d := make(collective.Demand, n)
		for s := range d {
			d[s] = make([]int64, n)
			for r := range d[s] {
				if s != r { // a node's data for itself makes no difference
					d[s][r] = 4096
				}
			}
		}
		f := fabric.Default()
		f.Nodes = n
		for _, algorithm := range []string{lightpath.Auto, "shift", "direct"} {
			by := made(t, f, "", lightpath.Operation{Op: collective.AllToAll, Algorithm: algorithm, Demand: d})
			plain := made(t, f, "", lightpath.Operation{Op: collective.AllToAll, Algorithm: algorithm, Size: units.Bytes(4096 * n)})
			if encodedPlan(t, by) != encodedPlan(t, plain) {
				t.Errorf("n=%d, %s: the plans differ: %v and %v", n, algorithm, by.Cost.Total(), plain.Cost.Total())
			}
		}
	}
}

func encodedPlan(t testing.TB, p *plan.Plan) string {
	t.Helper()
	var out strings.Builder
	if err := p.Encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Apart from the reconfiguration between operations, a sequence is as good as its operations
// planned separately, and not better than their bounds.
func TestSequenceAgainstItsOperations(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range samples.Draws(12, 24) {
		f := fabric.Default()
		f.Nodes, f.Ports = []int{4, 6, 8}[i%3], 1+i%2
		f.Initial = []string{fabric.InitialFree, fabric.InitialDark}[i/2%2]
		f.Reconfig.Base = units.Duration(1+rng.IntN(20)) * units.Microsecond
		var operations []lightpath.Operation
		for range 2 + i%2 {
			operations = append(operations, randomOperation(t, rng, &f))
		}
		whole := made(t, f, "harvest", operations...)
		proven(t, whole)
		sum, bounds := units.Time(0), units.Time(0)
		for _, o := range operations {
			alone := made(t, f, "harvest", o)
			sum += alone.Cost.Total()
			bounds += alone.Bound
		}
		changes := units.Time(len(operations)-1) * f.Reconfig.Base.Time()
		if f.Initial == fabric.InitialDark { // each of them has paid for its first circuits
			bounds -= changes
		} else {
			sum += changes
		}
		if total := whole.Cost.Total(); total > sum*(1+1e-9) || total < bounds*(1-1e-9) {
			t.Errorf("%+v: takes %v, one by one %v, bounds %v", operations, total, sum, bounds)
		}
	}
}

// randomOperation is an operation that a fabric can carry out, of all kinds: plain, with
// bytes per pair, with some of the GPUs.
func randomOperation(t testing.TB, rng *rand.Rand, f *fabric.Fabric) lightpath.Operation {
	t.Helper()
	o := lightpath.Operation{Op: collective.Ops()[rng.IntN(len(collective.Ops()))], Size: units.Bytes(1 + rng.IntN(1<<22))}
	shape := collective.Shape{Nodes: f.Nodes, Ports: f.Ports}
	if rng.IntN(3) == 0 {
		o.GPUs = rng.Perm(f.Nodes)[:2+rng.IntN(f.Nodes-1)]
		shape.Nodes = len(o.GPUs)
	}
	if o.Op == collective.AllToAll && rng.IntN(2) == 0 {
		o.Demand = sparse(shape.Nodes, rng.Uint64())
		shape, _ = algorithms.ExchangeShape(o.Demand, f.Ports)
	}
	able := algorithms.For(o.Op, shape)
	o.Algorithm = able[rng.IntN(len(able))].Name
	return o
}

// With the algorithms left open, a sequence is at least as good as its operations with
// the best of theirs.
func TestSequenceChoosesItsAlgorithms(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	operations := []lightpath.Operation{
		{Op: collective.AllToAll, Demand: drawn(t, "moe:2", 8, 1)},
		{Op: collective.AllGather, Size: units.MiB, GPUs: []int{6, 0, 3}},
	}
	if samples.Every() { // three take seconds
		operations = append(operations, lightpath.Operation{Op: collective.AllReduce, Size: units.MiB})
	}
	whole := made(t, f, "", operations...)
	proven(t, whole)
	sum := units.Time(len(operations)-1) * f.Reconfig.Base.Time()
	for _, o := range operations {
		sum += made(t, f, "", o).Cost.Total()
	}
	if whole.Cost.Total() > sum*(1+1e-9) {
		t.Errorf("%s takes %v, one by one %v", whole.Collective.Algorithm, whole.Cost.Total(), sum)
	}
}

// Every operation on a subset of GPUs gives the right result, in the order of the list, and no
// plan is slower than the base.
func TestOperationsOnSomeGPUs(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 12
	members := []int{7, 2, 11, 4}
	for _, op := range collective.Ops() {
		p := made(t, f, "", lightpath.Operation{Op: op, Size: 64 * units.KiB, GPUs: members})
		delivered := proven(t, p)
		for u := range delivered {
			for v, bytes := range delivered[u] {
				if bytes > 0 && !(slices.Contains(members, u) && slices.Contains(members, v)) {
					t.Errorf("%s: %d sends %v bytes to %d", op, u, bytes, v)
				}
			}
		}
		if static := p.SameAlgorithm.Static; static > 0 && p.Cost.Total() > static {
			t.Errorf("%s: %v is slower than static, %v", op, p.Cost.Total(), static)
		}
	}
	root := proven(t, made(t, f, "", lightpath.Operation{Op: collective.Gather, Size: units.MiB, GPUs: members}))
	if root[4][7] != float64(units.MiB)/4 || root[7][4] != 0 {
		t.Errorf("the first of the list is not the root: %v", root)
	}
}

func TestOperationsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	d := drawn(t, "random", 8, 1)
	for _, c := range []struct {
		o    lightpath.Operation
		want string
	}{
		{lightpath.Operation{Op: collective.AllReduce, Size: -1}, "size_bytes: must be above 0B"},
		{lightpath.Operation{Op: collective.AllReduce, Size: 1, GPUs: []int{}}, "gpus: want 2 or more GPUs, not 0"},
		{lightpath.Operation{Op: collective.AllReduce, Size: 1, GPUs: []int{3}}, "gpus: want 2 or more GPUs, not 1"},
		{lightpath.Operation{Op: collective.AllReduce, Size: 1, GPUs: []int{0, 8}}, "GPUs are numbered 0..7"},
		{lightpath.Operation{Op: collective.AllReduce, Size: 1, GPUs: []int{2, 2}}, "gpus: GPU 2 is listed twice"},
		{lightpath.Operation{Op: collective.AllReduce, Demand: d}, "demand: bytes per pair are for alltoall, not allreduce"},
		{lightpath.Operation{Op: collective.AllToAll, Demand: d[:4]}, "demand: it is for 4 GPUs, but 8 take part"},
		{lightpath.Operation{Op: collective.AllToAll, Demand: d, GPUs: []int{1, 2}}, "demand: it is for 8 GPUs, but 2 take part"},
		{lightpath.Operation{Op: collective.AllToAll, Demand: collective.Demand{}}, "demand: it is for 0 GPUs, but 8 take part"},
		{lightpath.Operation{Op: collective.AllReduce, Size: 1, Algorithm: "bvn", GPUs: []int{1, 2}}, "algorithm bvn does alltoall"},
		{lightpath.Operation{Op: "sum", Size: 1}, "unknown operation"},
	} {
		f := fabric.Default()
		f.Nodes = 8
		good := lightpath.Operation{Op: collective.AllGather, Size: units.MiB}
		for _, operations := range [][]lightpath.Operation{{c.o}, {good, c.o}} {
			_, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: operations})
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, planner.ErrInfeasible) {
				t.Errorf("%+v: %v, want %q", c.o, err, c.want)
			}
		}
	}
	if _, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: fabric.Default()}); err == nil || !strings.HasPrefix(err.Error(), "operations: no operation") {
		t.Errorf("nothing to plan: %v", err)
	}
}

// The description of plain operations has not changed; other fields appear only if they are set.
func TestPlainCollectivesHaveFourFields(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	for _, op := range collective.Ops() {
		p := made(t, f, "", lightpath.Operation{Op: op, Size: units.MiB})
		var doc struct {
			Collective map[string]any `json:"collective"`
		}
		if err := json.Unmarshal([]byte(encodedPlan(t, p)), &doc); err != nil {
			t.Fatal(err)
		}
		chunks, _ := doc.Collective["chunks"].(map[string]any)
		if len(doc.Collective) != 4 || doc.Collective["op"] != string(op) || doc.Collective["algorithm"] != p.Collective.Algorithm ||
			doc.Collective["size_bytes"] != float64(units.MiB) || len(chunks) != 2 || chunks["kind"] == "" || chunks["parts"].(float64) < 1 {
			t.Errorf("%s: %v", op, doc.Collective)
		}
	}
}

// pattern reads a pattern.
func pattern(t testing.TB, text string) *collective.PatternFile {
	t.Helper()
	p, err := collective.ReadPattern(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func planPattern(t testing.TB, planning, text string) (*plan.Plan, error) {
	t.Helper()
	p := pattern(t, text)
	f := fabric.Default()
	f.Nodes, f.Ports = p.Nodes, max(1, p.Ports)
	return lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Planner: planning, Pattern: p})
}

// reduceTo returns a pattern in which a chain sums one piece of 4 nodes at one of them, and
// another piece is copied to two nodes.
const reduceTo = `{"schema":"lightpath.pattern/v1","nodes":4,"ports":1,
 "chunks":[{"bytes":100000,"from":[0,1,2,3],"to":[3],"reduce":true},{"bytes":5,"from":[2],"to":[0,1]}],
 "steps":[{"transfers":[{"src":0,"dst":1,"action":"reduce","chunks":[0]},{"src":2,"dst":0,"chunks":[1]}]},
          {"transfers":[{"src":1,"dst":2,"action":"reduce","chunks":[0]},{"src":0,"dst":1,"chunks":[1]}]},
          {"transfers":[{"src":2,"dst":3,"action":"reduce","chunks":[0]}]}]}`

// ownAllReduce is an allreduce of 3 nodes: everything to node 0 and back.
const ownAllReduce = `{"schema":"lightpath.pattern/v1","nodes":3,"op":"allreduce","size_bytes":3000,"name":"ring","chunks":{"kind":"blocks","parts":1},
 "steps":[{"transfers":[{"src":1,"dst":0,"action":"reduce","chunks":[[0,3,1]]}]},{"transfers":[{"src":2,"dst":0,"action":"reduce","chunks":[[0,3,1]]}]},
          {"transfers":[{"src":0,"dst":1,"chunks":[[0,3,1]]}]},{"transfers":[{"src":0,"dst":2,"chunks":[[0,3,1]]}]}]}`

const demandPattern = `{"schema":"collective_pattern/v1","n":6,
 "steps":[{"demand":[[0,1,1e6],[1,0,1e6],[2,3,5],[4,5,0.25]]},{"demand":[[0,2,1e6],[0,3,1e5],[5,5,1]]}]}`

func TestPatternsArePlannedAndProven(t *testing.T) {
	t.Parallel()
	for _, text := range []string{reduceTo, ownAllReduce, demandPattern} {
		for _, planning := range []string{"static", "every-step", "light-bends", "harvest", lightpath.Auto} {
			p, err := planPattern(t, planning, text)
			if err != nil {
				t.Errorf("%s: %v", planning, err)
				continue
			}
			proven(t, p)
			read, err := plan.Decode(strings.NewReader(encodedPlan(t, p)))
			if err != nil {
				t.Fatal(err)
			}
			if report, err := verify.Plan(t.Context(), read); err != nil || !report.OK {
				t.Errorf("%s: read: %v, %+v", planning, err, report.First())
			}
		}
	}
}

// A wrong pattern is not a planner bug: the error blames the pattern and names the failed check.
func TestWrongPatternsAreBlamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, old, new, want string }{
		{"a contribution is forgotten", ownAllReduce, `{"transfers":[{"src":2,"dst":0,"action":"reduce","chunks":[[0,3,1]]}]},`, ``,
			"result: .* lacks the contribution of node 2"},
		{"a contribution is counted twice", ownAllReduce, `"src":2,"dst":0`, `"src":1,"dst":0`, "reductions: .* counts node 1 twice"},
		{"nobody gets it", ownAllReduce, `,{"transfers":[{"src":0,"dst":2,"chunks":[[0,3,1]]}]}`, ``, "result: .*at node 2"},
		{"a chunk that is not there", reduceTo, `"src":0,"dst":1,"chunks":[1]`, `"src":3,"dst":1,"chunks":[1]`, "data: .*node 3 sends chunk 1, which it does not have"},
		{"a copy is reduced", reduceTo, `"src":0,"dst":1,"chunks":[1]`, `"src":0,"dst":1,"action":"reduce","chunks":[1]`, "reductions: .*chunk 1 is reduced"},
		{"a chunk twice in a transfer", reduceTo, `"src":2,"dst":0,"chunks":[1]`, `"src":2,"dst":0,"chunks":[1,1]`, "data: .*written twice in one step"},
		{"a copy destroys a sum", reduceTo, `"src":2,"dst":3,"action":"reduce"`, `"src":2,"dst":3,"action":"copy"`, "result: .*destroys contributions"},
	} {
		if !strings.Contains(c.text, c.old) {
			t.Fatalf("%s: %q is not there", c.name, c.old)
		}
		_, err := planPattern(t, "", strings.Replace(c.text, c.old, c.new, 1))
		if err == nil || strings.Contains(err.Error(), "bug") || errors.Is(err, planner.ErrInfeasible) ||
			!regexp.MustCompile("^pattern: it does not do what it says: "+c.want).MatchString(err.Error()) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestPatternsAndOperationsDoNotMix(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 4
	r := lightpath.PlanRequest{Fabric: f, Pattern: pattern(t, reduceTo), Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: 1}}}
	if _, err := lightpath.Plan(t.Context(), r); err == nil || !strings.Contains(err.Error(), "want one of them") {
		t.Errorf("%v", err)
	}
	r.Operations, r.Fabric.Nodes = nil, 8
	if _, err := lightpath.Plan(t.Context(), r); err == nil || !strings.Contains(err.Error(), "4 nodes") {
		t.Errorf("%v", err)
	}
}

// Compare accepts demands and subsets, and its best row is the plan of auto.
func TestCompareOfOperations(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 6
	for _, o := range []lightpath.Operation{
		{Op: collective.AllToAll, Demand: drawn(t, "zipf:1.2", 6, 1)},
		{Op: collective.AllToAll, Demand: drawn(t, "moe:2", 4, 1), GPUs: []int{5, 0, 2, 3}},
		{Op: collective.AllReduce, Size: units.MiB, GPUs: []int{5, 0, 2}},
	} {
		all, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: o}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		best := made(t, f, "", o)
		if all.Rows[0].TotalNs != best.Cost.Total() || all.SizeBytes != int64(best.Collective.Size) {
			t.Errorf("%+v: %v of %d bytes, auto takes %v of %v", o, all.Rows[0].TotalNs, all.SizeBytes, best.Cost.Total(), best.Collective.Size)
		}
		algorithms := map[string]bool{}
		for _, row := range all.Rows {
			algorithms[row.Algorithm] = true
		}
		if (o.Demand != nil) != algorithms["bvn"] {
			t.Errorf("%+v: compared %v", o, algorithms)
		}
	}
}
