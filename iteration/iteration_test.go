package iteration_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/training"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// drawn is a random workload: two or three kinds of groups of a grid of ranks, a chain of
// computations with collectives in parallel or between them, and sends along a pipeline.
func drawn(random *rand.Rand, ops int) *workload.Workload {
	a, b := 2+random.IntN(2), 2+random.IntN(2)
	w := &workload.Workload{Schema: workload.Schema, Ranks: a * b, Kinds: map[string][][]int{}}
	for i := range b {
		var row []int
		for j := range a {
			row = append(row, i*a+j)
		}
		w.Kinds["tp"] = append(w.Kinds["tp"], row)
	}
	for j := range a {
		var column []int
		for i := range b {
			column = append(column, i*a+j)
		}
		w.Kinds["dp"] = append(w.Kinds["dp"], column)
	}
	piped := random.IntN(2) == 0
	for i := range b { // a row is a stage if piped, and otherwise does as all do
		p := workload.Program{Ranks: workload.NewRankSet(w.Kinds["tp"][i])}
		if !piped {
			p.Ranks = workload.NewRankSet(everyone(a * b))
		}
		seeded := rand.New(rand.NewPCG(uint64(ops), 7))
		last := ""
		after := func() []string {
			if last == "" {
				return nil
			}
			return []string{last}
		}
		for k := range ops {
			id := fmt.Sprintf("c%d", k)
			time := units.Duration(10+seeded.IntN(100)) * units.Microsecond
			p.Ops = append(p.Ops, workload.Op{ID: id, Compute: &time, After: after()})
			last = id
			size := units.Bytes(1+seeded.IntN(16)) * 256 * units.KiB
			name := fmt.Sprintf("x%d", k)
			switch pick := seeded.IntN(4); {
			case pick == 0 && !piped:
				p.Ops = append(p.Ops, workload.Op{ID: name, Op: collective.AllReduce, Kind: "dp", Size: size, After: after()})
			case pick < 3:
				p.Ops = append(p.Ops, workload.Op{ID: name, Op: []collective.Op{collective.AllReduce, collective.AllGather, collective.AllToAll}[seeded.IntN(3)], Kind: "tp", Size: size, After: after()})
				last = name
			case piped:
				up, down := workload.Peer{Rank: a, Relative: true}, workload.Peer{Rank: -a, Relative: true}
				if i > 0 {
					p.Ops = append(p.Ops, workload.Op{ID: name + "r", Receive: name, From: &down, Kind: "dp", After: after()})
					last = name + "r"
				}
				if i < b-1 {
					p.Ops = append(p.Ops, workload.Op{ID: name, SendTo: &up, Kind: "dp", Size: size, After: after()})
				}
			default:
				p.Ops = append(p.Ops, workload.Op{ID: name, Op: collective.ReduceScatter, Kind: "dp", Size: size, After: after()})
				last = name
			}
		}
		w.Programs = append(w.Programs, p)
		if !piped {
			break
		}
	}
	return w
}

