package planning

import (
	"cmp"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/portfolio"
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
	// Options are options of planners, each kind at most once; for missing kinds, planners keep
	// their own. In JSON their fields stand among the others.
	Options []planner.Options `json:",inline"`
	PacketOptions

	planners planner.Registry // that the options belong to; nil: Lightpath's
}

// MarshalJSON writes the JSON form.
func (r PlanRequest) MarshalJSON() ([]byte, error) {
	type plain PlanRequest
	return command.WriteRequest(plain(r))
}

// UnmarshalJSON reads the JSON form.
func (r *PlanRequest) UnmarshalJSON(data []byte) error {
	type plain PlanRequest
	if err := r.fillOptions(); err != nil {
		return err
	}
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
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
	if err := r.completeOptions(); err != nil {
		return err
	}
	if err := r.PacketOptions.Complete(); err != nil {
		return err
	}
	return command.CheckBarriers(string(r.Timing), &r.Fabric)
}

// completeFabric fills in the fabric. If the fabric is empty, a pattern or a demand gives the
// number of GPUs.
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

// Asked returns the request in the form of the search.
func (r *PlanRequest) Asked() *portfolio.Request {
	return &portfolio.Request{Operations: r.Operations, Pattern: r.Pattern, Fabric: r.Fabric}
}
