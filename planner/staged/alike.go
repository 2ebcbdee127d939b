package staged

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

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

// anyCandidate lets every step take any candidate.
func anyCandidate(int, int) bool { return true }
