package bound

import (
	"math"
	"sync"

	"github.com/lightpath-net/lightpath/bound/sets"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// maxKnownHops limits the hops of plans whose steps knownBound considers. It considers all ways to
// divide hops into steps, which takes the cube of their number. With two or more ports there are
// few hops, with one and on cycles there are as many as GPUs. Plans with more hops are bounded by
// their latency and the fewest messages.
const maxKnownHops = 510

// limitSlack is far above the rounding of a sum of a few hundred terms, so that path prunes
// nothing whose own sum would be below the limit.
const limitSlack = 1e-12

// knownBound bounds the time of an allreduce, in ns, by how fast knowledge can grow: a plan
// with few hops needs inputs at many GPUs early, when messages carry little. It returns 0 if it
// gives no bound. A bound of at most enough does not help the caller; then it may return any
// number up to enough, which ends most searches at their first path.
//
// Follow one byte position through all buffers. Let l be the number of messages of a step that
// carry it, over n. Each message uses one or more circuits. So all bytes together take l times
// the time of the whole buffer over a GPU's ports, plus one circuit, over n, for every hop of
// the step beyond its first (see gatherBound). After a step let a node know at most K inputs
// and be able to reach at most R outputs.
//
//   - Every input and every output meet at some node, so the nodes that know an input together
//     reach n outputs: there are at least n/R of them, and the mean node knows at least n/R
//     inputs.
//   - A message brings at most what its sender knew before the step, so a step raises the mean
//     by at most l times the K before it. At first the mean is 1.
//   - If R < n, at least two nodes know each input, so all n have sent a message by then. If K
//     < n, all n get one afterwards. In any case there are at least 2n-2 messages (Patarasuk
//     and Yuan 2009).
//
// K never falls, so the sum of all l is least if inputs are learned as late as possible: for
// needs r(1) <= r(2) <= .. after the steps it is the sum of (r(t)-r(t-1))/K(t-1). (Weight the
// need after step t with 1/K(t-1) - 1/K(t), the last with 1/K, and add them up: each l counts
// once.) Over the steps up to the first after which R < n, the sum of l is at least 1, and so
// it is over the steps from the last before which K < n. What the former can bring at l = 1,
// which is 1 + K before the last of them, need not be learned later. Sending more in them costs
// more than it saves in the later ones, because these have a larger K.
//
// K and R follow from hops and changes: x hops in j+1 stages reach at most the largest product
// of j+1 balls with x hops in total, or fewer (see OfOperation). So the bound is the minimum,
// over the numbers of stages and hops, of a shortest path: its nodes are the moments between
// steps, given by the hops and changes so far and by whether circuits change now; its edges are
// steps. More than twice the hops with which one stage reaches everyone are never needed: with
// them, two steps with 2n-2 messages satisfy all these constraints. If circuits are two-way
// pairs, more than twice the stages that reach everyone are not needed either.
//
// With one port, sets that grow (package sets) bound plans with a few stages, too.
//
// A change of circuits adds the same to every path with the same number of stages, so the paths
// themselves are remembered for all delays: see knowledgeOf.
func knownBound(f *fabric.Fabric, n int, size units.Bytes, enough float64) float64 {
	c := knowledgeOf(f, n, size, false)
	wait := float64(f.LeastWait())
	least := func(stages int, limit float64) float64 {
		time := c.least(stages, limit)
		if stages == 1 && time < limit && (onRing(f, n) || onCycle(f, n)) {
			time = max(time, c.onRing(f, n, size))
		}
		return time
	}
	if f.Ports == 1 && !f.Duplex {
		return c.grown(wait, enough, least)
	}
	return c.fastest(1, wait, enough, least)
}

// grown is fastest for plans with one port, which sets that grow bound, too. Only the number of
// stages that is the fastest so far is bounded so.
func (c *knowledge) grown(wait, enough float64, least func(stages int, limit float64) float64) float64 {
	bounded := map[int]float64{}
	for {
		at := 0
		best := c.fastest(1, wait, enough, func(stages int, limit float64) float64 {
			time, known := bounded[stages]
			if !known {
				time = least(stages, limit)
			}
			if time < limit {
				at = stages
			}
			return time
		})
		if _, known := bounded[at]; known || at == 0 || at > sets.MaxStages || c.nodes > maxSetNodes {
			return best
		}
		bounded[at] = max(best-wait*float64(at-1), c.growing(at))
	}
}

// fastest returns the least time of plans with at least the given number of stages, at a delay
// of wait; or any number up to enough. least returns that of plans with some stages, without
// changes, or a time that is not below a limit.
func (c *knowledge) fastest(first int, wait, enough float64, least func(stages int, limit float64) float64) float64 {
	best := math.Inf(1)
	for stages := first; stages <= c.hops; stages++ {
		changes := wait * float64(stages-1)
		if changes+c.floor(stages) >= best {
			break
		}
		if best = min(best, changes+least(stages, best-changes)); best <= enough {
			return best
		}
	}
	return best
}

// maxSetNodes limits the GPUs for which sets that grow are tried: they take time and prove less.
const maxSetNodes = 1024

// growingKey is what growing depends on: not the delay of changes.
type growingKey struct {
	knowledgeKey
	stages int
}

var (
	grownSets = memory[growingKey, float64]{most: 1 << 12}
	setLoads  = memory[int, *sets.Loads]{most: 8}
)

// growing returns the least time, without changes, of plans with one port and the given number of
// stages by sets that grow.
func (c *knowledge) growing(stages int) float64 {
	return grownSets.kept(growingKey{c.knowledgeKey, stages}, func() float64 {
		n := int(c.nodes)
		loads := setLoads.kept(n, func() *sets.Loads { return sets.NewLoads(n) })
		return loads.Least(stages, sets.Costs{Start: c.alpha, Hop: c.delta, Whole: c.whole}, math.Inf(1))
	})
}

// knowledge has the costs of the steps of a plan, in ns, the numbers of nodes that its stages
// reach, and the shortest paths computed so far.
type knowledge struct {
	knowledgeKey
	balls []float64 // nodes within 0, 1, .. hops while circuits stay, at most all
	hops  int       // at most
	more  bool      // plans may have more hops than that

	mu    sync.Mutex
	most  [][]float64 // by stages and hops: nodes that can be reached, at most all
	paths []shortest  // by stages
	ring  shortest    // of plans that keep their circuits, if these form a ring or a cycle
}

// onRing returns the least time of plans on a ring or a cycle. It does not depend on the delay of a
// change.
func (c *knowledge) onRing(f *fabric.Fabric, n int, size units.Bytes) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ring.known:
	case f.Duplex:
		c.ring = shortest{time: newCycle(f, n, size).sums(math.Inf(1)), known: true}
	default:
		c.ring = shortest{time: newRing(f, n, size).sums(math.Inf(1)), known: true}
	}
	return c.ring.time
}

