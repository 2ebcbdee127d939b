package sweep_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sweep"
	"github.com/lightpath-net/lightpath/units"
)

// fabricOf returns the default fabric with the given number of GPUs.
func fabricOf(nodes int) fabric.Fabric {
	f := fabric.Default()
	f.Nodes = nodes
	return f
}

// grid parses axes given as name=values.
func grid(t testing.TB, nodes int, axes ...string) *sweep.Spec {
	t.Helper()
	var list []sweep.Axis
	for _, text := range axes {
		name, values, _ := strings.Cut(text, "=")
		a, err := sweep.ParseAxis(name, values, 0)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	s, err := sweep.NewSpec(fabricOf(nodes), list, 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func smallGrid(t testing.TB) *sweep.Spec {
	return grid(t, 4, "op=allreduce,alltoall", "algorithm=auto", "planner=harvest,static", "size=1KiB,1MiB", "reconfig=10ns..1ms", "ports=1,2")
}

func store(t testing.TB, name string) *sweep.Store {
	t.Helper()
	s, err := sweep.Create(context.Background(), filepath.Join(t.TempDir(), name), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// export returns the CSV of a spec in a store.
func export(t testing.TB, s *sweep.Store, spec *sweep.Spec) string {
	t.Helper()
	table, err := s.Load(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if table.Missing > 0 {
		t.Errorf("%d cells of %d are missing", table.Missing, spec.Cells())
	}
	var b bytes.Buffer
	if err := table.CSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// counting counts the cells that a solver solves, and may fail after some.
type counting struct {
	sweep.Solver
	cells atomic.Int64
	limit int64 // columns; 0: none
	calls atomic.Int64
	fail  func() error
}

func (c *counting) Solve(ctx context.Context, column []sweep.Request) ([]sweep.Outcome, error) {
	if c.limit > 0 && c.calls.Add(1) > c.limit {
		return nil, c.fail()
	}
	out, err := c.Solver.Solve(ctx, column)
	c.cells.Add(int64(len(out)))
	return out, err
}

// The result does not depend on the number of workers, on shards and their order, or on
// what was known before, byte for byte.
func TestTheSameResultHoweverItIsRun(t *testing.T) {
	spec := smallGrid(t)
	ctx := t.Context()
	one := store(t, "one.db")
	if err := sweep.Run(ctx, spec, one, solver(), sweep.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	want := export(t, one, spec)
	if lines := strings.Count(want, "\n"); lines != spec.Cells()+1 {
		t.Errorf("%d lines for %d cells", lines, spec.Cells())
	}
	four := store(t, "four.db")
	if err := sweep.Run(ctx, spec, four, solver(), sweep.Options{Workers: 4}); err != nil {
		t.Fatal(err)
	}
	if got := export(t, four, spec); got != want {
		t.Error("four workers find something else than one")
	}
	merged := store(t, "merged.db")
	for _, i := range []int{3, 1, 2} {
		shard := store(t, "shard.db")
		if err := sweep.Run(ctx, spec, shard, solver(), sweep.Options{Shard: sweep.Shard{Index: i, Count: 3}}); err != nil {
			t.Fatal(err)
		}
		if err := merged.Merge(ctx, shard); err != nil {
			t.Fatal(err)
		}
	}
	if got := export(t, merged, spec); got != want {
		t.Error("three shards find something else")
	}
	half := store(t, "half.db")
	if err := sweep.Run(ctx, grid(t, 4, "op=allreduce", "algorithm=auto", "planner=harvest", "size=1KiB,1MiB", "reconfig=10ns,1ms", "ports=1,2"), half, solver(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	c := &counting{Solver: solver()}
	if err := sweep.Run(ctx, spec, half, c, sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := export(t, half, spec); got != want {
		t.Error("a store that knew some cells ends up with something else")
	}
	again := &counting{Solver: solver()}
	done := 0
	if err := sweep.Run(ctx, spec, half, again, sweep.Options{Progress: func(n, total int) {
		if n < done || total != spec.Cells() {
			t.Errorf("%d of %d after %d", n, total, done)
		}
		done = n
	}}); err != nil {
		t.Fatal(err)
	}
	if again.cells.Load() != 0 || done != spec.Cells() {
		t.Errorf("solved %d cells again, reported %d", again.cells.Load(), done)
	}
}

// What was solved before a failure or a cancellation is kept and not solved again.
func TestWorkEndedEarlyIsKept(t *testing.T) {
	spec := smallGrid(t)
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	for name, c := range map[string]*counting{
		"failure":      {Solver: solver(), limit: 7, fail: func() error { return broken }},
		"cancellation": {Solver: solver(), limit: 7, fail: func() error { cancel(); return context.Canceled }},
	} {
		s := store(t, "early.db")
		run := t.Context()
		want := broken
		if name == "cancellation" {
			run, want = ctx, context.Canceled
		}
		if err := sweep.Run(run, spec, s, c, sweep.Options{Workers: 2}); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		rest := &counting{Solver: solver()}
		if err := sweep.Run(t.Context(), spec, s, rest, sweep.Options{}); err != nil {
			t.Fatal(err)
		}
		if before, after := c.cells.Load(), rest.cells.Load(); before == 0 || before+after != int64(spec.Cells()) {
			t.Errorf("%s: %d cells before and %d after of %d", name, before, after, spec.Cells())
		}
		export(t, s, spec)
	}
}

// CSV and JSON say the same.
func TestCSVAndJSONAgree(t *testing.T) {
	spec := smallGrid(t)
	s := store(t, "s.db")
	if err := sweep.Run(t.Context(), spec, s, solver(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(export(t, s, spec))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := table.JSON(&b); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Cells []struct {
			Params  map[string]any
			Planner string
			Total   float64            `json:"total_ns"`
			Base    map[string]float64 `json:"baselines_ns"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	at := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	if len(answer.Cells) != len(rows)-1 {
		t.Fatalf("%d cells, %d rows", len(answer.Cells), len(rows)-1)
	}
	for i, c := range answer.Cells {
		row := rows[i+1]
		total, _ := json.Marshal(c.Total)
		static, _ := json.Marshal(c.Base["static"])
		size, _ := json.Marshal(c.Params["size_bytes"])
		if at(row, "total_ns") != string(total) || at(row, "planner") != c.Planner || at(row, "static_ns") != string(static) ||
			at(row, "size_bytes") != string(size) || at(row, "op") != c.Params["op"] {
			t.Fatalf("row %d: %v and %+v", i+1, row, c)
		}
	}
}

func TestDiffAndMerge(t *testing.T) {
	a, b := store(t, "a.db"), store(t, "b.db")
	old := grid(t, 8, "op=allreduce", "algorithm=ring", "planner=static", "size=1KiB,1MiB", "reconfig=1us")
	now := grid(t, 8, "op=allreduce", "algorithm=auto", "planner=harvest", "size=1KiB,1MiB,2MiB", "reconfig=1us")
	for _, run := range []struct {
		*sweep.Store
		*sweep.Spec
	}{{a, old}, {b, now}} {
		if err := sweep.Run(t.Context(), run.Spec, run.Store, solver(), sweep.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	before, err := a.Load(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	after, err := b.Load(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	if d := sweep.Diff(before, after); d.OnlyNew != 1 || d.OnlyOld != 0 || d.Same+len(d.Different) != 2 || d.Slower != 0 || d.Faster == 0 {
		t.Errorf("%+v", d)
	}
	if d := sweep.Diff(after, after); d.Same != 3 || len(d.Different) != 0 {
		t.Errorf("%+v", d)
	}
	if err := a.Merge(t.Context(), b, b); err != nil {
		t.Fatal(err)
	}
	if specs, err := a.Specs(t.Context()); err != nil || len(specs) != 2 || specs[1].Cells() != 3 {
		t.Errorf("%v, %v", specs, err)
	}
	if export(t, a, now) != export(t, b, now) {
		t.Error("merging changed something")
	}
	// Two answers to one request are refused.
	liar := store(t, "liar.db")
	if err := sweep.Run(t.Context(), now, liar, lying{}, sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := a.Merge(t.Context(), liar); err == nil || !strings.Contains(err.Error(), "different answers") {
		t.Errorf("%v", err)
	}
}

type lying struct{}

func (lying) Solve(_ context.Context, column []sweep.Request) ([]sweep.Outcome, error) {
	out := make([]sweep.Outcome, len(column))
	for i := range out {
		out[i].Total = 1
	}
	return out, nil
}

// The key has everything that an answer depends on: another value of any parameter or
// another version of the planner is another request.
func TestAnswersBelongToTheirRequest(t *testing.T) {
	axes := []string{"op=allreduce", "algorithm=ring", "planner=static", "size=1KiB", "reconfig=1us"}
	s := store(t, "s.db")
	base := grid(t, 8, axes...)
	if err := sweep.Run(t.Context(), base, s, solver(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	specs := map[string]*sweep.Spec{"nodes": grid(t, 16, axes...)}
	for name, change := range map[string]string{"op": "op=allgather", "size": "size=2KiB", "reconfig": "reconfig=2us", "planner": "planner=harvest", "algorithm": "algorithm=auto"} {
		changed := slices.Clone(axes)
		for i := range changed {
			if strings.HasPrefix(changed[i], name+"=") {
				changed[i] = change
			}
		}
		specs[name] = grid(t, 8, changed...)
	}
	for _, set := range []string{"sync=1us", "alpha=1us", "initial=dark", "forwarding=store-and-forward", "base=C(8;1)"} {
		specs[set] = grid(t, 8, append(slices.Clone(axes), set)...)
	}
	version := grid(t, 8, axes...)
	version.Version = "another"
	specs["version"] = version
	packets := grid(t, 8, axes...)
	packets.Packet = 4 * units.KiB
	specs["packets"] = packets
	for name, spec := range specs {
		table, err := s.Load(t.Context(), spec)
		if err != nil || table.Missing != 1 {
			t.Errorf("%s: an answer to something else counts (%v)", name, err)
		}
	}
}

func TestStoreRefusesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is not a database\n", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{text, dir, filepath.Join(dir, "none.db"), filepath.Join(dir, "no", "x.db")} {
		if s, err := sweep.Open(t.Context(), name); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	for _, name := range []string{text, "", filepath.Join(dir, "no", "x.db")} {
		if s, err := sweep.Create(t.Context(), name, false); err == nil {
			t.Errorf("%q: %v", name, s)
		}
	}
	// Names are names, whatever is in them.
	odd := filepath.Join(dir, "a b?c#d%20.db")
	s, err := sweep.Create(t.Context(), odd, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(odd); err != nil {
		t.Error(err)
	}
}

// Reconfiguring is said to pay off only where a plan reconfigures.
func TestFindingsAreOfPlansThatRewire(t *testing.T) {
	spec := grid(t, 8, "op=allreduce", "algorithm=auto", "planner=auto", "size=1MiB", "reconfig=1us,2us,3us,4us")
	table := &sweep.Table{Spec: spec}
	for i, c := range []struct {
		total   units.Time
		changes int
	}{{50, 2}, {40, 0}, {99, 3}, {100, 0}} {
		r, err := spec.Request(i)
		if err != nil {
			t.Fatal(err)
		}
		table.Cells = append(table.Cells, sweep.Cell{Request: r, Known: true, Outcome: sweep.Outcome{Total: c.total, Reconfigurations: c.changes, Baselines: sweep.Baselines{Static: 100}}})
	}
	got := table.Findings()
	if len(got) != 1 || got[0].Cells != 4 || got[0].Pays != 2 || got[0].Clearly != 1 || got[0].Best != 2 || got[0].Longest != 3000 {
		t.Errorf("%+v", got)
	}
}

// A sentence names the static plans that it compares with, and calls the longest delay one of
// the cells'.
func TestFindingsNameWhatTheyCompareWith(t *testing.T) {
	spec := grid(t, 8, "op=allreduce", "algorithm=auto", "planner=auto", "size=1MiB", "reconfig=1us,2us")
	table := &sweep.Table{Spec: spec}
	for i := range 2 {
		r, err := spec.Request(i)
		if err != nil {
			t.Fatal(err)
		}
		table.Cells = append(table.Cells, sweep.Cell{Request: r, Known: true, Outcome: sweep.Outcome{Total: 50, Reconfigurations: 2,
			Baselines: sweep.Baselines{Static: 100}, Same: sweep.Baselines{Static: 200}}})
	}
	for alike, want := range map[bool]string{
		false: "reconfiguring pays in 2 of 2 cells, in 2 by 5% or more over the best static plan found; " +
			"the longest delay at which it does is 2.000us (at 1MiB); it gains most with 1MiB at 1.000us: 2.00 times as fast",
		true: "reconfiguring pays in 2 of 2 cells, in 2 by 5% or more over the static plan of the same algorithm; " +
			"the longest delay at which it does is 2.000us (at 1MiB); it gains most with 1MiB at 1.000us: 4.00 times as fast",
	} {
		table.Alike = alike
		if got := table.Findings(); len(got) != 1 || got[0].Sentence() != want {
			t.Errorf("%+v: %q", got, got[0].Sentence())
		}
	}
}

// A sweep has the same baseline as plan: the fastest plan of any planner that does not
// reconfigure. It is never slower than an answer that does not reconfigure, either.
func TestStaticIsTheFastestThatStays(t *testing.T) {
	spec := grid(t, 8, "op=allreduce,broadcast", "algorithm=auto", "planner=auto", "size=64KiB,16MiB", "reconfig=100ns,10ms")
	table := &sweep.Table{Spec: spec}
	solve := solver()
	for i := range spec.Cells() {
		r, err := spec.Request(i)
		if err != nil {
			t.Fatal(err)
		}
		out, err := solve.Solve(t.Context(), []sweep.Request{r})
		if err != nil {
			t.Fatal(err)
		}
		table.Cells = append(table.Cells, sweep.Cell{Request: r, Known: true, Outcome: out[0]})
	}
	still := map[string]units.Time{} // with a delay that nothing pays
	for _, c := range table.Cells {
		if c.Reconfigurations == 0 {
			still[string(c.Op)+c.Size.String()] = c.Total
		}
	}
	if len(still) != 4 {
		t.Fatalf("%d of 4 stay with changes of 10ms", len(still))
	}
	for _, c := range table.Cells {
		if want := still[string(c.Op)+c.Size.String()]; c.Baselines.Static > want*(1+1e-9) {
			t.Errorf("%s of %v, %v: static %v, and %v does not rewire", c.Op, c.Size, c.Fabric.Reconfig, c.Baselines.Static, want)
		}
	}
}
