package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
)

// exchangeFlags are the flags of planner exchange.
type exchangeFlags struct {
	strategy string
	stages   int
	chunk    *word
}

func addExchangeFlags(c *cobra.Command) *exchangeFlags {
	f := &exchangeFlags{chunk: &word{"", "SIZE"}}
	c.Flags().StringVar(&f.strategy, "strategy", strategy.Auto, "of planner exchange: "+strings.Join(strategy.Names(), " | ")+" `NAME`")
	c.Flags().IntVar(&f.stages, "stages", 0, "of planner exchange: exactly so many topologies `D` (default: the best number)")
	c.Flags().Var(f.chunk, "chunk", "of planner exchange: the largest that is sent at once (default: the best)")
	return f
}

func (f *exchangeFlags) read(c *cobra.Command, request *lightpath.PlanRequest) error {
	if !slices.Contains(strategy.Names(), f.strategy) {
		return fmt.Errorf("--strategy: unknown strategy %q; use %s", f.strategy, strings.Join(strategy.Names(), ", "))
	}
	if f.stages < 0 || c.Flags().Changed("stages") && f.stages == 0 {
		return fmt.Errorf("--stages: %d; want 1 or more", f.stages)
	}
	request.Strategy, request.Stages = f.strategy, f.stages
	if c.Flags().Changed("chunk") {
		size, err := positiveBytes(f.chunk.text)
		if err != nil {
			return fmt.Errorf("--chunk: %w", err)
		}
		request.Chunk = size
	}
	return nil
}