func everyone(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// planner plans iterations of one workload, and remembers its plans.
type planner struct {
	graph   *workload.Graph
	program *iteration.Program
	known   map[fabric.Key]*iteration.Repertoire // by fabric
}

func newPlanner(t *testing.T, w *workload.Workload) *planner {
	t.Helper()
	g, err := w.Graph(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return &planner{g, iteration.NewProgram(g), map[fabric.Key]*iteration.Repertoire{}}
}

func (p *planner) plan(t *testing.T, f fabric.Fabric, policy string) (*iteration.Document, *iteration.Plan) {
	t.Helper()
	f.Nodes = p.graph.Workload.Ranks
	r := p.known[f.Key()]
	var err error
	if r == nil {
		count := &training.Tally{}
		e := command.NewRun(nil)
		r, err = iteration.NewRepertoire(t.Context(), p.program, &f, iteration.Options{Plans: func(f fabric.Fabric) iteration.Plans { return training.PlansOn(f, count, e) }})
		if err != nil {
			t.Fatal(err)
		}
		p.known[f.Key()] = r
	}
	made, err := iteration.Fastest(t.Context(), p.program, r, policy)
	if err != nil {
		t.Fatal(err)
	}
	if made.Course == nil {
		return nil, made
	}
	d, err := iteration.NewDocument(p.graph, &f, p.program, r, made)
	if err != nil {
		t.Fatal(err)
	}
	return d, made
}

// reread writes a document and reads it again.
func reread(t *testing.T, d *iteration.Document) *iteration.Document {
	t.Helper()
	b := &bytes.Buffer{}
	if err := d.Encode(b); err != nil {
		t.Fatal(err)
	}
	read, err := iteration.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// small is a fabric on which everything matters.
func small(ports int, delay units.Duration) fabric.Fabric {
	f := fabric.Default()
	f.Ports, f.Reconfig.Base = ports, delay
	return f
}

// TestIterationsAreProven: plans of every policy are correct by a proof that shares no code
// with them, none is below the bound, and no policy is faster than the best.
func TestIterationsAreProven(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 1))
	for range samples.Draws(8, 16) {
		w := drawn(random, 3+random.IntN(6))
		p := newPlanner(t, w)
		f := small(1+random.IntN(3), []units.Duration{0, units.Microsecond, 20 * units.Microsecond, units.Millisecond}[random.IntN(4)])
		f.Duplex, f.Sync = random.IntN(4) == 0, units.Duration(random.IntN(2))*units.Microsecond
		if random.IntN(3) == 0 {
			f.Island = fabric.Island{Size: len(w.Kinds["tp"][0]), Bandwidth: 3200 * units.Gbps}
		}
		built(t, random, w, &f)
		if random.IntN(4) == 0 {
			f.Initial = fabric.InitialDark
		}
		best, _ := p.plan(t, f, iteration.Best)
		for _, policy := range append([]string{iteration.Best}, iteration.Policies()...) {
			d, _ := p.plan(t, f, policy)
			if d == nil {
				continue
			}
			report, err := iteration.Verify(t.Context(), reread(t, d))
			if err != nil {
				t.Fatal(err)
			}
			if bad := report.First(); bad != nil {
				t.Errorf("%s on %d ranks, %d ports: %s: %s", policy, w.Ranks, f.Ports, bad.Name, bad.Detail)
			}
			if d.Iteration < best.Iteration*(1-1e-9) {
				t.Errorf("%s takes %v, the best %v", policy, d.Iteration, best.Iteration)
			}
		}
	}
}

// built gives a fabric, at times, switches of their own and fixed links.
func built(t *testing.T, random *rand.Rand, w *workload.Workload, f *fabric.Fabric) {
	t.Helper()
	a, b := len(w.Kinds["tp"][0]), len(w.Kinds["dp"][0])
	var err error
	switch random.IntN(5) {
	case 0:
		f.Layout = layout.Rails()
	case 1, 2:
		f.Ports = max(2, f.Ports)
		f.Layout, err = layout.Grid([]int{b, a}, nil)
	case 3: // a table in which all ports of a GPU are set up together
		f.Ports = 2
		var rows []string
		for range w.Ranks {
			rows = append(rows, "0,1")
		}
		f.Layout, err = layout.Parse("table:" + strings.Join(rows, ";"))
	}
	if err == nil && f.Island.IsZero() && random.IntN(2) == 0 {
		f.Fixed.Bandwidth = units.Bandwidth(1+random.IntN(16)) * 200 * units.Gbps
		f.Fixed.Links, err = fabric.ParseFixed([]string{fmt.Sprintf("K(%d)", a), fmt.Sprintf("Mesh(%d)", a*b), fmt.Sprintf("Torus(%d,%d)", b, a)}[random.IntN(3)], nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Nodes = w.Ranks
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
}

// TestSwitchesCostAndLinksHelp: on any layout of switches an iteration takes at least as long
// as with all ports on one switch; with fixed links it takes at most as long as without.
func TestSwitchesCostAndLinksHelp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 5))
	for range samples.Draws(5, 10) {
		w := drawn(random, 3+random.IntN(6))
		p := newPlanner(t, w)
		f := small(2, units.Duration(random.IntN(40))*units.Microsecond)
		built(t, random, w, &f)
		d, _ := p.plan(t, f, iteration.Best)
		ideal, without := f, f
		ideal.Layout, without.Fixed = layout.Layout{}, fabric.Fixed{}
		if i, _ := p.plan(t, ideal, iteration.Best); d.Iteration < i.Iteration*(1-1e-9) {
			t.Errorf("%v: it takes %v, on one switch %v", f.Layout, d.Iteration, i.Iteration)
		}
		if i, _ := p.plan(t, without, iteration.Best); d.Iteration > i.Iteration*(1+1e-9) {
			t.Errorf("%v: with fixed links it takes %v, without %v", f.Fixed.Links, d.Iteration, i.Iteration)
		}
	}
}

