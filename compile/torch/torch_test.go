package torch_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// python is the interpreter that Debian's PyTorch is installed for.
const python = "/usr/bin/python3"

// written plans a collective, compiles it and writes its module to a folder.
func written(t *testing.T, folder string, r lightpath.PlanRequest, inPlace bool) {
	t.Helper()
	ctx := context.Background()
	p, err := lightpath.Plan(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	made, err := compile.Compile(ctx, p, compile.Torch, &compile.TorchOptions{InPlace: inPlace})
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%s_%d_%v_%d_stages", p.Collective.Op, len(must(filepath.Glob(filepath.Join(folder, "*.py")))), inPlace, len(p.Stages))
	file, err := os.Create(filepath.Join(folder, name+".py"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := made.Files[0].Write(file); err != nil {
		t.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Modules of every operation, in place and out of place, of one stage and of several, compute
// the result of the collective in PyTorch, with gloo between processes.
func TestModulesRunInPyTorch(t *testing.T) {
	const ranks = 4
	folder := t.TempDir()
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = ranks, 100*units.Nanosecond
	islands := f
	islands.Island = fabric.Island{Size: 2, Bandwidth: 4 * f.Bandwidth}
	for _, op := range collective.Ops() {
		for _, inPlace := range []bool{false, true} {
			for _, on := range []fabric.Fabric{f, islands} {
				written(t, folder, lightpath.PlanRequest{Fabric: on, Operations: []lightpath.Operation{{Op: op, Size: units.MiB}}}, inPlace)
			}
		}
	}
	out, err := exec.Command(python, "testdata/ranks.py", folder, fmt.Sprint(ranks)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v; it needs python3-torch\n%s", err, out)
	}
	lines := strings.Fields(string(out))
	several := 0
	for i := 0; i+1 < len(lines); i += 2 {
		if lines[i+1] != "0" {
			t.Errorf("%s: %s runs are wrong", lines[i], lines[i+1])
		}
		if !strings.HasSuffix(lines[i], "_1_stages") {
			several++
		}
	}
	if want := 4 * len(collective.Ops()); len(lines) != 2*want {
		t.Errorf("%d modules ran, not %d:\n%s", len(lines)/2, want, out)
	}
	if several < len(collective.Ops()) {
		t.Errorf("%d modules have several stages", several)
	}
}
