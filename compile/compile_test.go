package compile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/internal/everyplan"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// planned makes a plan.
func planned(t testing.TB, op collective.Op, algorithm, with string, nodes, ports int) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	c := &collective.Collective{Op: op, Algorithm: algorithm, Nodes: nodes, Space: collective.SpaceOf(op, nodes, 1)}
	pl, err := lightpath.Planners().Lookup(with)
	if err != nil {
		t.Fatal(err)
	}
	if planner.TraitsOf(pl).Composes == nil {
		if c, err = algorithms.New(op, algorithm, nodes, ports); err != nil {
			t.Fatal(err)
		}
	}
	p, err := pl.Plan(context.Background(), planner.Request{Fabric: f, Collective: c, Size: units.Bytes(nodes * nodes * 1024)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// folder holds the files of a result in memory.
type folder map[string][]byte

func written(t testing.TB, r *compile.Result) folder {
	t.Helper()
	files := folder{}
	for _, f := range r.Files {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = b.Bytes()
	}
	return files
}

func (f folder) open(name string) (io.ReadCloser, error) {
	data, there := f[name]
	if !there {
		return nil, fmt.Errorf("%s: no such file", name)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// main returns the name of the file to check.
func (f folder) main() string {
	if _, there := f[compile.ManifestFile]; there {
		return compile.ManifestFile
	}
	return ""
}

func simulated(t testing.TB, p *plan.Plan) units.Duration {
	t.Helper()
	result, err := sim.Run(context.Background(), sim.PacketLevel, replay.Program(p), sim.Options{Packet: sim.DefaultPacket})
	if err != nil {
		t.Fatal(err)
	}
	return result.Completion
}

// inPlace returns the options of a format, with in_place set as given if the format has it.
func inPlace(t *testing.T, format compile.Format, set bool) compile.Options {
	t.Helper()
	target, err := compile.Known().Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	o := target.Options()
	for f := range field.All(o) {
		if f.Name == "in_place" {
			f.Value.SetBool(set)
		}
	}
	return o
}

// Files of every plan in every format for runtimes are read back, pass the checker with their
// timetables and circuits, and are simulated in the time of the lowered plan; all other
// formats can be written.
func TestEveryFormatOfEveryPlan(t *testing.T) {
	ctx := context.Background()
	made, refused := map[compile.Format]int{}, map[compile.Format]int{}
	turn := 0
	for _, cell := range everyplan.Cells() {
		everyplan.Each(t, cell[0], cell[1], func(name string, p *plan.Plan) {
			turn++
			if turn%3 != 0 {
				return // the packages of the formats look at every plan
			}
			for _, format := range formats() {
				r, err := compile.Compile(ctx, p, format, inPlace(t, format, turn%2 == 0))
				if errors.Is(err, compile.ErrRefused) {
					refused[format]++
					continue
				}
				if err != nil {
					t.Fatalf("%s: %s: %v", name, format, err)
				}
				made[format]++
				files := written(t, r)
				if r.Lowered == nil {
					continue
				}
				checked, err := compile.Check(ctx, files.main(), "", files.open)
				if err != nil {
					t.Fatalf("%s: %s: %v", name, format, err)
				}
				if bad := checked.Report.First(); bad != nil {
					t.Errorf("%s: %s: %s: %s", name, format, bad.Name, bad.Detail)
					continue
				}
				// A single file has no circuits: it is lifted onto those of the plan.
				f := p.Fabric
				f.Base = p.Stages[0].Topology.Name()
				if len(p.Stages) == 1 && f.Validate() != nil {
					continue // circuits without an expression
				}
				lifted, err := checked.Plan(ctx, f, p.Collective.Size)
				if err != nil {
					t.Errorf("%s: %s: %v", name, format, err)
					continue
				}
				if got, want := simulated(t, lifted), simulated(t, r.Lowered); got != want {
					t.Errorf("%s: %s: the file is simulated in %v, the lowered plan in %v", name, format, got, want)
				}
			}
		})
	}
	for _, format := range formats() {
		all := made[format] + refused[format]
		t.Logf("%-9s %4d of %4d plans (%.1f%%)", format, made[format], all, 100*float64(made[format])/float64(all))
		if made[format] == 0 {
			t.Errorf("%s: nothing was compiled", format)
		}
	}
}

// A manifest that no longer says what belongs together is refused.
func TestManifestsAreChecked(t *testing.T) {
	ctx := context.Background()
	const beyond = "size_bytes: stage 1: 8GiB is beyond offsets of 32 bits, which are right up to 4294967296 bytes"
	p := planned(t, collective.AllReduce, "recursive-doubling", "every-step", 8, 1)
	for _, format := range []compile.Format{compile.MSCCL, compile.MSCCLPP} {
		r, err := compile.Compile(ctx, p, format, nil)
		if err != nil {
			t.Fatal(err)
		}
		files := written(t, r)
		good := string(files[compile.ManifestFile])
		first, second := "stage-1.xml", "stage-2.xml"
		if format == compile.MSCCLPP {
			first, second = "stage-1.json", "stage-2.json"
		}
		for _, c := range []struct{ name, old, new, says string }{
			{"another order", first, second, ""},
			{"a circuit that is not up", "[\n     0,\n     1,\n     1\n    ]", "[\n     0,\n     5,\n     1\n    ]", "to which no circuit is up"},
			{"no barrier", `"barrier": true`, `"barrier": false`, "without a barrier"},
			{"a file elsewhere", first, "../" + first, "is not in its folder"},
			{"another schema", "manifest/v1", "manifest/v9", "neither a manifest"},
			{"another runtime", `"format": "` + string(format), `"format": "dot`, "format is"},
			{"a missing file", first, "stage-9.xml", "no such file"},
			{"negative ranks", `"ranks": 8`, `"ranks": -3`, "ranks is -3"},
			{"too many ranks", `"ranks": 8`, `"ranks": 99`, "ranks is 99"},
			{"negative chunks", `"chunks": `, `"chunks": -1`, "chunks is -1"},
			{"another collective", `"collective": "allreduce"`, `"collective": "alltoall"`, `collective is "alltoall"`},
			{"no bytes", `"size_bytes": `, `"size_bytes": -`, "size_bytes is -"},
			{"the other place", `"in_place": false`, `"in_place": true`, "in_place is true"},
			{"no timetable", `"timetable": "timetable.json"`, `"timetable": ""`, "no timetable"},
			{"a missing timetable", `"timetable.json"`, `"nope.json"`, "timetable: nope.json: no such file"},
			{"a timetable elsewhere", `"timetable.json"`, `"../timetable.json"`, "is not in its folder"},
			{"no timetable in it", `"timetable.json"`, `"manifest.json"`, "timetable manifest.json: schema is"},
			{"a circuit to nobody", "[\n     0,\n     1,\n     1\n    ]", "[\n     0,\n     1,\n     1\n    ],[0,99,1]", "circuits: [0 99 1] is not"},
			{"a circuit twice", "[\n     0,\n     1,\n     1\n    ]", "[0,1,1],[0,1,1]", "circuits: those from GPU 0 to GPU 1 are listed twice"},
			{"five circuits", "[\n     0,\n     1,\n     1\n    ]", "[0,1,5]", "circuits: 5 from GPU 0 to GPU 1, by the timetable 1"},
			{"a circuit less", "[\n     0,\n     1,\n     1\n    ],", "", "circuits: 7 in all, by the timetable 8"},
			{"negative scratch", "\"scratch_chunks\": [\n  ", "\"scratch_chunks\": [\n  -1", "scratch_chunks[0] is -"},
			{"more scratch than ranks", "\"scratch_chunks\": [\n  ", "\"scratch_chunks\": [\n  -1,", "scratch_chunks lists 9 for 8 ranks"},
			{"an absurd start", `"start_ns": 0`, `"start_ns": -5`, "start_ns is -5"},
			{"another start", `"start_ns": 0`, `"start_ns": 5`, "start_ns is 5.000ns"},
			{"another topology", `"topology": "`, `"topology": "x`, `topology is "x`},
			{"gpus that are not there", `"in_place"`, `"gpus": [0,1,2,3,4,5,6,9], "in_place"`, "gpus[7] is 9"},
			{"a gpu twice", `"in_place"`, `"gpus": [0,1,2,3,4,5,6,6], "in_place"`, "gpus[7] is 6, as is gpus[6]"},
			{"more bytes than MSCCL++ can address", `"size_bytes": 65536`, `"size_bytes": 8589934592`, beyond},
			{"too few gpus", `"in_place"`, `"gpus": [0,1], "in_place"`, "gpus lists 2 for 8 ranks"},
		} {
			if !strings.Contains(good, c.old) {
				t.Fatalf("%s: no %q in %s", c.name, c.old, good[:400])
			}
			if c.says == beyond && format != compile.MSCCLPP {
				continue
			}
			files[compile.ManifestFile] = []byte(strings.Replace(good, c.old, c.new, 1))
			checked, err := compile.Check(ctx, compile.ManifestFile, "", files.open)
			why := ""
			switch {
			case err != nil:
				why = err.Error()
			case checked.Report.First() != nil:
				why = checked.Report.First().Detail
				for _, one := range checked.Report.Checks {
					if !one.OK && strings.Contains(one.Detail, c.says) {
						why = one.Detail
					}
				}
			default:
				t.Errorf("%s: %s: not found", format, c.name)
			}
			if !strings.Contains(why, c.says) {
				t.Errorf("%s: %s: %s; want ..%s..", format, c.name, why, c.says)
			}
		}
	}
}

// A plan that a runtime cannot run is refused, with the limit and the number, or the reason.
func TestRefusalsSayWhy(t *testing.T) {
	ctx := context.Background()
	uneven := planned(t, collective.AllToAll, "shift", "static", 4, 1)
	d, err := collective.GenerateDemand("zipf:1", 4, units.MiB, 1)
	if err != nil {
		t.Fatal(err)
	}
	uneven.Collective.Space.Sizes = d
	listed, err := lightpath.Plan(ctx, lightpath.PlanRequest{
		Fabric: uneven.Fabric, Planner: "exchange", Operations: []lightpath.Operation{{Op: collective.AllToAll, Demand: d}},
	}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	trees := planned(t, collective.AllReduce, "double-binary-tree", "static", 16, 1)
	members := planned(t, collective.AllReduce, "ring", "static", 4, 1)
	for _, c := range []struct {
		plan   *plan.Plan
		format compile.Format
		says   string
	}{
		{uneven, compile.MSCCL, "pairs of different sizes"},
		{listed, compile.MSCCL, "pairs of different sizes, from "},
		{listed, compile.MSCCLPP, "pairs of different sizes, from "},
		{planned(t, collective.Gather, "binomial", "static", 4, 1), compile.MSCCL, "MSCCL has no gather"},
		{trees, compile.RCCL, "RCCL takes at most"},
	} {
		_, err := compile.Compile(ctx, c.plan, c.format, nil)
		if !errors.Is(err, compile.ErrRefused) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want ..%s..", c.format, err, c.says)
		}
	}
	if _, err := compile.Compile(ctx, members, "nccl", nil); err == nil {
		t.Error("a format that nobody knows")
	}
}

// BenchmarkCompile/bfb64 compiles an allreduce of 64 GPUs with four ports, made by the
// direct-connect planner, and writes it.
func BenchmarkCompile(b *testing.B) {
	for _, nodes := range []int{64, 256} {
		b.Run(fmt.Sprintf("bfb%d", nodes), func(b *testing.B) {
			p := planned(b, collective.AllReduce, "bfb", "direct-connect", nodes, 4)
			for b.Loop() {
				r, err := compile.Compile(context.Background(), p, compile.MSCCL, nil)
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Files[0].Write(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleCompile() {
	f := fabric.Default()
	f.Nodes = 4
	ring, _ := algorithms.New(collective.AllGather, "ring", 4, 1)
	static, _ := lightpath.Planners().Lookup("static")
	p, err := static.Plan(context.Background(), planner.Request{Fabric: f, Collective: ring, Size: units.MiB})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := compile.Compile(context.Background(), p, compile.MSCCL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := r.Files[0].Write(&file); err != nil {
		fmt.Println(err)
		return
	}
	checked, err := compile.Check(context.Background(), "ring.xml", "", func(string) (io.ReadCloser, error) {
		return io.NopCloser(&file), nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, note := range r.Notes {
		fmt.Println(note)
	}
	fmt.Println("correct:", checked.Report.OK)
	// Output:
	// valid out of place only, for buffers of a multiple of 4 elements
	// meant for buffers of 512KiB to 2MiB
	// correct: true
}

// A compiled manifest or program that is damaged at random is refused or still correct; it
// never crashes the checker.
func FuzzCheck(f *testing.F) {
	var table []byte // the same for all formats
	for _, format := range []compile.Format{compile.MSCCL, compile.MSCCLPP} {
		r, err := compile.Compile(context.Background(), planned(f, collective.AllReduce, "recursive-doubling", "every-step", 4, 1), format, nil)
		if err != nil {
			f.Fatal(err)
		}
		files := written(f, r)
		stage := "stage-1.xml"
		if format == compile.MSCCLPP {
			stage = "stage-1.json"
		}
		table = files["timetable.json"]
		f.Add(files[compile.ManifestFile], files[stage])
	}
	f.Add([]byte(`{"cost":1,"steps":[{"step":1,"topology":[[0,1,1]]}]}`), []byte("<algo>"))
	machine := fabric.Default()
	f.Fuzz(func(t *testing.T, manifest, stage []byte) {
		open := func(name string) (io.ReadCloser, error) {
			if name == compile.ManifestFile {
				return io.NopCloser(bytes.NewReader(manifest)), nil
			}
			if name == "timetable.json" {
				return io.NopCloser(bytes.NewReader(table)), nil
			}
			return io.NopCloser(bytes.NewReader(stage)), nil
		}
		checked, err := compile.Check(context.Background(), compile.ManifestFile, "", open)
		if err != nil || checked.Report.First() != nil || checked.Nodes() > 16 {
			return
		}
		machine.Nodes = checked.Nodes()
		if p, err := checked.Plan(context.Background(), machine, units.MiB); err == nil && len(p.Stages) == 0 {
			t.Error("a plan without stages")
		}
	})
}

// formats lists the formats in the order of their documentation.
func formats() []compile.Format {
	var all []compile.Format
	for _, t := range compile.Known() {
		all = append(all, t.Format())
	}
	return all
}
