package joint

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// wires lists where circuits lead, by node, for constructions that are built here from their
// definitions and share no code with the planner.
type wires [][]int

func circulant(n int, jumps ...int) wires {
	w := make(wires, n)
	for v := range w {
		for _, j := range jumps {
			w[v] = append(w[v], (v+j)%n)
		}
	}
	return w
}

// line returns the line digraph: one node for every circuit.
func (w wires) line() wires {
	first := []int{0}
	for _, to := range w {
		first = append(first, first[len(first)-1]+len(to))
	}
	made := make(wires, 0, first[len(w)])
	for _, to := range w {
		for _, v := range to {
			var next []int
			for e := first[v]; e < first[v+1]; e++ {
				next = append(next, e)
			}
			made = append(made, next)
		}
	}
	return made
}

func lines(w wires, k int) wires {
	for range k {
		w = w.line()
	}
	return w
}

// distances returns the distances of all nodes from a source.
func (w wires) distances(source int) []int {
	far := make([]int, len(w))
	queue := []int{source}
	for i := 0; i < len(queue); i++ {
		for _, v := range w[queue[i]] {
			if v != source && far[v] == 0 {
				far[v] = far[queue[i]] + 1
				queue = append(queue, v)
			}
		}
	}
	return far
}

// cost is the cost model with start-ups and hops of 500 ns and circuits of 800 Gbps.
func cost(steps, hops, changes int, wait, bytes float64) float64 {
	return (500*float64(steps+hops) + wait*float64(changes) + bytes*0.01) / 1000
}

// grouped returns the time of an allgather in steps that end at the given distances. Data for
// distances low+1..high comes from distance low, over the least loaded circuits that lead back to
// the source.
func (w wires) grouped(bytes float64, ends ...int) float64 {
	before := make([][]int, len(w))
	for u := range w {
		for _, v := range w[u] {
			before[v] = append(before[v], u)
		}
	}
	total, low := 0, 0
	for _, high := range ends {
		load, most := map[[2]int]int{}, 0
		for source := range w {
			far := w.distances(source)
			for at := range w {
				if far[at] <= low || far[at] > high {
					continue
				}
				for v := at; far[v] > low; {
					best := [2]int{-1}
					for _, u := range before[v] {
						if far[u] == far[v]-1 && (best[0] < 0 || load[[2]int{u, v}] < load[best]) {
							best = [2]int{u, v}
						}
					}
					load[best]++
					most, v = max(most, load[best]), best[0]
				}
			}
		}
		total, low = total+most, high
	}
	return cost(len(ends), low, 0, 0, float64(total)*bytes/float64(len(w)))
}

