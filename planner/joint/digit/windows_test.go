package digit

import (
	"math"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Windows of partial sums are correct, take the predicted time, and reconfigure no more often
// than they may.
func TestWindowsAreCorrectAndTakeThePredictedTime(t *testing.T) {
	memory := planner.NewMemory()
	laid, parts := 0, map[collective.Part]int{}
	for n := 3; n <= 40; n++ {
		for mode, delay := range []units.Duration{0, 300 * units.Nanosecond, 2 * units.Microsecond, 10 * units.Microsecond} {
			r := jointtest.Request(collective.AllReduce, n, 1+(n+mode)%4, units.KiB<<(4*(n%3)))
			r.Fabric.Reconfig.Base = delay
			if n%5 == mode {
				r.Fabric.Forwarding = fabric.StoreAndForward
			}
			m := NewMachine(&r.Fabric, r.Fabric.Ports, n)
			for _, changes := range []int{0, 1, AnyChanges} {
				p := newWindowSearch(&m, memory, n, float64(r.Size), math.Inf(1)).program(changes)
				if p == nil {
					continue
				}
				laid++
				for _, step := range laidWithin(t, &r, &m, p, changes).Steps() {
					for _, x := range step.Base {
						parts[x.Part]++
					}
				}
			}
		}
	}
	if laid < 100 || parts[collective.OwnPart] == 0 || parts[collective.ReceivedPart] == 0 {
		t.Errorf("%d plans with parts %v", laid, parts)
	}
}

// fewestWindows finds the least time of windows of all kinds by trying everything: every window
// after every other, and every order of whole, received and own tiles, on circuits of every
// offset, which may go round, and on circuits of their own if there are enough ports.
func fewestWindows(m *Machine, n int, bytes float64) float64 {
	best := make([]map[int]float64, n+1) // by window and offset: the least time so far
	for w := range best {
		best[w] = map[int]float64{}
	}
	best[1][0] = 0
	for from := 1; from < n; from++ {
		least := math.Inf(1)
		for _, time := range best[from] {
			least = min(least, time)
		}
		if math.IsInf(least, 1) {
			continue
		}
		grow := func(to, offset, hops int, load float64) {
			before := math.Inf(1)
			for up, time := range best[from] {
				if up != 0 && up != offset || offset < 0 && up != 0 {
					time += m.Wait
				}
				before = min(before, time)
			}
			time := before + m.Alpha + m.Delta*float64(hops) + m.PerByte*bytes*load
			if old, ok := best[to][offset]; !ok || time < old {
				best[to][offset] = time
			}
		}
		// Own circuits: any tiles, at most as many as there are ports.
		for tiles := 1; tiles <= m.Ports; tiles++ {
			for to := from + 1; to <= n; to++ {
				if reaches(to-from, tiles, from) {
					grow(to, -to, 1, 1/float64(m.Ports/tiles))
				}
			}
		}
		for offset := 1; offset < n; offset++ {
			var tile func(start, hops, sum int)
			seen := map[[2]int]int{}
			far := make([]int, n+1) // hops from the point that far behind, also around the circle
			for k, v := 1, offset; v != 0; k, v = k+1, (v+offset)%n {
				far[v] = k
			}
			tile = func(start, hops, sum int) {
				if start > n {
					return
				}
				if old, ok := seen[[2]int{start, hops}]; ok && old <= sum {
					return
				}
				seen[[2]int{start, hops}] = sum
				if start > from {
					grow(start, offset, hops, float64(sum)/float64(m.Ports))
				}
				next := func(behind, length int) {
					if far[behind] > 0 && length > 0 {
						tile(start+length, max(hops, far[behind]), sum+far[behind])
					}
				}
				next(start, from)
				next(start-1, from-1)
				next(start, 1)
			}
			tile(from, 0, 0)
		}
	}
	least := math.Inf(1)
	for _, time := range best[n] {
		least = min(least, time)
	}
	return least
}

// reaches reports whether the given number of tiles of a window add up to a length.
func reaches(length, tiles, window int) bool {
	if tiles == 0 {
		return length == 0
	}
	return length >= window && reaches(length-window, tiles-1, window) ||
		window > 1 && length >= window-1 && reaches(length-window+1, tiles-1, window) ||
		length >= 1 && reaches(length-1, tiles-1, window)
}

// The windows that the search finds are the best of all on circuits of one offset or with
// circuits for each tile, as long as circuits change. If a reconfiguration takes so long that
// they do not, steps that go round on circuits that stay would save a vector here and there. With
// several ports the windows found are no worse, because there are also circuits of several
// multiples of an offset.
func TestWindowsEqualEnumeration(t *testing.T) {
	for n := 3; n <= 18; n++ {
		for ports := 1; ports <= 3; ports++ {
			for _, wait := range []float64{0, 100, 400, 1000, 3000, 20000} {
				for _, bytes := range []float64{1 << 10, 1 << 14, 1 << 16} {
					m := &Machine{Alpha: 500, Delta: 500, PerByte: 0.01, Wait: wait, Ports: ports}
					s := newWindowSearch(m, nil, n, bytes, math.Inf(1))
					got, want := s.best(n, 0, AnyChanges).time, fewestWindows(m, n, bytes)
					slack := 1e-9
					if wait > 1000 {
						slack = 0.035
					}
					if got > want*(1+slack) || ports == 1 && got < want*(1-1e-9) {
						t.Errorf("%d points, %d ports, wait %v, %v bytes: %v, by enumeration %v", n, ports, wait, bytes, got, want)
					}
					if within := newWindowSearch(m, nil, n, bytes, got*1.001).best(n, 0, AnyChanges).time; within != got {
						t.Errorf("%d points, %d ports, wait %v, %v bytes: %v, within a limit %v", n, ports, wait, bytes, got, within)
					}
					if beyond := newWindowSearch(m, nil, n, bytes, got).best(n, 0, AnyChanges); beyond.pane.tiles > 0 {
						t.Errorf("%d points, %d ports, wait %v, %v bytes: %v, which is no less than the limit", n, ports, wait, bytes, beyond.time)
					}
				}
			}
		}
	}
}

// Windows that grow on both sides are correct, take the predicted time, and reconfigure no more
// often than they may. What the vectors of other points leave out is sent as side sums.
func TestWindowsOnBothSidesAreCorrectAndTakeThePredictedTime(t *testing.T) {
	laid, parts := 0, map[collective.Part]int{}
	for n := 3; n <= 40; n++ {
		for mode, delay := range []units.Duration{0, 300 * units.Nanosecond, 2 * units.Microsecond, 100 * units.Microsecond} {
			r := jointtest.Request(collective.AllReduce, n, 2+(n+mode)%5, units.KiB<<(2*((n+mode)%4)))
			r.Fabric.Reconfig.Base, r.Fabric.Duplex, r.Fabric.CapTheta = delay, n%3 > 0, n%7 == mode
			if n%5 == mode {
				r.Fabric.Forwarding = fabric.StoreAndForward
			}
			m := NewMachine(&r.Fabric, r.Fabric.Ports, n)
			for _, changes := range []int{0, 1, AnyChanges} {
				p := m.twoSided(n, float64(r.Size), changes, math.Inf(1), never)
				if p == nil {
					continue
				}
				laid++
				for _, step := range laidWithin(t, &r, &m, p, changes).Steps() {
					for _, x := range step.Base {
						parts[x.Part]++
					}
				}
			}
		}
	}
	if laid < 300 || parts[collective.SidePart(1, true)] == 0 || parts[collective.SidePart(1, false)] == 0 {
		t.Errorf("%d plans with parts %v", laid, parts)
	}
}
