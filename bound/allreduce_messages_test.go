package bound_test

import (
	"container/heap"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/permutations"
	"github.com/lightpath-net/lightpath/units"
)

const four = 4 // GPUs

// foursome is circuits of four GPUs, with the steps over them that are worth trying: sets of
// messages to which none can be added without more hops or more load.
type foursome struct {
	count [four][four]int // circuits from one to another
	steps []fourStep
}

type fourStep struct {
	from [four]uint8 // by receiver: the senders, bit by bit
	hops int
	load float64 // of the busiest circuit, in whole buffers
}

// foursomes lists all ways to wire the ports of four GPUs to which no circuit can be added,
// including parallel circuits.
func foursomes(ports int) []*foursome {
	counts := [][four][four]int{{}}
	for range ports {
		known := map[[four][four]int]bool{}
		var next [][four][four]int
		for _, count := range counts {
			for p := range permutations.Of(four) {
				more := wired(count, p)
				if !known[more] {
					known[more] = true
					next = append(next, more)
				}
			}
		}
		counts = next
	}
	var all []*foursome
	for _, count := range counts {
		if !slices.ContainsFunc(counts, func(other [four][four]int) bool { return other != count && within(count, other) }) {
			all = append(all, &foursome{count: count})
		}
	}
	for _, w := range all {
		w.list()
	}
	return all
}

// wired adds a circuit from each GPU to another, except loops.
func wired(count [four][four]int, to []int) [four][four]int {
	for u, v := range to {
		if u != v {
			count[u][v]++
		}
	}
	return count
}

// within reports whether the second wiring has all circuits of the first.
func within(count, other [four][four]int) bool {
	for u := range four {
		for v := range four {
			if count[u][v] > other[u][v] {
				return false
			}
		}
	}
	return true
}

// way returns a shortest path from u to v, as its nodes; nil if there is none.
func (w *foursome) way(u, v int) []int {
	ways := [][]int{{u}}
	for range four {
		var longer [][]int
		for _, way := range ways {
			at := way[len(way)-1]
			if at == v {
				return way
			}
			for next := range four {
				if w.count[at][next] > 0 {
					longer = append(longer, append(slices.Clone(way), next))
				}
			}
		}
		ways = longer
	}
	return nil
}

func (w *foursome) list() {
	var ways [four][four][]int
	for u := range four {
		for v := range four {
			ways[u][v] = w.way(u, v)
		}
	}
	price := func(set uint16) (hops int, load float64) { // bit 4v+u: u sends to v
		var carried [four][four]float64
		for u := range four {
			for v := range four {
				if set>>(four*v+u)&1 == 0 {
					continue
				}
				if u == v || ways[u][v] == nil {
					return 0, math.Inf(1)
				}
				hops = max(hops, len(ways[u][v])-1)
				for i, next := range ways[u][v][1:] {
					at := ways[u][v][i]
					carried[at][next] += 1 / float64(w.count[at][next])
					load = max(load, carried[at][next])
				}
			}
		}
		return hops, load
	}
	for set := 1; set < 1<<(four*four); set++ {
		if set&0x8421 != 0 {
			continue // to itself
		}
		hops, load := price(uint16(set))
		if math.IsInf(load, 1) {
			continue
		}
		worth := true
		for bit := range four * four {
			if set>>bit&1 == 0 && worth {
				h, l := price(uint16(set | 1<<bit))
				worth = h > hops || l > load
			}
		}
		if worth {
			step := fourStep{hops: hops, load: load}
			for v := range four {
				step.from[v] = uint8(set >> (four * v) & 15)
			}
			w.steps = append(w.steps, step)
		}
	}
}

type fourItem struct {
	know  uint16 // 4 bits each
	wired int    // the circuits that are up, -1: any
	time  float64
}

func (x fourItem) at() float64 { return x.time }

// renamed returns what is known with the GPUs renamed such that the number is the smallest.
func renamed(know uint16) uint16 {
	least := uint16(0xffff)
	for p := range permutations.Of(four) {
		other := uint16(0)
		for w := range four {
			for u := range four {
				other |= know >> (four*w + u) & 1 << (four*p[w] + p[u])
			}
		}
		least = min(least, other)
	}
	return least
}

// fastestSum returns the time of the best allreduce of four GPUs whose messages are whole
// buffers.
func fastestSum(f *fabric.Fabric, size units.Bytes, all []*foursome) float64 {
	alpha, delta, wait := float64(f.Alpha.Time()), float64(f.Delta.Time()), float64(f.LeastWait())
	whole := float64(f.Bandwidth.Transmit(float64(size)))
	queue := &soonest[fourItem]{}
	least := make([][]float64, 1<<(four*four)) // by what is known and by circuits, any first
	push := func(know uint16, wired int, time float64) {
		if least[know] == nil {
			least[know] = slices.Repeat([]float64{math.Inf(1)}, 1+len(all))
		}
		if before := &least[know][1+wired]; time < *before {
			*before = time
			heap.Push(queue, fourItem{know, wired, time})
		}
	}
	push(0x8421, -1, 0)
	for queue.Len() > 0 {
		at := heap.Pop(queue).(fourItem)
		if at.know == 0xffff {
			return at.time
		}
		if at.time > least[at.know][1+at.wired] {
			continue
		}
		first, last := at.wired, at.wired+1
		if at.wired < 0 {
			first, last = 0, len(all)
		} else {
			push(renamed(at.know), -1, at.time+wait) // any circuits may follow, so names do not matter
		}
		for i := first; i < last; i++ {
			for _, step := range all[i].steps {
				after := at.know
				for v, from := range step.from {
					for u := range four {
						if from>>u&1 == 1 {
							after |= at.know >> (four * u) & 15 << (four * v)
						}
					}
				}
				if after != at.know {
					push(after, i, at.time+alpha+delta*float64(step.hops)+whole*step.load)
				}
			}
		}
	}
	return math.Inf(1)
}

// No allreduce of four GPUs with one port or two is faster than the bound, over all circuits,
// all changes of them and all messages that are whole buffers. In most cases one is nearly as
// fast.
func TestSumBoundAgainstAllPlansOfFour(t *testing.T) {
	near := map[int]int{}
	var turns turns
	for ports := 1; ports <= 2; ports++ {
		all := foursomes(ports)
		for _, size := range []units.Bytes{16 * units.KiB, 64 * units.KiB, 200 * units.KiB} {
			for _, delay := range []units.Duration{0, 400 * units.Nanosecond, 20 * units.Microsecond} {
				for _, times := range [][2]units.Duration{{500_000, 500_000}, {1_500_000, 100_000}, {50_000, 700_000}} {
					if out := turns.leaveOut(); out || ports == 2 && (delay == 0 || times[0] < 500_000) {
						continue // as many as are fast enough
					}
					f := fabric.Default()
					f.Nodes, f.Ports, f.Alpha, f.Delta, f.Reconfig.Base = four, ports, times[0], times[1], delay
					c := collective.Section{Op: collective.AllReduce, Size: size, Space: collective.SpaceOf(collective.AllReduce, four, 1)}
					bound, best := float64(bound.OfOperation(&f, &c).Total()), fastestSum(&f, size, all)
					if bound > best*(1+1e-9) {
						t.Errorf("%s: the bound is %v, but a plan takes %v", fmt.Sprint(ports, " ports, ", size, delay, times), bound, best)
					}
					if bound > best/1.15 {
						near[ports]++
					}
				}
			}
		}
	}
	if near[1] < 10 || near[2] < 2 {
		t.Errorf("the bound is within 15%% in %v cases only", near)
	}
}
