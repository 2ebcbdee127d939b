package compile_test

import (
	"context"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Plans with more operations than MSCCL++ allows in a thread block become several programs,
// which pass the checker in sequence. With a program missing, or in another order, they do not
// pass.
func TestPlansTooLargeForAProgramAreDivided(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		op           collective.Op
		nodes, ports int
		size         units.Bytes
	}{
		{collective.AllReduce, 8, 4, 16 * units.MiB}, {collective.AllReduce, 16, 1, 64 * units.KiB},
		{collective.ReduceScatter, 24, 4, units.MiB}, {collective.AllReduce, 24, 4, units.MiB},
		{collective.RootReduce, 12, 4, 16 * units.MiB},
	} {
		f := fabric.Default()
		f.Nodes, f.Ports = c.nodes, c.ports
		p, err := lightpath.Plan(ctx, lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{{Op: c.op, Size: c.size}}}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []bool{false, true} {
			r, err := compile.Compile(ctx, p, compile.MSCCLPP, inPlace(t, compile.MSCCLPP, in))
			if err != nil {
				t.Errorf("%+v: %v", c, err)
				continue
			}
			files := written(t, r)
			if len(r.Files) <= 2+len(p.Stages) {
				t.Errorf("%+v: %d files for %d stages", c, len(r.Files), len(p.Stages))
				continue
			}
			checked, err := compile.Check(ctx, compile.ManifestFile, "", files.open)
			if err != nil {
				t.Fatal(err)
			}
			if bad := checked.Report.First(); bad != nil {
				t.Errorf("%+v, in place %v: %s: %s", c, in, bad.Name, bad.Detail)
				continue
			}
			lifted, err := checked.Plan(ctx, p.Fabric, c.size)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := simulated(t, lifted), simulated(t, r.Lowered); got != want {
				t.Errorf("%+v: the files are simulated in %v, the lowered plan in %v", c, got, want)
			}
			if lifted.Reconfigurations != p.Reconfigurations {
				t.Errorf("%+v: %d reconfigurations, not %d", c, lifted.Reconfigurations, p.Reconfigurations)
			}
			last := r.Files[len(r.Files)-1].Name
			files[last] = files[r.Files[len(r.Files)-2].Name]
			checked, err = compile.Check(ctx, compile.ManifestFile, "", files.open)
			if err == nil && checked.Report.First() == nil {
				t.Errorf("%+v: %s twice is not found", c, last)
			}
		}
	}
}
