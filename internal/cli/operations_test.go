package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// filesIn writes files to a directory and returns it.
func filesIn(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	reducePattern = `{"schema":"lightpath.pattern/v1","nodes":3,"ports":2,"op":"reduce","size_bytes":3000,"chunks":{"kind":"whole","parts":1},
 "steps":[{"transfers":[{"src":1,"dst":0,"action":"reduce","chunks":[0]},{"src":2,"dst":0,"action":"reduce","chunks":[0]}]}]}`
	demandPattern = `{"schema":"collective_pattern/v1","n":4,"steps":[{"demand":[[0,1,1e6],[1,0,1e6]]}]}`
)

func TestBadOperationsAreOneLineAndExit2(t *testing.T) {
	t.Chdir(filesIn(t, map[string]string{
		"three.csv": "0,10,20\n5,0,7\n1,2,0\n", "ragged.csv": "0,10\n1\n", "bad.json": "[[0,1],[2",
		"wrong.json":  strings.Replace(reducePattern, `"src":2`, `"src":1`, 1),
		"reduce.json": reducePattern, "demand.json": demandPattern, "list.json": "[]", "typo.json": strings.Replace(reducePattern, `"parts"`, `"part"`, 1),
	}))
	for _, c := range []struct {
		args string
		want string
	}{
		{"plan allreduce --gpus 3", "--gpus: want 2 or more GPUs, not 1"},
		{"plan allreduce --gpus 0-99", "GPUs are numbered 0..63"},
		{"plan allreduce --gpus 3,3", "--gpus: GPU 3 is listed twice"},
		{"plan allreduce --gpus 3-1", `--gpus: "3-1" is not a GPU or a range of them; write e.g. 0-7,16 or 0-62:2`},
		{"plan allreduce --gpus 0-9223372036854775807:4611686018427387904", "GPUs are numbered 0..63"},
		{"plan allreduce/gpus=4", "plan: gpus: want 2 or more GPUs"},
		{"plan allreduce/gpus=", `"" is not a GPU`},
		{"plan allreduce/gpus=0-1/gpus=0-3", `"allreduce/gpus=0-1/gpus=0-3": two lists of GPUs`},
		{"plan allreduce/1MiB/2MiB", `"allreduce/1MiB/2MiB": two sizes`},
		{"plan allreduce/ring/swing", `"allreduce/ring/swing": two algorithms`},
		{"plan allreduce/0B", "must be above 0B"},
		{"plan allreduce/5", "no unit"},
		{"plan allreduce/", "nothing between two /"},
		{"plan allreduce//ring", "nothing between two /"},
		{"plan /allreduce", `unknown operation ""`},
		{"plan allreduce sum", `unknown operation "sum"`},
		{"plan allreduce/telepathy alltoall", `unknown algorithm "telepathy"`},
		{"plan allreduce alltoall --planner oracle", "unknown planner"},
		{"plan sequence", `unknown operation "sequence"`},
		{"plan pattern", `unknown operation "pattern"`},
		{"compare allreduce alltoall", "want one operation, got 2"},
		{"plan allreduce --demand random", "--demand: only for alltoall"},
		{"plan alltoall --demand flat", `--demand: unknown demand "flat"; use FILE.csv`},
		{"plan alltoall --demand zipf:x", `--demand: demand "zipf:x"`},
		{"plan alltoall --demand none.csv", "--demand: none.csv: no such file"},
		{"plan alltoall --demand ragged.csv", "--demand: ragged.csv: line 2: 1 entries"},
		{"plan alltoall --demand bad.json", "--demand: bad.json: the file ends"},
		{"plan alltoall --nodes 64 --demand three.csv", "demand: it is for 3 GPUs, but 64 take part"},
		{"plan alltoall --nodes 3 --demand three.csv --size 1MiB", "a size: --demand three.csv already gives the bytes of every pair"},
		{"plan alltoall/1MiB --nodes 3 --demand three.csv", "a size: --demand three.csv"},
		{"plan alltoall --demand random --nodes 65536", "--demand: a demand of 65536 nodes; want 2..4096"},
		{"plan alltoall --seed -1", "--seed"},
		{"plan alltoall/bvn", "needs bytes per pair (--demand)"},
		{"collective alltoall --algorithm bvn", "needs bytes per pair (--demand)"},
		{"collective allreduce --algorithm ring --demand random", "demand: bytes per pair are for alltoall, not allreduce"},
		{"plan --pattern none.json", "--pattern: none.json: no such file"},
		{"plan --pattern=", "--pattern: the file name is empty"},
		{"plan --pattern list.json", "--pattern: list.json: line 1: want an object, found a list"},
		{"plan --pattern typo.json", `--pattern: typo.json: chunks.part: unknown`},
		{"plan --pattern three.csv", "--pattern: three.csv: line 1: want an object"},
		{"plan --pattern wrong.json", "--pattern: it does not do what it says: reductions: stage 1"},
		{"plan --pattern reduce.json allreduce", "takes no operation"},
		{"plan --pattern reduce.json --gpus 0-1", "--gpus: not with --pattern"},
		{"plan --pattern reduce.json --algorithm ring", "--algorithm: not with --pattern"},
		{"plan --pattern reduce.json --nodes 8", "for 3 nodes, the fabric has 8"},
		{"plan --pattern reduce.json --size 0B", "--size: must be above 0B"},
		{"plan --pattern demand.json --size 1MiB", "--size: demand.json gives the size of each chunk"},
	} {
		code, stdout, stderr := run(t, strings.Fields(c.args)...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "lightpath: ") || strings.Count(stderr, "\n") != 1 ||
			!strings.Contains(stderr, c.want) || strings.Contains(stderr, " json: ") || strings.Contains(stderr, "bug") {
			t.Errorf("%s: exit %d, stdout %.80q, stderr %q; want exit 2 and one line with %q", c.args, code, stdout, stderr, c.want)
		}
	}
}

