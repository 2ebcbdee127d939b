package bound

import (
	"iter"
	"math"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Breakdown lists the parts of a bound for an operation: the cheapest way to reach all GPUs,
// and the bytes that must be sent.
type Breakdown struct {
	Initial units.Time `json:"initial_ns,omitempty"` // a dark fabric's first configuration
	// Every plan has at least this many stages, steps and hops in total, or a combination that
	// costs more. For a sequence they are sums over its operations.
	Stages          int        `json:"stages"`
	Steps           int        `json:"steps"`
	Hops            int        `json:"hops"`
	Startup         units.Time `json:"startup_ns"`
	Propagation     units.Time `json:"propagation_ns"`
	Reconfiguration units.Time `json:"reconfiguration_ns"` // between the stages
	Transmission    units.Time `json:"transmission_ns"`
	// Reduction is the time of reducing: every byte of every other GPU is added to something,
	// (n-1)*m in total, and the node that reduces the most determines the time of a step
	// (direct-connect, B.4).
	Reduction units.Time `json:"reduction_ns,omitempty"`
	// Extra is what every plan takes in addition, because no plan minimises all parts at once:
	// with few steps, data that travels far uses many circuits; otherwise there are more steps.
	Extra units.Time `json:"extra_ns"`
}

// Total returns the sum of the parts.
func (b Breakdown) Total() units.Time {
	return b.Initial + b.Startup + b.Propagation + b.Reconfiguration + b.Transmission + b.Reduction + b.Extra
}

// OfOperation returns a time that no plan for an operation can beat in this cost model,
// whatever its algorithm, circuits and schedule, divided into its parts. For a sequence it is
// the sum over its operations.
//
// A plan's time consists of the start-ups and hops of its steps, its reconfigurations and its
// transmission. The first three are bounded together and the last separately, so their sum is a
// bound.
//
// Reach: some node's data must reach n-1 others, or theirs must reach it. Let h be the total
// hops of a stage's steps. While the circuits stay, data travels at most h hops, and at most 1
// + d + d^2 + .. + d^h nodes are within h hops of a node with d ports, including itself (the
// Moore bound; with two-way circuits the factor is d-1 from the second hop on). In the next
// stage the data continues from each of those. So the balls of the stages must multiply to at
// least n, a stage costs at least a start-up and its hops, and a reconfiguration between two
// stages costs at least fabric.LeastWait. More steps in a stage only add start-ups. A dynamic
// program finds the cheapest sequence. Its state, the number of nodes left to reach, is always
// n over an integer, rounded up: few numbers, O(n log n) in total.
//
// Bandwidth: the bytes that some node must send or receive over its ports. For an allreduce
// that is twice (n-1)/n of the buffer (Patarasuk and Yuan 2009). If ports have failed, the
// remaining ones count: see survivingBytes.
//
// Plans with only one step per stage must send more than that: see fewSteps. Allreduces that
// send the least must reach everyone twice: see sumBound; and saving hops costs messages: see
// knownBound, package sets and sumShapes. With one port, circuits that stay form a ring, and others
// form chains: see ring and chains. If the number of two-way ports is odd, one is idle: see
// oddPorts. The parts are bounded together for a gather (gatherBound), a broadcast (castBound,
// castEnds and castShapes), an all-to-all (exchangeBound) and, if planes are independent,
// planesBound.
func OfOperation(f *fabric.Fabric, c *collective.Section) Breakdown {
	f = f.Ideal()
	if c.Space.Kind != collective.Sections {
		s := &collective.Section{Op: c.Op, Size: c.Size, Space: c.Space}
		b := sectionBound(f, s)
		if !f.Tiered() {
			b = planesBound(f, s, b)
			b.Initial = initialCharge(f)
		}
		return b
	}
	sum := Breakdown{Initial: initialCharge(f)}
	if !f.Island.IsZero() { // what islands do meanwhile belongs to the first operation
		free := *f
		free.Initial = fabric.InitialFree
		sum.Initial, f = 0, &free
	}
	for i := range c.Space.Sections {
		b := sectionBound(f, &c.Space.Sections[i])
		sum.Stages += b.Stages
		sum.Steps += b.Steps
		sum.Hops += b.Hops
		sum.Startup += b.Startup
		sum.Propagation += b.Propagation
		sum.Reconfiguration += b.Reconfiguration
		sum.Transmission += b.Transmission
		sum.Reduction += b.Reduction
		sum.Extra += b.Extra
	}
	return sum
}

func sectionBound(f *fabric.Fabric, s *collective.Section) Breakdown {
	if !f.Fixed.IsZero() {
		return fixedBound(f, s)
	}
	if !f.Island.IsZero() {
		return islandsBound(f, s)
	}
	b := layoutBound(f, s, movingBound(f, s))
	switch s.Op {
	case collective.AllReduce, collective.ReduceScatter, collective.RootReduce:
		n := s.Space.MembersCount()
		b.Reduction = f.Gamma.Of(float64(s.Size) * float64(n-1) / float64(s.Space.Nodes))
	}
	return b
}

// movingBound bounds the time of moving the data.
func movingBound(f *fabric.Fabric, s *collective.Section) Breakdown {
	bytes, reach := needs(s)
	least := newReaches(f, reach).least(reach)
	if shares := sharesOf(f); shares.short() && everyone(f, s) {
		least = newReaches(f, reach).short(reach, shares.first())
	}
	stages, hops := least.stages, least.hops
	b := Breakdown{
		Stages: stages, Steps: stages, Hops: hops,
		Startup:         f.Alpha.Time() * units.Time(stages),
		Propagation:     f.Delta.Time() * units.Time(hops),
		Reconfiguration: f.LeastWait() * units.Time(max(0, stages-1)),
		Transmission:    f.Bandwidth.Transmit(max(bytes/float64(f.Ports), survivingBytes(f, s))),
	}
	if s.Space.MembersCount() == f.Nodes { // else others may relay, over uncounted circuits
		b.Extra = fewSteps(f, s, b)
		gathers := s.Op == collective.AllGather || s.Op == collective.ReduceScatter
		if gathers && s.Space.Kind != collective.Listed && s.Space.Sizes == nil {
			if other, ok := gatherBound(f, f.Nodes, s.Size); ok && other.Total() > b.Total() {
				b = other
			}
		}
	}
	b.Extra = castExtra(f, s, b)
	b.Extra = max(b.Extra, units.Time(oddBound(f, s, least.cost))-(b.Total()-b.Extra))
	if other, ok := exchangeBound(f, s); ok && other.Total() > b.Total() {
		return other
	}
	return b
}

// everyone reports whether data of every GPU of the fabric must reach all others.
func everyone(f *fabric.Fabric, s *collective.Section) bool {
	switch s.Op {
	case collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.AllToAll:
		return s.Space.MembersCount() == f.Nodes && s.Space.Kind != collective.Listed && s.Space.Sizes == nil
	}
	return false
}

// needs returns the bytes that the busiest node must send or receive, and the number of nodes,
// including itself, that the data of some node must reach.
func needs(s *collective.Section) (bytes float64, reach int) {
	n := s.Space.MembersCount()
	size := float64(s.Size)
	others := size * float64(n-1) / float64(n)
	switch {
	case s.Space.Kind == collective.Listed:
		return busiestOfPieces(&s.Space)
	case s.Space.Sizes != nil:
		return busiestOfDemand(s.Space.Sizes)
	}
	switch s.Op {
	case collective.AllReduce:
		return 2 * others, n
	case collective.Broadcast, collective.RootReduce:
		return size, n
	}
	return others, n
}

func busiestOfDemand(d collective.Demand) (bytes float64, reach int) {
	sent, received := movedOfDemand(d)
	for u, row := range d {
		peers := 0
		for v, b := range row {
			if u != v && b > 0 {
				peers++
			}
		}
		bytes = max(bytes, sent[u], received[u])
		reach = max(reach, 1+peers)
	}
	return bytes, reach
}

// movedOfDemand returns what each node sends and receives.
func movedOfDemand(d collective.Demand) (sent, received []float64) {
	sent, received = make([]float64, len(d)), make([]float64, len(d))
	for u, row := range d {
		for v, b := range row {
			if u != v {
				sent[u] += float64(b)
				received[v] += float64(b)
			}
		}
	}
	return sent, received
}

// busiestOfPieces counts a piece once for every node that must get it and does not have it. It
// also counts a piece for the node that must send it at least once because no other node has
// it.
func busiestOfPieces(space *collective.Space) (bytes float64, reach int) {
	sent, received := movedOfPieces(space)
	peers := map[int]map[int]bool{}
	for i := range space.Pieces {
		p := &space.Pieces[i]
		has := map[int]bool{}
		for _, u := range p.From {
			has[u] = true
		}
		for _, u := range p.To {
			if has[u] && !p.Reduces || has[u] && len(p.From) == 1 {
				continue
			}
			for _, v := range p.From {
				if v == u || len(p.From) > 1 && !p.Reduces {
					continue
				}
				if peers[v] == nil {
					peers[v] = map[int]bool{}
				}
				peers[v][u] = true
			}
		}
	}
	for u := range space.Nodes {
		bytes = max(bytes, sent[u], received[u])
		reach = max(reach, 1+len(peers[u]))
	}
	return bytes, reach
}

// movedOfPieces returns what each node must send and receive.
func movedOfPieces(space *collective.Space) (sent, received map[int]float64) {
	sent, received = map[int]float64{}, map[int]float64{}
	for i := range space.Pieces {
		p := &space.Pieces[i]
		has := map[int]bool{}
		for _, u := range p.From {
			has[u] = true
		}
		leaves := false
		for _, u := range p.To {
			if has[u] && !p.Reduces || has[u] && len(p.From) == 1 {
				continue
			}
			received[u] += p.Bytes
			leaves = true
		}
		if leaves && len(p.From) == 1 {
			sent[p.From[0]] += p.Bytes
		}
	}
	return sent, received
}

// reached is the least cost of reaching a number of nodes, in ns, and how that is done.
type reached struct {
	cost         float64
	stages, hops int
}

// reaches computes the least cost of reaching numbers of nodes.
type reaches struct {
	f     *fabric.Fabric
	known []reached // by nodes left, changing before every stage; 0 stages: not known yet
}

// newReaches prepares for up to most nodes.
func newReaches(f *fabric.Fabric, most int) *reaches { return &reaches{f, make([]reached, most+1)} }

// least returns the stages and hops that reach a number of nodes, including the node itself, at
// the least cost.
func (r *reaches) least(nodes int) reached {
	c := r.staged(nodes)
	if c.stages > 0 {
		c.cost -= float64(r.f.LeastWait())
	}
	return c
}

// short is least for a node that has the given number of ports in the first stage.
func (r *reaches) short(nodes int, ports float64) reached {
	alpha, delta := float64(r.f.Alpha.Time()), float64(r.f.Delta.Time())
	best := reached{cost: math.Inf(1)}
	for h, rest := range r.after(nodes, ports) {
		first := alpha + delta*float64(h)
		if first >= best.cost {
			break
		}
		best = best.or(first, h, rest)
	}
	return best
}

// changing returns the least cost of reaching a number of nodes with at least one change of
// circuits.
func (r *reaches) changing(nodes int) float64 {
	alpha, delta := float64(r.f.Alpha.Time()), float64(r.f.Delta.Time())
	another := alpha + delta + float64(r.f.LeastWait()) // a stage that need not reach any node
	best := math.Inf(1)
	for h, rest := range r.after(nodes, float64(r.f.Ports)) {
		first := alpha + delta*float64(h)
		if first+another >= best {
			break
		}
		best = min(best, first+max(another, rest.cost))
	}
	return best
}

func (r *reaches) staged(nodes int) reached {
	if nodes == 1 {
		return reached{}
	}
	known := &r.known[nodes]
	if known.stages > 0 {
		return *known
	}
	perStage, delta := float64(r.f.Alpha.Time()+r.f.LeastWait()), float64(r.f.Delta.Time())
	best := reached{cost: math.Inf(1)}
	for h, rest := range r.after(nodes, float64(r.f.Ports)) {
		first := perStage + delta*float64(h)
		if first >= best.cost {
			break
		}
		best = best.or(first, h, rest)
	}
	*known = best
	return best
}

// after yields, for each number of hops of a first stage in which the root has the given ports,
// the least cost of reaching the remaining nodes.
func (r *reaches) after(nodes int, ports float64) iter.Seq2[int, reached] {
	return func(yield func(int, reached) bool) {
		ball, grow := 1.0, ports
		for h := 1; ; h++ {
			ball += grow
			grow *= growth(r.f)
			rest := r.staged(max(1, int(math.Ceil(float64(nodes)/ball))))
			if !yield(h, rest) || ball >= float64(nodes) || grow == 0 {
				return
			}
		}
	}
}

// or returns the cheaper of c and a first stage of the given cost and hops followed by rest.
func (c reached) or(first float64, hops int, rest reached) reached {
	if cost := first + rest.cost; cost < c.cost {
		return reached{cost, 1 + rest.stages, hops + rest.hops}
	}
	return c
}

// growth returns the largest ratio of the nodes at one distance to those at the previous one.
func growth(f *fabric.Fabric) float64 {
	if f.Duplex {
		return float64(f.Ports - 1)
	}
	return float64(f.Ports)
}
