package bound

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Algorithm has proven lower bounds on the time of any plan for an algorithm.
type Algorithm struct {
	// PerStep is the time of all steps at full throughput over one hop, without reconfigurations.
	PerStep units.Time
	// Schedule is a lower bound over all reconfiguration schedules and all topologies that the
	// ports allow (the curve that closes Fig. 3 of HARVEST).
	Schedule units.Time
}

// maxIntervalSteps is the largest number of steps for which Schedule considers every interval
// of steps; the work is its square.
const maxIntervalSteps = 4096

// OfAlgorithm computes the lower bounds for an algorithm of the given size.
//
// PerStep: a node with d ports that sends (or receives) b bytes in a step needs
// b/(d*bandwidth), after alpha and one delta. A node reduces the same bytes however a step is
// split, so both bounds count the reduction in full.
//
// Schedule rests on one fact: while circuits do not change, a node with d ports has at most d
// nodes at distance 1, d^2 at distance 2, and so on. A step's longest route is at least the
// mean distance of its pairs. Its most loaded circuit carries at least the mean load: the sum
// over pairs of bytes times distance, spread over n*d circuits. So the share of a node in a
// stage costs at least sum_i (delta + bytes_i/(d*bandwidth)) * distance_i, which is minimal
// when the heaviest destinations are nearest. A dynamic program over the ends of stages, with
// the cheapest possible change between them, bounds all schedules. Every node is bounded
// separately, so plans that split a step are covered, too.
//
// A step in which a node sends to several others may be split in any order. If an algorithm has
// such a step, the bound therefore ignores the order: with k stages a node has k*d destinations
// at distance 1, k*d^2 at distance 2, ...
func OfAlgorithm(f *fabric.Fabric, c *collective.Collective, size units.Bytes) Algorithm {
	bytes := func(chunks collective.Chunks) float64 { return c.Space.Bytes(float64(size), chunks) }
	if !f.Fixed.IsZero() {
		return Algorithm{} // the load of fixed links depends on the routes: see OfOperation
	}
	f = f.Ideal()
	b := Algorithm{PerStep: PerStep(f, c, size)}
	b.Schedule = max(b.PerStep, scheduleBound(f, c, bytes))
	return b
}

// PerStep computes only the first of the bounds, in time linear in the transfers.
func PerStep(f *fabric.Fabric, c *collective.Collective, size units.Bytes) units.Time {
	bytes := func(chunks collective.Chunks) float64 { return c.Space.Bytes(float64(size), chunks) }
	if !f.Fixed.IsZero() {
		return 0
	}
	f = f.Ideal()
	sum, left := initialCharge(f), f.Surviving()
	sent, received := make([]float64, c.Nodes), make([]float64, c.Nodes) // zero between steps
	for _, step := range c.Steps {
		busiest := units.Time(0)
		addBytes(step, bytes, sent, received)
		busiest = max(busiest, busiestPort(f, step, sent, left), busiestPort(f, step, received, left))
		for _, t := range step.Base {
			_, src := step.Group.Locate(t.Src)
			_, dst := step.Group.Locate(t.Dst)
			sent[src], sent[dst], received[src], received[dst] = 0, 0, 0, 0
		}
		sum += f.Alpha.Time() + f.Delta.Time() + busiest + reduction(f, step, bytes)
	}
	return sum
}

// reduction returns how long the node that reduces the most in a step takes for it.
func reduction(f *fabric.Fabric, step collective.Step, bytes func(collective.Chunks) float64) units.Time {
	if f.Gamma == (fabric.Gamma{}) {
		return 0
	}
	return f.Gamma.Of(step.Reduced(bytes))
}

// initialCharge is what a dark fabric pays before anything can be sent.
func initialCharge(f *fabric.Fabric) units.Time {
	switch {
	case f.Initial != fabric.InitialDark || !f.Fixed.IsZero(): // fixed links are up
		return 0
	case f.Overlap.Kind == fabric.OverlapCompute:
		return f.LeastWait()
	}
	return f.WaitAlone(f.Reconfig.Least()) // nothing is up that could send meanwhile
}

