package joint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Exchanges over covers are correct and take the predicted time; and no more, with the bound
// that they are looked at for, than that.
func TestCoversExchange(t *testing.T) {
	for _, c := range []struct{ n, ports int }{{12, 2}, {16, 2}, {24, 2}, {24, 3}, {36, 2}, {30, 4}} {
		for mode := range 3 {
			r := request(collective.AllReduce, c.n, c.ports, units.KiB)
			switch mode {
			case 1:
				r.Fabric.Forwarding = fabric.StoreAndForward
			case 2:
				r.Fabric.CapTheta = true
			}
			m := newMachine(&r.Fabric, c.ports, c.n)
			for _, p := range m.coverings(c.n) {
				t.Run(fmt.Sprintf("n=%d/ports=%d/%s/mode=%d", c.n, c.ports, p.about, mode), func(t *testing.T) {
					before := m.time(p.shape, float64(r.Size))
					counted := p.settle(never)
					if takes := (shape{steps: p.steps, hops: counted.hops, load: counted.load}); m.time(takes, float64(r.Size)) < before {
						t.Errorf("takes %v, the bound was %v", m.time(takes, float64(r.Size)), before)
					}
					p.settled(counted)
					time := m.time(p.shape, float64(r.Size))
					if p.load == impossible {
						return
					}
					found := solution{digits: []digit{{c.n, func() *program { return p }}}, time: time}
					o := option{time: time, build: func() laidCast {
						stages, parts, about := stagesOf(found, collective.AllReduce, m.stores)
						return laidCast{stages: stages, space: collective.SpaceOf(collective.AllReduce, c.n, parts), about: about}
					}}
					laid, err := o.plan(&r)
					if err != nil {
						t.Fatal(err)
					}
					check(t, laid, time)
				})
			}
		}
	}
}

// On 128 GPUs with two ports that stay, links would carry 350 vectors in one step.
func TestCoversWinForSmallMessagesOnManyGPUs(t *testing.T) {
	for _, c := range []struct {
		n    int
		most float64 // us, as published in docs/joint.md
	}{{100, 6.2}, {128, 7.2}} {
		r := request(collective.AllReduce, c.n, 2, units.KiB)
		o := options(&r, free, never)[0]
		p, err := o.plan(&r)
		if err != nil {
			t.Fatal(err)
		}
		check(t, p, o.time)
		if o.time > c.most*1000 {
			t.Errorf("%d GPUs: %.4g us, %s", c.n, o.time/1000, p.Strategy)
		}
		t.Logf("%d GPUs: %.4g us, %s", c.n, o.time/1000, p.Strategy)
	}
}

// The wiring is the best of all draws, the first of equals, though few are drawn; and none is
// better than what is looked for.
func TestWiringIsTheBestOfAllDraws(t *testing.T) {
	stops := 0
	for _, c := range []struct{ points, ports int }{{8, 2}, {10, 2}, {12, 2}, {16, 2}, {32, 2}, {10, 3}, {12, 3}, {24, 4}} {
		m := machine{ports: c.ports}
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
