package joint

import "github.com/lightpath-net/lightpath/plan"

// verify.Plan can follow a plan whose steps share a symmetry if the plan has at most mostFollowed
// chunks, or at most mostRunsFollowed runs of chunks that one translation maps to the blocks that
// stand for all.
const (
	mostFollowed     = 1 << 26
	mostRunsFollowed = 1 << 22
)

// tooVaried reports whether so many chunks of a plan have routes of their own that verify.Plan
// cannot follow it. Among 65536 GPUs, two digits of 64 values on networks without symmetry are
// enough for that.
func tooVaried(p *plan.Plan) bool {
	chunks, runs := 0, 0
	parts := max(1, p.Collective.Space.Parts)
	for _, step := range p.Steps() {
		if step.Group.Trivial() {
			return false // then verify.Plan follows it in another way
		}
		row := parts // consecutive chunks that one translation moves
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
