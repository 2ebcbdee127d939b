package synthesis

import (
	"fmt"
	"testing"
	"time"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/units"
)

func TestTmpRelax(t *testing.T) {
	for _, n := range []int{4, 5, 6, 7, 8, 16, 64} {
		p := Problem{Nodes: n, Ports: 2, Bandwidth: 8 * units.Gbps}
		m := 1.0
		for off := 1; off < n; off *= 2 {
			var ds []flow.Demand
			m /= 2
			for u := range n {
				ds = append(ds, flow.Demand{Src: u, Dst: (u + off) % n, Amount: m})
			}
			p.Steps = append(p.Steps, Step{Demands: ds})
		}
		iv, err := newInterval(p)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		auts := [][]int{}
		if n < 64 {
			auts = iv.automorphisms()
		}
		tr := iv.translations()
		fmt.Println("n", n, "aut", len(auts), tr, time.Since(start))
		start = time.Now()
		a := arcsUnder(n, permutations(tr, n, false))
		c := iv.count()
		r := newRelaxation(iv, a, c.bytes)
		r.run(t.Context())
		fmt.Println("count", c, "relax", r.bound, r.value(), len(r.points), time.Since(start))
		if n <= 8 {
			start = time.Now()
			r := newRelaxation(iv, arcsUnder(n, nil), c.bytes)
			r.run(t.Context())
			fmt.Println("    no symmetry", r.bound, r.value(), len(r.points), time.Since(start))
		}
	}
}
