package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// exchangeFlags are the flags of planner exchange.
type exchangeFlags struct {
	strategy string
	stages   int
	chunk    *word
}

func addExchangeFlags(c *cobra.Command) *exchangeFlags {
	f := &exchangeFlags{chunk: &word{"", "SIZE"}}
	c.Flags().StringVar(&f.strategy, "strategy", strategy.Auto, "planner exchange: which strategy, `NAME`: "+strings.Join(strategy.Names(), " | "))
	c.Flags().IntVar(&f.stages, "stages", 0, "planner exchange: use exactly `D` topologies (default: the best number)")
	c.Flags().Var(f.chunk, "chunk", "planner exchange: the largest chunk to send at once (default: the best)")
	offer(c, "strategy", strategy.Names)
	return f
}

func (f *exchangeFlags) options(c *cobra.Command) (o lightpath.ExchangeOptions, err error) {
	if c.Flags().Changed("strategy") {
		o.Strategy = f.strategy
	}
	if c.Flags().Changed("stages") {
		if o.Stages = f.stages; f.stages == 0 {
			return o, fmt.Errorf("--stages: 0; want 1 or more")
		}
	}
	if c.Flags().Changed("chunk") {
		if o.Chunk, err = units.ParsePositiveBytes(f.chunk.text); err != nil {
			return o, fmt.Errorf("--chunk: %w", err)
		}
	}
	return o, nil
}
