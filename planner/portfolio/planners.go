package portfolio

import (
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/derived"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/lines"
	"github.com/lightpath-net/lightpath/planner/resized"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/planner/trees"
)

// Planners returns every planner, "auto" last. User-defined planners are listed before auto,
// which tries them too.
func Planners(own ...planner.Planner) planner.Registry {
	all := staged.Planners()
	all = append(all, staggered.New(staged.Harvest(staged.HarvestOptions{})), exchange.New(exchange.Options{}), direct.New(), joint.New(), trees.New())
	flat := append(slices.Clone(all), own...)
	flat = append(flat, auto.New(taking(flat)))
	all = append(all, derived.New(derivedBy(flat), stayingBy(flat)), lines.New(linesBy(flat)), resized.New(resizedBy(flat)))
	all = append(all, own...)
	return append(all, auto.New(taking(all)))
}

// taking returns the planners that take the steps of algorithms. The other planners are tried
// beside auto.
func taking(all planner.Registry) []planner.Planner {
	var take []planner.Planner
	for _, p := range all {
		if planner.TraitsOf(p).Composes == nil {
			take = append(take, p)
		}
	}
	return take
}

// Takes reports whether a planner can take the steps of an algorithm on a fabric.
func Takes(p planner.Planner, f *fabric.Fabric) bool {
	t := planner.TraitsOf(p)
	return t.Composes == nil && !t.Best && (t.Applies == nil || t.Applies(f) == nil)
}

// Expand returns the planners that p stands for. Auto stands for all that take the steps of an
// algorithm on the fabric, except those that another of them is never slower than.
func Expand(p planner.Planner, registry planner.Registry, f *fabric.Fabric) planner.Registry {
	return expandAll(p, registry, f).Uncovered()
}

// expandAll is Expand including the planners that another is never slower than.
func expandAll(p planner.Planner, registry planner.Registry, f *fabric.Fabric) planner.Registry {
	if !planner.TraitsOf(p).Best {
		return planner.Registry{p}
	}
	return slices.DeleteFunc(slices.Clone(registry), func(p planner.Planner) bool { return !Takes(p, f) })
}
