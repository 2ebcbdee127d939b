package islands

import (
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
)

// Alike reports whether two plans for a core do the same, so that Lift turns both into the same
// plan.
func Alike(a, b *plan.Plan) bool {
	s, z := &a.Collective.Space, &b.Collective.Space
	if a.Collective.Op != b.Collective.Op || a.Collective.Size != b.Collective.Size || s.Kind != z.Kind || s.Nodes != z.Nodes || s.Parts != z.Parts || !slices.EqualFunc(s.Pieces, z.Pieces, alikePieces) {
		return false
	}
	return slices.EqualFunc(a.Stages, b.Stages, func(x, y plan.Stage) bool {
		return x.Topology.Equal(y.Topology) && slices.EqualFunc(x.Steps, y.Steps, alikeSteps)
	})
}

func alikeSteps(a, b plan.Step) bool {
	return a.Group.Equal(b.Group) && slices.EqualFunc(a.Base, b.Base, plan.Transfer.Equal)
}

// SendsParts reports whether transfers of a plan carry parts of values, such as a node's own
// part. Such parts mean something else on GPUs: an island adds up its contribution before the
// core sends it, so a GPU has received most of its node's own part from others.
func SendsParts(p *plan.Plan) bool {
	for _, step := range p.Steps() {
		for i := range step.Base {
			if step.Base[i].Part != collective.WholePart {
				return true
			}
		}
	}
	return false
}

func alikePieces(a, b collective.Piece) bool {
	return a.Bytes == b.Bytes && a.Reduces == b.Reduces && slices.Equal(a.From, b.From) && slices.Equal(a.To, b.To)
}
