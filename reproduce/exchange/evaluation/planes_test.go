package evaluation

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// The table of gains has a row for each demand and number of ports; nothing is below 1, and
// some demand that differs gains.
func TestPlanesTable(t *testing.T) {
	var out bytes.Buffer
	if err := Run(t.Context(), []string{"planes", "-nodes", "5", "-seeds", "1"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if lines := strings.Count(text, "\n"); lines != 2+6*3 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	if strings.Contains(text, "| 0.") || !strings.Contains(text, "| 1.1") {
		t.Errorf("something is slower, or nothing faster:\n%s", text)
	}
	for _, args := range [][]string{{"planes", "-nodes", "2"}, {"planes", "-seeds", "0"}, {"planes", "-size", "1"}, {"planes", "more"}} {
		if Run(t.Context(), args, io.Discard, io.Discard) == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
