package chakra_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/chakra"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// writeAll writes the files of a workload and returns their prefix.
func writeAll(t testing.TB, w *workload.Workload) string {
	t.Helper()
	g, err := w.Graph(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	prefix := filepath.Join(t.TempDir(), "w")
	for _, f := range chakra.Files(g) {
		var b bytes.Buffer
		if err := f.Write(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(prefix+f.Suffix, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return prefix
}

// does returns what every rank does, in a form that does not depend on classes, blocks or names
// of groups.
func does(t testing.TB, w *workload.Workload) []string {
	t.Helper()
	g, err := w.Graph(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, w.Ranks)
	for r := range all {
		var b strings.Builder
		class := &g.Classes[g.Of[r]]
		for i := range class.Tasks {
			k := &class.Tasks[i]
			id := func(s string) string { return strings.ReplaceAll(s, "/", ":") }
			fmt.Fprintf(&b, "%s %v %s %d %s %s", id(k.ID), k.Type, k.Op.Op, k.Op.Size, k.Op.Skew, id(k.Op.Receive))
			if k.Type == workload.Collective {
				for _, ranks := range w.Kinds[k.Op.Kind] {
					for _, m := range ranks {
						if m == r {
							fmt.Fprintf(&b, " %s %v", k.Op.Kind, ranks)
						}
					}
				}
			}
			if k.Op.Compute != nil {
				fmt.Fprintf(&b, " %d", int64(*k.Op.Compute))
			}
			if k.Op.SendTo != nil {
				fmt.Fprintf(&b, " to %d", k.Op.SendTo.Of(r))
			}
			if k.Op.From != nil {
				fmt.Fprintf(&b, " from %d", k.Op.From.Of(r))
			}
			for _, a := range k.After {
				if k.Type != workload.Computation || class.Tasks[a].Type != workload.Computation {
					fmt.Fprintf(&b, " after %s", id(class.Tasks[a].ID))
				}
			}
			b.WriteByte('\n')
		}
		all[r] = b.String()
	}
	return all
}

// A workload that is written as traces and read again is the same, rank by rank.
func TestTracesOfModelsComeBack(t *testing.T) {
	for name, c := range map[string]parallel.Config{
		"llama3-8b":    {TP: 2, PP: 2, DP: 2, CP: 2, GlobalBatch: 8, SequenceParallel: true, Zero: 1},
		"megatron-22b": {TP: 2, PP: 3, GlobalBatch: 6, Schedule: "interleaved:2", Recompute: "full"},
		"mixtral-8x7b": {TP: 2, DP: 4, EP: 2, GlobalBatch: 8, Zero: 3, Skew: "moe:2"},
	} {
		m, err := model.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := parallel.Make(m, c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := chakra.ReadFiles(context.Background(), writeAll(t, w), chakra.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Programs) != len(w.Programs) {
			t.Errorf("%s: %d programs, not %d", name, len(again.Programs), len(w.Programs))
		}
		for r, want := range does(t, w) {
			if got := does(t, again)[r]; got != want {
				t.Errorf("%s: rank %d does\n%.800s\nnot\n%.800s", name, r, got, want)
				break
			}
		}
		before, err := w.Graph(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		after, err := again.Graph(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		_, a := before.Ends(workload.Free)
		if _, b := after.Ends(workload.Free); a != b || !reflect.DeepEqual(before.Totals(), after.Totals()) {
			t.Errorf("%s: %v and %v", name, a, b)
		}
	}
}

// put writes traces by hand.
func put(t testing.TB, groups string, ranks ...[]chakra.Node) string {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "by.hand")
	for r, nodes := range ranks {
		var b bytes.Buffer
		out, err := chakra.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range nodes {
			if err := out.Node(&nodes[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(fmt.Sprintf("%s.%d.et", prefix, r), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if groups != "" {
		if err := os.WriteFile(filepath.Join(filepath.Dir(prefix), "comm_group.json"), []byte(groups), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return prefix
}

func comm(id uint64, name string, code, size int64, group string, deps ...uint64) chakra.Node {
	n := chakra.Node{ID: id, Name: name, Type: chakra.Collective, Deps: deps, Attrs: []chakra.Attr{chakra.Int("comm_type", code), chakra.Int("comm_size", size)}}
	if group != "" {
		n.Attrs = append(n.Attrs, chakra.Text("pg_name", group))
	}
	return n
}

// Variants that tools write are read in the same way: groups in a node of each trace, empty for
// all ranks; computations of the host, and dependencies through nodes that do nothing.
func TestReadingIsTolerant(t *testing.T) {
	metadata := chakra.Node{ID: 1, Name: "## process_group:init ##", Type: chakra.Metadata,
		Values: `[["[{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"ranks\": []}, {\"pg_name\": \"7\", \"pg_desc\": \"mesh_tp\", \"ranks\": [0, 1]}]"]]`}
	rank := func(name string) []chakra.Node {
		return []chakra.Node{
			metadata,
			{ID: 2, Name: "x", Type: chakra.Comp, Micros: 5, Deps: []uint64{1}},
			{ID: 3, Name: "launch", Type: chakra.Comp, Micros: 900, Ctrl: []uint64{2}, Attrs: []chakra.Attr{chakra.Int("is_cpu_op", 1)}},
			{ID: 9, Name: "wait", Type: chakra.MemLoad, Deps: []uint64{3, 77}},
			comm(10, name, 2, 100, "7", 9),
			comm(11, "all", 0, 64, "", 10),
			comm(12, "all", 9, 0, "0", 11),
		}
	}
	w, err := chakra.ReadFiles(context.Background(), put(t, "", rank("gather"), rank("sammeln")), chakra.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	const want = `"kinds":{
"default_pg":[[0,1]],
"mesh_tp":[[0,1]]},
"programs":[
{"ranks":"0-1","ops":[
 {"id":"x","compute_ns":5000},
 {"id":"mesh_tp**1","op":"allgather","size_bytes":200,"kind":"mesh_tp","after":["x"]},
 {"id":"all","op":"allreduce","size_bytes":64,"kind":"default_pg","after":["mesh_tp**1"]},
 {"id":"all*2","op":"allreduce","size_bytes":1,"kind":"default_pg","after":["all"]}]}]}
`
	if !strings.HasSuffix(b.String(), want) || !strings.Contains(b.String(), "2 computations of hosts, left out") || !strings.Contains(b.String(), "2 dependencies on nodes") {
		t.Errorf("%s", b.String())
	}
}

// One trace stands for all ranks: each is in its own group, and sends over the same distance.
func TestOneTraceForAllRanks(t *testing.T) {
	nodes := []chakra.Node{
		{ID: 0, Name: "x", Type: chakra.Comp, Attrs: []chakra.Attr{chakra.Int("num_ops", 2e9)}},
		comm(1, "sum", 0, 64, "1", 0),
		{ID: 2, Name: "to", Type: chakra.CommSend, Attrs: []chakra.Attr{chakra.Int("comm_dst", 1), chakra.Int("comm_tag", 0), chakra.Int("comm_size", 8)}, Deps: []uint64{1}},
		{ID: 3, Name: "from", Type: chakra.CommRecv, Attrs: []chakra.Attr{chakra.Int("comm_src", 3), chakra.Int("comm_tag", 0), chakra.Int("comm_size", 8)}},
	}
	prefix := put(t, `{"1": [0, 2], "2": [1, 3]}`, nodes)
	w, err := chakra.ReadFiles(context.Background(), prefix, chakra.Options{SPMD: true, Speed: model.Speed{Flops: 1e12, Memory: 1e12}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Graph(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, last := g.Ends(workload.Free); w.Ranks != 4 || fmt.Sprint(w.Kinds) != "map[groups-of-2:[[0 2] [1 3]]]" || last != 2e6 {
		t.Errorf("%d ranks, kinds %v, %v", w.Ranks, w.Kinds, last)
	}
	for r := range 4 {
		for _, k := range g.Classes[g.Of[r]].Tasks {
			if k.Op.SendTo != nil && k.Op.SendTo.Of(r) != (r+1)%4 {
				t.Errorf("rank %d sends to %v", r, k.Op.SendTo)
			}
		}
	}
	if _, err := chakra.ReadFiles(context.Background(), prefix, chakra.Options{Ranks: 4}); err == nil {
		t.Error("one trace for four ranks is no error")
	}
}

// A trace of a run on 8 ranks stands for 16 if a file lists the groups of 16: every rank is in a
// group of each kind, as in the workload of 16 ranks made from the same model.
func TestATraceOfEightRanksOnSixteen(t *testing.T) {
	made := func(dp int) *workload.Workload {
		t.Helper()
		m, err := model.Named("llama3-8b")
		if err != nil {
			t.Fatal(err)
		}
		w, err := parallel.Make(m, parallel.Config{TP: 4, DP: dp, GlobalBatch: 2 * dp})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	prefix := writeAll(t, made(2))
	for r := 1; r < 8; r++ {
		if err := os.Remove(fmt.Sprintf("%s.%d.et", prefix, r)); err != nil {
			t.Fatal(err)
		}
	}
	const groups = `{"1": [0, 4, 8, 12], "2": [1, 5, 9, 13], "3": [2, 6, 10, 14], "4": [3, 7, 11, 15],
		"5": [0, 1, 2, 3], "6": [4, 5, 6, 7], "7": [8, 9, 10, 11], "8": [12, 13, 14, 15]}`
	if err := os.WriteFile(prefix+".comm_group.json", []byte(groups), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := chakra.ReadFiles(t.Context(), prefix, chakra.Options{SPMD: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := does(t, w), does(t, made(4)); !reflect.DeepEqual(got, want) {
		t.Errorf("not the same: %.300s\nand %.300s", got[5], want[5])
	}
}

// A collective without bytes is a barrier: it keeps its place in the order, and is noted.
func TestCollectivesWithoutBytesAreKept(t *testing.T) {
	x := chakra.Node{ID: 0, Name: "x", Type: chakra.Comp, Micros: 1}
	w, err := chakra.ReadFiles(t.Context(), put(t, "", []chakra.Node{x, comm(1, "c", 0, 0, "")}, []chakra.Node{x, comm(1, "c", 0, 0, "")}), chakra.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if op := w.Programs[0].Ops[1]; op.Size != 1 || !strings.Contains(fmt.Sprint(w.About), "without bytes") {
		t.Errorf("%+v, %v", op, w.About)
	}
}

func TestBadTracesSayWhere(t *testing.T) {
	x := chakra.Node{ID: 0, Name: "x", Type: chakra.Comp, Micros: 1}
	for _, c := range []struct {
		groups string
		ranks  [][]chakra.Node
		want   string
	}{
		{"", [][]chakra.Node{{x, x}}, "rank 0: nodes \"x\" and \"x\" have the same number 0"},
		{"", [][]chakra.Node{{{ID: 0, Name: "x", Type: chakra.Comp, Deps: []uint64{0}}}}, "waits for itself"},
		{"", [][]chakra.Node{{comm(0, "c", 0, 8, "3")}}, `node 0, "c": group "3" is listed nowhere`},
		{"", [][]chakra.Node{{comm(0, "c", 77, 8, "")}}, "comm_type"},
		{"", [][]chakra.Node{{comm(0, "c", 0, -1, "")}}, "comm_size"},
		{"", [][]chakra.Node{{comm(0, "c", 0, 8, "")}, {x}}, "have 1 and 0 collectives"},
		{"", [][]chakra.Node{{comm(0, "c", 0, 8, "")}, {comm(0, "c", 0, 9, "")}}, "allreduce of 8B there"},
		{`{"1":[1]}`, [][]chakra.Node{{comm(0, "c", 0, 8, "1")}, {x}}, "rank 0 is not in group"},
		{`{"1":[5]}`, [][]chakra.Node{{x}}, "rank 5 of 0..0"},
		{`{"1":5}`, [][]chakra.Node{{x}}, "comm_group.json: want groups such as"},
		{"", [][]chakra.Node{{{ID: 0, Type: chakra.CommSend, Attrs: []chakra.Attr{chakra.Int("comm_dst", 1), chakra.Int("comm_size", 8)}}}, {x}}, "which does not receive it"},
		{"", [][]chakra.Node{{{ID: 0, Type: chakra.CommRecv, Attrs: []chakra.Attr{chakra.Int("comm_src", 1), chakra.Int("comm_size", 8)}}}, {x}}, "sends it nothing"},
		{"", [][]chakra.Node{{{ID: 0, Type: chakra.CommSend, Attrs: []chakra.Attr{chakra.Int("comm_size", 8)}}}}, "comm_dst is none"},
		{"", [][]chakra.Node{{{ID: 0, Type: 12}}}, "a node of type 12"},
	} {
		_, err := chakra.ReadFiles(context.Background(), put(t, c.groups, c.ranks...), chakra.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
	if _, err := chakra.ReadFiles(context.Background(), filepath.Join(t.TempDir(), "none"), chakra.Options{}); err == nil || !strings.Contains(err.Error(), "no file none.0.et") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	out, err := chakra.NewWriter(&b)
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range []chakra.Node{{ID: 3, Name: "x", Type: chakra.Comp, Micros: 7, Ctrl: []uint64{1}, Values: "v"}, comm(4, "c", 2, 9, "1", 3)} {
		if err := out.Node(&n); err != nil {
			f.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := chakra.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		out, err := chakra.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		for i := range nodes {
			if err := out.Node(&nodes[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := chakra.Read(&b)
		if err != nil || !reflect.DeepEqual(nodes, again) {
			t.Errorf("%v: %+v became %+v", err, nodes, again)
		}
	})
}

func FuzzReadGroups(f *testing.F) {
	f.Add([]byte(`{"1": [0, 1], "2": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if groups, err := chakra.ReadGroups(data); err == nil {
			for _, g := range groups {
				for i := 1; i < len(g.Ranks); i++ {
					if g.Ranks[i] <= g.Ranks[i-1] {
						t.Errorf("%v", g)
					}
				}
			}
		}
	})
}

func ExampleWriter() {
	var file bytes.Buffer
	w, err := chakra.NewWriter(&file)
	if err == nil {
		err = w.Node(&chakra.Node{ID: 1, Name: "gradients", Type: chakra.Collective, Attrs: []chakra.Attr{
			chakra.Bool("is_cpu_op", false), chakra.Int("comm_type", 0), chakra.Int("comm_size", 1<<20),
		}})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	nodes, err := chakra.Read(&file)
	fmt.Println(nodes[0].Name, nodes[0].Attr("comm_size").Int, err)
	// Output: gradients 1048576 <nil>
}
