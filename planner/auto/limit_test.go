package auto_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/collective/algorithms"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/units"
)

// seeds returns few seeds of random requests, or all with -every.
func seeds(few, all uint64) uint64 {
	if samples.Every() {
		return all
	}
	return few
}

// overlapped draws a small request with any overlap.
func overlapped(t *testing.T, rng *rand.Rand) planner.Request {
	t.Helper()
	r := drawRequest(t, rng)
	r.Fabric.Overlap = []fabric.Overlap{
		{}, {Kind: fabric.OverlapCompute, Compute: units.Microsecond}, {Kind: fabric.OverlapPorts}, {Kind: fabric.OverlapCircuits},
	}[rng.IntN(4)]
	return r
}

// A limit never changes a plan that keeps to it. A plan beyond the limit is given up, or is the
// plan without a limit. Bounds are bounds.
func TestALimitOnlyGivesUpWhatIsBeyondIt(t *testing.T) {
	gaveUp := map[string]int{}
	for seed := range seeds(14, 30) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(31, seed))
			r := overlapped(t, rng)
			for _, p := range everyPlanner() {
				want, err := p.Plan(t.Context(), r)
				if errors.Is(err, planner.ErrInfeasible) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if bound := planner.TraitsOf(p).Bound; bound != nil {
					if least, most, err := bound(t.Context(), r); err != nil || least > want.Cost.Total()*rounding || most*rounding < want.Cost.Total() {
						t.Errorf("%s: bounds %v and %v, plan %v: %v", p.Name(), least, most, want.Cost.Total(), err)
					}
				}
				for _, part := range []units.Time{1.5, 1, 0.999, 0.5} {
					within := r
					within.Limit = part * want.Cost.Total()
					got, err := p.Plan(t.Context(), within)
					switch {
					case part < 1 && errors.Is(err, planner.ErrBeyond):
						gaveUp[p.Name()]++
					case err != nil:
						t.Errorf("%s within %v of %v: %v", p.Name(), within.Limit, want.Cost.Total(), err)
					case !reflect.DeepEqual(got, want):
						t.Errorf("%s within %v of %v: another plan, of %v", p.Name(), within.Limit, want.Cost.Total(), got.Cost.Total())
					}
				}
			}
		})
	}
	for _, name := range []string{"static", "every-step", "light-bends", "harvest", "direct-connect", "auto"} {
		if gaveUp[name] == 0 {
			t.Errorf("%s never gave up: %v", name, gaveUp)
		}
	}
}

// Fastest takes the fastest of all algorithms and all planners that make their own steps,
// whatever is given up on the way: the least of all plans made one by one, the first in a tie.
func TestFastestEqualsTheLeastOfAllPlans(t *testing.T) {
	for seed := range seeds(14, 30) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(32, seed))
			r := overlapped(t, rng)
			op := r.Collective.Op
			able := algorithms.For(op, collective.Shape{Nodes: r.Fabric.Nodes, Ports: r.Fabric.Ports})
			composers := []planner.Planner{direct.New(), joint.New()}
			bare := &collective.Collective{Op: op, Nodes: r.Fabric.Nodes, Space: collective.SpaceOf(op, r.Fabric.Nodes, 1)}
			for _, p := range append(staged.Planners(), auto.New(staged.Planners())) {
				way := func(i int) (planner.Planner, collective.Sized, error) {
					if i >= len(able) {
						return composers[i-len(able)], collective.Sized{Collective: bare, Size: r.Size}, nil
					}
					c, err := algorithms.New(op, able[i].Name, r.Fabric.Nodes, r.Fabric.Ports)
					return p, collective.Sized{Collective: c, Size: r.Size}, err
				}
				count := len(able)
				if p.Name() == "auto" {
					count += len(composers)
				}
				got, err := auto.Fastest(t.Context(), r, count, way)
				if err != nil && !errors.Is(err, planner.ErrInfeasible) {
					t.Fatal(err)
				}
				least, first := units.Time(0), ""
				for i := range count {
					by, laid, err := way(i)
					if err != nil {
						t.Fatal(err)
					}
					alone := r
					alone.Collective, alone.Size = laid.Collective, laid.Size
					made, err := by.Plan(t.Context(), alone)
					switch {
					case errors.Is(err, planner.ErrInfeasible):
					case err != nil:
						t.Fatal(err)
					case first == "" || made.Cost.Total() < least:
						least, first = made.Cost.Total(), made.Collective.Algorithm
					}
				}
				if got != nil && p.Name() == "auto" { // a limit gives up the ways beyond it, and not the others
					within := r
					within.Limit = least
					if same, err := auto.Fastest(t.Context(), within, count, way); err != nil || !reflect.DeepEqual(same, got) {
						t.Errorf("%s within %v: %v", p.Name(), least, err)
					}
					within.Limit = least / 2
					if beyond, err := auto.Fastest(t.Context(), within, count, way); beyond == nil && !errors.Is(err, planner.ErrBeyond) ||
						beyond != nil && beyond.Cost.Total() < least {
						t.Errorf("%s within half of %v: %v, %v", p.Name(), least, beyond != nil, err)
					}
				}
				switch {
				case (got == nil) != (first == ""):
					t.Errorf("%s: a plan: %v, %v; the first is %q", p.Name(), got != nil, err, first)
				case got != nil && (got.Cost.Total() != least || got.Collective.Algorithm != first):
					t.Errorf("%s of %v: took %s with %v, %s takes %v: %+v", op, r.Size, got.Collective.Algorithm, got.Cost.Total(), first, least, r.Fabric)
				}
			}
		})
	}
}
