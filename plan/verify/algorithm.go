package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
)

// checkAlgorithm compares the steps of the plan with those of the named algorithm. The result
// is unchecked if the name is unknown here, or the algorithm has other steps here.
func checkAlgorithm(ctx context.Context, p *plan.Plan, laid collective.Sized, err error) Check {
	name := fmt.Sprintf("%.80q", p.Collective.Algorithm)
	unchecked := func(why string) Check {
		return Check{Name: "algorithm", Unchecked: true, Detail: name + " is the name in the plan; not checked: " + why}
	}
	if err != nil {
		return unchecked("no algorithm with fixed steps has that name")
	}
	switch err := follows(ctx, p, laid.Steps); {
	case errors.Is(err, errTooMany):
		return unchecked(err.Error())
	case err != nil:
		return unchecked("the algorithm of that name has other steps; " + err.Error())
	}
	return Check{Name: "algorithm", OK: true, Detail: "the steps are those of " + name}
}

// checkOrigin lists what a plan says about its origin, which nothing in the plan can prove.
func checkOrigin(p *plan.Plan) (Check, bool) {
	if p.Planner == "" && p.Strategy == "" {
		return Check{}, false
	}
	text := fmt.Sprintf("planner %.80q", p.Planner)
	if p.Strategy != "" {
		text += fmt.Sprintf(", strategy %.80q", p.Strategy)
	}
	return Check{Name: "origin", Unchecked: true, Detail: text + ": as the plan says, not checked"}, true
}

// checkSymmetry reports a symmetry that a file claims for a step but that its transfers lack. A
// symmetry that they have is checked with the routes.
func checkSymmetry(p *plan.Plan) (Check, bool) {
	if len(p.File.Asymmetric) == 0 {
		return Check{}, false
	}
	return Check{Name: "symmetry", Unchecked: true, Detail: fmt.Sprintf(
		"step %d does not have the symmetry that is claimed for it; its transfers were checked one by one", p.File.Asymmetric[0])}, true
}

// errTooMany says that there are too many transfers to compare one by one.
var errTooMany = errors.New("there are too many transfers to compare one by one")

// maxCompared is the largest number of chunks that the transfers of a step may have for a
// comparison one by one.
const maxCompared = 1 << 20

// follows returns an error if the plan does not have the steps of an algorithm. The plan may
// have divided each of those into several.
func follows(ctx context.Context, p *plan.Plan, steps []collective.Step) error {
	at := 0 // the step of the algorithm
	var parts []*plan.Step
	count := 0
	for _, step := range p.Steps() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if at == len(steps) {
			return fmt.Errorf("step %d is beyond its last", step.Index)
		}
		parts = append(parts, step)
		if count += step.Len(); count < steps[at].Len() {
			continue
		}
		if same, err := sameStep(p, steps[at], parts); err != nil || !same {
			if err == nil {
				err = fmt.Errorf("step %d is not as its step %d", step.Index, at+1)
			}
			return err
		}
		at, parts, count = at+1, nil, 0
	}
	if at < len(steps) {
		return fmt.Errorf("its step %d is missing", at+1)
	}
	return nil
}

// sameStep reports whether the steps of a plan together have the transfers of a step.
func sameStep(p *plan.Plan, step collective.Step, planned []*plan.Step) (bool, error) {
	space := p.Collective.Space
	group := planned[0].Group
	if base := planned[0].Base; len(planned) == 1 {
		want, all := step.EveryPair(&space)
		got, too := collective.EveryPairOf(&space, group, len(base), func(i int) *collective.Transfer { return &base[i].Transfer })
		if all && too {
			return got == want, nil
		}
	}
	parts := each.Of(planned, func(part *plan.Step) collective.Step { return part.Unrouted() })
	shared := within(group, step.Group)
	for _, part := range parts {
		shared = shared && slices.Equal(part.Group.Dims, group.Dims) && slices.Equal(part.Group.Stride, group.Stride)
	}
	if shared { // then it is enough if their representatives are the same
		var base []collective.Transfer
		for _, part := range parts {
			base = append(base, part.Base...)
		}
		under := step.Under(space, group).Base
		if slices.EqualFunc(under, base, sameTransfer) { // also in the same order
			return true, nil
		}
		if listed, err := sameTransfers(slices.Values(under), slices.Values(base)); listed || errors.Is(err, errTooMany) {
			return listed, err
		}
	}
	return sameTransfers(step.All(space), func(yield func(collective.Transfer) bool) {
		for _, part := range parts {
			for t := range part.All(space) {
				if !yield(t) {
					return
				}
			}
		}
	})
}

// within reports whether one group is a subgroup of another, as both are written.
func within(sub, group topology.Translations) bool {
	if sub.Trivial() {
		return true
	}
	if !slices.Equal(sub.Dims, group.Dims) {
		return false
	}
	for i, s := range sub.Stride {
		if s%group.Stride[i] != 0 {
			return false
		}
	}
	return true
}

// sameTransfer reports whether two transfers are written in the same way.
func sameTransfer(a, b collective.Transfer) bool {
	return a.Src == b.Src && a.Dst == b.Dst && a.Action == b.Action && a.Part == b.Part && a.Sides == b.Sides && slices.Equal(a.Chunks, b.Chunks)
}

// sameTransfers compares transfers in any order.
func sameTransfers(a, b func(yield func(collective.Transfer) bool)) (bool, error) {
	found := map[string]int{}
	var key []byte
	chunks := 0
	add := func(all func(yield func(collective.Transfer) bool), by int) error {
		for t := range all {
			if chunks += t.Chunks.Len(); chunks > 2*maxCompared {
				return errTooMany
			}
			key = binary.AppendVarint(binary.AppendVarint(append(append(append(append(key[:0], t.Action...), ' '), t.Part...), byte(t.Sides)), int64(t.Src)), int64(t.Dst))
			for _, c := range slices.Sorted(t.Chunks.All()) {
				key = binary.AppendVarint(key, int64(c))
			}
			if found[string(key)] += by; found[string(key)] == 0 {
				delete(found, string(key))
			}
		}
		return nil
	}
	if err := errors.Join(add(a, 1), add(b, -1)); err != nil {
		return false, errTooMany
	}
	return len(found) == 0, nil
}
