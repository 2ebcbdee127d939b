package portfolio

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
)

// MostWhole is the number of GPUs up to which all ways to carry an operation out are looked
// at. Above it only those are that look the same from every GPU, or that a planner makes
// together with the circuits: others are routed and proven GPU by GPU, each with what all
// others have, which takes the square of their number and more.
const MostWhole = pricing.MostWhole

// mostExchanged is the same for all-to-all with several ports, which takes the square of their
// number of transfers where it does not look the same from every GPU (pricing.MostRouted).
const mostExchanged = 2048

// amongExchanges says what was looked at above mostExchanged GPUs.
var amongExchanges = fmt.Sprintf("plans that look the same from every GPU: there are more than %d GPUs", mostExchanged)

// amongSymmetric says what was looked at above MostWhole GPUs: also plans of planners that make
// their own steps, unless they are for a few operations or always list every GPU's part.
func amongSymmetric(all planner.Registry) string {
	var names []string
	for _, p := range slices.Backward(all) {
		if t := planner.TraitsOf(p); t.Composes != nil && t.Ops == nil && (!t.Listed || t.Compact != nil) {
			names = append(names, p.Name())
		}
	}
	what := "plans that look the same from every GPU"
	if names != nil {
		what += ", and those of " + strings.Join(names, " and ")
	}
	return fmt.Sprintf("%s: there are more than %d GPUs", what, MostWhole)
}

// symmetricOnly leaves, above MostWhole GPUs, those of several ways that look the same from every
// GPU or that planners make with circuits of their own, one GPU's part standing for all; all ways
// where there are none, as of scatters and gathers, whose root is a GPU like no other and whose
// transfers are as few as the GPUs. It reports whether it left any out, or a planner does. With
// strict it leaves none where some look the same and cannot be routed so, which would take minutes.
func (t *Task) symmetricOnly(ctx context.Context, ways []Way, strict bool) (kept []Way, fewer bool) {
	if t.fabric.Nodes <= MostWhole || len(ways) < 2 && !strict {
		return ways, false
	}
	alike := func(collective.Step) bool { return true }
	if base, err := t.fabric.BaseTopology(); err == nil {
		alike = pricing.LooksAlike(base)
	}
	some, whole := false, true // whole: no planner has another search for so many
	for _, w := range ways {
		if !w.symmetric(ctx, t.fabric) {
			continue
		}
		if some = true; planner.TraitsOf(w.Planner).Baseline != plan.Static || w.each(ctx, alike) {
			kept = append(kept, w)
			whole = whole && !planner.TraitsOf(w.Planner).Listed
		}
	}
	if len(kept) == 0 && !(strict && some) {
		return ways, false
	}
	return kept, !whole || len(kept) < len(ways)
}

// symmetric reports whether a way looks the same from every GPU or, as far as it is known
// without planning, may, or is small although it does not.
func (w *Way) symmetric(ctx context.Context, f *fabric.Fabric) bool {
	if w.As != nil { // a pipeline down trees
		return false
	}
	laid, err := w.Lay(ctx)
	if err != nil {
		return true // to be planned for the reason
	}
	if len(laid.Steps) == 0 {
		traits := planner.TraitsOf(w.Planner)
		return !traits.Listed || traits.Compact != nil && traits.Compact(f)
	}
	for i := range laid.Steps {
		if laid.Steps[i].Group.Order() < f.Nodes {
			return false
		}
	}
	return true
}

// each reports whether something holds for every step of a way.
func (w *Way) each(ctx context.Context, holds func(collective.Step) bool) bool {
	laid, err := w.Lay(ctx)
	return err != nil || !slices.ContainsFunc(laid.Steps, func(s collective.Step) bool { return !holds(s) })
}

// uncrowded leaves, above MostWhole GPUs, those ways in which no GPU sends to more others in a
// step than that; all ways where there are none.
func uncrowded(ctx context.Context, ways []Way, nodes int) []Way {
	if nodes <= MostWhole {
		return ways
	}
	few := func(s collective.Step) bool { return len(s.Base) <= MostWhole }
	kept := slices.DeleteFunc(slices.Clone(ways), func(w Way) bool { return !w.each(ctx, few) })
	if len(kept) == 0 {
		return ways
	}
	return kept
}
