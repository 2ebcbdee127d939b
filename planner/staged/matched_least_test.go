package staged

import (
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/units"
)

// What every-step takes at least is known before steps are divided, and is often all but the waits
// for circuits.
func TestEveryStepTakesNoLessThanItsStepsBeforeTheyAreDivided(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 65536))
	tight, divided := 0, 0
	for range samples.Draws(150, 600) {
		f := drawFabric(rng)
		if rng.IntN(2) == 0 {
			f.Ports, f.Duplex = 1, true
		}
		f.Reconfig.Base, f.Reconfig.Each = 0, 0
		if f.Validate() != nil {
			continue
		}
		c := drawCollective(t, rng, f.Nodes, f.Ports)
		r := planner.Request{Fabric: f, Collective: c, Size: units.Bytes(1 + rng.IntN(1<<22))}
		if r.Validate() != nil {
			continue
		}
		v := newVariants(&r)
		s, err := force(everyStep).choose(t.Context(), &r, v)
		if isInfeasible(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		least, matchings := v.whole.LeastMatched()
		if least > s.Total*(1+1e-12) {
			t.Errorf("%s on %+v: %v, at least %v", c.Algorithm, f, s.Total, least)
		}
		if v.parts != nil && matchings > len(v.parts.Steps) || v.parts == nil && matchings > 0 {
			t.Errorf("%s on %+v: %d matchings at least", c.Algorithm, f, matchings)
		}
		if v.parts != nil {
			if divided++; least > s.Total*(1-1e-9) {
				tight++
			}
		}
	}
	if divided < 20 || tight < divided/4 {
		t.Errorf("of %d divided, %d are tight", divided, tight)
	}
}
