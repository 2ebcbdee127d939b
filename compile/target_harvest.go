package compile

import (
	"context"

	"github.com/lightpath-net/lightpath/compile/harvest"
	"github.com/lightpath-net/lightpath/plan"
)

type harvestTarget struct{}

func (harvestTarget) Format() Format   { return HARVEST }
func (harvestTarget) About() string    { return "HARVEST schedule, JSON" }
func (harvestTarget) Options() Options { return &NoOptions{} }

func (harvestTarget) Compile(_ context.Context, p *plan.Plan, _ Options) (*Result, error) {
	if err := together(HARVEST, p); err != nil {
		return nil, err
	}
	return &Result{Files: []File{{Write: harvest.Of(p).Write}}, Notes: cutsThrough(p)}, nil
}
