package tuning_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// At random sizes, and one byte to either side of every switch-over, the row of a tuning table
// has the time of planning, with the algorithms and with planners that make their own steps.
func TestTuningTablesAreExact(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(18, 5))
	type machine struct {
		op       collective.Op
		nodes    int
		ports    int
		reconfig units.Duration
	}
	for _, c := range samples.Few(2, []machine{
		{collective.AllReduce, 8, 2, units.Microsecond}, {collective.AllGather, 16, 1, 2 * units.Microsecond},
		{collective.AllReduce, 16, 1, 10 * units.Microsecond},
	}) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Reconfig.Base = c.nodes, c.ports, c.reconfig
		for _, planner := range []string{"harvest", "auto"} {
			table, err := lightpath.Tune(t.Context(), lightpath.TuneRequest{Op: c.op, Fabric: f, Planner: planner})
			if err != nil {
				t.Fatal(err)
			}
			sizes := []units.Bytes{units.KiB}
			for i, r := range table.Rows {
				if i > 0 {
					sizes = append(sizes, units.Bytes(r.FromBytes-1), units.Bytes(r.FromBytes), units.Bytes(r.FromBytes+1))
				}
				if r.NsPerByte == 0 {
					t.Errorf("%s with %s: from %d on times are no line", c.op, planner, r.FromBytes)
				}
			}
			sizes = append(sizes, units.GiB)
			for range samples.Draws(3, 8) {
				sizes = append(sizes, units.Bytes(math.Exp(math.Log(1024)+rng.Float64()*math.Log(1<<20))))
			}
			for _, size := range sizes {
				checkTuned(t, table, planner, f, size)
			}
		}
	}
}

// Rows of a planner that makes its own steps begin where its circuits change. At every planned
// size, the topologies have the same number and names as the row's, or the row's take the same
// time.
func TestTuningTablesSplitWhereCircuitsChange(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 64
	table, err := lightpath.Tune(t.Context(), lightpath.TuneRequest{Op: collective.AllReduce, Fabric: f})
	if err != nil {
		t.Fatal(err)
	}
	var circuits []string
	for _, r := range table.Rows {
		if r.Planner != "joint" {
			t.Errorf("from %d on by %s", r.FromBytes, r.Planner)
		}
		if name := strings.Join(r.Topologies, " "); len(circuits) == 0 || circuits[len(circuits)-1] != name {
			circuits = append(circuits, name)
		}
	}
	if len(circuits) != 4 {
		t.Errorf("%d networks one after the other: %q", len(circuits), circuits)
	}
	times := units.Bytes(3)
	if !samples.Every() {
		times = 11
	}
	for size := units.KiB; size <= units.GiB; size = size*times + 1 {
		checkTuned(t, table, "auto", f, size)
	}
}

// checkTuned compares a row with unrestricted planning.
func checkTuned(t *testing.T, table *lightpath.Tuning, planner string, f fabric.Fabric, size units.Bytes) {
	t.Helper()
	row, ok := table.Lookup(size)
	if !ok {
		t.Errorf("no row for %v", size)
		return
	}
	predicted := float64(row.TotalNs) + row.NsPerByte*float64(int64(size)-row.FromBytes)
	open := lightpath.PlanRequest{Fabric: f, Planner: planner, Operations: []lightpath.Operation{{Op: table.Op, Size: size}}}
	best, err := lightpath.Plan(t.Context(), open, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(predicted/float64(best.Cost.Total())-1) > 1e-9 {
		t.Errorf("%s of %v: the table says %s with %v, planning takes %s with %v", table.Op, size, row.Algorithm, predicted, best.Collective.Algorithm, best.Cost.Total())
	}
	if err := table.Apply(&open); err != nil {
		t.Fatal(err)
	}
	used, err := lightpath.Plan(t.Context(), open, lightpath.WithoutBaselines())
	if err != nil || math.Abs(float64(used.Cost.Total()/best.Cost.Total())-1) > 1e-9 {
		t.Errorf("%s of %v: with the table %v, without %v (%v)", table.Op, size, used.Cost.Total(), best.Cost.Total(), err)
	}
}

// The plan of a table equals that of unrestricted planning. It is verified, and has the best
// static plan if the table knows it. A table makes no other plans.
func TestTunedPlansAreThoseOfPlanning(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = 8, 2*units.Microsecond
	table, err := lightpath.Tune(t.Context(), lightpath.TuneRequest{Op: collective.AllReduce, Fabric: f, Most: 16 * units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	times := units.Bytes(4)
	if !samples.Every() {
		times = 16
	}
	for size := units.KiB; size <= 16*units.MiB; size *= times {
		r := lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: size}}}
		got, row, err := table.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := lightpath.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if says, ok := row.At(size); !ok || math.Abs(float64(got.Cost.Total()/want.Cost.Total())-1) > 1e-9 || math.Abs(float64(says/want.Cost.Total())-1) > 1e-9 {
			t.Errorf("%v: %v by the table, which says %v, and %v by planning", size, got.Cost.Total(), says, want.Cost.Total())
		}
		if static := got.Baselines.Static; static > 0 {
			known++
			if math.Abs(float64(static/want.Baselines.Static)-1) > 1e-9 {
				t.Errorf("%v: static takes %v by the table, %v by planning", size, static, want.Baselines.Static)
			}
		}
		if got.Baselines.EveryStep != 0 || r.Planner != "" {
			t.Errorf("%v: every-step %v, planner %q", size, got.Baselines.EveryStep, r.Planner)
		}
	}
	if known == 0 {
		t.Error("the table knows no static plan")
	}
}

