package joint

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/units"
)

// Gathers on tori with rotated sides are correct for every operation, take the predicted
// time on every kind of circuit, and win on 100 GPUs whose circuits stay.
func TestRotatedToriGather(t *testing.T) {
	for _, c := range []struct{ n, ports int }{{4, 2}, {9, 2}, {16, 2}, {16, 4}, {8, 3}, {9, 4}, {16, 8}, {25, 4}, {27, 6}} {
		for _, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter} {
			for _, size := range []units.Bytes{100 * units.KiB, 16 * units.MiB} {
				for mode := range 4 {
					r := request(op, c.n, c.ports, size)
					switch mode {
					case 1:
						r.Fabric.Forwarding = fabric.StoreAndForward
					case 2:
						r.Fabric.CapTheta = true
					case 3:
						r.Fabric.Duplex = true
					}
					m := newMachine(&r.Fabric, c.ports, c.n)
					for _, torus := range m.rotatedTori(c.n) {
						t.Run(fmt.Sprintf("%s/%s/ports=%d/%v/mode=%d", op, torus.name(), c.ports, size, mode), func(t *testing.T) {
							p := m.gatherOn(torus, float64(size)/float64(c.n))
							time := m.time(p.shape, float64(size)/float64(c.n))
							if op == collective.AllReduce {
								time *= 2
							}
							found := solution{digits: []digit{{c.n, func() *program { return p }}}, time: time}
							o := option{time: time, build: func() laidCast {
								stages, parts, about := stagesOf(found, op, m.stores)
								return laidCast{stages: stages, space: collective.SpaceOf(op, c.n, parts), about: about}
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
	}
	r := request(collective.AllGather, 100, 2, 64*units.MiB)
	r.Fabric.Reconfig.Base = 100 * units.Microsecond
	if got := options(&r, free, never)[0].time; got > 350_200 {
		t.Errorf("100 GPUs: %v ns", got)
	}
}
