package staged

import (
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pass"
	"github.com/lightpath-net/lightpath/planner/staged/pool"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/staged/subring"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// subringSchedule returns the schedule of Subring, if that is what a search of the pool
// would find: two two-way ports, a pool that starts from the two-way ring, a delay that
// does not depend on what changes, no other circuits at the start that would be worth
// keeping, and even exchanges at nested distances, such as the powers of 3 on a power of
// 3 nodes.
//
// The pool then holds only rings, with all jumps. Let g be the greatest common divisor of n
// and a ring's jump. Its cycles connect nodes a multiple of g apart, so it serves phase k, at
// distance d(k), only if g divides d(k). On cycles of n/g nodes, the peers of phase i are a
// multiple of d(i)/g hops away, because d(i) divides n. That is at least d(i)/d(k) hops, and
// exactly that on the ring of jump d(k), in all phases from k on. Since equal amounts go in both
// directions, no routing on a cycle has a smaller peak than hops*bytes, nor fewer hops. So the
// rings of Subring are the best in each phase separately, and only the segments remain to be
// chosen. (On 4 nodes the pool also has the ring 0-1-3-2: no fewer hops, more load.)
func subringSchedule(r *planner.Request, w *pricing.Workload) (*pass.Schedule, bool) {
	f := &r.Fabric
	if !f.Open() || !f.Links.IsZero() || f.Ports != 2 || !f.Duplex || !uniform(f) || f.Nodes < 3 {
		return nil, false
	}
	phases, err := subring.ExchangesOf(r.Collective)
	if err != nil || !evenNested(f.Nodes, phases) || f.Routing == flow.Shortest && antipodal(f.Nodes, phases) {
		return nil, false
	}
	p := pool.New(f)
	first, ok := startOnRing(p, w)
	if !ok {
		return nil, false
	}
	s, err := subring.FromExchanges(f.Nodes, phases)
	if err != nil {
		return nil, false
	}
	timing := subring.TimingOf(f)
	changes, total := s.Search(timing, r.Size)
	segments, err := s.Segments(changes, timing, r.Size)
	if err != nil {
		return nil, false
	}
	return &pass.Schedule{Work: w, Choice: onRings(p, segments), Total: float64(first+total) + w.Reductions()}, true
}

// startOnRing puts the base topology into the pool, and returns what it costs to have it
// up for the first step. It reports whether it is the two-way ring and whether nothing
// else is up at the start.
func startOnRing(p *pool.Pool, w *pricing.Workload) (cost units.Time, ok bool) {
	f := p.Fabric
	if _, err := p.AddBase(w); err != nil {
		return 0, false
	}
	base := p.Candidates[0].Topology()
	if !base.Equal(topology.Circulant(f.Nodes, 1)) {
		return 0, false
	}
	up, err := f.InitialTopology()
	switch {
	case err != nil:
		return 0, false
	case up == nil:
		return 0, true
	}
	return f.Wait(up, base, f.Hidden(up, base, 0)), up.Bundles() == 0 || up.Equal(base)
}

// evenNested reports whether the phases are at growing distances from 1 on, of which
// each divides the next and the last the number of nodes, with as much up as down.
func evenNested(n int, phases []subring.Exchange) bool {
	for i, phase := range phases {
		next := n
		if i+1 < len(phases) {
			next = phases[i+1].Distance
		}
		if phase.Up != phase.Down || next <= phase.Distance || next%phase.Distance != 0 {
			return false
		}
	}
	return phases[0].Distance == 1
}

// antipodal reports whether the peers of the last phase are half of the nodes away, so
// that a routing has to split for a load that is the same both ways.
func antipodal(n int, phases []subring.Exchange) bool {
	return 2*phases[len(phases)-1].Distance == n
}

// onRings returns the topology of every phase; the first ring is the pool's base.
func onRings(p *pool.Pool, segments []subring.Segment) []*pricing.Candidate {
	var choice []*pricing.Candidate
	for i, segment := range segments {
		if i > 0 {
			p.AddJumps([]int{segment.Jump, p.Fabric.Nodes - segment.Jump})
		}
		ring := p.Candidates[len(p.Candidates)-1]
		for range segment.Last - segment.First + 1 {
			choice = append(choice, ring)
		}
	}
	return choice
}
