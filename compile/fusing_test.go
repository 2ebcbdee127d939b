package compile_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/planner/joint"
)

// Fused operations never cost more than the hundredth that they are taken to save. They are
// written where they are as fast, and left out, with a note, where they would delay the program.
func TestFusingIsNotSlower(t *testing.T) {
	fused, apart := 0, 0
	for _, c := range []struct {
		op              collective.Op
		algorithm, with string
		nodes, ports    int
	}{
		{collective.AllReduce, "ring", "static", 8, 1},
		{collective.AllReduce, "bfb", "direct-connect", 12, 2},
		{collective.AllGather, joint.Name, joint.Name, 27, 2},
		{collective.Broadcast, joint.Name, joint.Name, 16, 2},
		{collective.AllReduce, joint.Name, joint.Name, 16, 1},
	} {
		p := planned(t, c.op, c.algorithm, c.with, c.nodes, c.ports)
		auto, err := compile.Compile(t.Context(), p, compile.MSCCL, nil)
		if err != nil {
			t.Fatal(err)
		}
		separate, err := compile.Compile(t.Context(), p, compile.MSCCL, &compile.XMLOptions{NoFuse: true})
		if err != nil {
			t.Fatal(err)
		}
		if float64(auto.Carried) > float64(separate.Carried)*1.0101 {
			t.Errorf("%+v: takes %v, %v with --no-fuse", c, auto.Carried, separate.Carried)
		}
		noted := slices.ContainsFunc(auto.Notes, func(note string) bool { return strings.HasPrefix(note, "receives are not fused") })
		switch joins := fuses(t, auto); {
		case fuses(t, separate):
			t.Errorf("%+v: fused in spite of --no-fuse", c)
		case noted && joins:
			t.Errorf("%+v: a note says that nothing is fused, but the program fuses", c)
		case noted:
			apart++
		case joins:
			fused++
		}
	}
	if fused == 0 || apart == 0 {
		t.Errorf("%d programs fuse, %d do not for their time; want some of each", fused, apart)
	}
}

// fuses reports whether a program has fused operations.
func fuses(t *testing.T, r *compile.Result) bool {
	t.Helper()
	for _, data := range written(t, r) {
		for _, kind := range []string{"rcs", "rrs", "rrcs"} {
			if bytes.Contains(data, []byte(`type="`+kind+`"`)) {
				return true
			}
		}
	}
	return false
}
