package portfolio

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/countdown"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/units"
)

// The fastest plan without changes is the same whatever a change takes and whatever overlaps it,
// and finding it takes the same work. The search once tried every number of ports and each number
// of pieces of a pipeline on each base, and 100 GPUs with 5 ports took minutes.
func TestStayingDoesNotDependOnChanges(t *testing.T) {
	const enough = 1 << 40
	for name, c := range map[string]struct {
		op           collective.Op
		nodes, ports int
		size         units.Bytes
	}{
		"100 GPUs, 5 ports": {collective.AllReduce, 100, 5, 64 * units.MiB},
		"24 GPUs, 3 ports":  {collective.Broadcast, 24, 3, units.MiB},
		"30 GPUs, 4 ports":  {collective.AllGather, 30, 4, 64 * units.KiB},
		"17 GPUs, 2 ports":  {collective.RootReduce, 17, 2, 4 * units.MiB},
		"12 GPUs, 3 ports":  {collective.AllToAll, 12, 3, units.MiB},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fabric.Default()
			f.Nodes, f.Ports = c.nodes, c.ports
			find := func(f fabric.Fabric) (units.Time, int) {
				ctx := countdown.New(t.Context(), enough)
				r := Request{Operations: []collective.Operation{{Op: c.op, Size: c.size}}, Fabric: f}
				p, err := r.Staying(ctx, nil, NewSearch(Options{Planners: Planners(), Bare: true}))
				if err != nil {
					t.Fatal(err)
				}
				if !p.Fabric.Equal(f) || p.Reconfigurations != 0 {
					t.Errorf("a plan of another fabric, or with %d changes", p.Reconfigurations)
				}
				if report, err := verify.Plan(t.Context(), p); err != nil || report.First() != nil {
					t.Error(report.First(), err)
				}
				return p.Cost.Total(), ctx.Asked()
			}
			least, asked := find(f)
			for _, set := range samples.Few(2, [][2]string{{"overlap", "ports"}, {"reconfig", "per-port:1us+20ns"}, {"overlap", "circuits"}}) {
				other := f
				if err := other.Set(set[0], set[1]); err != nil {
					t.Fatal(err)
				}
				took, work := find(other)
				if took != least {
					t.Errorf("%s %s: %v, and %v without", set[0], set[1], took, least)
				}
				if work > 2*asked {
					t.Errorf("%s %s: %d questions, and %d without", set[0], set[1], work, asked)
				}
			}
		})
	}
}

// A plan without changes that was found with forbidding changes claims nothing that is false with
// other changes.
func TestStayingClaimsWhatHolds(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 81, 5
	for _, set := range [][2]string{{"reconfig", "10us"}, {"overlap", "ports"}} {
		if err := f.Set(set[0], set[1]); err != nil {
			t.Fatal(err)
		}
	}
	if provenBy(t, NewSearch(Options{Planners: Planners()}), "81 GPUs", f, collective.Operation{Op: collective.AllToAll, Size: 4 * units.MiB}) == nil {
		t.Error("no plan")
	}
}
