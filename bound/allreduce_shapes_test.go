package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightpath-net/lightpath/bound/boundtest"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
)

// The steps of no allreduce load less than sumProgram says, for any circuits and messages: an
// exhaustive search that shares nothing with the bound.
func TestNoStepsOfAnAllreduceLoadLess(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	cases, near := 0, 0
	for cases < samples.Draws(200, 400) {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 3+r.IntN(2), 1+r.IntN(3), r.IntN(2) == 0
		steps, given := randomSteps(r, &f)
		least := boundtest.SumLoad(given) / float64(f.Nodes)
		if math.IsInf(least, 1) {
			continue
		}
		cases++
		bound := leastOfFewer(newSumProgram(&f, f.Nodes), steps) * meanPorts(&f) / float64(f.Ports)
		if bound > least*(1+1e-6) {
			t.Errorf("two-way %v, %d ports, %+v: %v circuits, the bound is %v", f.Duplex, f.Ports, given, least, bound)
		}
		if bound > least*(1-1e-3) {
			near++
		}
	}
	t.Logf("%d of %d are as the bound says", near, cases)
	if near < cases/10 {
		t.Errorf("the bound is reached in %d of %d cases only", near, cases)
	}
}

// leastOfFewer returns the least load of a shape and of all with fewer hops or steps, because
// messages need not use all their hops.
func leastOfFewer(p *sumProgram, steps []castStep) float64 {
	least := math.Inf(1)
	var visit func(t int, changed bool, shape []castStep)
	visit = func(t int, changed bool, shape []castStep) {
		if t == len(steps) {
			if len(shape) > 0 && p.within(shape, false) >= float64(p.n) {
				least = min(least, p.solve(shape))
			}
			return
		}
		changed = changed || steps[t].changes
		visit(t+1, changed, shape)
		for h := 1; h <= steps[t].hops; h++ {
			visit(t+1, false, append(shape[:len(shape):len(shape)], castStep{h, changed && len(shape) > 0}))
		}
	}
	visit(0, false, nil)
	return least
}

// Meetings: no mixture of messages has a larger mean value for its load.
func TestMeetingsAreTheLeastOfAllMixtures(t *testing.T) {
	for _, ports := range []int{2, 3} {
		f := fabric.Default()
		f.Nodes, f.Ports, f.Duplex = 11, ports, ports == 3
		p := newSumProgram(&f, 11)
		for before := 1; before <= 3; before++ {
			for after := 1; after <= 3; after++ {
				in, out := p.nearest(before), p.nearest(after)
				for i, w := range meetingWeights {
					h := p.meeting(before, after)[i]
					for value := 1.0; value <= float64(len(in)*len(out)); value += 1.7 {
						want := math.Inf(1)
						for a, x := range in {
							for b, y := range out {
								for c, z := range in {
									for d, u := range out {
										low, high := float64((1+a)*(1+b)), float64((1+c)*(1+d))
										if low > value || high < value {
											continue
										}
										share := 0.0
										if high > low {
											share = (value - low) / (high - low)
										}
										want = min(want, (1-share)*float64(w[0]*x+w[1]*y)+share*float64(w[0]*z+w[1]*u))
									}
								}
							}
						}
						if got := h.least(value); math.Abs(got-want) > 1e-9 {
							t.Errorf("%d ports, %d and %d hops, weights %v, value %v: %v, of all mixtures %v", ports, before, after, w, value, got, want)
						}
					}
				}
			}
		}
	}
}