// summary is what --json says of a plan.
type summary struct {
	Fabric struct {
		Nodes int `json:"nodes"`
		Ports int `json:"ports"`
	} `json:"fabric"`
	Collective struct {
		Op        string `json:"op"`
		Algorithm string `json:"algorithm"`
		SizeBytes int64  `json:"size_bytes"`
		Chunks    struct {
			GPUs     []int     `json:"gpus"`
			Bytes    [][]int64 `json:"bytes"`
			Sections []struct {
				Op        string `json:"op"`
				SizeBytes int64  `json:"size_bytes"`
			} `json:"sections"`
		} `json:"chunks"`
	} `json:"collective"`
	CostNs struct {
		Total float64 `json:"total"`
	} `json:"cost_ns"`
}

// summaryOf runs a command with --json.
func summaryOf(t *testing.T, args string) summary {
	t.Helper()
	code, stdout, stderr := run(t, strings.Fields(args+" --json")...)
	if code != 0 || stderr != "" {
		t.Fatalf("%s: exit %d, %s", args, code, stderr)
	}
	var s summary
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWordsOfAnOperationOverrideFlags(t *testing.T) {
	for args, want := range map[string]string{
		"plan allreduce --nodes 8 --size 1MiB --algorithm ring":                 "allreduce, ring, 1048576, []",
		"plan allreduce/2MiB --nodes 8 --size 1MiB --algorithm ring":            "allreduce, ring, 2097152, []",
		"plan allreduce/bine --nodes 8 --size 1MiB --algorithm ring":            "allreduce, bine, 1048576, []",
		"plan allreduce/gpus=7,1/ring --nodes 8 --size 1MiB --gpus 0-3":         "allreduce, ring, 1048576, [7 1]",
		"plan allreduce/gpus=4-6/3MiB/ring --nodes 8":                           "allreduce, ring, 3145728, [4 5 6]",
		"plan allreduce/ring --nodes 8 --gpus 6,2,4 --size 1KB":                 "allreduce, ring, 1000, [6 2 4]",
		"plan allreduce/ring --nodes 8 --gpus 0-7 --size 1KB":                   "allreduce, ring, 1000, []",
		"plan allreduce/ring alltoall/5KiB/shift --nodes 8 --size 1KB":          "sequence, ring + shift, 6120, []",
		"plan allreduce/ring/gpus=0-3 broadcast/binomial/gpus=4-5/1B --nodes 8": "sequence, ring + binomial, 4194305, []",
		"plan alltoall/shift --nodes 4 --demand zipf:1 --size 1MiB --gpus 0-2":  "alltoall, shift, 1048576, [0 1 2]",
	} {
		c := summaryOf(t, args).Collective
		if got := fmt.Sprintf("%s, %s, %d, %v", c.Op, c.Algorithm, c.SizeBytes, c.Chunks.GPUs); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

func TestSequenceInJSON(t *testing.T) {
	s := summaryOf(t, "plan allreduce/3MiB alltoall/5KiB --nodes 8").Collective.Chunks.Sections
	if len(s) != 2 || s[0].Op != "allreduce" || s[0].SizeBytes != 3<<20 || s[1].Op != "alltoall" || s[1].SizeBytes != 5<<10 {
		t.Errorf("%+v", s)
	}
}

// The same seed gives the same bytes, another one others.
func TestSeedsOfDemands(t *testing.T) {
	const args = "plan alltoall/direct --nodes 5 --demand random --size 1MiB"
	one, again, other := summaryOf(t, args), summaryOf(t, args+" --seed 1"), summaryOf(t, args+" --seed 2")
	if !reflect.DeepEqual(one, again) || reflect.DeepEqual(one.Collective.Chunks.Bytes, other.Collective.Chunks.Bytes) {
		t.Errorf("%v, %v, %v", one, again, other)
	}
}

// Every kind of operation can be written to a file that verifies.
func TestPlansOfAllKindsVerify(t *testing.T) {
	t.Chdir(filesIn(t, map[string]string{
		"four.csv": "0,10,20,0\n5,0,7,0\n1,2,0,9\n0,0,3,0\n", "pairs.csv": "src,dst,bytes\n3,0,1000000\n0,1,7\n",
		"reduce.json": reducePattern, "demand.json": demandPattern,
	}))
	for _, args := range []string{
		// What a sequence leaves open: TestSequenceChoosesItsAlgorithms of command/planning.
		"plan allreduce/recursive-doubling alltoall/shift broadcast/binomial --nodes 4 --planner harvest",
		"plan allreduce --gpus 9,3,1,7 --nodes 12",
		"plan allreduce/swing/gpus=0-1 allreduce/ring/gpus=2-3 allreduce/recursive-doubling --nodes 4",
		"plan alltoall --nodes 4 --demand four.csv",
		"plan alltoall/bvn --nodes 4 --ports 2 --demand pairs.csv",
		"plan alltoall/bvn-few --nodes 9 --gpus 8,6,4,2 --demand four.csv",
		"plan alltoall --nodes 8 --demand moe:2 --seed 9",
		"plan allreduce/ring alltoall/shift --nodes 4 --demand zipf:0.8 --reconfig per-port:1us+100ns --initial base --planner harvest",
		"plan --pattern reduce.json",
		"plan --pattern reduce.json --size 4MiB --ports 1",
		"plan --pattern demand.json --planner every-step",
	} {
		if code, stdout, stderr := run(t, strings.Fields(args+" -o plan.json")...); code != 0 || !strings.Contains(stdout, "written to plan.json") {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
			continue
		}
		if code, stdout, stderr := run(t, "verify", "plan.json"); code != 0 {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
}

// A pattern says for how many GPUs and ports it is; flags say more.
func TestPatternsBringTheirFabric(t *testing.T) {
	t.Chdir(filesIn(t, map[string]string{"reduce.json": reducePattern, "demand.json": demandPattern}))
	for args, want := range map[string]string{
		"plan --pattern reduce.json":             "3 2 reduce pattern:reduce 3000",
		"plan --pattern reduce.json --size 1MiB": "3 2 reduce pattern:reduce 1048576",
		"plan --pattern reduce.json --ports 1":   "3 1 reduce pattern:reduce 3000",
		"plan --pattern demand.json":             "4 1 pattern demand 2000000",
		"plan --pattern demand.json --ports 3":   "4 3 pattern demand 2000000",
	} {
		s := summaryOf(t, args)
		c := s.Collective
		if got := fmt.Sprint(s.Fabric.Nodes, " ", s.Fabric.Ports, " ", c.Op, " ", c.Algorithm, " ", c.SizeBytes); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// The tables of all kinds of plans fit a terminal, and so do those of layouts.
func TestTextOfOperationsFitsATerminal(t *testing.T) {
	for _, args := range []string{
		"plan allreduce alltoall --nodes 8",
		"plan allreduce/gpus=0-3 allreduce/gpus=4-7 allreduce allgather reducescatter alltoall --nodes 8",
		"plan allreduce --gpus 9,3,1,7 --nodes 12",
		"plan alltoall --nodes 8 --demand moe:2",
		"compare alltoall --nodes 4 --demand zipf:1.2",
		"compare allreduce/gpus=3,1 --nodes 4",
		"collective alltoall --algorithm bvn --demand random --nodes 6 --ports 2",
	} {
		code, stdout, stderr := run(t, strings.Fields(args)...)
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
		for line := range strings.Lines(stdout) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
				t.Errorf("%s: a line of %d columns: %q", args, n, line)
			}
		}
	}
}

// A comparison says who takes part.
func TestCompareOnSomeGPUs(t *testing.T) {
	if _, stdout, _ := run(t, "compare", "allreduce/gpus=3,1", "--nodes", "4"); !strings.HasPrefix(stdout, "allreduce of 4MiB on 2 of 4 GPUs\n") {
		t.Errorf("%.60q", stdout)
	}
	if _, stdout, _ := run(t, "compare", "allreduce/gpus=3,1", "--nodes", "4", "--json"); !strings.Contains(stdout, "\"gpus\": [\n    3,\n    1\n  ]") {
		t.Errorf("%.600q", stdout)
	}
}
