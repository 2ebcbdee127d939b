package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// From a plan to a file that is checked, lifted, verified and simulated.
func TestCompileAndCheckGoRound(t *testing.T) {
	t.Chdir(t.TempDir())
	do := func(want int, line string) (out, stderr string) {
		t.Helper()
		code, out, stderr := run(t, strings.Fields(line)...)
		if code != want {
			t.Fatalf("%s: exit %d: %s%s", line, code, out, stderr)
		}
		return out, stderr
	}
	do(0, "plan allreduce --nodes 8 --algorithm ring --planner static -o plan.json")
	do(0, "plan allreduce --nodes 8 --algorithm recursive-doubling --planner every-step -o stages.json")
	do(0, "plan allreduce --nodes 64 --algorithm ring --planner static -o large.json")
	for _, format := range []string{"msccl", "rccl", "mscclpp"} {
		out, _ := do(0, "compile plan.json --to "+format+" -o one --json")
		var answer struct {
			Format string `json:"format"`
			Folder bool
			Plan   float64 `json:"plan_ns"`
			Low    float64 `json:"lowered_ns"`
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil || answer.Format != format || answer.Folder || answer.Low != answer.Plan {
			t.Errorf("%s: %s, %v", format, out, err)
		}
		do(0, "check one --for "+format)
		do(0, "check one --to-plan --base UniRing(1,8) --size 4MiB -o lifted.json")
		do(0, "verify lifted.json")
		do(0, "compile stages.json --to "+format+" -o many-"+format)
		out, _ = do(0, "check many-"+format+"/manifest.json --json")
		var report struct {
			OK     bool
			Format string
			Checks []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || !report.OK || report.Format != format || len(report.Checks) < 9 {
			t.Errorf("%s: %s, %v", format, out, err)
		}
		do(0, "check many-"+format+"/manifest.json --to-plan --size 4MiB -o again.json")
		do(0, "verify again.json")
	}
	for _, line := range []string{
		"--to astra -o astra", "--to harvest -o schedule.json", "--to dot -o x.dot", "--to edges -o edges",
		"--to timetable -o t.json", "--to timetable -o t.csv", "--to timetable -o t.scpi", "--to rccl --lowered -o lowered.json",
	} {
		do(0, "compile stages.json "+line)
	}
	do(0, "verify lowered.json")
	do(0, "check schedule.json --to-plan --of allreduce/4MiB/recursive-doubling -o scheduled.json")
	for _, name := range []string{"astra/algorithm.7.et", "astra/network.yml", "edges/stage-5.csv", "many-msccl/timetable.json"} {
		if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
			t.Error(err)
		}
	}
	do(0, "plan gather --nodes 4 -o gather.json")
	if _, stderr := do(1, "compile gather.json --to msccl -o no.xml"); !strings.Contains(stderr, "MSCCL has no gather") {
		t.Error(stderr)
	}
	do(0, "compile large.json --to mscclpp -o large")
	do(0, "check large/manifest.json")
	data, err := os.ReadFile("many-msccl/stage-1.xml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("alone.xml", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr := do(1, "check alone.xml"); !strings.Contains(stderr, "alone.xml: result: rank 0:") {
		t.Error(stderr)
	}
}

func TestCompileAndCheckRefuseBadUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := run(t, "plan", "allreduce", "--nodes", "4", "-o", "plan.json"); code != 0 {
		t.Fatal(stderr)
	}
	if code, _, stderr := run(t, "compile", "plan.json", "--to", "harvest", "-o", "schedule.json"); code != 0 {
		t.Fatal(stderr)
	}
	for _, folder := range []string{"empty", "stages"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join("stages", "manifest.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("bad.xml", []byte("<?xml version='1.0'?>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("text", []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, says := range map[string]string{
		"compile":                                                             "want one plan file",
		"compile plan.json -o x":                                              "--to: missing",
		"compile plan.json --to msccl":                                        "-o: missing",
		"compile plan.json --to nccl -o x":                                    "--to: unknown format",
		"compile plan.json --to msccl --protocol ll -o x":                     "--protocol: ",
		"compile plan.json --to dot --in-place -o x":                          "--in-place: dot has no such option; use it with msccl, rccl, mscclpp",
		"compile plan.json --to msccl --max-bytes 5 -o x":                     "--max-bytes: ",
		"compile plan.json --to dot --lowered -o x":                           "--lowered: dot has no runtime",
		"compile plan.json --to timetable -o x.html":                          ".json, .csv or .scpi, not .html",
		"compile plan.json --to timetable -o x.txt":                           ".json, .csv or .scpi, not .txt",
		"compile plan.json --to astra -o nope/y":                              "-o: nope/y: there is no directory nope",
		"compile plan.json --to msccl -o nope/y.xml":                          "-o: nope/y.xml: there is no directory nope",
		"compile plan.json --to astra -o text":                                "must be a folder",
		"compile plan.json --to msccl --min-bytes 2MiB --max-bytes 1MiB -o x": "--max-bytes: 1MiB is below --min-bytes, 2MiB",
		"check":             "want one file",
		"check nowhere.xml": "nowhere.xml",
		"check text":        "neither a program",
		"plan allreduce --nodes 7 --avoid link:3-3": "both ends are GPU 3",
		"check empty":  "empty: a folder without manifest.json; want the file of a program or of a manifest",
		"check stages": "stages: a folder; check its manifest: lightpath check " + filepath.Join("stages", "manifest.json"),
		"check schedule.json --to-plan --of allreduce/1KiB/joint": "schedule.json: a schedule holds only circuits, and the steps of \"joint\" are not known without the plan: unknown algorithm",
		"check bad.xml --for dot":                                 "--for: ",
		"check bad.xml -o x":                                      "only with --to-plan",
		"check bad.xml --ports 2":                                 "--ports: only with --to-plan",
		"check bad.xml --for mscclpp":                             "an XML program is for msccl or rccl",
		"check plan.json":                                         "neither a manifest",
	} {
		code, out, stderr := run(t, strings.Fields(line)...)
		if code != 2 || !strings.Contains(stderr, says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d: %s%s; want ..%s..", line, code, out, stderr, says)
		}
	}
	if _, err := os.Stat("nope"); err == nil {
		t.Error("compile made a folder nope")
	}
	if code, _, stderr := run(t, "check", "bad.xml"); code != 1 || !strings.Contains(stderr, "line 1: an XML declaration") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// What an earlier run has compiled into a folder goes when another plan is compiled into it; what
// others have put there stays.
func TestCompiledFilesReplaceEarlierOnes(t *testing.T) {
	t.Chdir(t.TempDir())
	do := func(line string) {
		t.Helper()
		if code, out, stderr := run(t, strings.Fields(line)...); code != 0 {
			t.Fatalf("%s: exit %d: %s%s", line, code, out, stderr)
		}
	}
	list := func() (names []string) {
		t.Helper()
		err := filepath.WalkDir("out", func(path string, d os.DirEntry, err error) error {
			if err == nil && path != "out" {
				names = append(names, filepath.ToSlash(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	do("iterate --model llama3-8b --tp 2 --dp 2 --global-batch 4 --ports 2 --policy each --reconfig 1us -o iteration.json")
	do("plan allreduce --nodes 8 --size 1GiB --reconfig 1us --planner harvest --algorithm recursive-doubling -o plan.json")
	do("compile plan.json --to msccl -o fresh")
	do("compile iteration.json --to msccl -o out")
	if names := list(); len(names) < 4 {
		t.Fatal(names)
	}
	if err := os.WriteFile(filepath.Join("out", "mine.xml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	do("compile iteration.json --to mscclpp -o out")
	for _, name := range list() {
		if strings.HasSuffix(name, ".xml") && name != "out/mine.xml" {
			t.Errorf("%s is left", name)
		}
	}
	do("compile plan.json --to msccl -o out")
	var want []string
	entries, err := os.ReadDir("fresh")
	if err != nil || len(entries) < 4 {
		t.Fatal(err, entries)
	}
	for _, e := range entries {
		want = append(want, "out/"+e.Name())
	}
	want = append(want, "out/mine.xml")
	slices.Sort(want)
	if names := list(); !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// The same for traces, of plans and of iterations: ranks that a later plan does not have leave none
// behind, and traces of others stay.
func TestTracesReplaceEarlierOnes(t *testing.T) {
	t.Chdir(t.TempDir())
	do := func(line string) {
		t.Helper()
		if code, out, stderr := run(t, strings.Fields(line)...); code != 0 {
			t.Fatalf("%s: exit %d: %s%s", line, code, out, stderr)
		}
	}
	list := func(folder string) (names []string) {
		t.Helper()
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	for _, ranks := range []string{"4", "2"} {
		do("iterate --model llama3-8b --tp " + ranks + " --global-batch 1 --ports 2 --policy each --reconfig 1us -o iteration-" + ranks + ".json")
		do("plan allreduce --nodes " + ranks + " --size 1MiB -o plan-" + ranks + ".json")
	}
	mine := []string{"iteration.9.et", "algorithm.9.et", "mine.0.et"}
	do("compile plan-4.json --to astra -o out")
	for _, name := range mine {
		if err := os.WriteFile(filepath.Join("out", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, line := range []string{
		"plan-2.json --to astra", "iteration-4.json --to astra", "iteration-2.json --to astra", "iteration-4.json --to astra --form messages",
		"iteration-2.json --to astra --form messages", "iteration-2.json --to msccl", "iteration-2.json --to astra", "plan-2.json --to astra",
	} {
		fresh := fmt.Sprint("fresh", i)
		do("compile " + line + " -o " + fresh)
		do("compile " + line + " -o out")
		want := append(list(fresh), mine...)
		slices.Sort(want)
		if names := list("out"); !slices.Equal(names, want) {
			t.Errorf("%s: %v, want %v", line, names, want)
		}
	}
}
