package joint

import "github.com/lightpath-net/lightpath/plan"

// What verify.Plan can follow of a plan whose steps share a symmetry: so many chunks, or so many
// runs of chunks that one translation takes to the blocks that stand for all.
const (
	mostFollowed     = 1 << 26
	mostRunsFollowed = 1 << 22
)

// tooVaried reports whether so many chunks of a plan go ways of their own that nobody could verify
// it: two digits of 64 values on networks without symmetry are enough for that among 65536 GPUs.
func tooVaried(p *plan.Plan) bool {
	chunks, runs := 0, 0
	parts := max(1, p.Collective.Space.Parts)
	for _, step := range p.Steps() {
		if step.Group.Trivial() {
			return false // then it is followed in another way
		}
		row := parts // chunks in a row that one translation moves
		for i := len(step.Group.Dims) - 1; i >= 0 && step.Group.Stride[i] == step.Group.Dims[i]; i-- {
			row *= step.Group.Dims[i]
		}
		for i := range step.Base {
			for _, r := range step.Base[i].Chunks {
				chunks += r.Count
				runs += 1 + (r.Count*r.Stride-1)/row
			}
		}
	}
	return chunks > mostFollowed && runs > mostRunsFollowed
}
