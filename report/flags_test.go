package report_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/report"
)

// What the library calls a field the command line calls a flag; other quotations stay.
func TestMessagesMentionFlagsOnTheCommandLine(t *testing.T) {
	for text, want := range map[string]string{
		"exceed 10; `simulate` follows them":   "exceed 10; --simulate follows them",
		"want `most_ports` below 9":            "want --most-ports below 9",
		"as `lightpath plan allreduce` says":   "as `lightpath plan allreduce` says",
		"a name such as `Ring(4)`, or nothing": "a name such as `Ring(4)`, or nothing",
	} {
		if got := report.InFlags(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
