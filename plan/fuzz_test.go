package plan_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/plantest"
	"github.com/lightpath-net/lightpath/plan/verify"
)

// FuzzDecode: no file makes the reader or the verifier panic, and any plan that can be read
// survives being written and read again.
func FuzzDecode(f *testing.F) {
	small := func(planning string, op collective.Op, algorithm string, nodes, ports int) string {
		return encoded(f, planned(f, planning, op, algorithm, func(f *fabric.Fabric) { f.Nodes, f.Ports = nodes, ports }))
	}
	good := []string{
		small("every-step", collective.AllReduce, "ring", 3, 1),
		small("every-step", collective.ReduceScatter, "recursive-doubling", 4, 1),
		small("static", collective.AllGather, "swing", 4, 2),
		small("static", collective.AllToAll, "direct", 3, 2),
		small("harvest", collective.Broadcast, "binomial", 3, 1),
	}
	good = append(good, encoded(f, windowSums(f)))
	for _, name := range plantest.Spaces {
		good = append(good, encoded(f, plantest.SpacePlan(f, name)))
	}
	for _, text := range good {
		f.Add([]byte(text))
		f.Add([]byte(text[:len(text)/2]))
		f.Add([]byte(strings.Replace(text, `"action":"reduce"`, `"action":"reduce","part":"own"`, 1)))
		f.Add([]byte(strings.Replace(text, `"src":0`, `"src":1`, 1)))
		f.Add([]byte(strings.Replace(text, `"share":1`, `"share":-1e308`, 1)))
		f.Add([]byte(strings.Replace(text, `"distinct":1`, `"distinct":4611686018427387904`, 1)))
		f.Add([]byte(strings.Replace(text, `"parts":1`, `"parts":1000`, 1)))
		f.Add([]byte(strings.ReplaceAll(text, `"chunks":[`, `"chunks":[[0,1,9],`)))
		f.Add([]byte(strings.ReplaceAll(text, `"start_ns":0`, `"start_ns":1e308`)))
	}
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"schema":"lightpath.plan/v1","stages":[]}`))
	f.Add([]byte("\x00[[[[{\"schema\""))

	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := plan.Decode(bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q does not name a line, or has several", err)
			}
			return
		}
		if p.Fabric.Nodes > 256 || p.Collective.Space.Chunks() > 1<<20 {
			return // true, but slow
		}
		report, err := verify.Plan(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range report.Checks {
			if c.Name == "" || c.Detail == "" || strings.Contains(c.Detail, "\n") {
				t.Fatalf("check %+v says nothing", c)
			}
		}
		first := encoded(t, p)
		again, err := plan.Decode(strings.NewReader(first))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if second := encoded(t, again); second != first {
			t.Fatalf("written again it differs:\n%s", difference(first, second))
		}
		if after, err := verify.Plan(context.Background(), again); err != nil || after.OK != report.OK {
			t.Fatalf("%v: verified as %v, read back as %v", err, report.OK, after.OK)
		}
	})
}
