package evaluation

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"
)

// The table of gains has a row for each demand and number of ports. No gain is below 1, and some
// uneven demand gains.
func TestPlanesTable(t *testing.T) {
	var out bytes.Buffer
	if err := Run(t.Context(), []string{"planes", "-nodes", "5", "-seeds", "1"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if lines := strings.Count(text, "\n"); lines != 2+6*3 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	gains := 0
	for cell := range strings.FieldsSeq(text) {
		if gain, err := strconv.ParseFloat(cell, 64); err == nil && strings.Contains(cell, ".") {
			if gain < 1 {
				t.Errorf("%v is slower", gain)
			}
			if gain >= 1.01 {
				gains++
			}
		}
	}
	if gains < 3 {
		t.Errorf("only %d settings gain 1%%:\n%s", gains, text)
	}
	for _, args := range [][]string{{"planes", "-nodes", "2"}, {"planes", "-seeds", "0"}, {"planes", "-size", "1"}, {"planes", "more"}} {
		if Run(t.Context(), args, io.Discard, io.Discard) == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
