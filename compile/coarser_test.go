package compile_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/units"
)

// Small blocks in shares over many routes make programs of many small messages. Where larger
// messages save more than rounded shares cost, programs have them and a note tells both times.
func TestCoarserCutsAreFaster(t *testing.T) {
	p := planned(t, collective.AllReduce, "direct-exchange", "static", 11, 3)
	for _, format := range []compile.Format{compile.MSCCL, compile.MSCCLPP} {
		r, err := compile.Compile(t.Context(), p, format, nil)
		if err != nil {
			t.Fatal(err)
		}
		noted := false
		for _, note := range r.Notes {
			if !strings.HasPrefix(note, "shares of routes are rounded because") {
				continue
			}
			noted = true
			finest, err := units.ParseDuration(note[strings.LastIndex(note, " ")+1:])
			if err != nil {
				t.Fatalf("%q: %v", note, err)
			}
			if r.Carried >= finest.Time() {
				t.Errorf("%s: takes %v, and %v with shares as exact as can be", format, r.Carried, finest)
			}
		}
		if !noted {
			t.Errorf("%s: the cut with the most exact shares is kept: %q", format, r.Notes)
		}
	}
}
