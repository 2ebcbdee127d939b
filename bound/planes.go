package bound

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// independentBound bounds all-to-all plans with independent planes. Their start-ups and changes
// do not wait for one another, so the bounds for steps with barriers do not hold.
//
// Such a plan has some number s of turns, on up to q = min(s, d) of the d planes. It takes at
// least the mean, over these planes, of the time for which each is busy:
//
//   - a start-up for every turn, and a change before every turn but the first of each plane;
//   - hops: a turn of h hops takes a GPU's bytes to at most h others, because one circuit leads
//     from each GPU on a plane, so the turns have at least as many hops as a GPU has peers;
//   - bytes: at most s of a GPU's destinations are h hops away, for every h. The total of bytes
//     times hops is at least what it is if the destinations with the most bytes take the
//     nearest places, and the circuits of all GPUs carry it; the same holds for origins. In
//     addition, a GPU sends and receives all its bytes over its own ports.
//
// More turns than the busiest GPU has peers do not reduce the bytes, so the minimum over s up
// to that number holds for all. It takes O(n^2 log n).
func independentBound(f *fabric.Fabric, s *collective.Section) Breakdown {
	own, reach := needs(s)
	spread := pairSpread(s)
	peers := max(1, reach-1)
	alpha, delta := f.Alpha.Time(), f.Delta.Time()
	change := f.WaitAlone(f.Reconfig.Least())
	best := Breakdown{}
	for turns := 1; turns <= peers; turns++ {
		planes := units.Time(min(turns, f.Ports))
		hops := max(turns, peers)
		bytes := own
		for _, sums := range spread {
			load := 0.0
			for at := 0; at < len(sums)-1; at += turns {
				load += sums[len(sums)-1] - sums[at]
			}
			bytes = max(bytes, load/float64(f.Nodes))
		}
		b := Breakdown{
			Stages: turns, Steps: turns, Hops: hops,
			Startup:         alpha * units.Time(turns) / planes,
			Propagation:     delta * units.Time(hops) / planes,
			Reconfiguration: change * (units.Time(turns) - planes) / planes,
			Transmission:    f.Bandwidth.Transmit(bytes) / planes,
		}
		if turns == 1 || b.Total() < best.Total() {
			best = b
		}
	}
	return best
}

// pairSpread returns, for each number k of destinations, the bytes of all GPUs for the k
// destinations that each has the most for, and the same for origins; nil if the bytes of pairs
// are unknown.
func pairSpread(s *collective.Section) [][]float64 {
	n := s.Space.MembersCount()
	if s.Space.Sizes == nil {
		if s.Space.Kind == collective.Listed {
			return nil
		}
		sums := make([]float64, n)
		for i := range sums {
			sums[i] = float64(s.Size) * float64(i) // each of n GPUs has size/n for each other
		}
		return [][]float64{sums}
	}
	both := make([][]float64, 2)
	for side := range both {
		sums, row := make([]float64, n), make([]float64, 0, n)
		for u := range n {
			row = row[:0]
			for v := range n {
				bytes := s.Space.Sizes[u][v]
				if side == 1 {
					bytes = s.Space.Sizes[v][u]
				}
				if u != v {
					row = append(row, float64(bytes))
				}
			}
			slices.Sort(row)
			sum := 0.0
			for i := range row {
				sum += row[len(row)-1-i]
				sums[i+1] += sum
			}
		}
		both[side] = sums
	}
	return both
}

// planesBound is the lower of two bounds for an all-to-all on planes that reconfigure
// independently: one for plans whose steps have barriers, and one for others.
func planesBound(f *fabric.Fabric, s *collective.Section, barriers Breakdown) Breakdown {
	if s.Op != collective.AllToAll || f.CanStagger() != nil {
		return barriers
	}
	if other := independentBound(f, s); other.Total() < barriers.Total() {
		return other
	}
	return barriers
}
