package lower_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/compile/check"
	"github.com/lightpath-net/lightpath/compile/lower"
	"github.com/lightpath-net/lightpath/compile/msccl"
	"github.com/lightpath-net/lightpath/compile/program"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TestSumsThatReplaceAreCutAnywhere: messages that replace the same chunks go over different
// numbers of parallel circuits, and so are cut at different places. For each unit, the first
// message is written and later messages are added.
func TestSumsThatReplaceAreCutAnywhere(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Ports = 12, 2
	c := &collective.Collective{Op: collective.AllReduce, Algorithm: joint.Name, Nodes: 12, Space: collective.SpaceOf(collective.AllReduce, 12, 1)}
	p, err := joint.New().Plan(t.Context(), planner.Request{Fabric: f, Collective: c, Size: 16 * units.KiB})
	if err != nil {
		t.Fatal(err)
	}
	replaces, hops := false, 0
	for _, step := range p.Steps() {
		for _, transfer := range step.Base {
			replaces = replaces || transfer.Action == collective.Replace
			hops = max(hops, len(transfer.Routes[0].Path)-1)
		}
	}
	if !replaces || hops < 2 {
		t.Fatalf("%s: replaces %v, over %d hops; want sums that replace over two", p.Strategy, replaces, hops)
	}
	var edges []topology.Edge
	for e := range p.Stages[0].Topology.Edges() {
		edges = append(edges, topology.Edge{From: e.From, To: e.To, Count: 1 + (e.From+e.To)%3})
	}
	p.Stages[0].Topology, p.Fabric.Ports = topology.New(12, "uneven", edges), 6
	if err := p.Price(); err != nil {
		t.Fatal(err)
	}
	for _, dialect := range []msccl.Dialect{msccl.MSCCL, msccl.RCCL} {
		for _, inPlace := range []bool{false, true} {
			limits := dialect.Limits()
			low, err := lower.Lower(t.Context(), p, lower.Options{Limits: limits, Protocol: program.Simple, InPlace: inPlace, Name: "test", MaxBytes: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if bad := check.Programs(string(dialect), limits, low.Programs...).First(); bad != nil {
				t.Errorf("%s, in place %v: %s: %s", dialect, inPlace, bad.Name, bad.Detail)
			}
			if err := check.Interpret(7, low.Programs...); err != nil {
				t.Errorf("%s, in place %v: %v", dialect, inPlace, err)
			}
		}
	}
}
