package compile

import (
	"context"

	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/plan"
)

var harvestTarget = target[NoOptions, *NoOptions]{HARVEST, "HARVEST schedule, JSON", Transfers, compileHARVEST}

func compileHARVEST(_ context.Context, p *plan.Plan, _ *NoOptions) (*Result, error) {
	if err := together(HARVEST, p); err != nil {
		return nil, err
	}
	return &Result{Files: []File{{Write: harvest.Of(p).Write}}, Notes: cutsThrough(p)}, nil
}
