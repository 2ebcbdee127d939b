package digit

import (
	"fmt"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Gathers on tori with rotated sides are correct for every operation, take the predicted
// time on every kind of circuit, and win on 100 GPUs whose circuits stay.
func TestRotatedToriGather(t *testing.T) {
	for i, c := range []struct{ n, ports int }{{4, 2}, {9, 2}, {16, 2}, {16, 4}, {8, 3}, {9, 4}, {16, 8}, {25, 4}, {27, 6}} {
		for j, op := range []collective.Op{collective.AllReduce, collective.AllGather, collective.ReduceScatter} {
			for k, size := range []units.Bytes{100 * units.KiB, 16 * units.MiB} {
				for mode := range 4 {
					if (i+j+k+mode)%2 > 0 && !samples.Every() {
						continue // in turn
					}
					r := jointtest.Request(op, c.n, c.ports, size)
					switch mode {
					case 1:
						r.Fabric.Forwarding = fabric.StoreAndForward
					case 2:
						r.Fabric.CapTheta = true
					case 3:
						r.Fabric.Duplex = true
					}
					m := NewMachine(&r.Fabric, c.ports, c.n)
					for _, torus := range m.rotatedTori(c.n) {
						t.Run(fmt.Sprintf("%s/%s/ports=%d/%v/mode=%d", op, torus.name(), c.ports, size, mode), func(t *testing.T) {
							p := m.gatherOn(torus, float64(size)/float64(c.n))
							time := m.Time(p.Shape, float64(size)/float64(c.n))
							if op == collective.AllReduce {
								time *= 2
							}
							found := Solution{Digits: []digit{{c.n, func() *program { return p }}}, Time: time}
							laidOut(t, &r, found)
						})
					}
				}
			}
		}
	}
}
