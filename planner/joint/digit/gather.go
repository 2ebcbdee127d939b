package digit

import (
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// gathers returns the gathers on a network by breadth-first broadcast (Zhao et al., NSDI 2025,
// §4) in steps that may cover several distances. Step (H, K] brings the data from distances
// H+1..K, from points at distance H, over at most K-H hops. Every cut of the distances into steps
// takes the same hops in total. Fewer steps save start-ups but cost load, because data that goes
// far in one step passes every link on its way. For every number of steps, a dynamic program over
// where a step ends finds the cut with the least load, as if every link carried the same. The
// real load of the routes is counted only if the program may be the best, judging by bounds from
// links and points (see network.Network.Narrow).
//
// With diameter D it takes O(D^3) additions. Rings, whose diameter is their size, have closed
// forms instead: see rings.go.
func (m *Machine) gathers(sk *sketch, parts int) []*program {
	d := sk.Diameter
	if d == 0 {
		return nil
	}
	load := make([][]float64, d+1) // load[H][K], at least
	for low := range d {
		load[low] = make([]float64, d+1)
		for high := low + 1; high <= d; high++ {
			load[low][high] = m.Load(sk.Least(low, high))
		}
	}
	// least[s][K] is the least load of s steps that end at distance K; last[s][K] is where the
	// last of them begins.
	least := make([][]float64, d+1)
	last := make([][]int, d+1)
	least[0] = make([]float64, d+1)
	bound := func(cuts []int) (there, back float64) { return 0, 0 }
	reversible := true // as it is if all points are alike
	if !sk.symmetric() {
		reversible = sk.net().Reversible()
		narrow := sk.net().Narrow()
		bound = func(cuts []int) (there, back float64) {
			return loadOf(narrow, m, cuts), loadOf(narrow.Turned(), m, cuts)
		}
	}
	var programs []*program
	for s := 1; s <= d; s++ {
		least[s], last[s] = make([]float64, d+1), make([]int, d+1)
		for high := s; high <= d; high++ {
			least[s][high] = -1
			for low := s - 1; low < high; low++ {
				if s == 1 && low > 0 {
					break
				}
				if sum := least[s-1][low] + load[low][high]; least[s][high] < 0 || sum < least[s][high] {
					least[s][high], last[s][high] = sum, low
				}
			}
		}
		cuts := make([]int, s+1)
		cuts[s] = d
		for i := s; i > 0; i-- {
			cuts[i-1] = last[i][cuts[i]]
		}
		at := func() (*network.Network, []int) { return sk.net(), cuts }
		p := gatherBy(sk.Points, parts, Shape{Steps: s, Hops: d, Load: least[s][d]}, sk.name, at)
		there, back := bound(cuts)
		p.Load = max(p.Load, there)
		count := func(net *network.Network, stopped func() bool) float64 {
			sum := 0.0
			for i := range s {
				if stopped() {
					return impossible
				}
				t, _ := net.Route(network.Towards{Low: cuts[i], High: cuts[i+1]}, parts, false, stopped)
				sum += m.Load(t)
			}
			return sum
		}
		p.settle = once(func(stopped func() bool) (counted, bool) {
			return counted{hops: d, load: count(sk.net(), stopped)}, !stopped()
		})
		if !reversible {
			p.back = &reversal{load: max(least[s][d], back), settle: once(func(stopped func() bool) (float64, bool) {
				return count(sk.net().Turned(), stopped), !stopped()
			})}
		}
		programs = append(programs, p)
	}
	return programs
}

// gatherBy returns the gather of a given shape on a network. at returns the network and the
// distances at which steps end, beginning with 0. It is called when the gather is laid out.
func gatherBy(points, parts int, takes Shape, name string, at func() (*network.Network, []int)) *program {
	lay := func(turned bool) []stage {
		net, cuts := at()
		if turned {
			net = net.Turned()
		}
		one := stage{Net: net}
		for i := range len(cuts) - 1 {
			_, ways := net.Route(network.Towards{Low: cuts[i], High: cuts[i+1]}, parts, true, never)
			one.steps = append(one.steps, ways)
		}
		return []stage{one}
	}
	return &program{
		Shape: takes, points: points, kind: gather, scattered: points, parts: parts,
		about:  "gather on " + name,
		Lay:    func() []stage { return lay(false) },
		turned: func() []stage { return lay(true) },
		on: func() *network.Network {
			net, _ := at()
			return net
		},
	}
}

// loadOf returns a lower bound on the load of steps that end at the given distances, the first of
// which is 0.
func loadOf(n network.Narrows, m *Machine, cuts []int) float64 {
	return each.SumBelow(len(cuts)-1, func(i int) float64 {
		return m.Load(network.Tally{Peak: n.Least(cuts[i], cuts[i+1])})
	})
}