// knowledgeKey is what shortest paths depend on. The delay of a change is not part of it.
type knowledgeKey struct {
	nodes               float64
	ports               int
	duplex              bool
	cast                bool    // a broadcast: see castSteps
	alpha, delta, whole float64 // whole: all bytes of a buffer over all ports of a GPU
}

// shortest is the time of a path, or a lower bound on it.
type shortest struct {
	time         float64
	known, asked bool
}

// maxKnowledge limits what is remembered. A sweep asks for all delays of one size before it
// moves on to the next.
const maxKnowledge = 64

var remembered = memory[knowledgeKey, *knowledge]{most: maxKnowledge}

// knowledgeOf returns the knowledge for a fabric and a size, remembered from earlier calls.
func knowledgeOf(f *fabric.Fabric, n int, size units.Bytes, cast bool) *knowledge {
	key := knowledgeKey{
		nodes: float64(n), ports: f.Ports, duplex: f.Duplex, cast: cast,
		alpha: float64(f.Alpha.Time()), delta: float64(f.Delta.Time()),
		whole: float64(f.Bandwidth.Transmit(float64(size) / float64(f.Ports))),
	}
	return remembered.kept(key, func() *knowledge { return newKnowledge(f, n, key, maxKnownHops) })
}

func newKnowledge(f *fabric.Fabric, n int, key knowledgeKey, most int) *knowledge {
	balls := []float64{1}
	for balls[len(balls)-1] < float64(n) && len(balls) <= most {
		more := level(f, len(balls))
		if more == 0 { // two-way pairs, which must change
			break
		}
		balls = append(balls, balls[len(balls)-1]+more)
	}
	c := &knowledge{knowledgeKey: key, balls: balls, hops: 2 * (len(balls) - 1)}
	if c.hops > most {
		c.hops, c.more = most, true
	}
	if pairs := balls[len(balls)-1]; pairs < float64(n) && !c.more {
		c.hops = 0
		for reach := 1.0; reach < float64(n); reach *= pairs {
			c.hops += 2
		}
	}
	c.paths = make([]shortest, c.hops+1)
	return c
}

// floor returns a lower bound on plans with the given number of stages, without their changes.
// It grows with the stages.
func (c *knowledge) floor(stages int) float64 {
	return (c.alpha+c.delta)*float64(stages) + c.whole*c.fewest()
}

// fewest returns the least number of messages, over the number of nodes.
func (c *knowledge) fewest() float64 {
	if c.cast {
		return 1
	}
	return 2 - 2/c.nodes
}

// passed returns what a hop beyond the first of a step adds to the load.
func (c *knowledge) passed() float64 {
	if c.cast {
		return 0
	}
	return c.whole / c.nodes
}

