package joint

import (
	"fmt"
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
						stages, parts, about := found.build(collective.AllReduce, m.stores)
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
