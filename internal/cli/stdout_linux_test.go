package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// An answer that cannot be printed is no success.
func TestFullOutputIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	var stderr bytes.Buffer
	for _, line := range []string{"topology K(4) --json", "topology K(4)", "train --list --format csv", "train --list --format sql", "plan allreduce --nodes 4 --planner static --json"} {
		stderr.Reset()
		if code := Run(t.Context(), strings.Fields(line), full, &stderr); code != 2 || stderr.String() != "lightpath: standard output: no space left on device\n" {
			t.Errorf("%s: exit %d, %q", line, code, stderr.String())
		}
	}
	stderr.Reset()
	if code := Run(t.Context(), []string{"topology", "K(4)", "--json"}, full, &stderr); code != 2 || !strings.Contains(stderr.String(), "standard output") {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0) // what the runtime opens where nothing was
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	stderr.Reset()
	if code := Run(t.Context(), []string{"topology", "K(4)", "--json"}, null, &stderr); code != 2 || !strings.Contains(stderr.String(), "closed") {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
	discard, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer discard.Close()
	if code := Run(t.Context(), []string{"topology", "K(4)", "--json"}, discard, &stderr); code != 0 {
		t.Errorf("exit %d where nobody wants to see it", code)
	}
}
