package exchange

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/units"
)

// Options are what a request may ask of the planner. The zero value leaves everything open.
//
// Chunk matters on fabrics that store and forward. There the data of a pair is cut into the
// best number of chunks out of 1, 2, 3, 4, 6, 8, 12 and so on up to mostPieces. If Chunk
// requires more, it is cut into the first number of that sequence that makes chunks small
// enough. On fabrics that cut through, bytes flow.
type Options struct {
	Strategy Strategy    `json:"strategy,omitempty" help:"planner exchange: strategy ${NAME}" default:"auto"`
	Stages   int         `json:"stages,omitempty" help:"planner exchange: use exactly ${D} topologies (default: the best number)"`
	Chunk    units.Bytes `json:"chunk_bytes,omitzero" help:"planner exchange: the largest chunk to send at once (default: the best)"`
}

// Strategy is one of strategy.Names; "": the best of all.
type Strategy string

// Words implements field.Worded.
func (Strategy) Words() []string { return strategy.Names() }

// Complete implements planner.Options.
func (o *Options) Complete() error {
	o.Strategy = cmp.Or(o.Strategy, strategy.Auto)
	switch {
	case !slices.Contains(strategy.Names(), string(o.Strategy)):
		return field.Errorf("strategy", "unknown strategy %q; use %s", o.Strategy, strings.Join(strategy.Names(), ", "))
	case o.Stages < 0:
		return field.Errorf("stages", "%d; want 1 or more", o.Stages)
	case o.Chunk < 0:
		return field.Errorf("chunk_bytes", "must be above 0B")
	}
	return nil
}

// takes says how the planner takes options.
func (x exchanger) takes() *planner.Configurable {
	c := planner.Takes(x.options, New)
	c.Again = func(p *plan.Plan) planner.Options {
		if p.Independent {
			return &Options{} // for planes that reconfigure together another strategy may be best
		}
		if !slices.Contains(strategy.Names(), p.Strategy) {
			return &Options{} // composed of plans for fewer GPUs
		}
		return &Options{Strategy: Strategy(p.Strategy)}
	}
	return c
}