// addBytes adds the bytes of a step per sending and per receiving node. With a group it does so per
// orbit of nodes: each node of the orbit sends that much.
func addBytes(step collective.Step, bytes func(collective.Chunks) float64, sent, received []float64) {
	for _, t := range step.Base {
		b := bytes(t.Chunks)
		_, src := step.Group.Locate(t.Src)
		_, dst := step.Group.Locate(t.Dst)
		sent[src] += b
		received[dst] += b
	}
}

// item is what one node sends to another in one step, or in several consecutive ones if it
// sends to no other in between. Dividing an item between the stages before and after a change
// is never better than putting all of it on one side: the cost of a stage is a minimum of sums
// that are linear in its contents, and so concave.
type item struct {
	step, last int // the first and the last of the steps
	steps      int // number of steps
	dst        int
	weight     float64 // time per hop, in ns
	bytes      float64
}

func scheduleBound(f *fabric.Fabric, c *collective.Collective, bytes func(collective.Chunks) float64) units.Time {
	perByte := float64(f.Bandwidth.Transmit(1)) / float64(f.Ports)
	delta := float64(f.Delta.Time())
	least := float64(f.LeastWait())
	senders := newSenders(c, bytes)
	orderly := senders.orderly()
	sum, count := 0.0, 0
	known := map[string]float64{} // many nodes of a tree send the same
	for items := range senders.items() {
		count++
		for i := range items {
			items[i].weight = delta*float64(items[i].steps) + perByte*items[i].bytes
		}
		if orderly && len(items) <= maxIntervalSteps {
			work := workOf(items)
			bound, ok := known[work]
			if !ok {
				bound = intervalBound(items, levels(f), least)
				known[work] = bound
			}
			sum += bound
		} else {
			sum += unorderedBound(items, levels(f), perStage{
				steps: len(c.Steps), alpha: float64(f.Alpha.Time()), delta: delta, perByte: perByte, change: least,
			})
		}
	}
	mean := sum / float64(count)
	reductions := units.Time(0)
	for _, step := range c.Steps {
		reductions += reduction(f, step, bytes)
	}
	return initialCharge(f) + f.Alpha.Time()*units.Time(len(c.Steps)) + units.Time(mean) + reductions
}

// workOf returns a key of what a node sends, independent of the names of destinations. It has
// all that intervalBound depends on.
func workOf(items []item) string {
	number := map[int]uint64{}
	work := make([]byte, 0, 16*len(items))
	for _, it := range items {
		if _, ok := number[it.dst]; !ok {
			number[it.dst] = uint64(len(number))
		}
		work = binary.LittleEndian.AppendUint64(work, number[it.dst])
		work = binary.LittleEndian.AppendUint64(work, math.Float64bits(it.weight))
	}
	return string(work)
}

// levels returns how many nodes can be at distance h = 1, 2, .. from a node.
func levels(f *fabric.Fabric) func(h int) int {
	grow := f.Ports
	if f.Duplex {
		grow-- // a two-way circuit also leads back
	}
	return func(h int) int {
		count := float64(f.Ports) * math.Pow(float64(grow), float64(h-1))
		return int(min(count, fabric.MaxNodes))
	}
}

// intervalBound returns the least sum, over all ways to divide the items into consecutive
// stages, of the stages' bounds and one change between stages. It considers O(s^2) stages, each
// one insertion from the previous one: constant time if destinations differ and weights do not
// rise, linear at worst. It skips stages that take longer than a known division of their steps.
// No change helps if all destinations can be at distance 1, or if one change takes longer than
// all items in one stage.
func intervalBound(items []item, level func(int) int, change float64) float64 {
	r := newRanking(items, level)
	if r.differ <= level(1) {
		sum := 0.0
		for _, it := range items {
			sum += it.weight
		}
		return sum
	}
	for _, it := range items {
		r.add(it.dst, it.weight)
	}
	if r.cost <= change {
		return r.cost
	}
	best := make([]float64, len(items)+1) // best[i]: of items[i:]
	for i := len(items) - 1; i >= 0; i-- {
		best[i] = math.Inf(1)
		r.reset()
		for j := i; j < len(items); j++ {
			if r.add(items[j].dst, items[j].weight); r.cost >= best[i] {
				break // more items take no less
			}
			rest := best[j+1]
			if j+1 < len(items) {
				rest += change
			}
			best[i] = min(best[i], r.cost+rest)
		}
	}
	return best[0]
}

