package parallel

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// slot is a pass of a microbatch through a part of the model on a stage.
type slot struct {
	backward bool
	micro    int
	chunk    int // number of the stage's part, 0 for the first in the forward direction
}

// slots returns the order in which a stage computes.
func (j *job) slots(stage int) []slot {
	switch {
	case j.chunks > 1:
		return interleaved(stage, j.PP, j.micro, j.chunks)
	case j.Schedule == "gpipe":
		return gPipe(j.micro)
	}
	return oneForwardOneBackward(stage, j.PP, j.micro)
}

// gPipe does all forward passes before the first backward pass (Huang et al., arXiv
// 1811.06965). The time in which a stage waits is (p-1)/m of the time for which it computes.
func gPipe(micro int) []slot {
	var list []slot
	for _, backward := range []bool{false, true} {
		for m := range micro {
			list = append(list, slot{backward: backward, micro: m})
		}
	}
	return list
}

// oneForwardOneBackward lets a stage run ahead by as many forward passes as there are stages
// after it, then alternates (PipeDream-Flush: Narayanan et al., arXiv 2006.09503). It waits as
// long as gPipe, but keeps at most p microbatches in memory.
func oneForwardOneBackward(stage, stages, micro int) []slot {
	return alternate(min(stages-1-stage, micro), micro, func(k int, backward bool) slot { return slot{backward, k, 0} })
}

// interleaved gives each stage several parts of the model. Microbatches go in groups of as many
// as there are stages, and all of a group pass the first part before any passes the second
// (Narayanan et al., arXiv 2104.04473, §2.2). It waits (p-1)/(v m).
func interleaved(stage, stages, micro, chunks int) []slot {
	ahead := 2*(stages-1-stage) + (chunks-1)*stages
	if micro == stages {
		ahead = micro * chunks
	}
	return alternate(min(ahead, micro*chunks), micro*chunks, func(k int, backward bool) slot {
		turn, within := k/(stages*chunks), k%(stages*chunks)
		chunk := within / stages
		if backward {
			chunk = chunks - 1 - chunk
		}
		return slot{backward, turn*stages + within%stages, chunk}
	})
}

// alternate lists forward passes that run ahead, then one forward and one backward pass in
// turn, then the remaining backward passes.
func alternate(ahead, passes int, at func(k int, backward bool) slot) []slot {
	list := make([]slot, 0, 2*passes)
	for k := range passes + ahead {
		if k < passes {
			list = append(list, at(k, false))
		}
		if k >= ahead {
			list = append(list, at(k-ahead, true))
		}
	}
	return list
}

// divide divides layers into parts as evenly as possible. The parts with one layer less are the
// last, the first, the last but one and so on, because the ends also have the token table and
// the output's matrix (Grattafiori et al., arXiv 2407.21783, §3.3.2).
func divide(layers, parts int) []int {
	most := arithmetic.CeilDiv(layers, parts)
	counts := slices.Repeat([]int{most}, parts)
	for k := range most*parts - layers {
		if k%2 == 0 {
			counts[parts-1-k/2]--
		} else {
			counts[k/2]--
		}
	}
	return counts
}