// Constructions that fit on a page. None beats the planner. Each row names the construction, and
// has the time of the planner before it knew that construction.
func TestNoConstructionOfAPageBeatsThePlanner(t *testing.T) {
	const kib, mib = 1024.0, 1024 * 1024.0
	us := units.Microsecond
	of8 := circulant(8, 1, 3)
	for _, c := range []struct {
		op     collective.Op
		nodes  int
		ports  int
		size   float64
		delay  units.Duration
		what   string
		takes  float64 // us
		before float64 // us
	}{
		{collective.AllGather, 64, 2, 256 * kib, 10 * us, "Line(DC(8;1,3),3), distances up to 2, 4, 6", lines(of8, 3).grouped(256*kib, 2, 4, 6), 7.311},
		{collective.ReduceScatter, 64, 2, 256 * kib, 10 * us, "the same reversed", lines(of8, 3).grouped(256*kib, 2, 4, 6), 7.311},
		{collective.AllGather, 64, 2, mib, 10 * us, "the same, up to 2, 3, 4, 5, 6", lines(of8, 3).grouped(mib, 2, 3, 4, 5, 6), 11.243},
		{collective.AllGather, 128, 2, 256 * kib, 10 * us, "Line(DC(8;1,3),4), up to 3, 5, 7", lines(of8, 4).grouped(256*kib, 3, 5, 7), 8.133},
		{collective.AllGather, 128, 2, mib, 10 * us, "the same, up to 2, 3, 4, 5, 6, 7", lines(of8, 4).grouped(mib, 2, 3, 4, 5, 6, 7), 12.325},
		{collective.AllReduce, 64, 2, 256 * kib, 10 * us, "two such gathers", 2 * lines(of8, 3).grouped(256*kib, 2, 4, 6), 14.226},
		{collective.AllReduce, 64, 2, mib, 10 * us, "two such gathers", 2 * lines(of8, 3).grouped(mib, 2, 3, 4, 5, 6), 22.486},
		{collective.AllReduce, 128, 2, mib, 10 * us, "two such gathers", 2 * lines(of8, 4).grouped(mib, 2, 3, 4, 5, 6, 7), 24.650},
		// Each node's block in one step, which the root's ports share, and a gather of the
		// blocks.
		{collective.Broadcast, 128, 4, 256 * kib, 10 * us, "scatter and gather on Line(DC(8;1,2,3,4),2)", cost(1, 4, 0, 0, 256*kib/128*32) + lines(circulant(8, 1, 2, 3, 4), 2).grouped(256*kib, 2, 3, 4), 7.966},
		{collective.RootReduce, 128, 4, 256 * kib, 10 * us, "the same reversed", cost(1, 4, 0, 0, 256*kib/128*32) + lines(circulant(8, 1, 2, 3, 4), 2).grouped(256*kib, 2, 3, 4), 7.966},
		{collective.Broadcast, 12, 4, 256 * kib, 10 * us, "scatter and gather on DC(12;1,3,5,6)", cost(1, 2, 0, 0, 256*kib/12*3) + circulant(12, 1, 3, 5, 6).grouped(256*kib, 2), 4.966},
		// Along a ring, to every 9th GPU, then to every 3rd, then to all: two copies on each
		// circuit per step.
		{collective.Broadcast, 27, 1, 16 * kib, 10 * us, "whole copies over digits of a ring", cost(3, 26, 0, 0, 6*16*kib), 16.975},
		{collective.Broadcast, 16, 1, 64 * kib, 10 * us, "the same, 4 by 4", cost(2, 15, 0, 0, 6*64*kib), 17.830},
		// On walks of one circuit in GenKautz(4,25): a vector on every circuit, then 24 sums of
		// cells that are up to 3 hops away. Routes more even than the planner's take 3.15 us.
		{collective.AllReduce, 100, 4, kib, 100 * us, "sums of cells on a line digraph", 3.15 + 0.015, 3.387},
		// From every 27th, 9th, 3rd, then from all, on circuits of these offsets: 4, 3, 3 and 3 values,
		// the first two digits in a step each.
		{collective.AllGather, 100, 1, mib, us, "4 by 3 by 3 by 3; 100 are there", cost(6, 9, 3, 1000, mib*106/100), 22.512},
		{collective.AllReduce, 100, 1, mib, us, "two such gathers", 2 * cost(6, 9, 3, 1000, mib*106/100), 43.572},
		// Scatter along 10, then scatter and gather along 10 (in steps of 3), and gather along 10.
		{collective.Broadcast, 100, 1, mib, 10 * us, "scatter and gather over digits of 10", cost(1, 9, 2, 10000, mib*9/10) + cost(1, 9, 0, 0, mib*9/100) + cost(3, 9, 0, 0, mib*18/100) + cost(9, 9, 0, 0, mib*9/10), 83.613},
		{collective.RootReduce, 64, 1, 256 * kib, 10 * us, "to 8 and from each of these to 8, each 2 by 2 by 2", 2*cost(3, 7, 0, 0, 3*256*kib) + 10, 43.107},
	} {
		r := jointtest.Request(c.op, c.nodes, c.ports, units.Bytes(c.size))
		r.Fabric.Reconfig.Base = c.delay
		predicted := options(&r, free, never)[0].time
		p, err := New().Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		jointtest.Check(t, p, predicted)
		got := float64(p.Cost.Total()) / 1000
		text := fmt.Sprintf("%s of %d GPUs, %d ports, %v: %s takes %.4g us", c.op, c.nodes, c.ports, units.Bytes(c.size), c.what, c.takes)
		if got > c.takes+1e-6 || got >= c.before {
			t.Errorf("%s, the planner %.4g us, before %.4g us", text, got, c.before)
		} else {
			t.Logf("%s, the planner %.4g us, before %.4g us", text, got, c.before)
		}
	}
}
