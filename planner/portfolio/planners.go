package portfolio

import (
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/auto"
	"github.com/lightpath-net/lightpath/planner/direct"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/joint"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
)

// Options are those of planners that have some.
type Options struct {
	Harvest  staged.HarvestOptions
	Exchange exchange.Options
}

// Planners returns every planner, "auto" last.
func Planners(o Options) planner.Registry {
	all := staged.PlannersWith(o.Harvest)
	all = append(all, staggered.New(staged.Harvest(o.Harvest)))
	best := auto.New(all)
	all = append(all, exchange.New(o.Exchange), direct.New(), joint.New())
	return append(all, best)
}