// ranking keeps the destinations of a stage, heaviest first, and the sum of weight times
// distance when the heaviest are nearest.
type ranking struct {
	distance []float64 // of the k-th nearest node, +Inf if there is none
	repeats  bool      // some destination occurs more than once
	differ   int       // number of different destinations
	dst      []int
	weight   []float64
	cost     float64
}

func newRanking(items []item, level func(int) int) *ranking {
	r := &ranking{}
	for h := 1; len(r.distance) < len(items); h++ {
		room := level(h)
		if room == 0 { // a matching reaches no further node
			r.distance = append(r.distance, math.Inf(1))
		}
		for ; room > 0 && len(r.distance) < len(items); room-- {
			r.distance = append(r.distance, float64(h))
		}
	}
	seen := map[int]bool{}
	for _, it := range items {
		r.repeats = r.repeats || seen[it.dst]
		seen[it.dst] = true
	}
	r.differ = len(seen)
	return r
}

func (r *ranking) reset() { r.dst, r.weight, r.cost = r.dst[:0], r.weight[:0], 0 }

func (r *ranking) add(dst int, weight float64) {
	whole := true // the cost can be updated incrementally
	if r.repeats {
		if i := slices.Index(r.dst, dst); i >= 0 {
			weight += r.weight[i]
			r.dst = slices.Delete(r.dst, i, i+1)
			r.weight = slices.Delete(r.weight, i, i+1)
			whole = false
		}
	}
	at, _ := slices.BinarySearchFunc(r.weight, weight, func(w, target float64) int {
		if w >= target {
			return -1
		}
		return 1
	})
	r.dst = slices.Insert(r.dst, at, dst)
	r.weight = slices.Insert(r.weight, at, weight)
	if whole && at == len(r.weight)-1 {
		r.cost += weight * r.distance[at]
		return
	}
	r.cost = 0
	for i, w := range r.weight {
		r.cost += w * r.distance[i]
	}
}

// perStage has the costs of stages and their steps, in ns.
type perStage struct {
	steps                         int // of the algorithm
	alpha, delta, perByte, change float64
}

// unorderedBound minimises, over the number of stages, the sum of the bytes' distances, the
// changes between stages, and their steps. Every stage has a step, so there are at least as
// many steps as stages, each with its start-up, beyond those of the algorithm, and at least one
// hop; the farthest destination takes more.
func unorderedBound(items []item, level func(int) int, cost perStage) float64 {
	byDst := map[int]float64{}
	for _, it := range items {
		byDst[it.dst] += it.bytes
	}
	var bytes []float64
	for _, b := range byDst {
		bytes = append(bytes, b)
	}
	slices.SortFunc(bytes, func(a, b float64) int { return cmp.Compare(b, a) })
	prefix := make([]float64, len(bytes)+1)
	for i, b := range bytes {
		prefix[i+1] = prefix[i] + b
	}
	best := math.Inf(1)
	for stages := 1; stages <= max(1, len(bytes)); stages++ {
		sum, far := 0.0, 0
		for i := 0; i < len(bytes); {
			far++
			room := stages * level(far)
			if room == 0 {
				sum = math.Inf(1)
				break
			}
			next := min(len(bytes), i+room)
			sum += (prefix[next] - prefix[i]) * cost.perByte * float64(far)
			i = next
		}
		steps := max(cost.steps, stages)
		best = min(best, sum+cost.change*float64(stages-1)+
			cost.alpha*float64(steps-cost.steps)+cost.delta*float64(steps+max(0, far-1)))
	}
	return best
}
