package plan_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// The files of testdata/v1 were written by the program when lightpath.plan/v1 was the only
// form. They are never rewritten, so every later version can read and verify such files.
func TestPlanFilesOfTheFirstFormStayGood(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "v1", "*.json.gz"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		p, err := plan.ReadFile(t.Context(), name)
		if err != nil {
			t.Errorf("not readable any more: %v", err)
			continue
		}
		report, err := verify.Plan(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if bad := report.First(); bad != nil {
			t.Errorf("%s does not verify any more: %s: %s", name, bad.Name, bad.Detail)
		}
		// A plan that was read can be written and read again.
		again := filepath.Join(t.TempDir(), filepath.Base(name))
		if err := p.WriteFile(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		if _, err := plan.ReadFile(t.Context(), again); err != nil {
			t.Errorf("%s, written again: %v", name, err)
		}
		if info, err := os.Stat(again); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", again, err)
		}
	}
}
