package bound

import (
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// maxGatherNodes limits the GPUs for which gatherBound considers every number of holders: with
// one port it takes O(n^3) additions.
const maxGatherNodes = 256

// gatherBound bounds the time of an allgather, or of a reduce-scatter, its reversal.
//
// Follow one byte, which one node has at first and all have at the end. All bytes share the
// steps, hops and changes of a plan; their load is spread at best over n*d circuits, or over
// those left by failures. Add up the start-ups, hops and changes of one byte, plus the circuits
// that it uses times the time of the whole over n*d. The minimum over all ways that the byte
// can take is a bound.
//
// A stage takes the byte from c nodes to c', in s steps. It has at least the hops whose ball
// has c'/c nodes, and at least s. Every node that gets the byte uses one circuit. In each step
// the longest path has as many circuits as the step has hops for this byte, so all paths
// together use at least c'-c + hops-s. In addition:
//
//   - With several ports, c holders give the byte to at most c*d^q nodes over q hops in a step:
//     see hopLoad. The best of all ways to grow from c to c' in s such steps counts, as if
//     circuits were new in each.
//   - With one port circuits are rings, on which every holder supplies the nodes that follow it
//     up to the next holder: see arcLoads.
//
// A dynamic program over the holders before each stage finds the cheapest way.
func gatherBound(f *fabric.Fabric, n int, size units.Bytes) (Breakdown, bool) {
	if n < 2 || n > maxGatherNodes {
		return Breakdown{}, false
	}
	alpha, delta, wait := float64(f.Alpha.Time()), float64(f.Delta.Time()), float64(f.LeastWait())
	relay := float64(f.Bandwidth.Transmit(float64(size) / float64(n) / meanPorts(f)))
	loads := newSpreads(f, n)
	type choice struct {
		time              float64
		next, steps, hops int
		passed            float64
	}
	best := make([]choice, n+1)
	for from := n - 1; from >= 1; from-- {
		least := choice{time: math.Inf(1)}
		for to := from + 1; to <= n; to++ {
			hops := loads.hops(from, to)
			if hops == 0 {
				break // c holders cannot reach that many
			}
			rest := best[to].time
			if to < n {
				rest += wait
			}
			for s := 1; s <= hops; s++ {
				if alpha*float64(s)+delta*float64(hops)+rest >= least.time {
					break
				}
				passed := max(loads.passed(s, from, to), float64(to-from+hops-s))
				if time := alpha*float64(s) + delta*float64(hops) + relay*passed + rest; time < least.time {
					least = choice{time, to, s, hops, passed}
				}
			}
		}
		best[from] = least
	}
	if math.IsInf(best[1].time, 1) {
		return Breakdown{}, false
	}
	b := Breakdown{}
	for at := 1; at < n; at = best[at].next {
		c := best[at]
		b.Stages++
		b.Steps += c.steps
		b.Hops += c.hops
		b.Transmission += units.Time(relay * c.passed)
	}
	b.Startup = f.Alpha.Time() * units.Time(b.Steps)
	b.Propagation = f.Delta.Time() * units.Time(b.Hops)
	b.Reconfiguration = f.LeastWait() * units.Time(b.Stages-1)
	return b, true
}

// spreads knows the fewest circuits that a byte uses on its way to more nodes.
type spreads struct {
	balls []float64     // nodes within 0, 1, .. hops
	arcs  [][]float64   // of one-way rings: see arcLoads, by steps and nodes
	grown [][][]float64 // otherwise: by steps-1, holders before and after
}

func newSpreads(f *fabric.Fabric, n int) *spreads {
	s := &spreads{balls: []float64{1}}
	for h := 1; s.balls[h-1] < float64(n); h++ {
		more := level(f, h)
		if more == 0 {
			break
		}
		s.balls = append(s.balls, s.balls[h-1]+more)
	}
	if f.Ports == 1 && !f.Duplex {
		s.arcs = arcLoads(n)
		return s
	}
	once := make([][]float64, n+1)
	for from := 1; from <= n; from++ {
		once[from] = make([]float64, n+1)
		for to := from + 1; to <= n; to++ {
			once[from][to] = hopLoad(f, float64(from), float64(to-from), len(s.balls)-1)
		}
	}
	s.grown = [][][]float64{once}
	// With one step for every factor of 1+d all paths have one hop.
	for reach := 1 + float64(f.Ports); reach < float64(n); reach *= 1 + float64(f.Ports) {
		last := s.grown[len(s.grown)-1]
		more := make([][]float64, n+1)
		for from := 1; from <= n; from++ {
			more[from] = make([]float64, n+1)
			for to := from + 1; to <= n; to++ {
				least := math.Inf(1)
				for via := from; via <= to; via++ {
					least = min(least, last[from][via]+once[via][to])
				}
				more[from][to] = least
			}
		}
		s.grown = append(s.grown, more)
	}
	return s
}

// hops returns the fewest hops of a stage, 0 if no number is enough.
func (s *spreads) hops(from, to int) int {
	for h := 1; h < len(s.balls); h++ {
		if float64(from)*s.balls[h] >= float64(to) {
			return h
		}
	}
	return 0
}

// passed returns the circuits used in the given number of steps of a stage.
func (s *spreads) passed(steps, from, to int) float64 {
	if s.arcs == nil {
		return s.grown[min(steps, len(s.grown))-1][from][to]
	}
	hull := s.arcs[min(steps, len(s.arcs)-1)]
	each := float64(to) / float64(from)
	low := int(each)
	if low+1 >= len(hull) {
		return float64(from) * hull[low]
	}
	return float64(from) * (hull[low] + (each-float64(low))*(hull[low+1]-hull[low]))
}

// arcLoads returns, by steps and nodes, the fewest circuits that a byte uses if the first node
// of an arc of a one-way ring has it and the whole arc gets it in that many steps. A node that
// gets it in the first step gets it from the first node, at the cost of its place on the arc.
// Each of them then has an arc of its own and one step less. Adding the arcs from the first on,
//
//	F(s, g) = min of F(s-1, g) and, over the last arc a, g-a + F(s-1, a) + F(s, g-a)
//
// The result is reduced to the lower convex hull, so that arcs of equal length bound arcs of
// that mean length.
func arcLoads(n int) [][]float64 {
	table := [][]float64{make([]float64, n+1)}
	for g := 2; g <= n; g++ {
		table[0][g] = math.Inf(1)
	}
	for s := 1; s < n; s++ {
		before := table[s-1]
		now := make([]float64, n+1)
		for g := 2; g <= n; g++ {
			now[g] = before[g]
			for a := 1; a < g; a++ {
				now[g] = min(now[g], float64(g-a)+before[a]+now[g-a])
			}
		}
		table = append(table, now)
	}
	for _, row := range table[1:] {
		convexHull(row)
	}
	return table
}

// convexHull replaces the values at 1, 2, .. by those of their lower convex hull.
func convexHull(row []float64) {
	var hull []int
	for g := 1; g < len(row); g++ {
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			if (row[b]-row[a])*float64(g-a) < (row[g]-row[a])*float64(b-a) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, g)
	}
	for i := 1; i < len(hull); i++ {
		a, b := hull[i-1], hull[i]
		slope := (row[b] - row[a]) / float64(b-a)
		for g := a + 1; g < b; g++ {
			row[g] = row[a] + slope*float64(g-a)
		}
	}
}
