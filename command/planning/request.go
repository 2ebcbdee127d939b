package planning

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/exchange"
	"github.com/lightpath-net/lightpath/planner/exchange/strategy"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/planner/staged"
	"github.com/lightpath-net/lightpath/planner/staggered"
	"github.com/lightpath-net/lightpath/units"
)

// PlanRequest asks for a plan: of one operation, of several one after the other, or of a
// pattern.
type PlanRequest struct {
	// Operations are performed one after the other.
	Operations []collective.Operation `json:"operations,omitempty"`
	// Pattern is a user-defined collective, instead of Operations.
	Pattern *collective.PatternFile `json:"pattern,omitempty" help:"plan the steps in ${FILE}.json instead of an operation"`
	Fabric  fabric.Fabric           `json:"fabric,omitzero"`
	Planner string                  `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
	HarvestOptions
	ExchangeOptions
	PacketOptions
}

// HarvestOptions are for planner harvest.
type HarvestOptions struct {
	// Synthesis says where harvest takes topologies from; "": from its pool.
	Synthesis staged.Synthesis `json:"synthesis,omitempty" help:"${HOW} harvest finds topologies: pool | search | exact" default:"pool"`
	// Budget is roughly how long the topology search may take for each algorithm, number of
	// pieces and number of ports in use. It stands for an effort that is the same on every machine
	// (staged.EffortFor); 0: staged.DefaultBudget.
	Budget units.Duration `json:"budget_ns,omitzero" help:"effort of the topology search, per algorithm, e.g. 30s" default:"10s"`
}

// ExchangeOptions are for planner exchange.
type ExchangeOptions struct {
	Strategy string      `json:"strategy,omitempty" help:"planner exchange: which strategy, ${NAME}" default:"auto"`
	Stages   int         `json:"stages,omitempty" help:"planner exchange: use exactly ${D} topologies (default: the best number)"`
	Chunk    units.Bytes `json:"chunk_bytes,omitzero" help:"planner exchange: the largest chunk to send at once (default: the best)"`
}

// UnmarshalJSON reads the JSON form.
func (r *PlanRequest) UnmarshalJSON(data []byte) error {
	type plain PlanRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *PlanRequest) Complete() error {
	if err := r.completeFabric(); err != nil {
		return err
	}
	r.Planner = cmp.Or(r.Planner, collective.Auto)
	switch {
	case r.Pattern != nil && len(r.Operations) > 0:
		return field.Errorf("pattern", "a pattern and an operation: want one of them")
	case r.Pattern == nil && len(r.Operations) == 0:
		return field.Errorf("operations", "no operation; want one of %v", collective.Ops())
	case r.Pattern != nil && r.Pattern.Nodes != r.Fabric.Nodes:
		return command.PatternNodes(r.Pattern, &r.Fabric)
	}
	for i := range r.Operations {
		if err := r.Operations[i].Complete(r.Fabric.Nodes); err != nil {
			return field.In(field.Index("operations", i), err)
		}
	}
	if err := r.HarvestOptions.complete(); err != nil {
		return err
	}
	if err := r.PacketOptions.Complete(); err != nil {
		return err
	}
	if err := r.ExchangeOptions.complete(); err != nil {
		return err
	}
	exchanges := func(o collective.Operation) bool { return o.Op == collective.AllToAll }
	if r.Pattern == nil && !slices.ContainsFunc(r.Operations, exchanges) {
		return r.unused("only applies to alltoall, where planner exchange uses it")
	}
	return nil
}

// completeFabric fills in the fabric. Where there is none at all, a pattern or a demand
// says how many GPUs there are.
func (r *PlanRequest) completeFabric() error {
	if r.Fabric.IsZero() {
		r.Fabric = fabric.Default()
		switch {
		case r.Pattern != nil:
			r.Fabric.Nodes, r.Fabric.Ports = r.Pattern.Nodes, cmp.Or(r.Pattern.Ports, r.Fabric.Ports)
		case len(r.Operations) == 1 && r.Operations[0].Demand != nil && r.Operations[0].GPUs == nil:
			r.Fabric.Nodes = len(r.Operations[0].Demand)
		}
	}
	return field.In("fabric", r.Fabric.Validate())
}

func (o *HarvestOptions) complete() error {
	if o.Synthesis == "" {
		o.Synthesis = staged.SynthesisPool
	}
	if _, err := staged.ParseSynthesis(string(o.Synthesis)); err != nil {
		return field.In("synthesis", err)
	}
	if o.Budget < 0 {
		return field.Errorf("budget_ns", "must be above 0s")
	}
	return nil
}

// untaken reports the first option that is set but does not reach a planner.
func (r *PlanRequest) untaken(p planner.Planner) error {
	traits := planner.TraitsOf(p)
	if traits.Best {
		return nil // it tries all planners
	}
	searches := r.Synthesis != staged.SynthesisPool
	// Where it searches, harvest looks for circuits for the steps of exchange, too.
	if p.Name() != exchange.Name && !(traits.Improves && searches) {
		if err := r.ExchangeOptions.unused("only applies to planner exchange and auto, not to " + p.Name()); err != nil {
			return err
		}
	}
	words := "only applies to planner harvest, staggered and auto, not to " + p.Name()
	switch {
	case traits.Improves || p.Name() == staggered.Name: // which has harvest plan for it
		return nil
	case searches:
		return field.Errorf("synthesis", "%s", words)
	case r.Budget != 0:
		return field.Errorf("budget_ns", "%s", words)
	}
	return nil
}

// unused reports the first option that is set, where none has an effect.
func (o *ExchangeOptions) unused(words string) error {
	switch {
	case o.Strategy != strategy.Auto:
		return field.Errorf("strategy", "%s", words)
	case o.Stages != 0:
		return field.Errorf("stages", "%s", words)
	case o.Chunk != 0:
		return field.Errorf("chunk_bytes", "%s", words)
	}
	return nil
}

func (o *ExchangeOptions) complete() error {
	o.Strategy = cmp.Or(o.Strategy, strategy.Auto)
	switch {
	case !slices.Contains(strategy.Names(), o.Strategy):
		return field.Errorf("strategy", "unknown strategy %q; use %s", o.Strategy, strings.Join(strategy.Names(), ", "))
	case o.Stages < 0:
		return field.Errorf("stages", "%d; want 1 or more", o.Stages)
	case o.Chunk < 0:
		return field.Errorf("chunk_bytes", "must be above 0B")
	}
	return nil
}

// planners returns the planners that there are, with the options of the request. It is the
// one place that knows how these reach them.
func (r *PlanRequest) planners(e *command.Environment) planner.Registry {
	return e.Planners(portfolio.Options{
		Harvest:  staged.HarvestOptions{Synthesis: r.Synthesis, Effort: staged.EffortFor(r.Budget.Std())},
		Exchange: exchange.Options{Strategy: r.Strategy, Stages: r.Stages, Chunk: r.Chunk},
	})
}

// Asked is the request as the search has it.
func (r *PlanRequest) Asked() *portfolio.Request {
	return &portfolio.Request{Operations: r.Operations, Pattern: r.Pattern, Fabric: r.Fabric}
}
