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

// MostWhole is the number of GPUs up to which all ways to carry out an operation are tried. Above
// it, only ways are tried that look the same from every GPU or that a planner makes together with
// the circuits. Other ways are routed and verified GPU by GPU, which takes at least the square of
// the number of GPUs.
const MostWhole = pricing.MostWhole

// mostExchanged is the same limit for all-to-alls with several ports. One that does not look the
// same from every GPU has as many transfers as the square of the number of GPUs
// (pricing.MostRouted).
const mostExchanged = 2048

// amongExchanges says which plans were tried above mostExchanged GPUs.
var amongExchanges = fmt.Sprintf("plans that look the same from every GPU: there are more than %d GPUs", mostExchanged)

// amongSymmetric says which plans were tried above MostWhole GPUs. They include those of planners
// that make their own steps, unless these planners support only few operations or always list
// every GPU's part.
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

// symmetricOnly keeps, above MostWhole GPUs, only the ways that look the same from every GPU or
// that planners make with their own circuits and with one GPU's part standing for all. If there
// are none, it keeps all ways: those of scatters and gathers, for example, whose root is unlike
// other GPUs and which have only as many transfers as GPUs. It reports whether it, or a planner,
// omits any. With strict, it keeps none if some ways look the same but cannot be routed that way,
// which would take minutes.
func (t *Task) symmetricOnly(ctx context.Context, ways []Way, strict bool) (kept []Way, fewer bool) {
	if t.fabric.Nodes <= MostWhole || len(ways) < 2 && !strict {
		return ways, false
	}
	alike := func(collective.Step) bool { return true }
	if base, err := t.fabric.BaseTopology(); err == nil {
		alike = pricing.LooksAlike(base)
	}
	some, whole := false, true // whole: no planner uses another search for so many GPUs
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

// symmetric reports whether a way looks the same from every GPU, may do so as far as is known
// without planning, or is small although it does not.
func (w *Way) symmetric(ctx context.Context, f *fabric.Fabric) bool {
	if w.As != nil { // a pipeline down trees
		return false
	}
	laid, err := w.Lay(ctx)
	if err != nil {
		return true // planning gives the reason
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

// each reports whether holds is true of every step of a way.
func (w *Way) each(ctx context.Context, holds func(collective.Step) bool) bool {
	laid, err := w.Lay(ctx)
	return err != nil || !slices.ContainsFunc(laid.Steps, func(s collective.Step) bool { return !holds(s) })
}

// uncrowded keeps, above MostWhole GPUs, only the ways in which no GPU sends to more than
// MostWhole others in a step. If there are none, it keeps all ways.
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
