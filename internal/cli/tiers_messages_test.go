package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Mistakes about what other jobs hold, spares, fixed links and switches name the flag that was
// given, and what would be right.
func TestMistakesAboutPartsOfAFabricNameTheirFlag(t *testing.T) {
	headless := filepath.Join(t.TempDir(), "held.csv")
	if err := os.WriteFile(headless, []byte("0,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"--held 99":               "lightpath: --held: 99: there are GPUs 0..7\n",
		"--held 0.5":              "lightpath: --held: 0.5: a GPU has ports 0..0\n",
		"--held 0-7":              "lightpath: --held: 0 GPUs left\n",
		"--held 0,1 --gpus 1-3":   "lightpath: --gpus: GPU 1 is held by another job\n",
		"--held @" + headless:     "want the header gpu,port\n",
		"--fixed-bandwidth 1Gbps": "lightpath: --fixed-bandwidth: there are no fixed links; name them in --fixed",
		"--fixed-delta 1us":       "lightpath: --fixed-delta: there are no fixed links; name them in --fixed",
		"--switches foo":          "or @FILE.csv (gpu,port,switch)\n",
		"--spares islands:1":      "lightpath: --spares: islands:1: there are no islands; use gpus:1\n",
		"--spares gpus:1 --island 4 --island-bandwidth 1Tbps": "lightpath: --spares: gpus:1: islands are replaced as a whole; use islands:K\n",
	} {
		code, out, errs := run(t, append(strings.Fields("plan allreduce --nodes 8"), strings.Fields(line)...)...)
		if code != 2 || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %q", line, code, out, errs)
		}
	}
}
