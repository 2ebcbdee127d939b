package bound_test

import (
	"container/heap"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/permutations"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/units"
)

// fixedPlans is every plan on few GPUs with one port and fixed links that moves whole pieces, one
// hop in each step: any circuits before any step, and any pieces along them and along the links.
type fixedPlans struct {
	f      *fabric.Fabric
	pieces int
	bytes  float64
	start  []uint32
	done   func(know []uint32) bool
}

type fixedState struct {
	know [4]uint32
	ring int // number of the circuits, -1: none yet
}

type fixedItem struct {
	state fixedState
	time  float64
}

func (x fixedItem) at() float64 { return x.time }

// tiersUsed is the most pieces on a circuit and on a fixed link in a step, with its time.
type tiersUsed struct {
	circuit, link int
	time          float64
}

// steps lists the possible times of a step, by the pieces on its busiest circuit or link.
func (r *fixedPlans) steps() []tiersUsed {
	f := r.f
	circuit, link := float64(f.Bandwidth.Transmit(r.bytes)), float64(f.FixedBandwidth().Transmit(r.bytes))
	var all []tiersUsed
	for k := 1; k <= r.pieces; k++ {
		for _, sends := range []float64{float64(k) * circuit, float64(k) * link} {
			a, b := int(sends/circuit+1e-9), int(sends/link+1e-9)
			both := float64(max(f.Alpha, f.FixedAlpha()).Time() + max(f.Delta, f.FixedDelta()).Time())
			if a > 0 {
				all = append(all, tiersUsed{a, 0, sends + float64(f.Alpha.Time()+f.Delta.Time())}, tiersUsed{a, b, sends + both})
			}
			if b > 0 {
				all = append(all, tiersUsed{0, b, sends + float64(f.FixedAlpha().Time()+f.FixedDelta().Time())})
			}
		}
	}
	return all
}

// choices lists what a GPU may know after it has received at most the given number of pieces
// from each of the others.
func choices(know uint32, from []uint32, most []int) []uint32 {
	found := []uint32{know}
	for i, has := range from {
		var next []uint32
		useful := has &^ know
		count := min(most[i], bits.OnesCount32(useful))
		for sub := useful; ; sub = (sub - 1) & useful {
			if bits.OnesCount32(sub) == count {
				for _, k := range found {
					next = append(next, k|sub)
				}
			}
			if sub == 0 {
				break
			}
		}
		slices.Sort(next)
		found = slices.Compact(next)
	}
	return found
}

// fastest returns the time of the best plan, by Dijkstra's algorithm over states of knowledge.
func (r *fixedPlans) fastest() float64 {
	n := r.f.Nodes
	var rings [][]int
	for p := range permutations.Of(n) {
		rings = append(rings, slices.Clone(p))
	}
	steps, change := r.steps(), float64(r.f.Reconfig.Base.Time())
	first := fixedState{ring: -1}
	copy(first.know[:], r.start)
	queue := &soonest[fixedItem]{{state: first}}
	known := map[fixedState]bool{}
	for queue.Len() > 0 {
		at := heap.Pop(queue).(fixedItem)
		if known[at.state] {
			continue
		}
		known[at.state] = true
		if r.done(at.state.know[:n]) {
			return at.time
		}
		for _, s := range steps {
			for i, ring := range rings {
				wait, to := 0.0, i
				switch {
				case s.circuit == 0 && i > 0:
					continue
				case s.circuit == 0:
					to = at.state.ring
				case at.state.ring >= 0 && at.state.ring != i:
					wait = change
				}
				states := []fixedState{{know: at.state.know, ring: to}}
				for v := range n {
					var from []uint32
					var most []int
					for u := range n {
						if s.circuit > 0 && ring[u] == v && u != v {
							from, most = append(from, at.state.know[u]), append(most, s.circuit)
						} else if count := r.f.FixedCount(u, v); s.link > 0 && count > 0 {
							from, most = append(from, at.state.know[u]), append(most, s.link*count)
						}
					}
					var next []fixedState
					for _, k := range choices(at.state.know[v], from, most) {
						for _, st := range states {
							st.know[v] = k
							next = append(next, st)
						}
					}
					states = next
				}
				for _, st := range states {
					if !known[st] {
						heap.Push(queue, fixedItem{st, at.time + wait + s.time})
					}
				}
			}
		}
	}
	return math.Inf(1)
}

// TestNoPlanOnFixedLinksIsFasterThanTheBound tries all plans that move whole pieces on 3 and 4
// GPUs.
func TestNoPlanOnFixedLinksIsFasterThanTheBound(t *testing.T) {
	tight := 0
	for i, links := range []string{"Mesh(3)", "UniRing(1,3)", "Mesh(4)", "K(2)", "Edges(4;0,1,2,1,2,1,2,3,1,3,0,1)"} {
		for j, rate := range []units.Bandwidth{400, 3200} {
			for k, size := range []units.Bytes{300, 300_000} {
				if (i+j+k)%2 > 0 && !samples.Every() {
					continue // in turn
				}
				f := fabric.Default()
				f.Nodes, f.Ports = 4, 1
				if links == "Mesh(3)" || links == "UniRing(1,3)" {
					f.Nodes = 3
				}
				if err := f.Set("fixed", links); err != nil {
					t.Fatal(err)
				}
				f.Fixed.Bandwidth, f.Fixed.Alpha, f.Fixed.Delta = rate*units.Gbps, fabric.Own(200*units.Nanosecond), fabric.Own(100*units.Nanosecond)
				f.Reconfig.Base = 2 * units.Microsecond
				for op, r := range smallOperations(&f, size) {
					best := r.fastest()
					space := collective.SpaceOf(op, f.Nodes, 1)
					b := bound.OfOperation(&f, &collective.Section{Op: op, Size: size, Space: space}).Total()
					if float64(b) > best*(1+1e-9) {
						t.Errorf("%s of %v on %s of %v: bound %v, a plan takes %v", op, size, links, f.Fixed.Bandwidth, b, units.Time(best))
					}
					if float64(b) > best*0.75 {
						tight++
					}
				}
			}
		}
	}
	if tight < 2 {
		t.Errorf("%d bounds are near a plan; the search or the bounds are too weak", tight)
	}
}

// smallOperations are an allgather, a broadcast of two pieces and, of little data on 3 GPUs, an
// all-to-all.
func smallOperations(f *fabric.Fabric, size units.Bytes) map[collective.Op]*fixedPlans {
	n := f.Nodes
	all := func(pieces int) func([]uint32) bool {
		return func(know []uint32) bool {
			return !slices.ContainsFunc(know, func(k uint32) bool { return k != 1<<pieces-1 })
		}
	}
	gather := &fixedPlans{f: f, pieces: n, bytes: float64(size) / float64(n), done: all(n)}
	for u := range n {
		gather.start = append(gather.start, 1<<u)
	}
	cast := &fixedPlans{f: f, pieces: 2, bytes: float64(size) / 2, done: all(2), start: make([]uint32, n)}
	cast.start[0] = 3
	made := map[collective.Op]*fixedPlans{collective.AllGather: gather, collective.Broadcast: cast}
	if n == 3 && size < 1000 {
		exchange := &fixedPlans{f: f, pieces: 9, bytes: float64(size) / 3}
		for u := range n {
			exchange.start = append(exchange.start, 7<<(3*u))
		}
		exchange.done = func(know []uint32) bool {
			for v, k := range know {
				if want := uint32(1|8|64) << v; k&want != want {
					return false
				}
			}
			return true
		}
		made[collective.AllToAll] = exchange
	}
	return made
}