// TestAColdStartCosts: an iteration that begins without circuits takes at most one delay more
// than in the steady state for every set of circuits that is up there; with a delay, it sets
// some up.
func TestAColdStartCosts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 8))
	for range samples.Draws(4, 8) {
		p := newPlanner(t, drawn(random, 3+random.IntN(6)))
		f := small(2, units.Duration(random.IntN(40))*units.Microsecond)
		steady, _ := p.plan(t, f, iteration.Best)
		f.Initial = fabric.InitialDark
		cold, _ := p.plan(t, f, iteration.Best)
		most := steady.Iteration + units.Time(len(steady.Up))*f.Reconfig.Base.Time()
		if cold.Iteration > most*(1+1e-9) || len(cold.Up) > 0 || len(cold.Changes) == 0 {
			t.Errorf("a cold start takes %v, in the steady state it takes %v with %d sets of circuits up", cold.Iteration, steady.Iteration, len(steady.Up))
		}
	}
}

// TestMoreIsNeverSlower: a shorter delay, more ports and more bandwidth never lengthen an
// iteration.
func TestMoreIsNeverSlower(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 2))
	for range samples.Draws(3, 6) {
		w := drawn(random, 3+random.IntN(6))
		p := newPlanner(t, w)
		last := units.Time(0)
		for _, delay := range []units.Duration{0, 500 * units.Nanosecond, 7 * units.Microsecond, 40 * units.Microsecond, 900 * units.Microsecond, 20 * units.Millisecond} {
			d, _ := p.plan(t, small(2, delay), iteration.Best)
			if d.Iteration < last*(1-1e-9) {
				t.Errorf("with a delay of %v it takes %v, with a shorter one %v", delay, d.Iteration, last)
			}
			last = d.Iteration
		}
		last = 0
		for ports := 4; ports >= 1; ports-- {
			d, _ := p.plan(t, small(ports, 15*units.Microsecond), iteration.Best)
			if d.Iteration < last*(1-1e-9) {
				t.Errorf("with %d ports it takes %v, with more %v", ports, d.Iteration, last)
			}
			last = d.Iteration
		}
		last = 0
		for _, rate := range []units.Bandwidth{1600, 800, 700, 300, 100} {
			f := small(2, 15*units.Microsecond)
			f.Bandwidth = rate * units.Gbps
			d, _ := p.plan(t, f, iteration.Best)
			if d.Iteration < last*(1-1e-9) {
				t.Errorf("with %v it takes %v, with more %v", f.Bandwidth, d.Iteration, last)
			}
			last = d.Iteration
		}
	}
}

