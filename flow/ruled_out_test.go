package flow

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/topology"
)

// What the approximation rules out, the exact program rules out, too, and by no smaller bound; and
// it rules out most of what is a tenth below the least peak.
func TestOnlyWhatIsImpossibleIsRuledOut(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 21))
	clear, found := 0, 0
	for range samples.Draws(6, 40) {
		n := 24 + random.IntN(8)
		g, err := topology.Parse(fmt.Sprintf("GenKautz(%d,%d)", 3+random.IntN(3), n))
		if err != nil {
			t.Fatal(err)
		}
		p := Problem{Graph: g}
		for u := range n {
			for v := range n {
				if u != v {
					p.Demands = append(p.Demands, Demand{Src: u, Dst: v, Amount: 1 + 3*random.Float64()})
				}
			}
		}
		cl, short, split := starts(t, p)
		if random.IntN(2) == 0 {
			p.MaxHops = short.Load.Hops + 1
		}
		exact, err := solveColumns(t.Context(), p, cl, short, split, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Demands)*(len(cl.circuits)+1) < ruledOutPays {
			t.Fatalf("%s: too small to be tried", g.Name())
		}
		for _, part := range []float64{0.9, 0.98, 0.999, 1.001, 1.1} {
			within := part * exact.Load.Peak
			err := ruledOut(t.Context(), p, cl, beginning{short, short.Bound, nil, false}, within)
			if part == 0.9 {
				clear++
			}
			var over *beyond
			if !errors.As(err, &over) {
				continue
			}
			if part == 0.9 {
				found++
			}
			if over.bound > exact.Load.Peak*(1+1e-9) || over.bound <= within {
				t.Errorf("%s: nothing below %v within %v, but there is %v", g.Name(), over.bound, within, exact.Load.Peak)
			}
		}
	}
	if 2*found < clear {
		t.Errorf("%d of %d ruled out", found, clear)
	}
}
