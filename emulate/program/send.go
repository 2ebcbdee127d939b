package program

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/emulate/number"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Send returns the program of a message over a chain of hops, from place 0 to the last, after a
// start-up.
func Send(f *fabric.Fabric, bytes units.Bytes, hops int, startup units.Duration, t number.Type) (*Program, error) {
	path := make([]int32, hops+1)
	for i := range path {
		path[i] = int32(i)
	}
	p := &plan.Plan{Fabric: fabric.Fabric{
		Nodes: hops + 1, Ports: 1, Bandwidth: f.Bandwidth, Alpha: startup, Delta: f.Delta, Forwarding: f.Forwarding,
	}}
	p.Collective.Op, p.Collective.Size = collective.Pattern, bytes
	p.Collective.Space = collective.Space{Kind: collective.Listed, Nodes: hops + 1, Pieces: []collective.Piece{{Bytes: float64(bytes), From: []int{0}, To: []int{hops}}}}
	transfer := plan.Transfer{Routes: []flow.Route{{Path: path, Share: 1}}}
	transfer.Chunks, transfer.Dst, transfer.Action = collective.Single(0), hops, collective.Copy
	p.Stages = []plan.Stage{{Topology: topology.New(hops+1, "way", nil), Steps: []plan.Step{{Index: 1, Base: []plan.Transfer{transfer}}}}}
	return Unwired(p, t)
}
