package direct_test

import (
	"errors"
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/direct/bfb"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// families has a member of every family, up to 256 nodes.
var families = []string{
	"Ring(7)", "UniRing(2,5)", "BiRing(4,6)", "Torus(3,3,2)", "Torus(4,4,4)", "Torus(16,16)", "TwistedTorus(4,8)",
	"Q(5)", "Q(8)", "TwistedQ(3)", "K(5)", "K(4,4)", "H(2,4)", "Kautz(2,3)", "GenKautz(4,30)", "GenKautz(2,9)",
	"DeBruijn(2,4)", "DeBruijn(3,3)", "DBJMod(2,3)", "DBJMod(2,4)", "DBJMod(3,2)", "Diamond", "C(12;2,3)", "C(256;11,12)",
	"DC(9;1,3)", "DBT(10)", "DistReg(Octahedron)", "DistReg(Heawood3)", "DistReg(PG23)", "DistReg(AG24)", "DistReg(GQ33)",
	"Line(DC(7;1,3),1)", "Degree(Ring(5),2)", "Power(DeBruijn(2,3),2)", "Product(Ring(3),K(4))", "Transpose(GenKautz(2,9))",
	"Bidirect(DC(7;1,2,5))", "Line(C(16;3,4),2)",
}

func request(t *testing.T, expr string, op collective.Op, size units.Bytes) planner.Request {
	t.Helper()
	g, err := topology.Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	f := fabric.Default()
	f.Nodes, f.Ports, f.Base = g.Nodes(), g.Degree(), expr
	return planner.Request{Fabric: f, Size: size, Collective: &collective.Collective{
		Op: op, Algorithm: direct.Algorithm, Nodes: f.Nodes, Space: collective.SpaceOf(op, f.Nodes, 1),
	}}
}

// Plans on every family are correct, chunk by chunk, and take as long as the schedule's exact
// figures say, or less if the schedule of an expansion is better.
func TestPlansOnEveryFamilyAreVerified(t *testing.T) {
	ops := map[collective.Op]bfb.Op{
		collective.AllGather: bfb.AllGather, collective.ReduceScatter: bfb.ReduceScatter, collective.AllReduce: bfb.AllReduce,
	}
	const size = 100 * units.MiB // bandwidth counts most
	for _, expr := range families {
		g, err := topology.Parse(expr)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		for op, kernel := range ops {
			if g.Nodes() > 64 && op != collective.AllGather {
				continue // the same in reverse
			}
			r := request(t, expr, op, size)
			p, err := direct.New().Plan(t.Context(), r)
			if err != nil {
				t.Errorf("%s %s: %v", expr, op, err)
				continue
			}
			report, err := verify.Plan(t.Context(), p)
			if err != nil || !report.OK {
				t.Errorf("%s %s: %v %v", expr, op, report.First(), err)
			}
			steps, bandwidth, err := bfb.Cost(t.Context(), g, kernel)
			if err != nil {
				t.Fatal(err)
			}
			rate, _ := bandwidth.Float64()
			want := units.Time(steps)*(r.Fabric.Alpha.Time()+r.Fabric.Delta.Time()) +
				units.Time(rate)*r.Fabric.Bandwidth.Transmit(float64(size)/float64(r.Fabric.Ports))
			if p.Cost.Total() > want*(1+1e-9) {
				t.Errorf("%s %s: takes %v, breadth-first broadcast %v", expr, op, p.Cost.Total(), want)
			}
			if p.Reconfigurations != 0 || len(p.Stages) != 1 {
				t.Errorf("%s %s: %d stages", expr, op, len(p.Stages))
			}
		}
	}
}

// If the constructed schedule has less bandwidth but more steps, small messages take the
// schedule with fewer steps.
func TestSizeDecidesBetweenSchedules(t *testing.T) {
	expr := "Bidirect(DC(9;1,2,8))" // 8/9 in 3 steps, or 4/3 in 2
	small, err := direct.New().Plan(t.Context(), request(t, expr, collective.AllGather, units.KiB))
	if err != nil {
		t.Fatal(err)
	}
	large, err := direct.New().Plan(t.Context(), request(t, expr, collective.AllGather, units.GiB))
	if err != nil {
		t.Fatal(err)
	}
	if small.CountSteps() != 2 || large.CountSteps() != 3 {
		t.Errorf("%d steps for 1KiB, %d for 1GiB; want 2 and 3", small.CountSteps(), large.CountSteps())
	}
	rate := float64(large.Cost.Transmission) / float64(large.Fabric.Bandwidth.Transmit(float64(units.GiB)/float64(large.Fabric.Ports)))
	if math.Abs(rate-8./9) > 1e-9 {
		t.Errorf("bandwidth %v, want 8/9", rate)
	}
}

func TestWhatCannotBePlannedIsSaid(t *testing.T) {
	r := request(t, "Ring(6)", collective.AllToAll, 1)
	if _, err := direct.New().Plan(t.Context(), r); !errors.Is(err, planner.ErrInfeasible) {
		t.Errorf("alltoall: %v", err)
	}
	r = request(t, "Ring(6)", collective.AllGather, 1)
	r.Fabric.Base = "DC(6;2)"
	if _, err := direct.New().Plan(t.Context(), r); !errors.Is(err, planner.ErrInfeasible) {
		t.Errorf("two rings: %v", err)
	}
}
