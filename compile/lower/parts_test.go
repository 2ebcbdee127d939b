package lower_test

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/plan/verify"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// windowed returns a handmade allreduce by windows: every step brings tiles from a node some
// places behind, over direct circuits or over the circuits of a single jump.
func windowed(t testing.TB, nodes int, steps ...[]collective.Transfer) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, 4
	p := &plan.Plan{
		Fabric: f, Provenance: plan.Provenance{Planner: "hand"},
		Collective: plan.Collective{Op: collective.AllReduce, Algorithm: "windows", Size: units.KiB, Space: collective.SpaceOf(collective.AllReduce, nodes, 1)},
	}
	for _, tiles := range steps {
		step := plan.Step{Group: topology.Rotations(nodes, 1)}
		jump := tiles[0].Src // of the circuits; 0: each has its own
		var jumps []int
		for _, tile := range tiles {
			hop := jump
			if jump == 0 {
				hop = tile.Dst
				jumps = append(jumps, hop)
			}
			path := []int32{0}
			for v := hop; v <= tile.Dst; v += hop {
				path = append(path, int32(v))
			}
			step.Base = append(step.Base, plan.Transfer{
				Transfer: collective.Transfer{Src: 0, Dst: tile.Dst, Action: collective.Reduce, Part: tile.Part, Sides: tile.Sides, Chunks: collective.Every(0, 1, nodes)},
				Routes:   []flow.Route{{Path: path, Share: 1}},
			})
		}
		if jump > 0 {
			jumps = []int{jump, jump} // parallel circuits, so that messages are split
		}
		p.Stages = append(p.Stages, plan.Stage{Topology: topology.DirectedCirculant(nodes, jumps...), Steps: []plan.Step{step}})
	}
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	report, err := verify.Plan(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if bad := report.First(); bad != nil {
		t.Fatalf("%s: %s", bad.Name, bad.Detail)
	}
	return p
}

// TestPartsOfSumsAreKeptApart: programs of plans that send parts compute the same as the plans,
// in place and out of place, over one hop and several, if a part is sent in the step in which
// more of it arrives, and if a part is sent in several steps.
func TestPartsOfSumsAreKeptApart(t *testing.T) {
	whole, own, received := collective.WholePart, collective.OwnPart, collective.ReceivedPart
	at := func(jump, behind int, part collective.Part) collective.Transfer {
		return collective.Transfer{Src: jump, Dst: behind, Part: part}
	}
	keeping := func(t collective.Transfer, sides ...int) collective.Transfer {
		t.Sides = collective.SidesOf(sides...)
		return t
	}
	type step = []collective.Transfer
	side := collective.SidePart
	for i, p := range []*plan.Plan{
		windowed(t, 7, step{at(0, 1, whole)}, step{at(0, 2, whole)}, step{at(0, 3, received)}),
		windowed(t, 7, step{at(1, 1, whole), at(1, 2, whole)}, step{at(3, 3, whole), at(3, 6, own)}),
		windowed(t, 5, step{at(0, 1, whole)}, step{at(0, 1, received)}, step{at(0, 2, received)}),
		windowed(t, 8, step{at(0, 1, own), at(0, 2, own)}, step{at(0, 2, received), at(0, 5, own)}, step{at(0, 6, own), at(0, 7, own)}),
		windowed(t, 7, step{keeping(at(0, 1, whole), 1), at(0, 2, whole)}, step{at(0, 3, whole), at(0, 5, side(1, false))}),
		windowed(t, 5, step{keeping(at(1, 1, own), 2), at(1, 2, whole)}, step{at(1, 3, side(2, true))}),
		windowed(t, 9, step{keeping(at(0, 1, whole), 1, 3), at(0, 8, own)}, step{keeping(at(0, 2, side(3, true)), 1)}, step{at(0, 4, side(1, true))}),
		windowed(t, 11, step{at(1, 1, whole), at(1, 2, whole), at(1, 3, whole)}, step{at(1, 3, received), at(1, 7, whole)}),
	} {
		for _, dialect := range []msccl.Dialect{msccl.MSCCL, msccl.RCCL} {
			for _, inPlace := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d/%s/%v", i, dialect, inPlace), func(t *testing.T) {
					limits := dialect.Limits()
					low, err := lower.Lower(t.Context(), p, lower.Options{Limits: limits, Protocol: program.Simple, InPlace: inPlace, Name: "test", MaxBytes: 1 << 20})
					if err != nil {
						t.Fatal(err)
					}
					if bad := check.Programs(string(dialect), limits, low.Programs...).First(); bad != nil {
						t.Errorf("%s: %s", bad.Name, bad.Detail)
					}
					if err := check.Interpret(7, low.Programs...); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}