// least returns the least time of plans with the given number of stages, without their changes,
// if that is below a limit; else +Inf. The first call searches only up to its limit, later
// calls without one.
func (c *knowledge) least(stages int, limit float64) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := &c.paths[stages]
	if !p.known && p.time < limit {
		if p.asked {
			limit = math.Inf(1)
		}
		c.grow(stages)
		p.time, p.asked = limit, true
		for hops := stages; hops <= c.hops && c.floor(stages)+c.delta*float64(hops-stages) < p.time; hops++ {
			if c.most[stages][hops] >= c.nodes {
				p.time = min(p.time, c.path(stages, hops, p.time))
			}
		}
		if c.more {
			p.time = min(p.time, c.floor(stages)+c.delta*float64(c.hops+1-stages))
		}
		p.known = p.time < limit || math.IsInf(limit, 1)
	}
	if p.known && p.time < limit {
		return p.time
	}
	return math.Inf(1)
}

// grow extends the numbers of reachable nodes to the given number of stages.
func (c *knowledge) grow(stages int) {
	for len(c.most) <= stages {
		next := make([]float64, c.hops+1)
		for x := range next {
			next[x] = 1
			if len(c.most) == 0 {
				continue
			}
			last := c.most[len(c.most)-1]
			for h := 0; h <= x && h < len(c.balls) && next[x] < c.nodes; h++ {
				next[x] = min(c.nodes, max(next[x], last[x-h]*c.balls[h]))
			}
		}
		c.most = append(c.most, next)
	}
}

// moment has upper limits, between two steps, on what a node knows and on how many outputs it
// can still reach.
type moment struct{ known, reach float64 }

// path returns the least time of plans with the given numbers of stages and hops, without their
// changes, if that is below a limit; else +Inf or a time that is not below it. A lower bound on
// the rest of a plan prunes most of the search: one start-up per stage, its hops, and the
// messages not counted yet.
func (c *knowledge) path(stages, hops int, limit float64) float64 {
	index := func(x, changes, change int) int { return (x*stages+changes)*2 + change }
	moments := make([]moment, (hops+1)*stages*2)
	floor := 1.0 // what the mean node may know once all inputs have left their nodes
	for x := range hops + 1 {
		for changes := range stages {
			for change := range min(2, stages-changes) {
				m := moment{c.most[changes+1][x], c.most[stages-changes-change][hops-x]}
				if m.known < c.nodes && m.reach >= c.nodes {
					floor = max(floor, 1+m.known)
				}
				moments[index(x, changes, change)] = m
			}
		}
	}
	time := make([]float64, len(moments))
	for i := range time {
		time[i] = math.Inf(1)
	}
	time[0] = 0
	for x := range hops {
		for changes := range stages {
			for change := range min(2, stages-changes) {
				from := index(x, changes, change)
				if math.IsInf(time[from], 1) {
					continue
				}
				after := changes + change
				least := time[from] + c.alpha*float64(stages-after) + c.delta*float64(hops-x) +
					c.whole*c.outstanding(moments[from])
				least -= limitSlack * least
				for y := x + 1; y <= hops; y++ {
					if least+c.passed()*float64(y-x-1) >= limit {
						break
					}
					step := time[from] + c.alpha + c.delta*float64(y-x) + c.passed()*float64(y-x-1)
					for next := range min(2, stages-after) {
						to := index(y, after, next)
						time[to] = min(time[to], step+c.whole*c.messages(moments[from], moments[to], floor))
					}
				}
			}
		}
	}
	return time[index(hops, stages-1, 0)]
}

// outstanding returns a lower bound on the sum of messages over the remaining steps of a plan.
func (c *knowledge) outstanding(m moment) float64 {
	switch {
	case m.known >= c.nodes:
		return 0
	case m.reach < c.nodes:
		return 1
	}
	return c.fewest()
}

// messages returns the share of a step in the least number of messages, over the number of
// nodes. The messages of all steps up to the first after which no node reaches all count for
// one of these steps, and so do those of all steps from the last before which no node knows
// all.
func (c *knowledge) messages(before, after moment, floor float64) float64 {
	n := c.nodes
	need, had := n/after.reach, n/before.reach
	if c.cast { // every byte is at an integer number of nodes
		need, had = math.Ceil(need), math.Ceil(had)
	}
	switch {
	case before.known >= n:
		return 0 // counted already
	case before.reach < n: // in between
		from, to := max(floor, had), max(floor, need)
		load := (to - from) / before.known
		if after.known >= n {
			return max(1, load+(n-to)/n)
		}
		return load
	case after.known >= n: // everyone is reached twice, or knowledge jumps
		return max(c.fewest(), (need-1)/before.known+(n-need)/n)
	case after.reach < n:
		return max(1, (need-1)/before.known)
	}
	return 0
}
