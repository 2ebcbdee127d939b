package exchange

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner/exchange/model"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// leaveOut makes plans from those for one GPU more, which is an even number. The last GPU is left
// out, and so is what others have for it. What it relays takes other ways through the same
// circuits: a chunk may make a hop in each stage or rest, and every GPU is a few hops from every
// other, so with a stage or two more than the fewest there are several ways. A chunk takes the one
// that adds least to the busiest circuits. As in fold, the numbers of stages do not depend on the
// delay.
func (c *composer) leaveOut(ctx context.Context) error {
	f, n := &c.request.Fabric, c.request.Fabric.Nodes
	block := float64(c.request.Size) / float64(n)
	t := task{request: c.request}
	for d := bits.Len(uint(n)); d < bits.Len(uint(n))+leftOut && d < n; d++ {
		// What n GPUs relay to one another in d stages takes the time of model.RelayHops.
		relayed := f.Bandwidth.Transmit(block * float64(model.RelayHops(n, 1, d)))
		if !c.useful(t.charges(d) + units.Time(d)*(f.Alpha.Time()+f.Delta.Time()) + relayed) {
			continue
		}
		from, err := c.fewer(ctx, n+1, units.Bytes(math.Ceil(block*float64(n+1))), Options{Stages: d})
		if err != nil {
			return err
		}
		if from == nil {
			continue
		}
		parts := from.Collective.Space.Parts
		stages := without(from, func(chunks int) bool {
			return c.useful(t.charges(d) + units.Time(d)*(f.Alpha.Time()+f.Delta.Time()) + f.Bandwidth.Transmit(block*float64(chunks)/float64(parts)))
		})
		if stages == nil {
			continue
		}
		if err := c.take(ctx, fmt.Sprintf("%d GPUs without one", n+1), parts, stages); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// leftOut is how many more stages than the fewest such a plan may have.
const leftOut = 12

// detours finds ways for what the last GPU of a plan relays.
type detours struct {
	n      int         // the GPU that is left out, and the number of others
	peers  [][]int32   // by slot: the peer of every GPU; -1 if it has none
	load   [][]int     // by slot: the chunks that every GPU sends
	peak   []int       // by slot: the most
	cost   [][]float64 // by slot: of one chunk more from every GPU
	routes [][]ride    // of every chunk of the new plan

	least []float64 // of the way being sought: the cost to every GPU
	took  [][]bool  // by slot: whether the best way to a GPU takes its circuit
}

// ride is a hop of a chunk in a slot.
type ride struct{ slot, from int32 }

// without returns the stages of a plan without its last GPU. It returns nil if some of what that
// GPU relays has no other way, or if as many chunks on the busiest circuits are not useful.
func without(from *plan.Plan, useful func(chunks int) bool) []plan.Stage {
	parts := from.Collective.Space.Parts
	x := detours{n: from.Fabric.Nodes - 1}
	if !x.follow(from, parts) {
		return nil
	}
	x.settle()
	for chunk, moves := range x.routes {
		src, dst := chunk/parts/x.n, chunk/parts%x.n
		if moves != nil || src == dst {
			continue
		}
		if moves = x.way(src, dst); moves == nil {
			return nil
		}
		x.routes[chunk] = moves
		x.carry(moves, 1)
		for _, m := range moves {
			x.peak[m.slot] = max(x.peak[m.slot], x.load[m.slot][m.from])
		}
	}
	for range mostAgain {
		sum := x.busiest()
		if !useful(int(promising * float64(sum))) {
			return nil
		}
		routes := slices.Clone(x.routes)
		if x.again(parts); x.busiest() >= sum {
			x.routes = routes
			break
		}
	}
	return x.stages(from)
}

const (
	// mostAgain limits how often chunks on the busiest circuits choose again.
	mostAgain = 6
	// promising is the share of their chunks that the busiest circuits keep at least when they
	// choose again. They kept 85% or more where it was tried.
	promising = 0.8
)

// busiest returns the chunks that the busiest circuits of all slots carry together.
func (x *detours) busiest() int { return each.Sum(x.peak, func(p int) int { return p }) }

// again lets every chunk on a busiest circuit choose its way again.
func (x *detours) again(parts int) {
	for chunk, moves := range x.routes {
		if slices.ContainsFunc(moves, func(m ride) bool { return x.load[m.slot][m.from] >= x.peak[m.slot] }) {
			x.carry(moves, -1)
			x.routes[chunk] = x.way(chunk/parts/x.n, chunk/parts%x.n)
			x.carry(x.routes[chunk], 1)
		}
	}
	x.settle()
}

// settle finds the busiest circuits of all slots, and what a chunk costs on each circuit.
func (x *detours) settle() {
	for slot, load := range x.load {
		x.peak[slot] = slices.Max(load)
		for u := range load {
			x.cost[slot][u] = x.costOf(slot, u)
		}
	}
}

// costOf returns what one chunk more costs. A circuit costs little if it is idle, and the more the
// busier it is, compared with the busiest one when that was last found.
func (x *detours) costOf(slot, u int) float64 {
	const little = 1e-3
	busy := float64(x.load[slot][u]+1) / float64(max(1, x.peak[slot]))
	for range 5 {
		busy *= busy // to the power of 32
	}
	return little + busy
}

// follow follows the chunks of a plan. Those that the last GPU relays get no route yet. It reports
// whether it can: every step must be of single hops between peers.
func (x *detours) follow(from *plan.Plan, parts int) bool {
	all := x.n + 1
	at := make([]int32, all*all*parts)
	for chunk := range at {
		at[chunk] = int32(chunk / parts / all)
	}
	routes := make([][]ride, len(at))
	for i := range from.Stages {
		peers := slices.Repeat([]int32{-1}, x.n)
		for e := range from.Stages[i].Topology.Edges() {
			if e.From < x.n && e.To < x.n {
				peers[e.From] = int32(e.To)
			}
		}
		for j := range from.Stages[i].Steps {
			slot := int32(len(x.peers))
			x.peers = append(x.peers, peers)
			for t := range from.Stages[i].Steps[j].All(from.Collective.Space) {
				if len(t.Routes) != 1 || len(t.Routes[0].Path) != 2 {
					return false
				}
				for chunk := range t.Chunks.All() {
					if at[chunk] != int32(t.Src) || len(routes[chunk]) > 0 && routes[chunk][len(routes[chunk])-1].slot == slot {
						return false
					}
					at[chunk] = int32(t.Dst)
					routes[chunk] = append(routes[chunk], ride{slot, int32(t.Src)})
				}
			}
		}
	}
	x.peak = make([]int, len(x.peers))
	x.least = make([]float64, x.n)
	for range x.peers {
		x.load, x.cost, x.took = append(x.load, make([]int, x.n)), append(x.cost, make([]float64, x.n)), append(x.took, make([]bool, x.n))
	}
	for chunk, moves := range routes {
		src, dst, part := chunk/parts/all, chunk/parts%all, chunk%parts
		if src == x.n || dst == x.n {
			continue
		}
		if slices.ContainsFunc(moves, func(m ride) bool { return int(m.from) == x.n }) {
			moves = nil
		}
		if x.routes == nil {
			x.routes = make([][]ride, x.n*x.n*parts)
		}
		x.routes[(src*x.n+dst)*parts+part] = moves
		x.carry(moves, 1)
	}
	return true
}

// carry adds a number of chunks to the loads of a route.
func (x *detours) carry(moves []ride, chunks int) {
	for _, m := range moves {
		x.load[m.slot][m.from] += chunks
		x.cost[m.slot][m.from] = x.costOf(int(m.slot), int(m.from))
	}
}

// way returns the route between two GPUs that costs least, nil if there is none. In each slot it
// settles both GPUs of every pair.
func (x *detours) way(src, dst int) []ride {
	for u := range x.least {
		x.least[u] = math.Inf(1)
	}
	x.least[src] = 0
	for slot, peers := range x.peers {
		took, cost := x.took[slot], x.cost[slot]
		for u, peer := range peers {
			v := int(peer)
			if v < u {
				continue // settled, or without a peer
			}
			there, back := x.least[u]+cost[u], x.least[v]+cost[v]
			took[u], took[v] = back < x.least[u], there < x.least[v]
			x.least[u], x.least[v] = min(x.least[u], back), min(x.least[v], there)
		}
	}
	if math.IsInf(x.least[dst], 1) {
		return nil
	}
	var route []ride
	for slot, at := len(x.peers)-1, dst; slot >= 0; slot-- {
		if x.peers[slot][at] >= 0 && x.took[slot][at] {
			at = int(x.peers[slot][at])
			route = append(route, ride{int32(slot), int32(at)})
		}
	}
	slices.Reverse(route)
	return route
}

// stages lays out the routes.
func (x *detours) stages(from *plan.Plan) []plan.Stage {
	carried := make([][][]int, len(x.peers)) // chunks, by slot and sender
	for slot := range carried {
		carried[slot] = make([][]int, x.n)
	}
	for chunk, moves := range x.routes {
		for _, m := range moves {
			carried[m.slot][m.from] = append(carried[m.slot][m.from], chunk)
		}
	}
	var all []plan.Stage
	slot := 0
	for i := range from.Stages {
		var edges []topology.Edge
		for u, v := range x.peers[slot] {
			if v >= 0 {
				edges = append(edges, topology.Edge{From: u, To: int(v), Count: 1})
			}
		}
		made := plan.Stage{Topology: topology.New(x.n, "", edges)}
		for range from.Stages[i].Steps {
			var step plan.Step
			for u, chunks := range carried[slot] {
				if len(chunks) > 0 {
					v := x.peers[slot][u]
					step.Base = append(step.Base, plan.Transfer{
						Transfer: collective.Transfer{Src: u, Dst: int(v), Action: collective.Copy, Chunks: collective.Of(chunks)},
						Routes:   []flow.Route{{Path: []int32{int32(u), v}, Share: 1}},
					})
				}
			}
			made.Steps = append(made.Steps, step)
			slot++
		}
		all = append(all, made)
	}
	return renamed(all)
}
