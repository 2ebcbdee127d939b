package iterating

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// IterateRequest asks for the plan of a whole training iteration.
type IterateRequest struct {
	// Workload is what the ranks do; nil: the workload of Model.
	Workload *workload.Workload `json:"workload,omitempty"`
	// Model is what is trained, as Config says: in JSON its shape, or the name of a published one.
	Model *model.Model `json:"model,omitempty" help:"a model by ${NAME}, trained as the other flags say"`
	parallel.Config
	// Fabric is the machine. It has a GPU for every rank.
	Fabric fabric.Fabric `json:"fabric,omitzero"`
	// DemandTrace is the demand of the experts' all-to-alls in successive iterations. Each demand
	// is known when its iteration begins. Only the proportions of a demand matter.
	DemandTrace collective.TraceValue `json:"demand_trace,omitzero" help:"follow the demand of experts from step to step and decide when to reconfigure; ${TRACE} has a matrix per step: drift:STEPS:RATE"`
	// Policy decides which ports to rewire, and when.
	Policy string `json:"policy,omitempty" help:"policy ${NAME}, which assigns ports to kinds of groups: best | static (divided once) | phases (all ports to the kind that communicates) | phases-ahead (the same, but reconfigured as soon as ports are free) | each (each collective on its own) | one (one topology for all)" default:"best"`
}

// UnmarshalJSON reads the JSON form.
func (r *IterateRequest) UnmarshalJSON(data []byte) error {
	type plain IterateRequest
	return command.ReadRequest(data, (*plain)(r))
}

// load returns the given workload or that of the model.
func (r *IterateRequest) load() (*workload.Workload, error) {
	switch {
	case r.Workload == nil && r.Model == nil:
		return nil, field.Errorf("workload", "missing; want a workload, or a model: %s", strings.Join(model.Names(), ", "))
	case r.Workload != nil && r.Model != nil:
		return nil, field.Errorf("model", "there is a workload already; want one of them")
	case r.Workload != nil && r.Config != (parallel.Config{}):
		return nil, field.Errorf(r.Config.First(), "for a model; the workload says itself how its ranks train")
	case r.Workload != nil:
		return r.Workload, nil
	}
	if err := r.Model.Complete(); err != nil {
		return nil, field.In("model", err)
	}
	return parallel.Make(r.Model, r.Config)
}

// Complete fills in the defaults and reports the first invalid field.
func (r *IterateRequest) Complete() error {
	w, err := r.load()
	if err != nil {
		return err
	}
	if r.Workload != nil {
		if err := w.Check(); err != nil {
			return field.In("workload", err)
		}
	}
	if w.Ranks < 2 {
		return field.Errorf(r.ranksField(), "the iteration has one rank, which does not communicate; want at least 2 ranks")
	}
	if r.Fabric.IsZero() {
		r.Fabric = fabric.Default()
		r.Fabric.Nodes = 0
	}
	switch r.Fabric.Nodes {
	case 0, fabric.Default().Nodes:
		r.Fabric.Nodes = w.Ranks
	case w.Ranks:
	default:
		return field.In("fabric", field.Errorf("nodes", "%d; the workload has %d ranks, each on a GPU of its own", r.Fabric.Nodes, w.Ranks))
	}
	if err := r.Fabric.Validate(); err != nil {
		return field.In("fabric", err)
	}
	if !r.DemandTrace.IsZero() {
		if err := r.checkTrace(w); err != nil {
			return err
		}
	}
	return CompletePolicy(&r.Policy)
}

// checkTrace reports what is wrong with a trace of demands for a workload.
func (r *IterateRequest) checkTrace(w *workload.Workload) error {
	_, members, err := w.Skewed(even)
	if err == nil {
		err = r.DemandTrace.Check(members)
	}
	switch {
	case err != nil:
		return field.Errorf("demand_trace", "%w", err)
	case r.Skew != "":
		return field.Errorf("skew", "there is a trace of demands already; want one of them")
	case r.Fabric.Initial != fabric.InitialFree:
		return field.In("fabric", field.Errorf("initial", "%q; a trace begins with the circuits that the plan for even demand leaves", r.Fabric.Initial))
	}
	return nil
}

// ranksField names the field that says how many ranks there are.
func (r *IterateRequest) ranksField() string {
	if r.Workload != nil {
		return field.Join("workload", "ranks")
	}
	return "dp"
}

// CompletePolicy fills in the best policy if there is none, and returns an error for an unknown
// policy.
func CompletePolicy(policy *string) error {
	*policy = cmp.Or(*policy, iteration.Best)
	if known := append([]string{iteration.Best}, iteration.Policies()...); !slices.Contains(known, *policy) {
		return field.Errorf("policy", "%.40q is not one of %s", *policy, strings.Join(known, ", "))
	}
	return nil
}