// TestWithoutCommunicationItIsTheCriticalPath, and the bound is, too.
func TestWithoutCommunicationItIsTheCriticalPath(t *testing.T) {
	t.Parallel()
	a, b := 30*units.Microsecond, 50*units.Microsecond
	w := &workload.Workload{Schema: workload.Schema, Ranks: 2, Kinds: map[string][][]int{"tp": {{0}, {1}}}, Programs: []workload.Program{{
		Ranks: workload.NewRankSet([]int{0, 1}),
		Ops:   []workload.Op{{ID: "a", Compute: &a}, {ID: "x", Op: collective.AllReduce, Kind: "tp", Size: units.MiB, After: []string{"a"}}, {ID: "b", Compute: &b, After: []string{"x"}}},
	}}}
	d, _ := newPlanner(t, w).plan(t, small(1, units.Millisecond), iteration.Best)
	if want := (a + b).Time(); d.Iteration != want || d.Bound != want || d.Exposed != 0 {
		t.Errorf("it takes %v, bound %v; want %v", d.Iteration, d.Bound, want)
	}
}

// TestGapsOfComputeHideChanges: if a rank computes for longer than the delay before it
// communicates with other ranks, ports are rewired meanwhile, and that costs nothing.
func TestGapsOfComputeHideChanges(t *testing.T) {
	t.Parallel()
	long := 300 * units.Microsecond
	w := &workload.Workload{Schema: workload.Schema, Ranks: 4, Kinds: map[string][][]int{"tp": {{0, 1}, {2, 3}}, "dp": {{0, 2}, {1, 3}}},
		Programs: []workload.Program{{Ranks: workload.NewRankSet(everyone(4))}}}
	for i, kind := range []string{"tp", "dp", "tp", "dp"} {
		c, x := fmt.Sprintf("c%d", i), fmt.Sprintf("x%d", i)
		p := &w.Programs[0]
		op := workload.Op{ID: c, Compute: &long}
		if i > 0 {
			op.After = []string{fmt.Sprintf("x%d", i-1)}
		}
		p.Ops = append(p.Ops, op, workload.Op{ID: x, Op: collective.AllReduce, Kind: kind, Size: units.MiB, After: []string{c}})
	}
	p := newPlanner(t, w)
	free, _ := p.plan(t, small(1, 0), iteration.Best)
	d, _ := p.plan(t, small(1, 200*units.Microsecond), iteration.Best)
	if d.Iteration != free.Iteration || d.Reconfigurations == 0 || d.Hidden != d.Reconfigurations {
		t.Errorf("it takes %v with %d changes, %d hidden; without a delay %v", d.Iteration, d.Reconfigurations, d.Hidden, free.Iteration)
	}
}

// TestCircuitsAreUpInOnePlace: two collectives that begin with the same circuits and change
// them never have these up twice at the same time, and the plan verifies.
func TestCircuitsAreUpInOnePlace(t *testing.T) {
	t.Parallel()
	w := &workload.Workload{Schema: workload.Schema, Ranks: 6, Kinds: map[string][][]int{"a": {{0, 1, 2}, {3, 4, 5}}}, Programs: []workload.Program{{
		Ranks: workload.NewRankSet(everyone(6)),
		Ops: []workload.Op{
			{ID: "scatter", Op: collective.ReduceScatter, Kind: "a", Size: 6_000_000},
			{ID: "gather", Op: collective.AllGather, Kind: "a", Size: 6_000_000},
			{ID: "more", Op: collective.AllGather, Kind: "a", Size: 48_000_000, After: []string{"gather"}},
			{ID: "again", Op: collective.ReduceScatter, Kind: "a", Size: 48_000_000, After: []string{"scatter"}},
		},
	}}}
	for _, initial := range []string{fabric.InitialFree, fabric.InitialDark} {
		f := small(2, units.Microsecond)
		f.Duplex, f.Layout, f.Initial = true, layout.Rails(), initial
		d, _ := newPlanner(t, w).plan(t, f, iteration.Best)
		report, err := iteration.Verify(t.Context(), reread(t, d))
		if err != nil {
			t.Fatal(err)
		}
		if bad := report.First(); bad != nil {
			t.Errorf("%s: %s: %s", initial, bad.Name, bad.Detail)
		}
	}
}
