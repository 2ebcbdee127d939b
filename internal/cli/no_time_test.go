package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// An iteration that takes no time has no exposed share and no gap, and is as long as all others:
// nothing is divided by its time.
func TestIterationsThatTakeNoTime(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, program := range map[string]string{
		"nothing": `[]`,
		"compute": `[{"id":"c","compute_ns":0}]`,
		"alone":   `[{"id":"a","op":"allreduce","kind":"own","size_bytes":5}]`,
	} {
		text := `{"schema":"lightpath.workload/v1","ranks":2,"kinds":{"own":[[0],[1]]},"programs":[{"ranks":"0-1","ops":` + program + `}]}`
		if err := os.WriteFile("w.json", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ line, says string }{
			{"iterate w.json -o i.json", "0ns of communication, 0.0% of the iteration"},
			{"iterate w.json --json", `"gap":0,`},
			{"verify i.json", "gap 0.0%"},
			{"explain i.json", "0.00% of an"},
			{"simulate i.json", "takes 0ns"},
			{"compile i.json --to astra -o traces", "astra"},
			{"iterate w.json --plot i.html", "0.0% above"},
			{"advise --workload w.json", "0.00%  static"},
			{"advise --workload w.json --json", `"speedup": 1`},
			{"sweep --workload w.json", "1 cell in the grid, 1 planned"},
			{"sweep --workload w.json --json", `"exposed_ns": 0`},
			{"sweep --workload w.json --ports 1,2 --plot s.html", "2 cells in the grid, 2 planned"},
		} {
			code, out, stderr := run(t, strings.Fields(c.line)...)
			if code != 0 || !strings.Contains(out, c.says) || strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
				t.Errorf("%s: %s: exit %d: %s%s; want ..%s..", name, c.line, code, out, stderr, c.says)
			}
		}
		page, err := os.ReadFile("i.html")
		if err != nil || strings.Contains(string(page), "NaN") {
			t.Errorf("%s: a page with NaN, or %v", name, err)
		}
		whole, err := os.ReadFile("i.json")
		if err != nil || !bytes.Contains(whole, []byte(`"gap":0,`)) {
			t.Fatalf("%s: %v: %s", name, err, whole)
		}
		if err := os.WriteFile("i.json", bytes.Replace(whole, []byte(`"gap":0,`), []byte(`"gap":0.5,`), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, stderr := run(t, "verify", "i.json"); code != 1 || !strings.Contains(out+stderr, "the gap is 0, not 0.5") {
			t.Errorf("%s: a wrong gap: exit %d: %s%s", name, code, out, stderr)
		}
	}
}
