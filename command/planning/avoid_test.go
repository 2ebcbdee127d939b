package planning_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command/commandtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// Plans around failures are verified like any other, and use nothing that has failed.
func TestPlansAvoidWhatHasFailed(t *testing.T) {
	t.Parallel()
	turn := 0
	for _, avoid := range []string{"gpu:0", "gpu:5,gpu:6", "link:3-4", "link:3>4,link:0-1", "port:2", "gpu:7,link:1-2,port:3"} {
		for _, ports := range []int{1, 2, 4} {
			for _, duplex := range []bool{false, true} {
				if ports == 1 && (duplex || strings.Contains(avoid, "port")) {
					continue // nothing is connected
				}
				turn++
				for i, op := range []collective.Op{collective.AllReduce, collective.AllToAll, collective.Broadcast} {
					if op == collective.Broadcast && avoid == "gpu:0" || (turn+i)%4 > 0 && !samples.Every() {
						continue
					}
					r := commandtest.Request()
					r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Duplex, r.Fabric.Avoid = 10, ports, duplex, fabrictest.Failures(avoid)
					r.Operations[0] = lightpath.Operation{Op: op, Size: units.MiB}
					p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
					if err != nil {
						t.Errorf("%s, %d ports, duplex %v, %s: %v", avoid, ports, duplex, op, err)
						continue
					}
					failed := r.Fabric.Avoid
					for _, stage := range p.Stages {
						for e := range stage.Topology.Edges() {
							if failed.Link(e.From, e.To) || failed.GPU(e.From) || failed.GPU(e.To) {
								t.Errorf("%s: %s has circuit %d->%d", avoid, stage.Topology.Name(), e.From, e.To)
							}
						}
					}
					if want := 10 - len(failed.GPUs()); p.Collective.Space.MembersCount() != want {
						t.Errorf("%s: %d GPUs take part, want %d", avoid, p.Collective.Space.MembersCount(), want)
					}
				}
			}
		}
	}
}

func TestBadFailuresAreRefused(t *testing.T) {
	t.Parallel()
	for _, avoid := range []string{"gpu:12", "gpu:-1", "link:3", "link:3-99", "disk:1", "gpu", ",", "gpu:1 gpu:2"} {
		r := commandtest.Request()
		r.Fabric.Nodes = 12
		err := r.Fabric.Set("avoid", avoid)
		if err == nil { // it may be that only these GPUs are not there
			_, err = lightpath.Plan(t.Context(), r)
		}
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", avoid, err)
		}
	}
	r := commandtest.Request()
	r.Fabric.Nodes, r.Fabric.Avoid = 3, fabrictest.Failures("gpu:0,gpu:1")
	if _, err := lightpath.Plan(t.Context(), r); err == nil {
		t.Error("one GPU alone")
	}
	r.Fabric.Nodes, r.Operations[0].GPUs = 4, []int{0, 2}
	if _, err := lightpath.Plan(t.Context(), r); err == nil {
		t.Error("a failed GPU takes part")
	}
}

// If there is no plan, a comparison says so like plan, and returns no empty table. If one GPU or
// none is left, the request is invalid.
func TestComparisonsOfNothing(t *testing.T) {
	t.Parallel()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Avoid = 6, 1, fabrictest.Failures("port:3")
	broadcast := lightpath.Operation{Op: collective.Broadcast, Size: units.MiB}
	_, planned := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []lightpath.Operation{broadcast}})
	c, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: broadcast})
	if c != nil || !errors.Is(err, planner.ErrInfeasible) || planned == nil || err.Error() != planned.Error() {
		t.Errorf("compare: %+v, %v; plan: %v", c, err, planned)
	}
	f.Nodes = 3
	for avoid, want := range map[string]string{"gpu:0,gpu:1": "1 GPU left", "gpu:0,gpu:1,gpu:2": "0 GPUs left"} {
		f.Avoid = fabrictest.Failures(avoid)
		_, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: f, Operation: broadcast})
		var named *field.Error
		if !errors.As(err, &named) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", avoid, err, want)
		}
	}
}

