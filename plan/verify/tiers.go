package verify

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// besides is a table of what is always up beside circuits.
type besides struct {
	fabric *fabric.Fabric
	fixed  map[[2]int32]int // links by their ends
}

func besidesOf(f *fabric.Fabric) besides {
	b := besides{fabric: f}
	block := f.Fixed.Links.Block()
	if block == nil {
		return b
	}
	b.fixed = map[[2]int32]int{}
	size := block.Nodes()
	for e := range block.Edges() {
		for u, v := e.From, e.To; u < f.Nodes; u, v = u+size, v+size {
			if !f.Avoid.GPU(u) && !f.Avoid.GPU(v) && !f.Avoid.Link(u, v) {
				b.fixed[[2]int32{int32(u), int32(v)}] += e.Count
			}
		}
	}
	return b
}

// over says what a hop goes over: circuits of a stage, fixed links, or else the island.
func (b *besides) over(circuits *topology.Graph, u, v int32) plan.Tier {
	switch {
	case circuits.Find(int(u), int(v)) >= 0:
		return plan.OverCircuit
	case b.fixed[[2]int32{u, v}] > 0:
		return plan.OverLink
	case b.fabric.SameIsland(int(u), int(v)):
		return plan.OverIsland
	}
	return plan.NoWay
}

// checkTiers times every step on a fabric with islands or fixed links once more: every transfer by
// itself, without symmetry, on a table of what each GPU has to send into its island, to receive
// there and to send over each of its links and circuits.
func checkTiers(p *plan.Plan) error {
	if !p.Fabric.Tiered() {
		return nil
	}
	x := &tierTimes{plan: p, circuits: p.Fabric.Circuits(), up: besidesOf(&p.Fabric)}
	for stage, step := range p.Steps() {
		startup, sends, flight, err := x.of(stage, step)
		if err != nil {
			return fmt.Errorf("step %d: %w", step.Index, err)
		}
		c := step.Cost
		if !plan.Near(c.Startup, startup) || !plan.Near(c.Transmission, sends) || !plan.Near(c.Propagation, flight) {
			return fmt.Errorf("step %d: claims a start-up of %v, %v of sending and %v on the way; each GPU by itself gives %v, %v and %v",
				step.Index, c.Startup, c.Transmission, c.Propagation, startup, sends, flight)
		}
	}
	return nil
}

// tierTimes times steps hop by hop.
type tierTimes struct {
	plan     *plan.Plan
	circuits *fabric.Circuits // what they are like; nil: all alike
	up       besides
}

// of returns the start-up of a step, how long it sends, and how long a byte is on its way at most.
func (x *tierTimes) of(stage *plan.Stage, step *plan.Step) (startup, sends, flight units.Time, err error) {
	f := &x.plan.Fabric
	enter, leave := make([]float64, f.Nodes), make([]float64, f.Nodes)
	busy := make([]units.Time, stage.Topology.Bundles()) // circuits
	links := map[[2]int32]units.Time{}
	pairs := map[[2]int]float64{}
	serial, optical := units.Time(0), false
	sizes := make([]float64, len(step.Base)) // the images of a chunk are as large: see checkForm
	for i := range step.Base {
		sizes[i] = x.plan.Bytes(step.Base[i].Chunks)
	}
	for k := range step.Group.Order() {
		for i := range step.Base {
			t, bytes := &step.Base[i], sizes[i]
			if f.CapTheta {
				pairs[[2]int{step.Group.Apply(k, t.Src), step.Group.Apply(k, t.Dst)}] += bytes
			}
			for _, route := range t.Routes {
				way, stored := units.Time(0), units.Time(0)
				u := int32(step.Group.Apply(k, int(route.Path[0])))
				for _, next := range route.Path[1:] {
					v := int32(step.Group.Apply(k, int(next)))
					var takes units.Time
					var delay, alpha units.Duration
					switch x.up.over(stage.Topology, u, v) {
					case plan.NoWay:
						return 0, 0, 0, fmt.Errorf("nothing leads from %d to %d", u, v)
					case plan.OverIsland:
						takes, delay, alpha = f.Island.Bandwidth.Transmit(route.Share*bytes), f.IslandDelta(), f.IslandAlpha()
						enter[u] += route.Share * bytes
						leave[v] += route.Share * bytes
					case plan.OverLink:
						count := x.up.fixed[[2]int32{u, v}]
						takes, delay, alpha = f.FixedBandwidth().Transmit(route.Share*bytes)/units.Time(count), f.FixedDelta(), f.FixedAlpha()
						links[[2]int32{u, v}] += takes
					case plan.OverCircuit:
						rate := f.Bandwidth
						delay, alpha, optical = f.Delta, f.Alpha, true
						if x.circuits != nil {
							rate, delay = x.circuits.Of(int(u), int(v))
						}
						takes = rate.Transmit(route.Share*bytes) / units.Time(stage.Topology.Count(int(u), int(v)))
						busy[stage.Topology.Find(int(u), int(v))] += takes
					}
					startup = max(startup, alpha.Time())
					stored += takes
					way += delay.Time()
					u = v
				}
				flight, serial = max(flight, way), max(serial, stored)
			}
		}
	}
	if !f.Island.IsZero() {
		sends = f.Island.Bandwidth.Transmit(max(slices.Max(enter), slices.Max(leave)))
	}
	for _, time := range busy {
		sends = max(sends, time)
	}
	for _, time := range links {
		sends = max(sends, time)
	}
	for _, bytes := range pairs {
		if optical {
			sends = max(sends, f.Bandwidth.Transmit(bytes))
		}
	}
	if f.Forwarding == fabric.StoreAndForward {
		sends = max(sends, serial)
	}
	return startup, sends, flight, nil
}
