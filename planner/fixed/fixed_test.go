package fixed_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner/fixed"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// fastest plans by auto.
func fastest(t *testing.T, f fabric.Fabric, op collective.Op, size units.Bytes) *plan.Plan {
	t.Helper()
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	s := portfolio.NewSearch(portfolio.Options{Planners: portfolio.Planners(), Bare: true})
	r := portfolio.Request{Fabric: f, Operations: []collective.Operation{{Op: op, Size: size}}}
	p, err := r.Fastest(t.Context(), s.Planners().Best(), s)
	if err != nil {
		t.Fatalf("%s of %v on %d GPUs, fixed %v: %v", op, size, f.Nodes, f.Fixed, err)
	}
	return p
}

// with returns a fabric with fixed links.
func with(t *testing.T, nodes, ports int, links string, rate units.Bandwidth) fabric.Fabric {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	if err := f.Set("fixed", links); err != nil {
		t.Fatal(err)
	}
	f.Fixed.Bandwidth = rate
	return f
}

// check verifies a plan.
func check(t *testing.T, p *plan.Plan) {
	t.Helper()
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if first := report.First(); first != nil {
		t.Errorf("%s on %d GPUs, fixed %v: %+v", p.Collective.Algorithm, p.Fabric.Nodes, p.Fabric.Fixed, first)
	}
	if b := p.OperationBound().Total(); b > p.Cost.Total() && !plan.Near(b, p.Cost.Total()) {
		t.Errorf("%s on %d GPUs, fixed %v: %v, but the bound is %v", p.Collective.Algorithm, p.Fabric.Nodes, p.Fabric.Fixed, p.Cost.Total(), b)
	}
}

var operations = []collective.Op{
	collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Broadcast,
	collective.RootReduce, collective.Scatter, collective.Gather,
}

// TestNeverSlowerThanWithoutFixedLinks draws fabrics at random. Plans of every operation are
// correct, no faster than the bound, and no slower than without fixed links, nor than on the
// fixed links alone if these join all GPUs.
func TestNeverSlowerThanWithoutFixedLinks(t *testing.T) {
	used := 0
	for seed := range uint64(samples.Draws(4, 8)) {
		r := rand.New(rand.NewPCG(seed, 9))
		links := []string{"Mesh(8)", "Torus(2,4)", "Mesh(2,2)", "Ring(4)", "K(2)", "Mesh(2,2,2)"}[r.IntN(6)]
		f := with(t, 8, 1+r.IntN(3), links, units.Bandwidth(1+r.IntN(16))*100*units.Gbps)
		f.Initial = []string{fabric.InitialFree, fabric.InitialDark, fabric.InitialBase}[r.IntN(3)]
		f.Reconfig.Base = units.Duration(r.IntN(20)) * units.Microsecond
		f.Duplex = f.Ports > 1 && r.IntN(2) == 0
		if r.IntN(3) == 0 {
			f.Fixed.Alpha, f.Fixed.Delta = fabric.Own(100*units.Nanosecond), fabric.Own(50*units.Nanosecond)
		}
		op, size := operations[int(seed)%len(operations)], units.Bytes(1)<<(10+r.IntN(14))
		p := fastest(t, f, op, size)
		check(t, p)
		without := fastest(t, f.Unfixed(), op, size)
		if p.Cost.Total() > without.Cost.Total() && !plan.Near(p.Cost.Total(), without.Cost.Total()) {
			t.Errorf("%s of %v, fixed %s: %v, without %v", op, size, links, p.Cost.Total(), without.Cost.Total())
		}
		if p.Cost.Total() < without.Cost.Total() {
			used++
		}
		slower := f
		if slower.Fixed.Bandwidth /= 2; seed%2 > 0 {
			continue
		}
		if half := fastest(t, slower, op, size); p.Cost.Total() > half.Cost.Total() && !plan.Near(p.Cost.Total(), half.Cost.Total()) {
			t.Errorf("%s of %v, fixed %s: %v, with links of half the rate %v", op, size, links, p.Cost.Total(), half.Cost.Total())
		}
	}
	if used < 2 {
		t.Errorf("fixed links were of use %d times", used)
	}
}

// TestNeverSlowerWithFixedLinksBesideIslands: fixed links within islands, across them or both,
// faster than islands or slower, do not make plans slower; nor do links that break the symmetry
// of the plan.
func TestNeverSlowerWithFixedLinksBesideIslands(t *testing.T) {
	for seed := range uint64(samples.Draws(4, 8)) {
		r := rand.New(rand.NewPCG(seed, 31))
		links := []string{"Ring(4)", "Ring(8)", "K(4)", "K(8)", "Mesh(2,4)", "Mesh(2,2)", "Mesh(8)"}[r.IntN(7)]
		f := with(t, 8<<r.IntN(2), 1+r.IntN(2), links, units.Bandwidth(1+r.IntN(20))*400*units.Gbps)
		f.Island = fabric.Island{Size: 2 << r.IntN(2), Bandwidth: units.Bandwidth(1+r.IntN(9)) * 800 * units.Gbps}
		if r.IntN(2) == 0 {
			f.Fixed.Alpha, f.Fixed.Delta = fabric.Own(100*units.Nanosecond), fabric.Own(50*units.Nanosecond)
		}
		op, size := operations[(int(seed)+4)%len(operations)], units.Bytes(1)<<(10+r.IntN(14))
		p, without := fastest(t, f, op, size), fastest(t, f.Unfixed(), op, size)
		check(t, p)
		if p.Cost.Total() > without.Cost.Total() && !plan.Near(p.Cost.Total(), without.Cost.Total()) {
			t.Errorf("%s of %v, %d GPUs in islands of %d at %v, fixed %s at %v: %v, without %v", op, size, f.Nodes,
				f.Island.Size, f.Island.Bandwidth, links, f.Fixed.Bandwidth, p.Cost.Total(), without.Cost.Total())
		}
	}
}

// TestCubesMakeATorus: 8 cubes of 2x2x2 whose faces meet on optical switches have the plans of a
// torus of 4x4x4, in the same time, though GPUs inside a cube have no port.
func TestCubesMakeATorus(t *testing.T) {
	f := cubes(t, 64)
	flat := fabric.Default()
	flat.Nodes, flat.Ports, flat.Base, flat.Initial = 64, 6, "Torus(4,4,4)", fabric.InitialBase
	flat.Reconfig.Base = units.Second
	for _, op := range []collective.Op{collective.AllReduce} {
		p, torus := fastest(t, f, op, units.MiB), fastest(t, flat, op, units.MiB)
		check(t, p)
		if p.Cost.Total() > torus.Cost.Total() && !plan.Near(p.Cost.Total(), torus.Cost.Total()) {
			t.Errorf("%s: %v, on a torus %v", op, p.Cost.Total(), torus.Cost.Total())
		}
	}
}

// TestSymmetryOfBlocks: a lifted torus keeps the translations that take cubes to cubes.
func TestSymmetryOfBlocks(t *testing.T) {
	p := fastest(t, with(t, 512, 3, "cubes:2x2x2", 0), collective.AllGather, units.MiB)
	if order := p.Stages[0].Steps[0].Group.Order(); p.Stages[0].Topology.Circuits() != 1536 || order != 64 {
		t.Errorf("%d circuits, a group of %d", p.Stages[0].Topology.Circuits(), order)
	}
	if networks := fixed.Networks(&p.Fabric); len(networks) == 0 || networks[0].Name == "" {
		t.Errorf("networks %v", networks)
	}
}
