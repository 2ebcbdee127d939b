package pricing

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/topology"
)

// MostWhole is the number of GPUs up to which harvest's pool has circuits besides the base on
// which a symmetric step does not look the same from every GPU. On such circuits the step has to
// be routed for many GPUs or for all.
const MostWhole = 4096

// SymmetricOnly reports whether there are more than MostWhole GPUs and all steps look the same
// from every GPU. Other steps are routed for all GPUs on any circuits.
func (w *Workload) SymmetricOnly() bool {
	return w.Fabric.Nodes > MostWhole && !slices.ContainsFunc(w.Classes, func(c Class) bool { return c.Step.Group.Order() < w.Fabric.Nodes })
}

// mostApart is the largest number of transfers of a step that are routed one by one above
// MostWhole GPUs. Only steps and circuits that share the greater part of a symmetry stay below
// it.
const mostApart = 1024

// mostSearched bounds the number of these transfers times the bundles of the circuits. That is
// the work of one path search for each transfer: about half a second at this limit. Routing takes
// tens of such searches. Recursive doubling has 128 transfers and a product of 4 million on a
// torus of 128 x 128 nodes, and 1024 transfers and 100 million on one of 16 x 32 x 32.
const mostSearched = 1 << 23

// fewApart reports whether this many transfers of a step may be routed one by one on circuits
// with this many bundles.
func fewApart(transfers, bundles int) bool {
	return transfers <= mostApart && transfers*bundles <= mostSearched
}

// LooksAlike returns a function that reports whether a step is cheap to route on the given
// circuits: paths are unique, or few of its transfers stand for all others.
func LooksAlike(g *topology.Graph) func(step collective.Step) bool {
	c := GraphCandidate(g)
	return func(step collective.Step) bool {
		if len(step.Base) > mostApart {
			return false
		}
		return c.Jump.Count > 0 || c.Next != nil || fewApart(len(step.Base)*(step.Group.Order()/c.within(step.Group).Order()), g.Bundles())
	}
}

// Alike returns which candidates a search may choose for a step: above MostWhole GPUs, only
// circuits on which the step looks alike. A nil function allows all.
func (w *Workload) Alike(pool []*Candidate) func(step, candidate int) bool {
	if !w.SymmetricOnly() {
		return nil
	}
	return func(step, candidate int) bool {
		c, class := pool[candidate], &w.Classes[w.ClassOf[step]]
		if class.Uniform > 0 { // among the base and its relatives, it is routed only on the base
			return !c.Kin
		}
		if c.Jump.Count > 0 || c.Jumps != nil && class.Offsets != nil || c.Next != nil {
			return true
		}
		return fewApart(len(class.Demands)*(class.Step.Group.Order()/c.within(class.Step.Group).Order()), c.Topology().Bundles())
	}
}
