package replay

import (
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// timeline keeps a table of the ports of every GPU while a plan is simulated: the peer of each
// port, and until when it is dark. It uses the simulation's clock and the fabric's rules (see
// package plan), and none of the times that the plan claims. A change is commanded when the
// simulated steps allow it, and a transfer starts when the ports on its routes are up.
type timeline struct {
	plan     *plan.Plan
	transmit [][]port // by GPU
	receive  [][]port
	switches [][][2]int // settings of parallel switches, in that delay model
	up       *topology.Graph
	resting  *topology.Graph // the base, if all other circuits are charged step by step
	begun    bool            // a step has begun, or the first stage pays to change what is up

	sends units.Duration // when the current stage began to send
	over  units.Duration // when the last change is over
	await bool           // no step has waited for it yet
}

// port is one end of a circuit.
type port struct {
	peer int            // -1: none
	dark units.Duration // until then
}

func newTimeline(p *plan.Plan) (*timeline, error) {
	up, err := p.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	free := up == nil
	if free {
		up = p.Stages[0].Topology // up from the start
	}
	resting, err := p.Fabric.Resting()
	if err != nil {
		return nil, err
	}
	t := &timeline{plan: p, up: up, begun: !free, resting: resting, switches: switchesOf(&p.Fabric, up)}
	t.transmit, t.receive = newPorts(&p.Fabric), newPorts(&p.Fabric)
	for e := range up.Edges() {
		for range e.Count {
			if !connect(t.transmit[e.From], e.To, 0) || !connect(t.receive[e.To], e.From, 0) {
				return nil, errPorts(e.From, e.To)
			}
		}
	}
	return t, nil
}

func errPorts(u, v int) error { return fmt.Errorf("replay: no port is free for circuit %d->%d", u, v) }

func newPorts(f *fabric.Fabric) [][]port {
	ports := make([][]port, f.Nodes)
	for u := range ports {
		ports[u] = slices.Repeat([]port{{peer: -1}}, f.Ports)
	}
	return ports
}

// connect connects the first free port to a peer.
func connect(ports []port, peer int, dark units.Duration) bool {
	i := slices.IndexFunc(ports, func(p port) bool { return p.peer < 0 })
	if i >= 0 {
		ports[i] = port{peer, dark}
	}
	return i >= 0
}

func switchesOf(f *fabric.Fabric, g *topology.Graph) [][][2]int {
	if k, whole := f.Switches(); whole {
		return fabric.SwitchSettings(g, k)
	}
	return nil
}

// begin is called when the previous step has ended, and sets when the transfers of a step
// start.
func (t *timeline) begin(now units.Duration, stage *plan.Stage, step *plan.Step, phase *sim.Phase) error {
	if t.resting != nil {
		return t.beginCharged(now, stage.Topology, phase)
	}
	open := now
	if step == &stage.Steps[0] {
		t.await = !t.up.Equal(stage.Topology)
		if t.await {
			var err error
			if open, err = t.change(now, stage.Topology); err != nil {
				return err
			}
		}
		t.sends = -1
	}
	if t.plan.Fabric.Overlap.Kind != fabric.OverlapCircuits {
		if t.plan.Grounded(stage, step) {
			return nil // it waits for no circuit
		}
		if t.await {
			open = max(now, t.over) + t.plan.Fabric.Sync
		}
	}
	t.await = false
	phase.Reconfiguration = open - now
	if t.sends < 0 {
		t.sends = open
	}
	if t.over > open {
		t.stagger(open, step, phase)
	}
	return nil
}

// beginCharged is begin on a fabric that charges steps: ports are dark before every step that
// pays, even if they keep their peers.
func (t *timeline) beginCharged(now units.Duration, next *topology.Graph, phase *sim.Phase) error {
	f := &t.plan.Fabric
	stays := t.up.Equal(next)
	paid := t.begun && !(stays && next.Equal(t.resting))
	t.begun = true
	if !paid {
		return nil
	}
	t.over = now + f.Reconfig.Base
	if err := t.rewire(next, t.over); err != nil {
		return err
	}
	t.up = next
	phase.Reconfiguration = t.over + f.Sync - now
	return nil
}

// change commands the circuits of a stage as soon as possible, and returns when transfers that
// use no dark circuit can start.
func (t *timeline) change(ended units.Duration, next *topology.Graph) (open units.Duration, err error) {
	f := &t.plan.Fabric
	delay := picoseconds(f.Reconfig.Delay(t.up, next))
	command := ended
	switch f.Overlap.Kind {
	case fabric.OverlapCompute:
		command -= f.Overlap.Compute // the clock stood still for so long
	case fabric.OverlapPorts:
		if t.free(next) {
			command = t.sends
		}
	case fabric.OverlapCircuits:
		command = max(ended+f.Sync, t.over)
	}
	up := command + delay
	if err := t.rewire(next, up); err != nil {
		return 0, err
	}
	t.up, t.over = next, up
	if f.Overlap.Kind == fabric.OverlapCircuits {
		return command, nil
	}
	return max(ended, up) + f.Sync, nil
}

// free reports whether all new circuits find free ports now; with parallel switches, whether
// those that change have no circuit now.
func (t *timeline) free(next *topology.Graph) bool {
	if t.switches != nil {
		idle, needed := 0, 0
		for _, s := range t.switches {
			if len(s) == 0 {
				idle++
			}
		}
		for _, s := range t.changing(next) {
			if len(s) > 0 {
				needed++
			}
		}
		return needed <= idle
	}
	out, in := peersOf(next)
	for u := range t.transmit {
		if !fits(t.transmit[u], out[u]) || !fits(t.receive[u], in[u]) {
			return false
		}
	}
	return true
}

// changing returns the new settings of the parallel switches that change.
func (t *timeline) changing(next *topology.Graph) [][][2]int {
	left := slices.Clone(t.switches)
	return slices.DeleteFunc(switchesOf(&t.plan.Fabric, next), func(s [][2]int) bool {
		i := slices.IndexFunc(left, func(old [][2]int) bool { return slices.Equal(old, s) })
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
		return i >= 0
	})
}

// peersOf lists to whom every GPU sends, and from whom it receives, each peer once per circuit.
func peersOf(g *topology.Graph) (out, in [][]int) {
	out, in = make([][]int, g.Nodes()), make([][]int, g.Nodes())
	for e := range g.Edges() {
		for range e.Count {
			out[e.From] = append(out[e.From], e.To)
			in[e.To] = append(in[e.To], e.From)
		}
	}
	return out, in
}

// absent returns the peers that no port leads to.
func absent(ports []port, peers []int) []int {
	left := slices.Clone(peers)
	for _, p := range ports {
		if i := slices.Index(left, p.peer); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return left
}

// fits reports whether there is a free port for every new peer.
func fits(ports []port, peers []int) bool {
	idle := each.Count(ports, func(p port) bool { return p.peer < 0 })
	return len(absent(ports, peers)) <= idle
}

// turn connects ports to peers, and reports whether there are enough. Ports that already lead
// to one of the peers stay as they are; others are dark until the given time.
func turn(ports []port, peers []int, dark units.Duration) bool {
	fresh := absent(ports, peers)
	left := slices.Clone(peers)
	for i := range ports {
		if at := slices.Index(left, ports[i].peer); at >= 0 {
			left = slices.Delete(left, at, at+1)
		} else {
			ports[i] = port{peer: -1}
		}
	}
	return !slices.ContainsFunc(fresh, func(peer int) bool { return !connect(ports, peer, dark) })
}

// rewire connects ports to new peers; the ports that change are dark until the given time.
func (t *timeline) rewire(next *topology.Graph, dark units.Duration) error {
	changing := t.changing(next)
	t.switches = switchesOf(&t.plan.Fabric, next)
	out, in := peersOf(next)
	for u := range t.transmit {
		if !turn(t.transmit[u], out[u], dark) || !turn(t.receive[u], in[u], dark) {
			return fmt.Errorf("replay: GPU %d has too few ports for %s", u, next.Name())
		}
	}
	for _, circuits := range changing { // dark as a whole
		for _, c := range circuits {
			for i := range t.transmit[c[0]] {
				if p := &t.transmit[c[0]][i]; p.peer == c[1] {
					p.dark = dark
				}
			}
		}
	}
	return nil
}

// stagger sets when each flow starts: when the last port on its routes is up. The time for
// which all flows wait becomes a reconfiguration. If images under the step's group start at
// different times, the phase lists them all.
func (t *timeline) stagger(open units.Duration, step *plan.Step, phase *sim.Phase) {
	beside := newTiers(t.plan)
	order := step.Group.Order()
	starts := make([]units.Duration, 0, len(step.Base)*order)
	alike := true
	count := 0
	for x := range beside.all(t.up, step) {
		starts = append(starts, max(0, t.ready(x.Routes)-open))
		alike = alike && starts[count] == starts[count%len(step.Base)]
		count++
	}
	all := slices.Min(starts)
	phase.Reconfiguration += all
	for i := range starts {
		starts[i] -= all
	}
	if alike || len(phase.Flows) == len(starts) {
		for i := range phase.Flows {
			phase.Flows[i].Start = starts[i]
		}
		return
	}
	phase.Group = topology.Translations{}
	phase.Flows, phase.Routes = phase.Flows[:0:0], phase.Routes[:0:0]
	for x := range beside.all(t.up, step) {
		f := flowOf(t.plan, &x)
		f.Start = starts[len(phase.Flows)]
		phase.Flows = append(phase.Flows, f)
		phase.Routes = append(phase.Routes, beside.through(t.up, x.Routes))
	}
}

// ready returns when all ports on some routes are up.
func (t *timeline) ready(routes []flow.Route) units.Duration {
	ready := units.Duration(0)
	for _, r := range routes {
		for h := 1; h < len(r.Path); h++ {
			u, v := int(r.Path[h-1]), int(r.Path[h])
			for _, p := range t.transmit[u] {
				if p.peer == v {
					ready = max(ready, p.dark)
				}
			}
			for _, p := range t.receive[v] {
				if p.peer == u {
					ready = max(ready, p.dark)
				}
			}
		}
	}
	return ready
}
