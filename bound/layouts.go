package bound

import (
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// layoutBound returns the largest of a bound for the ideal switch and two that know which ports
// share a switch:
//
//   - Hops: in one hop data gets from a GPU to another only if both are plugged into the same
//     switch, whatever the circuits are then. So the data of some GPU make at least as many
//     hops as there are switches on the shortest way to the farthest GPU.
//   - Slabs of a grid: GPUs with the same digit reach others only over the ports of that digit.
//     In an all-to-all 1-1/A of their bytes are for others if the digit has A values.
func layoutBound(f *fabric.Fabric, s *collective.Section, b Breakdown) Breakdown {
	p := f.Plugging()
	if p == nil || !f.Restricts() || s.Space.Members != nil || s.Space.Sizes != nil || s.Space.Kind == collective.Listed {
		return b
	}
	bytes, reach := needs(s)
	if bytes <= 0 {
		return b
	}
	perPort := bytes / float64(f.Ports)
	if s.Op == collective.AllToAll {
		perPort = max(perPort, slabBytes(f, float64(s.Size)))
	}
	least := newReaches(f, reach).least(reach)
	hops := p.Hops(s.Op.Rooted())
	for _, other := range []Breakdown{
		{Stages: least.stages, Steps: least.stages, Hops: least.hops},
		{Stages: 1, Steps: 1, Hops: hops},
	} {
		other.Startup = f.Alpha.Time() * units.Time(other.Stages)
		other.Propagation = f.Delta.Time() * units.Time(other.Hops)
		other.Reconfiguration = f.LeastWait() * units.Time(max(0, other.Stages-1))
		other.Transmission = f.Bandwidth.Transmit(perPort)
		if other.Total() > b.Total() {
			b = other
		}
	}
	return b
}

// slabBytes returns what a port of some digit must send of an all-to-all in which every GPU has
// the given size.
func slabBytes(f *fabric.Fabric, size float64) float64 {
	sides, share := f.Layout.Grid(f.AllPorts())
	most := 0.0
	for d, side := range sides {
		if share != nil {
			most = max(most, size*(1-1/float64(side))/float64(share[d]))
		}
	}
	return most
}
