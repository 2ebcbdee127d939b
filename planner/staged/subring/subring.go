package subring

import (
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/units"
)

// Model finds and prices switching schedules for exchanges whose phases talk to the nodes at
// distances 1, radix, radix^2, .. in both directions at once: ReTri with radix 3, and mirrored
// Bruck, the all-to-all of Bridge, with radix 2 (Juerss and Schmid, "Revisiting Bruck:
// Phase-Efficient All-to-All Communication in Reconfigurable Networks", §3.3 and §3.4). With R
// changes of circuits the phases are cut into R+1 segments. During the segment that starts at
// phase k, every node u has two-way circuits to u+radix^k and u-radix^k: rings that still lead to
// the peers of all later phases.
//
// The cost model is the one for plans. A phase takes
//
//	alpha + h*(delta + share*m/bandwidth)
//
// with h the hops to its peers along the rings, the shorter way round, and share*m the bytes that
// the busier direction carries, out of the m bytes of the collective's size. A peer on the
// opposite side of the ring gets half of its bytes each way. A node has two ports, each with one
// circuit; the bandwidth is that of a circuit in one direction. Every reconfiguration takes the
// same time. The first configuration is free, so that a fabric that starts dark pays for one
// more.
//
// On radix^s nodes, all phases have the same share and phase i takes radix^(i-k) hops. The hops
// of a segment are a convex function of its length, so segments whose lengths differ by at most
// one are best, in any order. Their hops add up to W(R):
//
//	C(R) = s*alpha + W(R)*(delta + share*m/bandwidth) + R*reconfig
//
// W does not depend on the message or the fabric, so finding the best R takes O(s). C(R) is the
// formula of §3.4 if R+1 divides s; otherwise that formula is less than any schedule takes.
//
// On other numbers of nodes neither holds: the phases carry different amounts, the peers of the
// last ones can be closer the other way round (on 28 nodes, 27 forward is 1 back), and a ring may
// lead to the peers of earlier phases too. The pool of HARVEST covers these; it also finds the
// schedules of this model.
//
// Search does not allocate.
type Model struct {
	distances []int     // of every phase
	share     float64   // of every phase
	sums      []float64 // W(R) by R
}

// Segment is the phases First..Last (from 0) on the rings of jump Jump.
type Segment struct {
	First, Last, Jump int
}

// Timing is what phases and reconfigurations take.
type Timing struct {
	Alpha     units.Duration  // per phase
	Delta     units.Duration  // per hop
	Reconfig  units.Duration  // per change of circuits
	Bandwidth units.Bandwidth // of a circuit, per direction
}

// TimingOf returns the timing of a fabric whose reconfiguration delay does not depend on what
// changes.
func TimingOf(f *fabric.Fabric) Timing {
	return Timing{Alpha: f.Alpha, Delta: f.Delta, Reconfig: f.ConstantWait(), Bandwidth: f.Bandwidth}
}

// hop returns the time of a hop in a phase of the given share, in ns: y of §3.4.
func (t Timing) hop(share float64, size units.Bytes) float64 {
	return float64(t.Delta.Time() + t.Bandwidth.Transmit(share*float64(size)))
}

// maxSubringNodes keeps numbers of hops exact in a float64.
const maxSubringNodes = 1 << 53

// New returns the model for radix^phases nodes. Each phase sends share of the collective's size
// in each direction: radix 3 and 1/3 for ReTri, radix 2 and 1/4 for mirrored Bruck.
//
// ReTri with 2q ports (§5) has radix 2q+1 and share 1/(2q+1): a phase talks to the nodes
// a*radix^i away for all a up to q, a segment has the circuits of all of them, and the bytes for
// u+a*radix^i travel by jumps of a*radix^k. No routing is better: the bytes have to cover that
// distance in total, and the farthest peer takes as many hops.
func New(radix, phases int, share float64) (*Model, error) {
	switch {
	case radix < 2:
		return nil, fmt.Errorf("subring: the radix must be 2 or more, not %d", radix)
	case phases < 1:
		return nil, fmt.Errorf("subring: there must be 1 phase or more, not %d", phases)
	case !(share >= 0) || math.IsInf(share, 1):
		return nil, fmt.Errorf("subring: the share of a phase must be a number from 0 on, not %v", share)
	}
	s := &Model{share: share}
	hops := make([]float64, 0, min(phases, 64))
	for jump := 1; len(hops) < phases; jump *= radix {
		if jump > maxSubringNodes/radix {
			return nil, fmt.Errorf("subring: %d phases of radix %d are for more than 2^53 nodes", phases, radix)
		}
		s.distances = append(s.distances, jump)
		hops = append(hops, float64(jump))
	}
	s.sums = balancedSums(hops)
	return s, nil
}

// balancedSums returns W(R) for all R, given the hops of each phase of a segment.
func balancedSums(hops []float64) []float64 {
	phases := len(hops)
	length := make([]float64, phases+1) // hops of a segment, by its length
	for i, h := range hops {
		length[i+1] = length[i] + h
	}
	sums := make([]float64, phases)
	for r := range sums {
		short, longer := phases/(r+1), phases%(r+1)
		sums[r] = float64(r+1-longer) * length[short]
		if longer > 0 {
			sums[r] += float64(longer) * length[short+1]
		}
	}
	return sums
}

// Phases returns the number of phases s. There can be 0..s-1 reconfigurations between them.
func (s *Model) Phases() int { return len(s.distances) }

// Cost returns C(R): the time of the best schedule with that many changes.
func (s *Model) Cost(changes int, t Timing, size units.Bytes) (units.Time, error) {
	if err := s.check(changes); err != nil {
		return 0, err
	}
	return s.cost(changes, t, t.hop(s.share, size)), nil
}

// Search returns the best number of changes, the smallest of equals, and the time of its
// schedule.
func (s *Model) Search(t Timing, size units.Bytes) (changes int, total units.Time) {
	hop := t.hop(s.share, size)
	best := pricing.State{Total: float64(s.cost(0, t, hop))}
	for r := 1; r < s.Phases(); r++ {
		if other := (pricing.State{Total: float64(s.cost(r, t, hop)), Changes: r}); other.Better(best) {
			best = other
		}
	}
	return best.Changes, units.Time(best.Total)
}

// Segments returns the best schedule with that many changes. The longer segments come last.
func (s *Model) Segments(changes int) ([]Segment, error) {
	if err := s.check(changes); err != nil {
		return nil, err
	}
	segments := make([]Segment, 0, changes+1)
	for first, left := 0, changes; left >= 0; left-- {
		next := first + (s.Phases()-first)/(left+1)
		segments = append(segments, Segment{First: first, Last: next - 1, Jump: s.distances[first]})
		first = next
	}
	return segments, nil
}

func (s *Model) check(changes int) error {
	if changes < 0 || changes >= s.Phases() {
		return fmt.Errorf("subring: between %d phases there are 0 to %d changes, not %d", s.Phases(), s.Phases()-1, changes)
	}
	return nil
}

// cost returns C(R), given the time of a hop.
func (s *Model) cost(changes int, t Timing, hop float64) units.Time {
	return units.Time(s.Phases())*t.Alpha.Time() + units.Time(s.sums[changes]*hop) + units.Time(changes)*t.Reconfig.Time()
}
