package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/units"
)

// exchangeBound is sectionBound for an all-to-all, in which every pair has bytes of its own:
// with few stages most of them are relayed and load several circuits. The proof is at
// model.UniformTimeBound. It reports false for other operations.
func exchangeBound(f *fabric.Fabric, s *collective.Section) (Breakdown, bool) {
	n := s.Space.MembersCount()
	if s.Op != collective.AllToAll || n < 2 {
		return Breakdown{}, false
	}
	costs := model.Costs{
		Nodes: f.Nodes, Ports: f.Ports, Change: float64(f.LeastWait()),
		Startup: float64(f.Alpha.Time()), Hop: float64(f.Delta.Time()), Byte: float64(f.Bandwidth.Transmit(1)),
		TwoWay: f.Duplex, Circuits: meanPorts(f) * float64(f.Nodes), Idle: oddPorts(f) && everyone(f, s),
	}
	if left := f.Surviving(); len(left) > 0 {
		costs.Left = make([]int, n)
		for i := range costs.Left {
			u := i
			if s.Space.Members != nil {
				u = s.Space.Members[i]
			}
			costs.Left[i] = f.Ports
			if ports, lost := left[u]; lost {
				costs.Left[i] = ports
			}
		}
	}
	var found model.TimeBound
	switch {
	case s.Space.Sizes != nil:
		amounts := make([][]int, len(s.Space.Sizes))
		for u, row := range s.Space.Sizes {
			amounts[u] = make([]int, len(row))
			for v, bytes := range row {
				if u != v {
					amounts[u][v] = int(bytes)
				}
			}
		}
		demand, err := model.Amounts(amounts)
		if err != nil {
			return Breakdown{}, false
		}
		found = model.DemandTimeBound(demand, costs)
	case s.Space.Kind == collective.Listed:
		return Breakdown{}, false
	default:
		found = model.UniformTimeBound(n, float64(s.Size)/float64(n), costs)
	}
	b := Breakdown{
		Stages: found.Stages, Steps: found.Stages, Startup: units.Time(found.Startups), Propagation: units.Time(found.Hops),
		Reconfiguration: units.Time(found.Changes), Transmission: units.Time(found.Transmission),
	}
	if f.Delta > 0 {
		b.Hops = int(math.Round(found.Hops / float64(f.Delta.Time())))
	}
	return b, true
}
