package digit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Exchanges over covers are correct and take the predicted time, and the bound by which they are
// tried is no more than that.
func TestCoversExchange(t *testing.T) {
	for _, c := range []struct{ n, ports int }{{12, 2}, {16, 2}, {24, 2}, {24, 3}, {36, 2}, {30, 4}} {
		for mode := range 3 {
			r := jointtest.Request(collective.AllReduce, c.n, c.ports, units.KiB)
			switch mode {
			case 1:
				r.Fabric.Forwarding = fabric.StoreAndForward
			case 2:
				r.Fabric.CapTheta = true
			}
			m := NewMachine(&r.Fabric, c.ports, c.n)
			for _, p := range m.coverings(c.n) {
				t.Run(fmt.Sprintf("n=%d/ports=%d/%s/mode=%d", c.n, c.ports, p.about, mode), func(t *testing.T) {
					before := m.Time(p.Shape, float64(r.Size))
					counted := p.settle(never)
					if takes := (Shape{Steps: p.Steps, Hops: counted.hops, Load: counted.load}); m.Time(takes, float64(r.Size)) < before {
						t.Errorf("takes %v, the bound was %v", m.Time(takes, float64(r.Size)), before)
					}
					p.settled(counted)
					time := m.Time(p.Shape, float64(r.Size))
					if p.Load == impossible {
						return
					}
					found := Solution{Digits: []digit{{c.n, func() *program { return p }}}, Time: time}
					laidOut(t, &r, found)
				})
			}
		}
	}
}

// The wiring is the best of all draws, the first in a tie, although few are drawn; and no wiring
// is better than the bound of the search.
func TestWiringIsTheBestOfAllDraws(t *testing.T) {
	stops := 0
	for _, c := range []struct{ points, ports int }{{8, 2}, {10, 2}, {12, 2}, {16, 2}, {32, 2}, {10, 3}, {12, 3}, {24, 4}} {
		m := Machine{Ports: c.ports}
		for _, cover := range m.covers(c.points) {
			random := rand.New(rand.NewPCG(uint64(cover.points), uint64(cover.size)))
			j := &judge{cover: cover, in: make([][]back, cover.size), seen: make([]bool, cover.points), had: make([]bool, cover.points/cover.size)}
			var want wiring
			farthest, sum := cover.points, math.MaxInt
			draws := wiringWork / (cover.points * cover.size * c.ports)
			for range draws {
				w := cover.draw(random, c.ports-cover.inside)
				if far, all, ok := j.widths(w, cover.points); ok && (far < farthest || far == farthest && all < sum) {
					want, farthest, sum = w, far, all
				}
			}
			got := cover.drawn(c.ports)
			if !slices.EqualFunc(got.jump, want.jump, slices.Equal) || !slices.EqualFunc(got.at, want.at, slices.Equal) {
				t.Errorf("%+v of %d ports: wiring %v, of all draws %v", cover, c.ports, got, want)
			}
			far, all := cover.nearest(j, c.ports-cover.inside, draws)
			if want.jump != nil && (farthest < far || farthest == far && sum < all) {
				t.Errorf("%+v of %d ports: cells are within %d hops and %d in all, looked for %d and %d", cover, c.ports, farthest, sum, far, all)
			}
			if farthest == far && sum == all {
				stops++
			}
		}
	}
	if stops < 4 {
		t.Errorf("only %d searches ended before all was drawn", stops)
	}
}
