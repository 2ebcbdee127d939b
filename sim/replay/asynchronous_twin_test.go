package replay_test

import (
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// part is the equally large packets of a message on one route.
type part struct {
	step, flow, route int
	bytes             units.Bytes
}

// place is the packets of a part at a node of its route.
type place struct {
	part
	node int
}

// turn is one packet on a link, in the order that packets have with barriers: the i-th to
// arrive at a place, on its way to another. Places are numbered.
type turn struct {
	from, to, i int
	tx, lag     units.Duration // lag is from its start to its arrival
}

// freeTwin simulates a plan of one stage without barriers by fixed-point iteration. The order
// in which packets pass every link is the one with barriers; each starts at the maximum of its
// arrival, the start of the packet before it, and the time at which a circuit is free. Starting
// from zero, all times are recomputed from those of the previous guess until none changes.
func freeTwin(t *testing.T, p *plan.Plan, o sim.Options) units.Duration {
	t.Helper()
	var flows [][]sim.Flow
	for phase, err := range replay.Program(p) {
		if err != nil {
			t.Fatal(err)
		}
		flows = append(flows, phase.Flows)
	}
	watch := &spy{}
	o.Observer = watch
	if _, err := sim.Run(t.Context(), sim.PacketLevel, replay.Program(p), o); err != nil {
		t.Fatal(err)
	}
	onward := map[place]units.Duration{} // how long a packet takes on the link from there
	for _, x := range watch.sent {
		onward[place{part{x.Phase, x.Flow, x.Route, x.Bytes}, x.From}] = x.Each
	}
	number := map[place]int{}
	var places []place
	numberOf := func(at place) int {
		if _, ok := number[at]; !ok {
			number[at] = len(places)
			places = append(places, at)
		}
		return number[at]
	}
	links := map[[2]int][]turn{}
	sent := map[[2]int]int{} // packets from place to place
	for _, x := range watch.sent {
		of, delay := part{x.Phase, x.Flow, x.Route, x.Bytes}, p.Fabric.Delta
		if c := p.Fabric.Circuits(); c != nil {
			_, delay = c.Of(x.From, x.To)
		}
		next, goesOn := onward[place{of, x.To}]
		lag := x.Each + delay
		if goesOn && p.Fabric.Forwarding == fabric.CutThrough {
			lag = delay + max(0, x.Each-next)
		}
		hop := [2]int{numberOf(place{of, x.From}), numberOf(place{of, x.To})}
		for range x.Packets {
			at := [2]int{x.From, x.To}
			links[at] = append(links[at], turn{hop[0], hop[1], sent[hop], x.Each, lag})
			sent[hop]++
		}
	}
	comes := make([][]units.Duration, len(places))
	for range 2000 {
		entered := make([]units.Duration, p.Fabric.Nodes)
		handed := make([][]units.Duration, len(flows))
		for s := range flows {
			after := slices.Clone(entered)
			for _, f := range flows[s] {
				handed[s] = append(handed[s], entered[f.Src]+p.Fabric.Alpha)
			}
			for i, at := range places {
				if at.step == s && at.node == int(flows[s][at.flow].Dst) && len(comes[i]) > 0 {
					after[at.node] = max(after[at.node], slices.Max(comes[i]))
				}
			}
			for u, bytes := range reduced(p, s) {
				after[u] += units.Duration(math.Round(bytes * float64(p.Fabric.Gamma.Time) / float64(max(1, p.Fabric.Gamma.Per))))
			}
			entered = after
		}
		same := true
		for at, list := range links {
			came := map[int][]units.Duration{}
			free := make([]units.Duration, p.Stages[0].Topology.Count(at[0], at[1]))
			last := units.Duration(0)
			for _, x := range list {
				ready := handed[places[x.from].step][places[x.from].flow]
				if x.i < len(comes[x.from]) {
					ready = comes[x.from][x.i]
				}
				slices.Sort(free)
				start := max(ready, last, free[0])
				free[0], last = start+x.tx, start
				came[x.to] = append(came[x.to], start+x.lag)
			}
			for to, times := range came {
				slices.Sort(times)
				same = same && slices.Equal(times, comes[to])
				comes[to] = times
			}
		}
		if same {
			return slices.Max(entered)
		}
	}
	t.Fatal("no end")
	return 0
}
