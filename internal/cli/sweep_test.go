package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/sweep"
)

// A sweep goes to a file, goes on with it, is shown, compared, merged and drawn.
func TestSweepFromStartToPicture(t *testing.T) {
	t.Chdir(t.TempDir())
	ok := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := run(t, args...)
		if code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, stderr)
		}
		return stdout
	}
	grid := []string{"sweep", "allreduce", "--nodes", "8", "--size", "1KiB..1MiB/3", "--reconfig", "100ns..10us/3", "--planner", "harvest"}
	text := ok(append(grid, "--out", "a.db", "--plot", "a.svg")...)
	if !strings.Contains(text, "9 cells in the grid, 9 planned") || !strings.Contains(text, "reconfiguring pays") || !strings.Contains(text, "drawn as a.svg") {
		t.Error(text)
	}
	if code, _, stderr := run(t, append(grid, "--out", "a.db")...); code != 2 || !strings.Contains(stderr, "--resume") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	csv := ok(append(grid, "--out", "a.db", "--resume", "--format", "csv")...)
	if csv != ok("sweep", "show", "a.db", "--format", "csv") || strings.Count(csv, "\n") != 10 {
		t.Error(csv)
	}
	code, _, stderr := run(t, "sweep", "alltoall", "--nodes", "4", "--size", "1KiB,2KiB", "--out", "a.db", "--resume")
	if code != 2 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "--out: a.db: it holds another grid") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if csv != ok("sweep", "show", "a.db", "--format", "csv") {
		t.Error("the store shows another grid than before")
	}
	for _, shard := range []string{"1/2", "2/2"} {
		ok(append(grid, "--out", "s"+shard[:1]+".db", "--shard", shard)...)
	}
	if code, _, stderr := run(t, "sweep", "merge", "--out", "half.db", "s1.db"); code != 1 || !strings.Contains(stderr, "missing") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	ok("sweep", "merge", "--out", "both.db", "s1.db", "s2.db")
	if csv != ok("sweep", "show", "both.db", "--format", "csv") {
		t.Error("two shards have found something else")
	}
	if diff := ok("sweep", "diff", "a.db", "both.db"); !strings.Contains(diff, "9 cells the same, 0 faster, 0 slower") {
		t.Error(diff)
	}
	var answer struct {
		Cells []struct {
			Params map[string]any
			Total  float64 `json:"total_ns"`
		}
	}
	if err := json.Unmarshal([]byte(ok("sweep", "show", "a.db", "--json", "--metric", "winner,time", "--plot", "w.html")),
		&answer); err != nil || len(answer.Cells) != 9 || answer.Cells[0].Params["size_bytes"] != 1024.0 {
		t.Errorf("%+v, %v", answer, err)
	}
	ok("report", "a.db", "-o", "a.html")
	code, _, stderr = run(t, "report", "a.db", "-o", "a.pdf")
	if _, err := os.Stat("a.pdf"); err == nil || code != 2 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "-o: a.pdf: the page is HTML") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	for _, name := range []string{"a.svg", "w.html", "a.html"} {
		if info, err := os.Stat(name); err != nil || info.Size() < 2000 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// Files of different grids are not merged, into a new file or one that is there.
func TestMergeRefusesDifferentGrids(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, nodes := range map[string]string{"a.db": "4", "b.db": "8"} {
		if code, _, stderr := run(t, "sweep", "allreduce", "--nodes", nodes, "--size", "1KiB", "--planner", "harvest", "--out", name); code != 0 {
			t.Fatal(stderr)
		}
	}
	for _, files := range [][]string{{"a.db", "b.db", "--out", "all.db"}, {"b.db", "--out", "a.db"}} {
		code, stdout, stderr := run(t, append([]string{"sweep", "merge"}, files...)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "a.db and b.db hold different grids (they differ in nodes)") {
			t.Errorf("%v: exit %d: %s%s", files, code, stdout, stderr)
		}
	}
	if _, err := os.Stat("all.db"); err == nil {
		t.Error("all.db is there")
	}
}

// A table for a spreadsheet has the rows of every fabric, and says which are whose.
func TestTunedFabricsAreAllInCSV(t *testing.T) {
	tune := []string{"tune", "allreduce", "--nodes", "4", "--size", "1KiB..1MiB", "--planner", "harvest", "--format", "csv"}
	code, one, stderr := run(t, tune...)
	if code != 0 || !strings.HasPrefix(one, "from_bytes,") {
		t.Fatalf("exit %d: %s%s", code, one, stderr)
	}
	code, all, stderr := run(t, append(tune, "--for", "polatis,rotornet")...)
	if code != 0 || !strings.HasPrefix(all, "fabric,from_bytes,") || strings.Count(all, "from_bytes") != 1 {
		t.Fatalf("exit %d: %s%s", code, all, stderr)
	}
	for _, name := range []string{"this fabric", "polatis", "rotornet"} {
		if !strings.Contains(all, "\n"+name+",1024,") {
			t.Errorf("no rows of %s in\n%s", name, all)
		}
	}
}

// Packet times are not drawn if there are none.
func TestNoPictureOfTimesThatWereNotSimulated(t *testing.T) {
	t.Chdir(t.TempDir())
	grid := []string{"sweep", "allreduce", "--nodes", "4", "--size", "1KiB,2KiB", "--planner", "harvest"}
	if code, _, stderr := run(t, append(grid, "--out", "a.db")...); code != 0 {
		t.Fatal(stderr)
	}
	for _, line := range [][]string{{"sweep", "show", "a.db"}, grid} {
		code, stdout, stderr := run(t, append(line, "--metric", "time,simulated", "--plot", "x.svg")...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "has no simulated times; sweep --simulate adds them") {
			t.Errorf("%v: exit %d: %s%s", line, code, stdout, stderr)
		}
	}
	if code, _, stderr := run(t, append(grid, "--simulate", "--metric", "simulated", "--plot", "x.svg")...); code != 0 {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Pictures, pages and tables of the other commands.
func TestPlotsPagesAndTunedPlans(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("times.csv", []byte("bytes,time_ns\n1024,1600\n65536,2200\n1048576,12000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"tune allreduce --nodes 8 --planner harvest -o tuned.json --plot tune.png",
		"plan allreduce --nodes 8 --size 3MiB --tuned tuned.json -o plan.json --plot plan.svg",
		"plan allreduce --nodes 8 --frontier --plot frontier.png",
		"compare allreduce --nodes 8 --plot compare.html",
		"advise allreduce --nodes 8 --planner harvest --most-ports 1 --plot advise.svg",
		"verify plan.json --plot verify.svg", "explain plan.json --plot explain.png", "compile plan.json --to timetable -o table.json --plot compile.svg",
		"plan allreduce --nodes 4 --planner static --algorithm ring -o ring.json", "compile ring.json --to msccl -o ring.xml",
		"check ring.xml --plot check.svg", "emulate ring.json --no-wait --plot emulate.svg", "calibrate times.csv --plot calibrate.svg",
		"collective allreduce --algorithm swing --nodes 8 --plot collective.svg", "schedule Torus(3,3) --plot schedule.svg",
		"train --trace resnet50 --topology Torus(4,4) --plot train.svg", "reproduce harvest/table1 --plot reproduce.svg",
		"report plan.json -o plan.html", "sweep allreduce --engine slurm --dry-run --out x.db --shards 3 --size 1KiB..1MiB",
		"sweep allreduce --engine k8s --dry-run --out x.db",
	} {
		if code, stdout, stderr := run(t, strings.Fields(line)...); code != 0 || stdout == "" {
			t.Fatalf("%s: exit %d: %s", line, code, stderr)
		}
	}
	for flags, want := range map[string]string{
		"--frontier": "not with --frontier", "--synthesis search": "not with --synthesis", "--budget 1s": "not with --budget", "--gpus 0-3": "for all 8 GPUs",
	} {
		line := "plan allreduce --nodes 8 --size 3MiB --tuned tuned.json " + flags
		if code, stdout, stderr := run(t, strings.Fields(line)...); code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, %q", line, code, stdout, stderr)
		}
	}
	line := "plan alltoall --nodes 8 --demand zipf:0.4 --tuned tuned.json"
	if code, _, stderr := run(t, strings.Fields(line)...); code != 2 || !strings.Contains(stderr, "not for a demand") {
		t.Errorf("%s: exit %d, %q", line, code, stderr)
	}
	code, stdout, stderr := run(t, "simulate", "plan.json", "--json")
	if code != 0 {
		t.Fatal(stderr)
	}
	if err := os.WriteFile("sim.json", []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, "report", "sim.json", "-o", "sim.html"); code != 0 {
		t.Error(stderr)
	}
	for _, name := range []string{"tune.png", "plan.svg", "frontier.png", "compare.html", "advise.svg", "plan.html", "sim.html",
		"verify.svg", "explain.png", "compile.svg", "check.svg", "emulate.svg", "calibrate.svg", "collective.svg", "schedule.svg", "train.svg", "reproduce.svg"} {
		if info, err := os.Stat(name); err != nil || info.Size() < 2000 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if _, err := os.Stat("x.db"); err == nil {
		t.Error("a dry run made a file")
	}
}

func TestBadSweepsAreOneLineAndExit2(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("junk.db", []byte(strings.Repeat("junk", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("array.json", []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"sweep":                                     "operation",
		"sweep shuffle":                             "shuffle",
		"sweep allreduce --size 1":                  "--size",
		"sweep allreduce --size 2B..1B":             "--size",
		"sweep allreduce --ports 0":                 "ports",
		"sweep allreduce --planner x":               "--planner",
		"sweep allreduce --algorithm x":             "--algorithm",
		"sweep allreduce --metric x":                "--metric",
		"sweep allreduce --plot x.gif":              "--plot",
		"sweep allreduce --plot no/x.svg --nodes 4": "no directory",
		"sweep allreduce --size 1KiB..1GiB --reconfig 1ns..1s --points 100000000": `"1KiB..1GiB" in 100000000 points; want at most 1000000`,
		"sweep allreduce --size 1KiB..512MiB+64KiB --reconfig 1us..4ms+1us":       "the grid has 3.28e+07 cells; want at most 10000000",
		"sweep allreduce --resume":                             "--out",
		"sweep allreduce --points 1":                           "--points",
		"sweep allreduce --points 0 --size 1KiB..1MiB":         "--points",
		"sweep allreduce --dry-run --out x.db":                 "--engine",
		"sweep allreduce --shard 3/2":                          "--shard",
		"sweep allreduce --engine mars --out x.db":             "--engine",
		"sweep allreduce --engine slurm":                       "--out",
		"sweep allreduce --engine k8s --out x.db":              "--dry-run",
		"sweep allreduce --engine slurm --out x.db --shards 0": "--shards",
		"sweep allreduce --packet 0B":                          "--packet",
		"sweep allreduce --out junk.db --resume --nodes 4":     "junk.db",
		"sweep show none.db":                                   "none.db",
		"sweep show junk.db":                                   "junk.db",
		"sweep show":                                           "sweep show: want the file of a sweep",
		"sweep diff junk.db":                                   "sweep diff: want the files of two sweeps, got 1",
		"sweep merge":                                          "sweep merge: want the files",
		"tune allreduce --nodes 4 -o x.csv":                    "-o: ",
		"plan allreduce --tuned array.json":                    "not a tuning table, which is an object",
		"sweep merge junk.db":                                  "--out",
		"tune":                                                 "operation",
		"tune allreduce --size 1KiB":                           "--size",
		"tune allreduce --size 2KiB..1KiB":                     "--size",
		"tune allreduce --for nothing":                         "--for",
		"tune allreduce --planner x":                           "--planner",
		"tune shuffle":                                         "shuffle",
		"plan allreduce --tuned none.json":                     "--tuned",
		"plan allreduce --tuned junk.db":                       "--tuned",
		"plan allreduce --plot x.gif":                          "--plot",
		"advise allreduce --most-ports 2000":                   "--most-ports",
		"advise allreduce --planner x":                         "--planner",
		"report":                                               "file",
		"report none.json -o x.html":                           "none.json",
		"report junk.db -o x.html":                             "junk.db",
		"report junk.db":                                       "-o",
	} {
		code, stdout, stderr := run(t, strings.Fields(line)...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "lightpath: ") || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, %q", line, code, stdout, stderr)
		}
	}
	if left, err := filepath.Glob("x.*"); err != nil || left != nil {
		t.Errorf("%v is left behind", left)
	}
}

// A manifest says what files here say, and keeps the folder of --out: containers have neither.
func TestKubernetesManifestNeedsNoFilesOfThisMachine(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"foo.yaml":  "preset: calient\nnodes: 16\nports: 2\nbase: Torus(4,4)\nlinks: 0-1:400Gbps,1-2:+1us\nduplex: true\n",
		"lost.yaml": "nodes: 16\navoid: gpu:5,port:7\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sweeps := "sweep allreduce --engine k8s --dry-run --nodes 4,8 --out "
	code, stdout, stderr := run(t, strings.Fields(sweeps+"results/a/x.db --fabric foo.yaml")...)
	if code != 0 || strings.Contains(stdout, "foo.yaml") || strings.Contains(stdout, "--nodes=16") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	preset := fabric.Default()
	if err := preset.ApplyPreset("calient"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--nodes=4,8", "--ports=2", "'--base=Torus(4,4)'", "--links=0-1:400Gbps,1-2:+1us", "--duplex=true", "--reconfig=" + preset.Reconfig.String(),
		"mountPath: \"/data\"", "--out /data/results/a/x.db", "mkdir -p /data/results/a/x.shards"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %s in\n%s", want, stdout)
		}
	}
	if code, stdout, stderr := run(t, strings.Fields(sweeps+"/data/b/x.db")...); code != 0 || !strings.Contains(stdout, "--out /data/b/x.db") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	for line, want := range map[string]string{
		"x.db --fabric lost.yaml": "avoid", "/scratch/x.db": "/data", "../x.db": "/data", "/data": "/data",
	} {
		if code, stdout, stderr := run(t, strings.Fields(sweeps+line)...); code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, %q", line, code, stdout, stderr)
		}
	}
}

// An interrupted sweep says what it has found: the place of its store, or the cells themselves.
func TestAnInterruptedSweepSaysWhatItFound(t *testing.T) {
	request := lightpath.SweepRequest{Axes: []sweep.Axis{{Name: "op", Values: []string{"allreduce"}}, {Name: "nodes", Values: []string{"32"}},
		{Name: "size", Values: []string{"1KiB..1GiB"}}, {Name: "reconfig", Values: []string{"1us,10us"}}, {Name: "planner", Values: []string{"harvest"}}}}
	ctx, cancel := context.WithCancel(t.Context())
	table, err := lightpath.Sweep(ctx, request, lightpath.WithProgress(func(done, _ int) {
		if done > 0 {
			cancel()
		}
	}))
	if !errors.Is(err, context.Canceled) || table == nil || table.Missing == 0 || table.Missing == len(table.Cells) {
		t.Fatalf("%v, %+v", err, table)
	}
	for out, want := range map[string]string{"": " of 42 cells were planned; --out FILE.db would have kept them", "kept.db": " of 42 cells are in kept.db; --resume continues"} {
		var stdout, stderr bytes.Buffer
		s := &session{out: bufio.NewWriter(&stdout), err: &stderr, json: true}
		if err := (&sweepFlags{out: out}).partial(s, table, nil); err != nil || !strings.Contains(stderr.String(), want) {
			t.Errorf("%v: %s", err, stderr.String())
		}
		if err := s.out.Flush(); err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Missing int
			Cells   []any
		}
		if err := json.Unmarshal(stdout.Bytes(), &answer); out == "" && (err != nil || answer.Missing != table.Missing || len(answer.Cells) != len(table.Cells)-table.Missing) {
			t.Errorf("%v: %s", err, stdout.String())
		}
	}
}
