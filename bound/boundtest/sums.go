package boundtest

import (
	"container/heap"
	"math"

	"github.com/lightpath-net/lightpath/units"
)

// findSum bounds allreduces.
//
// Follow one byte position through all buffers. Its state is what every GPU knows: whose inputs
// are in the sums that it has. In a step, messages take paths of up to a given number of hops,
// and each brings all that its sender knew. If bytes use c circuits in a step in the mean, some
// circuit carries at least c over the number of circuits, in buffers. So no plan takes less
// than the minimum, over what a byte can do, of start-ups, hops and circuits used: a shortest
// path.
//
// On a ring, a plan that does this for one part of the buffer from every GPU loads all circuits
// equally, and takes exactly that time; the same holds wherever all circuits look the same. But
// sums may overlap and be added again here, and other graphs may be loaded unevenly. So Upper
// is not set: Lower is the optimum if a plan is known that takes no longer.
func findSum(p Problem, limit units.Time) Answer {
	best := Answer{Lower: limit, Upper: units.Time(math.Inf(1))}
	for _, g := range graphs(p.Fabric.Nodes, p.Fabric.Ports, p.Fabric.Duplex) {
		circuits := 0
		for _, a := range g.arcs {
			circuits += a.count
		}
		s := sums{
			n: g.nodes, far: g.distances(),
			alpha: float64(p.Fabric.Alpha.Time()), delta: float64(p.Fabric.Delta.Time()),
			circuit: float64(p.Fabric.Bandwidth.Transmit(float64(p.Size))) / float64(circuits),
			limit:   float64(best.Lower) * (1 - worth),
		}
		best.Tried++
		if time, steps := s.shortest(); time < s.limit {
			best.Lower, best.Steps, best.Circuits = units.Time(time), steps, nil
			for _, a := range g.arcs {
				for range a.count {
					best.Circuits = append(best.Circuits, [2]int{a.from, a.to})
				}
			}
		}
	}
	return best
}

// sums is the search for the shortest path of a byte position.
type sums struct {
	n                     int
	far                   [][]int
	alpha, delta, circuit float64
	limit                 float64
}

// knowing is what all GPUs know, n bits each.
type knowing uint64

type sumItem struct {
	state knowing
	time  float64
}

type sumQueue []sumItem

func (q sumQueue) Len() int           { return len(q) }
func (q sumQueue) Less(i, j int) bool { return q[i].time < q[j].time }
func (q sumQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *sumQueue) Push(x any)        { *q = append(*q, x.(sumItem)) }
func (q *sumQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// arrival is one way in which a GPU can learn more: all that it then knows, and the circuits
// used.
type arrival struct {
	row   knowing
	paths float64
}

// shortest returns the least time of a byte position, +Inf if it is not below the limit.
func (s *sums) shortest() (float64, []int) {
	n := s.n
	all := knowing(1)<<(n*n) - 1
	first := knowing(0)
	for u := range n {
		first |= 1 << (u*n + u)
	}
	longest := 0
	for _, row := range s.far {
		for _, d := range row {
			longest = max(longest, d)
		}
	}
	least := map[knowing]float64{first: 0}
	type origin struct {
		state knowing
		hops  int
	}
	from := map[knowing]origin{}
	queue := &sumQueue{{first, 0}}
	for queue.Len() > 0 {
		at := heap.Pop(queue).(sumItem)
		if at.time > least[at.state] {
			continue
		}
		if at.state == all {
			var steps []int
			for state := all; state != first; state = from[state].state {
				steps = append([]int{from[state].hops}, steps...)
			}
			return at.time, steps
		}
		for hops := 1; hops <= longest; hops++ {
			step := at.time + s.alpha + s.delta*float64(hops)
			choices := make([][]arrival, n)
			for v := range n {
				choices[v] = s.arrivals(at.state, v, hops)
			}
			var combine func(v int, after knowing, paths float64)
			combine = func(v int, after knowing, paths float64) {
				time := step + s.circuit*paths
				if time+s.circuit*float64(s.outstanding(after, v)) >= s.limit {
					return
				}
				if v == n {
					if before, ok := least[after]; !ok || time < before {
						least[after] = time
						from[after] = origin{at.state, hops}
						heap.Push(queue, sumItem{after, time})
					}
					return
				}
				for _, a := range choices[v] {
					combine(v+1, after|a.row<<(v*n), paths+a.paths)
				}
			}
			combine(0, at.state, 0)
		}
	}
	return math.Inf(1), nil
}

// outstanding returns a lower bound on the number of messages still to come: one for every GPU
// up to v, whose choices are made, that does not know all.
func (s *sums) outstanding(state knowing, v int) int {
	full, count := knowing(1)<<s.n-1, 0
	for u := range v {
		if state>>(u*s.n)&full != full {
			count++
		}
	}
	return count
}

// arrivals lists what a GPU can know after a step of the given hops, without arrivals that are
// no better than another: that know no more and use as many circuits.
func (s *sums) arrivals(state knowing, v, hops int) []arrival {
	full := knowing(1)<<s.n - 1
	own := state >> (v * s.n) & full
	cheapest := map[knowing]float64{own: 0}
	for u := range s.n {
		if u == v || s.far[u][v] > hops {
			continue
		}
		row, paths := state>>(u*s.n)&full, float64(s.far[u][v])
		for known, passed := range cheapest {
			more := known | row
			if before, ok := cheapest[more]; more != known && (!ok || passed+paths < before) {
				cheapest[more] = passed + paths
			}
		}
	}
	var list []arrival
	for row, paths := range cheapest {
		dominated := false
		for other, less := range cheapest {
			if other != row && other&row == row && less <= paths {
				dominated = true
				break
			}
		}
		if !dominated {
			list = append(list, arrival{row, paths})
		}
	}
	return list
}