func TestTuningFilesAreChecked(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	slow := f
	slow.Reconfig.Base = units.Millisecond
	table, err := lightpath.Tune(t.Context(), lightpath.TuneRequest{Op: collective.AllReduce, Fabric: f, Least: units.KiB, Most: units.MiB, Planner: "harvest",
		For: []lightpath.NamedFabric{{Name: "slow", Fabric: slow}}})
	if err != nil || len(table.Others) != 1 || table.Others[0].Verdict() == "" {
		t.Fatalf("%+v, %v", table, err)
	}
	data, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "tuned.json")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(string(data))
	read, err := lightpath.ReadTuning(name)
	if err != nil || len(read.Rows) != len(table.Rows) || !read.Fabric.Equal(f) {
		t.Fatalf("%+v, %v", read, err)
	}
	request := func(change func(*lightpath.PlanRequest)) *lightpath.PlanRequest {
		r := &lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: units.MiB}}}
		change(r)
		return r
	}
	if err := read.Apply(request(func(*lightpath.PlanRequest) {})); err != nil {
		t.Error(err)
	}
	for what, change := range map[string]func(*lightpath.PlanRequest){
		"op":      func(r *lightpath.PlanRequest) { r.Operations[0].Op = collective.AllGather },
		"size":    func(r *lightpath.PlanRequest) { r.Operations[0].Size = units.MiB + 1 },
		"small":   func(r *lightpath.PlanRequest) { r.Operations[0].Size = 1 },
		"fabric":  func(r *lightpath.PlanRequest) { r.Fabric.Alpha++ },
		"several": func(r *lightpath.PlanRequest) { r.Operations = append(r.Operations, r.Operations[0]) },
	} {
		if err := read.Apply(request(change)); err == nil {
			t.Errorf("%s: applied to something else", what)
		}
	}
	for _, bad := range []string{"", "{}", `{"schema":"lightpath.tune/v1"}`, strings.Replace(string(data), `"from_bytes":`, `"from_bytes":-`, 1) + "x"} {
		write(bad)
		if _, err := lightpath.ReadTuning(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%.40q: %v", bad, err)
		}
	}
}

func FuzzReadTuning(f *testing.F) {
	f.Add([]byte(`{"schema":"lightpath.tune/v1","op":"allreduce","most_bytes":10,"rows":[{"from_bytes":1,"algorithm":"ring","planner":"static"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "t.json")
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := lightpath.ReadTuning(name)
		if err != nil {
			return
		}
		if row, ok := table.Lookup(5); ok && row.FromBytes > 5 {
			t.Errorf("a row from %d on for 5", row.FromBytes)
		}
	})
}

// BenchmarkTunedLookup times a lookup, which takes well below a microsecond.
func BenchmarkTunedLookup(b *testing.B) {
	table := &lightpath.Tuning{MostBytes: 1 << 40}
	for i := range 64 {
		table.Rows = append(table.Rows, lightpath.TuneRow{FromBytes: 1 << (i / 2) * int64(2+i%2)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := table.Lookup(12345678); !ok {
			b.Fatal("no row")
		}
	}
}

// A curve covers the whole range and every row. Its times are those of the choice planned
// separately, and never exceed the time of a static plan.
func TestCurveOfATuningTableIsTheTimeOfItsChoice(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes = 8
	table, err := lightpath.Tune(t.Context(), lightpath.TuneRequest{Op: collective.AllReduce, Fabric: f, Most: 16 * units.MiB})
	if err != nil {
		t.Fatal(err)
	}
	first, last := table.Curve[0], table.Curve[len(table.Curve)-1]
	if first.SizeBytes != int64(units.KiB) || last.SizeBytes != int64(16*units.MiB) {
		t.Errorf("a curve from %d to %d", first.SizeBytes, last.SizeBytes)
	}
	rows := 0
	for i, p := range table.Curve {
		if i > 0 && p.SizeBytes <= table.Curve[i-1].SizeBytes {
			t.Errorf("%d after %d", p.SizeBytes, table.Curve[i-1].SizeBytes)
		}
		row, _ := table.Lookup(units.Bytes(p.SizeBytes))
		if row.FromBytes == p.SizeBytes {
			rows++
		}
		made, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Planner: row.Planner,
			Operations: []lightpath.Operation{{Op: collective.AllReduce, Size: units.Bytes(p.SizeBytes), Algorithm: row.Algorithm}}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := float64(p.TotalNs), float64(made.Cost.Total()); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%v at %d, planned %v", got, p.SizeBytes, want)
		}
		if p.StaticNs == 0 || float64(p.TotalNs) > float64(p.StaticNs)*(1+1e-6) {
			t.Errorf("%v at %d, static %v", p.TotalNs, p.SizeBytes, p.StaticNs)
		}
	}
	if rows != len(table.Rows) {
		t.Errorf("%d of %d rows are on the curve", rows, len(table.Rows))
	}
}

// The verdict names one topology as best throughout only if all plans use it, even within a row.
func TestVerdictNamesOneTopologyOnlyIfThereIsOne(t *testing.T) {
	t.Parallel()
	point := func(names ...string) lightpath.TunePoint { return lightpath.TunePoint{Topologies: names} }
	for _, c := range []struct {
		curve []lightpath.TunePoint
		want  bool
	}{
		{[]lightpath.TunePoint{point("A"), point("A")}, true},
		{[]lightpath.TunePoint{point("A"), point("B")}, false},
		{[]lightpath.TunePoint{point("A", "B")}, false},
	} {
		table := lightpath.TuneTable{Rows: make([]lightpath.TuneRow, 1), Curve: c.curve}
		if got := strings.Contains(table.Verdict(), "one topology"); got != c.want {
			t.Errorf("%v: %s", c.curve, table.Verdict())
		}
	}
}
