package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadWorkloadsAreOneLineAndExit2(t *testing.T) {
	t.Chdir(filesIn(t, map[string]string{
		"bad.yaml": "layers: 3\nlayer: 4\n", "bad.txt": "HYBRID\n", "bad.json": `{"schema":"lightpath.workload/v1","ranks":2,"kinds":{},"programs":[{"ranks":"0","ops":[]}]}`,
		"half.yaml": "layers: 24.5\n", "empty.txt": "", "w.json": `{"schema":"lightpath.workload/v1","ranks":1,"kinds":{},"programs":[{"ranks":"0","ops":[{"id":"a","compute_ns":5}]}]}`,
		"t.0.et": "\x03\n\x01x\xff",
	}))
	for _, c := range []struct {
		line, want string
	}{
		{"", "want one of --model, --chakra, --simai, --trace"},
		{"--model llama3-8b --simai bad.txt", "want one of"},
		{"--model llama3-9b", "--model: unknown model"},
		{"--model bad.yaml", `--model: bad.yaml: line 2: no setting "layer"; want name, `},
		{"--model half.yaml", `--model: half.yaml: line 1: layers: "24.5"; want a whole number`},
		{"--simai empty.txt", "--simai: empty.txt: line 1: want a heading of SimAI: the file ends here"},
		{"--trace gpt2 --ranks 0", "--ranks: 0 is not in 1.."},
		{"w.json --tp 2", "--tp: for a model; the workload says itself"},
		{"--model none.yaml", "--model: none.yaml: no such file"},
		{"--model llama3-8b --tp 3", "--tp: 3 does not divide the 32 heads"},
		{"--model llama3-8b --zero 4", "--zero: 4"},
		{"--model llama3-8b --schedule interleaved:2", "--schedule"},
		{"--model llama3-8b --order tp,tp", "--order"},
		{"--model llama3-8b --gpu abacus", "--gpu: unknown GPU"},
		{"--model llama3-8b --spmd", "--spmd: has no effect here"},
		{"--model llama3-8b --ranks 4", "--ranks: has no effect here"},
		{"--simai bad.txt", "--simai: bad.txt: line 1"},
		{"--trace none", "--trace: unknown trace"},
		{"--chakra t", "--chakra: t.0.et: record 2"},
		{"--chakra none", "--chakra: none: no file none.0.et"},
		{"bad.json", "bad.json: programs: rank 1 has none"},
		{"none.json", "none.json: no such file"},
		{"a.json b.json", "at most one"},
		{"--model llama3-8b --to-chakra none/w", "--to-chakra"},
	} {
		code, stdout, stderr := run(t, append([]string{"workload"}, strings.Fields(c.line)...)...)
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, "lightpath: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, stdout %.80q, stderr %q; want exit 2 and one line with %q", c.line, code, stdout, stderr, c.want)
		}
	}
}

// Text is short and fits, JSON is the document that -o writes, and reading it again gives the same.
func TestWorkloadsAreWrittenAndReadAgain(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for i, line := range []string{
		"--model llama3-405b --tp 8 --pp 16 --dp 128 --sequence-parallel --zero 1",
		"--model mixtral-8x7b --tp 2 --pp 2 --dp 4 --ep 2 --cp 2 --global-batch 16 --sequence-parallel --schedule interleaved:2 --recompute full",
		"--model deepseek-v3 --pp 4 --dp 8 --ep 8 --global-batch 64 --gpu h800 --dtype fp8",
		"--model deepseek-v3 --pp 16 --dp 128 --ep 64 --gpu h800 --zero 1",
		"--trace switch_base_128 --ranks 16",
	} {
		args := append([]string{"workload"}, strings.Fields(line)...)
		code, text, stderr := run(t, append(args, "-o", "w.json")...)
		if code != 0 || stderr != "" {
			t.Fatalf("%s: exit %d, %s", line, code, stderr)
		}
		if n := strings.Count(text, "\n"); n > 15 {
			t.Errorf("%s: %d lines", line, n)
		}
		for l := range strings.SplitSeq(text, "\n") {
			if len([]rune(l)) > 80 {
				t.Errorf("%s: a line of %d columns: %q", line, len([]rune(l)), l)
			}
		}
		code, document, stderr := run(t, append(args, "--json")...)
		file, err := os.ReadFile(filepath.Join(dir, "w.json"))
		if code != 0 || err != nil || document != string(file) || !json.Valid(file) {
			t.Errorf("%s: exit %d, %s, %v: --json is not what -o writes", line, code, stderr, err)
		}
		if _, again, _ := run(t, "workload", "w.json", "--json"); again != document {
			t.Errorf("%s: reading it again changes it", line)
		}
		if _, again, _ := run(t, "workload", "w.json"); again != text {
			t.Errorf("%s: reading it again says\n%s\nnot\n%s", line, again, text)
		}
		if i == 1 {
			if code, _, stderr := run(t, "workload", "w.json", "--to-chakra", "t"); code != 0 {
				t.Fatal(stderr)
			}
			_, before, _ := run(t, "workload", "w.json", "--format", "csv")
			code, after, stderr := run(t, "workload", "--chakra", "t", "--format", "csv")
			if code != 0 || before != after {
				t.Errorf("%s: traces: exit %d, %s\n%s\n%s", line, code, stderr, before, after)
			}
		}
	}
}
