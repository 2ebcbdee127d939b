package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// answerOf runs a command line with --json and reads what it prints.
func answerOf[T any](t *testing.T, line string) (answer T) {
	t.Helper()
	code, stdout, stderr := run(t, append(strings.Fields(line), "--json")...)
	if code != 0 {
		t.Fatalf("%s: exit %d: %s", line, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// patternFiles writes the patterns of these tests into an empty folder.
func patternFiles(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	wrong := strings.Replace(reducePattern, `"action":"reduce"`, `"action":"copy"`, 1)
	for name, text := range map[string]string{"reduce.json": reducePattern, "demand.json": demandPattern, "wrong.json": wrong} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// compare --pattern lists the pattern beside every algorithm and planner of the operation that it
// carries out: its own rows, and those that compare has without it.
func TestCompareListsAPatternBesideEverythingKnown(t *testing.T) {
	patternFiles(t)
	type row struct {
		Algorithm, Planner string
		TotalNs            float64 `json:"total_ns"`
	}
	type comparison struct {
		Op   string
		Rows []row
	}
	with := answerOf[comparison](t, "compare --pattern reduce.json")
	without := answerOf[comparison](t, "compare reduce --nodes 3 --ports 2 --size 3000B")
	var own, others []row
	for _, r := range with.Rows {
		if r.Algorithm == "pattern:reduce" {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	if with.Op != "reduce" || len(own) < 4 || len(others) != len(without.Rows) {
		t.Fatalf("%s: %d rows of the pattern, %d others, %d without it", with.Op, len(own), len(others), len(without.Rows))
	}
	for i := range others {
		if others[i] != without.Rows[i] {
			t.Errorf("row %d: %+v, without the pattern %+v", i, others[i], without.Rows[i])
		}
	}
	planned := answerOf[struct {
		CostNs struct{ Total float64 } `json:"cost_ns"`
	}](t, "plan --pattern reduce.json")
	if own[0].TotalNs != planned.CostNs.Total {
		t.Errorf("its fastest row takes %v, its plan %v", own[0].TotalNs, planned.CostNs.Total)
	}
	// A pattern that performs no operation has nothing beside it.
	for _, r := range answerOf[comparison](t, "compare --pattern demand.json").Rows {
		if r.Algorithm != "demand" {
			t.Errorf("%+v", r)
		}
	}
}

// tune --pattern has the pattern as one more algorithm: alone it is every row, and a table with it
// is nowhere slower than one without.
func TestTuneTakesAPattern(t *testing.T) {
	patternFiles(t)
	type row struct {
		FromBytes int64 `json:"from_bytes"`
		Algorithm string
	}
	type point struct {
		SizeBytes int64   `json:"size_bytes"`
		TotalNs   float64 `json:"total_ns"`
	}
	type table struct {
		Op    string
		Rows  []row
		Curve []point
	}
	const sizes = " --size 1KiB..64KiB"
	alone := answerOf[table](t, "tune --pattern reduce.json --algorithm pattern:reduce --planner harvest"+sizes)
	if alone.Op != "reduce" || len(alone.Rows) == 0 || alone.Rows[0].Algorithm != "pattern:reduce" {
		t.Errorf("%+v", alone)
	}
	with := answerOf[table](t, "tune --pattern reduce.json"+sizes)
	without := answerOf[table](t, "tune reduce --nodes 3 --ports 2"+sizes)
	times := map[int64]float64{}
	for _, p := range without.Curve {
		times[p.SizeBytes] = p.TotalNs
	}
	for _, p := range with.Curve {
		if before, both := times[p.SizeBytes]; both && p.TotalNs > before*(1+1e-12) {
			t.Errorf("%d bytes: %v with the pattern, %v without", p.SizeBytes, p.TotalNs, before)
		}
	}
}

// sweep --pattern has the pattern as one more algorithm: a curve of its own beside the best of all,
// which no cell of the pattern beats, and is where the pattern is the best.
func TestSweepTakesAPattern(t *testing.T) {
	patternFiles(t)
	type table struct {
		Cells []struct {
			Algorithm string
			Params    map[string]any
			TotalNs   float64 `json:"total_ns"`
		}
	}
	cells := answerOf[table](t, "sweep --pattern reduce.json --algorithm pattern:reduce,auto --size 1KiB,1MiB,16MiB").Cells
	if len(cells) != 6 {
		t.Fatalf("%d cells", len(cells))
	}
	for i := range 3 {
		own, all := cells[i], cells[i+3]
		if own.Algorithm != "pattern:reduce" || own.TotalNs < all.TotalNs || own.TotalNs == 0 || own.Params["op"] != "reduce" {
			t.Errorf("%v, and the best %v", own, all)
		}
		planned := answerOf[struct {
			CostNs struct{ Total float64 } `json:"cost_ns"`
		}](t, fmt.Sprintf("plan --pattern reduce.json --size %.0fB", own.Params["size_bytes"]))
		if own.TotalNs != planned.CostNs.Total {
			t.Errorf("the pattern takes %v, planned alone %v", own.TotalNs, planned.CostNs.Total)
		}
	}
	// Another pattern of the same name is another grid.
	if code, _, stderr := run(t, strings.Fields("sweep --pattern reduce.json --out s.db")...); code != 0 {
		t.Fatal(stderr)
	}
	other := strings.Replace(reducePattern, `"parts":1`, `"parts":2`, 1)
	if err := os.WriteFile("reduce.json", []byte(strings.ReplaceAll(other, `"chunks":[0]`, `"chunks":[0,1]`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, strings.Fields("sweep --pattern reduce.json --out s.db --resume")...); code != 2 || !strings.Contains(stderr, "another grid") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Operations of a sweep may have sizes of their own, and the answers are those of two sweeps.
func TestSweepTakesASizeForEachOperation(t *testing.T) {
	type cell struct {
		Params  map[string]any
		TotalNs float64 `json:"total_ns"`
	}
	type table struct{ Cells []cell }
	const machine = " --nodes 8 --ports 2 --reconfig 1us,100us"
	both := answerOf[table](t, "sweep allreduce/1MB alltoall/64KiB"+machine).Cells
	apart := append(answerOf[table](t, "sweep allreduce --size 1MB"+machine).Cells, answerOf[table](t, "sweep alltoall --size 64KiB"+machine).Cells...)
	if len(both) != 4 || len(apart) != 4 {
		t.Fatalf("%d and %d cells", len(both), len(apart))
	}
	for i := range both {
		if both[i].TotalNs != apart[i].TotalNs || both[i].Params["size_bytes"] != apart[i].Params["size_bytes"] || both[i].Params["op"] != apart[i].Params["op"] {
			t.Errorf("cell %d: %v, apart %v", i, both[i], apart[i])
		}
	}
	filled := answerOf[table](t, "sweep allreduce/1MB alltoall --size 64KiB"+machine).Cells
	for i := range filled {
		if filled[i].TotalNs != both[i].TotalNs {
			t.Errorf("cell %d: %v with --size, %v", i, filled[i], both[i])
		}
	}
}

func TestPatternsAndSizesThatMakeNoSenseAreRefused(t *testing.T) {
	patternFiles(t)
	for line, says := range map[string]string{
		"compare --pattern wrong.json":            "--pattern: it does not do what it says: ",
		"tune --pattern wrong.json":               "--pattern: it does not do what it says: ",
		"tune --pattern demand.json":              "--pattern: it names no operation",
		"tune allreduce --pattern reduce.json":    "--pattern: it carries out reduce, not allreduce",
		"tune --pattern reduce.json --nodes 4":    "--pattern: it is for 3 nodes, the fabric has 4",
		"sweep --pattern wrong.json":              "--pattern: it does not do what it says: ",
		"sweep --pattern demand.json":             "--pattern: it names no operation",
		"sweep allreduce --pattern reduce.json":   "--pattern: it carries out reduce, and the sweep has allreduce",
		"sweep --pattern reduce.json --nodes 4,8": "--pattern: it is for 3 nodes, the sweep has 4, 8",
		"tune":                            "want one operation",
		"sweep allreduce/1MB --size 1KiB": "--size: every operation has a size of its own",
		"sweep allreduce/1MB alltoall --size 1KiB..1MiB": "--size: where operations have sizes of their own",
		"sweep allreduce/1MB/ring":                       "is OP or OP/SIZE",
		"sweep allreduce/0B":                             "allreduce/0B",
	} {
		code, stdout, stderr := run(t, strings.Fields(line)...)
		if code != 2 || !strings.Contains(stderr, says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d: %s%s; want ..%s..", line, code, stdout, stderr, says)
		}
	}
}
