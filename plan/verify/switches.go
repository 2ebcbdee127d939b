package verify

import (
	"fmt"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// fibre is one direction of a port.
type fibre struct {
	gpu, port int
	receives  bool
}

// checkSwitches checks that every stage can be set up: each circuit joins two ports that are
// plugged into the switch that it names, no fibre has two circuits, and together they are the
// topology. Whoever made the plan chose the ports; here they are only looked up.
func checkSwitches(p *plan.Plan) error {
	for i := range p.Stages {
		circuits, err := p.SetUp(i)
		if err == nil {
			err = checkStageSwitches(p, i, circuits)
		}
		if err != nil {
			return fmt.Errorf("stage %d: %w", i+1, err)
		}
	}
	return nil
}

func checkStageSwitches(p *plan.Plan, stage int, circuits []layout.Circuit) error {
	plugged, duplex := p.Fabric.Plugging(), p.Fabric.Duplex
	used, count := map[fibre]bool{}, map[[2]int]int{}
	use := func(u, up, v, vp int) error {
		for _, f := range []fibre{{u, up, false}, {v, vp, true}} {
			if used[f] {
				return fmt.Errorf("port %d of GPU %d has two circuits", f.port, f.gpu)
			}
			used[f] = true
		}
		count[[2]int{u, v}]++
		return nil
	}
	for _, c := range circuits {
		for _, end := range [][2]int{{c.From, c.FromPort}, {c.To, c.ToPort}} {
			if end[0] < 0 || end[0] >= p.Fabric.Nodes || end[1] < 0 || end[1] >= p.Fabric.Ports {
				return fmt.Errorf("circuit %d-%d: there is no port %d of GPU %d", c.From, c.To, end[1], end[0])
			}
			if err := p.Fabric.Unplugged(end[0], end[1]); err != nil {
				return fmt.Errorf("circuit %d-%d: %w", c.From, c.To, err)
			}
			if s := plugged.Switch(end[0], end[1]); s != c.Switch {
				return fmt.Errorf("circuit %d-%d is on switch %d, but port %d of GPU %d is plugged into switch %d", c.From, c.To, c.Switch, end[1], end[0], s)
			}
		}
		err := use(c.From, c.FromPort, c.To, c.ToPort)
		if err == nil && duplex && c.From != c.To {
			err = use(c.To, c.ToPort, c.From, c.FromPort)
		}
		if err != nil {
			return err
		}
	}
	if err := sameCircuits(p.Stages[stage].Topology, count); err != nil {
		return err
	}
	return checkPlanes(p.Stages[stage].Lanes, circuits)
}

// sameCircuits reports a difference between a topology and the circuits that are set up.
func sameCircuits(g *topology.Graph, count map[[2]int]int) error {
	sum := 0
	for e := range g.Edges() {
		if set := count[[2]int{e.From, e.To}]; set != e.Count {
			return fmt.Errorf("the switches set %d circuits %d->%d up, the stage has %d", set, e.From, e.To, e.Count)
		}
		sum += e.Count
	}
	for _, c := range count {
		sum -= c
	}
	if sum != 0 {
		return fmt.Errorf("the switches set %d circuits up that the stage does not have", -sum)
	}
	return nil
}

// checkPlanes checks that the circuits of a lane are on the ports of its plane.
func checkPlanes(lanes []plan.Lane, circuits []layout.Circuit) error {
	if lanes == nil {
		return nil
	}
	count := make([]map[[2]int]int, len(lanes))
	for i := range count {
		count[i] = map[[2]int]int{}
	}
	for _, c := range circuits {
		if c.FromPort >= len(lanes) || c.FromPort != c.ToPort {
			return fmt.Errorf("circuit %d-%d is on ports %d and %d; a plane has the same of both GPUs", c.From, c.To, c.FromPort, c.ToPort)
		}
		count[c.FromPort][[2]int{c.From, c.To}]++
	}
	for i, lane := range lanes {
		switch {
		case lane.Circuits == nil && len(count[i]) > 0:
			return fmt.Errorf("plane %d has circuits, but skips the step", i+1)
		case lane.Circuits != nil:
			if err := sameCircuits(lane.Circuits, count[i]); err != nil {
				return fmt.Errorf("plane %d: %w", i+1, err)
			}
		}
	}
	return nil
}
