package pricing

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// MostWhole is the number of GPUs up to which harvest's pool has, besides the base, circuits that
// do not look the same from every GPU to steps that do: on those a step is routed for many GPUs,
// or all.
const MostWhole = 4096

// SymmetricOnly reports whether there are more GPUs than that and all steps look the same from
// each: others are routed for all of them on any circuits.
func (w *Workload) SymmetricOnly() bool {
	return w.Fabric.Nodes > MostWhole && !slices.ContainsFunc(w.Classes, func(c Class) bool { return c.Step.Group.Order() < w.Fabric.Nodes })
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
	c := GraphCandidate(g)
	return func(step collective.Step) bool {
		if len(step.Base) > mostApart {
			return false
		}
		return c.Jump.Count > 0 || c.Next != nil || fewApart(len(step.Base)*(step.Group.Order()/c.within(step.Group).Order()), g.Bundles())
	}
}

// Alike is what search may choose from: above MostWhole GPUs circuits on which a step looks alike.
func (w *Workload) Alike(pool []*Candidate) func(step, candidate int) bool {
	if !w.SymmetricOnly() {
		return nil
	}
	return func(step, candidate int) bool {
		c, class := pool[candidate], &w.Classes[w.ClassOf[step]]
		if class.Uniform > 0 { // of all relatives of the base it is routed on the base alone
			return c.Kin == nil
		}
		if c.Jump.Count > 0 || c.Jumps != nil && class.Offsets != nil || c.Next != nil {
			return true
		}
		return fewApart(len(class.Demands)*(class.Step.Group.Order()/c.within(class.Step.Group).Order()), c.Topology().Bundles())
	}
}
