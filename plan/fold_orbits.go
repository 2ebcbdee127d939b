package plan

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/topology"
)

// folder takes the transfers of a step one by one, and keeps only the distinct ones while the
// others are their images. At the first transfer that is not an image, it drops the symmetry
// and keeps all.
//
// Invariant: with a group, the transfers read so far are the first `read` of
// step.All under that group.
type folder struct {
	space    collective.Space
	group    topology.Translations
	distinct int
	read     int
	step     *Step
}

func (f *folder) add(t Transfer) {
	f.read++
	if f.group.Trivial() || f.read <= f.distinct {
		if !f.group.Trivial() && !f.space.HomogeneousAt(t.Chunks) {
			f.group = topology.Translations{} // an image would have other bytes
		}
		f.step.Base = append(f.step.Base, t)
		return
	}
	k, i := (f.read-1)/f.distinct, (f.read-1)%f.distinct
	probe := Step{Group: f.group, Base: f.step.Base}
	if k < f.group.Order() && probe.Image(&f.space, k, i).Equal(t) {
		return
	}
	f.unfold(f.read - 1)
	f.step.Base = append(f.step.Base, t)
}

// unfold lists the first count transfers one by one and forgets the group.
func (f *folder) unfold(count int) {
	probe := Step{Group: f.group, Base: f.step.Base}
	all := make([]Transfer, 0, count)
	for t := range probe.All(f.space) {
		if len(all) == count {
			break
		}
		all = append(all, t)
	}
	f.step.Base, f.group = all, topology.Translations{}
}

// Unfold lists every transfer of a step one by one, for circuits that do not have the step's
// symmetry.
func (s *Step) Unfold(space collective.Space) {
	all := make([]Transfer, 0, s.Len())
	all = slices.AppendSeq(all, s.All(space))
	s.Base, s.Group = all, topology.Translations{}
}

// finish decides whether the symmetry holds: it does if every image was read.
func (f *folder) finish() {
	if f.group.Trivial() {
		return
	}
	// Divide, because the product could overflow.
	if order := f.group.Order(); f.read%order == 0 && f.read/order == f.distinct {
		f.step.Group = f.group
		return
	}
	f.unfold(f.read)
}

// Equal reports whether two transfers move the same chunks over the same routes.
func (t Transfer) Equal(u Transfer) bool {
	return t.Src == u.Src && t.Dst == u.Dst && t.Action == u.Action && t.Part == u.Part && t.Sides == u.Sides && slices.Equal(t.Chunks, u.Chunks) &&
		slices.EqualFunc(t.Routes, u.Routes, func(x, y flow.Route) bool {
			return x.Share == y.Share && slices.Equal(x.Path, y.Path)
		})
}