// If failures leave no plan, the message of every command names the GPU that is cut off and what
// has failed there; it is not the message of a single planner.
func TestNoPlanAroundAFailureNamesTheFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op           collective.Op
		nodes, ports int
		avoid        string
		planner      string
		want         string
	}{
		{collective.AllReduce, 4, 1, "port:2", "auto", "GPU 2 has no port left (avoid port:2)"},
		{collective.AllReduce, 4, 1, "port:2", "joint", "GPU 2 has no port left (avoid port:2)"},
		{collective.AllToAll, 4, 2, "port:1,port:2,port:2", "auto", "GPU 2 has no port left (avoid port:2,port:2)"},
		{collective.Gather, 4, 1, "port:3", "static", "GPU 3 has no port left (avoid port:3)"},
		{collective.AllGather, 3, 1, "link:0-1,link:0-2", "auto", "no circuit can lead to GPU 0 (avoid link:0-1,link:0-2)"},
		{collective.Broadcast, 3, 2, "link:0>1,link:0>2", "joint", "no circuit can lead from GPU 0 (avoid link:0>1,link:0>2)"},
		{collective.Scatter, 4, 2, "gpu:3,link:0>1,link:0>2", "auto", "no circuit can lead from GPU 0 (avoid gpu:3,link:0>1,link:0>2)"},
		{collective.Scatter, 3, 1, "link:0-1,link:0-2", "auto", "no circuit can lead from GPU 0 (avoid link:0-1,link:0-2)"},
		{collective.Broadcast, 3, 1, "link:0-1,link:0-2", "auto", "no circuit can lead from GPU 0 (avoid link:0-1,link:0-2)"},
		{collective.Gather, 3, 1, "link:0-1,link:0-2", "auto", "no circuit can lead to GPU 0 (avoid link:0-1,link:0-2)"},
		{collective.Scatter, 3, 1, "link:2-1,link:0-2", "auto", "no circuit can lead to GPU 2 (avoid link:2-1,link:0-2)"},
		{collective.Gather, 3, 1, "link:2-1,link:0-2", "auto", "no circuit can lead from GPU 2 (avoid link:2-1,link:0-2)"},
		{collective.Broadcast, 4, 1, "gpu:0,link:1-2,link:1-3", "auto", "no circuit can lead from GPU 1 (avoid gpu:0,link:1-2,link:1-3)"},
	} {
		r := commandtest.Request()
		r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Avoid, r.Planner = c.nodes, c.ports, fabrictest.Failures(c.avoid), c.planner
		r.Operations[0] = lightpath.Operation{Op: c.op, Size: units.MiB}
		_, err := lightpath.Plan(t.Context(), r)
		if want := planner.ErrImpossible.Error() + ": " + c.want; !errors.Is(err, planner.ErrInfeasible) || err.Error() != want {
			t.Errorf("%s around %s by %s: %v; want %s", c.op, c.avoid, c.planner, err, want)
		}
		if c.planner != lightpath.Auto {
			continue
		}
		if _, err := lightpath.Compare(t.Context(), lightpath.CompareRequest{Fabric: r.Fabric, Operation: r.Operations[0]}); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("comparing %s around %s: %v", c.op, c.avoid, err)
		}
	}
}

// A plane has one port of every GPU. If a GPU has lost a port there are fewer planes, and the
// ports used by the plan show this.
func TestPlanesHaveOnePortOfEveryGPU(t *testing.T) {
	t.Parallel()
	for _, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.Scatter} {
		r := commandtest.Request()
		r.Fabric.Nodes, r.Fabric.Ports, r.Fabric.Avoid = 8, 4, fabrictest.Failures("port:0,port:0,port:3")
		r.Fabric.Overlap, r.Fabric.Reconfig.Base = fabric.Overlap{Kind: fabric.OverlapPlanes}, units.Microsecond
		r.Operations[0], r.Planner = lightpath.Operation{Op: op, Size: 64 * units.KiB}, "staggered"
		p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
		if err != nil {
			t.Errorf("%s: %v", op, err)
			continue
		}
		if p.Planner != "staggered" {
			t.Errorf("%s: planned by %s; two planes are left to be rewired by themselves", op, p.Planner)
		}
	}
}
