package staged

import (
	"context"
	"errors"
	"slices"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
)

// harvest chooses the best topology of a pool for every interval of steps (HARVEST,
// Algorithm 1): the base and all its shifts, the circuits that match each step, tori
// and an expander (appendix A), beyond the paper circulants of the steps' offsets and
// rings in orders of the steps' own. Recursive doubling at one port has a closed form
// (§5), and so have exchanges at powers of a distance at two two-way ports, such as
// ReTri's; they need no pool.
func (o HarvestOptions) harvest(ctx context.Context, r *planner.Request, v *variants) (*schedule, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Synthesis == SynthesisSearch || o.Synthesis == SynthesisExact {
		return synthesise(ctx, r, v, o)
	}
	if closedFormApplies(r) {
		return closedForm(r, v.whole), nil
	}
	if s, ok := subringSchedule(r, v.whole); ok {
		return s, nil
	}
	return searchPool(ctx, r, v)
}

// searchPool finds the best schedule of the whole pool.
func searchPool(ctx context.Context, r *planner.Request, v *variants) (*schedule, error) {
	return v.each(func(w *workload) (*schedule, error) {
		if err := w.tooSlow(r); err != nil {
			return nil, err
		}
		within, err := w.rival(ctx, r)
		if err != nil {
			return nil, err
		}
		p, err := harvestPool(within, w)
		if err != nil {
			return nil, err
		}
		if p.mayTailor(w) {
			// What is looked for is of use only where the pool's best is not the best of all.
			bound := float64(bound.OfAlgorithm(&r.Fabric, r.Collective, r.Size).Schedule)
			s, err := search(ctx, r, w, p.candidates, w.alike(p.candidates))
			if err == nil && s.total <= bound*(1+tieTolerance) {
				return s, nil
			}
			if err := p.addTailored(ctx, w); err != nil {
				return nil, err
			}
		}
		return search(ctx, r, w, p.candidates, w.alike(p.candidates))
	})
}

// MostWhole is the number of GPUs up to which harvest's pool has, besides the base, circuits that
// do not look the same from every GPU to steps that do: on those a step is routed for many GPUs,
// or all.
const MostWhole = 4096

// symmetricOnly reports whether there are more GPUs than that and all steps look the same from
// each: others are routed for all of them on any circuits.
func (w *workload) symmetricOnly() bool {
	return w.fabric.Nodes > MostWhole && !slices.ContainsFunc(w.classes, func(c class) bool { return c.step.Group.Order() < w.fabric.Nodes })
}

// mostApart is the number of transfers of a step that are routed one by one above MostWhole GPUs:
// no more than on circuits and for steps that share the greater part of a symmetry.
const mostApart = 1024

// mostSearched bounds their number times the bundles of the circuits, which is what one search for
// the ways of each takes: about half a second. To route them takes tens of these. On a torus of
// 128 x 128 nodes recursive doubling has 128 and 4 million, on one of 16 x 32 x 32 it has 1024 and
// 100 million.
const mostSearched = 1 << 23

// fewApart reports whether so many transfers of a step are routed one by one on circuits with so
// many bundles.
func fewApart(transfers, bundles int) bool {
	return transfers <= mostApart && transfers*bundles <= mostSearched
}

// LooksAlike returns a function that reports whether a step can be routed on given circuits for
// few of its transfers, which stand for the others, or paths are unique.
func LooksAlike(g *topology.Graph) func(step collective.Step) bool {
	c := graphCandidate(g)
	return func(step collective.Step) bool {
		if len(step.Base) > mostApart {
			return false
		}
		return c.jump.count > 0 || c.next != nil || fewApart(len(step.Base)*(step.Group.Order()/c.within(step.Group).Order()), g.Bundles())
	}
}

// alike is what search may choose from: above MostWhole GPUs circuits on which a step looks alike.
func (w *workload) alike(pool []*candidate) func(step, candidate int) bool {
	if !w.symmetricOnly() {
		return anyCandidate
	}
	return func(step, candidate int) bool {
		c, class := pool[candidate], &w.classes[w.classOf[step]]
		if class.uniform > 0 { // of all relatives of the base it is routed on the base alone
			return c.kin == nil
		}
		if c.jump.count > 0 || c.jumps != nil && class.offsets != nil || c.next != nil {
			return true
		}
		return fewApart(len(class.demands)*(class.step.Group.Order()/c.within(class.step.Group).Order()), c.topology().Bundles())
	}
}

// harvestPool makes the pool for a workload, once: it does not depend on what a change
// costs, and what was found out about its topologies stays known.
func harvestPool(r *planner.Request, w *workload) (*pool, error) {
	if w.harvest != nil {
		return w.harvest, nil
	}
	p := newPool(&r.Fabric)
	commuting, whole := w.commuting(r), !w.symmetricOnly()
	// Without a base (matchings only) the pool is the steps' own circuits.
	if _, err := p.addBase(w); err == nil {
		intact := r.Fabric
		intact.Avoid = ""
		if base, err := intact.BaseTopology(); err == nil && commuting {
			p.addShifts(w, base)
		}
	}
	// What is up at the start need not be paid for. It may have ports that are to be unused.
	if up, err := r.Fabric.InitialTopology(); err == nil && up != nil && up.Bundles() > 0 && r.Fabric.Fits(up) == nil {
		p.add(graphCandidate(up))
	}
	if _, err := p.addEveryMatched(w); err != nil {
		return nil, err
	}
	if err := p.addNarrow(w); err != nil {
		return nil, err
	}
	p.addSubsetRings(w)
	p.addUnions(w)
	if commuting && whole {
		p.addTori()
	}
	if w.routable() && whole {
		p.addExpander(w)
	}
	w.harvest = p
	return p, nil
}

// tailoredPool is the pool with topologies that were looked for.
func tailoredPool(ctx context.Context, r *planner.Request, w *workload) (*pool, error) {
	p, err := harvestPool(r, w)
	if err != nil {
		return nil, err
	}
	return p, p.addTailored(ctx, w)
}

func isInfeasible(err error) bool { return errors.Is(err, planner.ErrInfeasible) }
