package bound

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// islandsBound bounds an operation of all GPUs on a fabric with islands by the larger of two:
//
//   - Islands as nodes: whatever happens within an island takes no time and no step. A plan for the
//     GPUs is then one for nodes with the ports of all their GPUs, which takes no longer: a step
//     that uses circuits costs a start-up, hops and bytes there, too.
//   - GPUs: what some GPU must send or receive, on average over GPUs, over its ports and its
//     island together, and one start-up and hop of the quicker tier.
func islandsBound(f *fabric.Fabric, s *collective.Section) Breakdown {
	b := gpuBound(f, s)
	if f.Islands() < 2 || s.Space.Members != nil || s.Space.Sizes != nil || s.Space.Kind == collective.Listed {
		return b
	}
	core := f.Core(f.Island.Size)
	core.Avoid, core.Links = fabric.Failures{}, fabric.Links{}
	if core.Initial != fabric.InitialDark {
		core.Initial = fabric.InitialFree
	}
	if core.Validate() != nil {
		return b
	}
	inner := *s
	inner.Space = collective.SpaceOf(s.Op, core.Nodes, 1)
	if s.Op == collective.AllToAll {
		inner.Size *= units.Bytes(f.Island.Size)
	}
	if other := planesBound(&core, &inner, sectionBound(&core, &inner)); other.Total() > b.Total() {
		return other
	}
	return b
}

// gpuBound is that of what a GPU sends or receives over all it has.
func gpuBound(f *fabric.Fabric, s *collective.Section) Breakdown {
	bytes, _ := needs(s)
	if bytes <= 0 {
		return Breakdown{}
	}
	rate := units.Bandwidth(f.Ports)*f.Bandwidth + f.Island.Bandwidth
	return Breakdown{
		Stages: 1, Steps: 1, Hops: 1,
		Startup:      min(f.Alpha, f.IslandAlpha()).Time(),
		Propagation:  min(f.Delta, f.IslandDelta()).Time(),
		Transmission: rate.Transmit(bytes),
	}
}
