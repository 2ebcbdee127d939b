package bound

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// islandsBound bounds an operation of all GPUs on a fabric with islands by the largest of
// these:
//
//   - Islands as nodes: whatever happens within an island takes no time and no step. A plan for
//     the GPUs then becomes one for nodes with the ports of all their GPUs, which takes no
//     longer: a step that uses circuits costs a start-up, hops and bytes there, too.
//   - GPUs: what a GPU must send or receive, on average over GPUs, over its ports and its
//     island together, and one start-up and hop of the quicker tier.
//   - GPUs whose electrical switch has failed: what one of them must send or receive over only
//     its ports.
//   - Hops: what an island must send or receive over its ports, and the hops of both tiers that
//     the data of a GPU need to reach all others (reachBound).
//   - Steps: data that comes over circuits is spread within an island at least one step later
//     (islandsSpread).
//
// Only the first waits for the circuits of a dark fabric: islands may do their part meanwhile.
func islandsBound(f *fabric.Fabric, s *collective.Section) Breakdown {
	b := gpuBound(f, s)
	if other := loneBound(f, s); other.Total() > b.Total() {
		b = other
	}
	if f.Islands() < 2 || s.Space.Members != nil {
		return b
	}
	if s.Space.Sizes != nil || s.Space.Kind == collective.Listed {
		return islandsTraffic(f, s, b)
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
	nodes := planesBound(&core, &inner, sectionBound(&core, &inner))
	nodes.Initial = initialCharge(f)
	others := []Breakdown{nodes}
	if s.Op != collective.AllToAll || core.CanStagger() != nil { // otherwise planes may be independent
		others = append(others, reachBound(f, &core, &inner))
	}
	switch s.Op {
	case collective.AllGather, collective.ReduceScatter, collective.AllReduce:
		if other, ok := islandsSpread(f, s.Size, s.Op == collective.AllReduce); ok {
			others = append(others, other)
		}
	}
	for _, other := range others {
		if other.Total() > b.Total() {
			b = other
		}
	}
	return b
}

// reachBound adds up all hops that the data of a GPU need, and what an island must send or
// receive over all its ports.
func reachBound(f, core *fabric.Fabric, inner *collective.Section) Breakdown {
	bytes, _ := needs(inner)
	hops := reachHops(f)
	return Breakdown{
		Stages: 1, Steps: 1, Hops: hops,
		Startup:      min(f.Alpha, f.IslandAlpha()).Time(),
		Propagation:  min(f.Delta, f.IslandDelta()).Time() * units.Time(hops),
		Transmission: core.Bandwidth.Transmit(bytes / float64(core.Ports)),
	}
}

// gpuBound is the bound of what a GPU sends or receives over its ports and island.
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

// loneBound is the bound of what a GPU whose electrical switch has failed sends or receives
// over its remaining ports (see survivingBytes). It may have fixed links, too.
func loneBound(f *fabric.Fabric, s *collective.Section) Breakdown {
	if len(f.Avoid.Islands()) == 0 || !f.Fixed.IsZero() {
		return Breakdown{}
	}
	need, left, most := needsOf(s), f.Surviving(), 0.0
	for _, island := range f.Avoid.Islands() {
		for u := island * f.Island.Size; u < (island+1)*f.Island.Size; u++ {
			ports, lost := left[u]
			if !lost {
				ports = f.Ports
			}
			if !f.Avoid.GPU(u) && ports > 0 {
				most = max(most, need(u)/float64(ports))
			}
		}
	}
	if most == 0 {
		return Breakdown{}
	}
	return Breakdown{
		Stages: 1, Steps: 1, Hops: 1,
		Startup: f.Alpha.Time(), Propagation: f.Delta.Time(), Transmission: f.Bandwidth.Transmit(most),
	}
}
