// Package workloads implements the command workload: a training iteration as a document that other
// commands read.
package workloads

import (
	"strings"

	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/workload"
	"github.com/lightpath-net/lightpath/workload/model"
	"github.com/lightpath-net/lightpath/workload/parallel"
)

// WorkloadRequest asks for the workload of a model, or for a summary of an existing one.
type WorkloadRequest struct {
	// Model is the model that is trained: in JSON its shape, or the name of a published model.
	Model *model.Model `json:"model,omitempty" help:"a published model ${NAME}"`
	// Config is how the model is trained; it must be empty without a model.
	parallel.Config
	// Workload is an existing workload, instead of a model.
	Workload *workload.Workload `json:"workload,omitempty"`
}

// UnmarshalJSON reads the JSON form.
func (r *WorkloadRequest) UnmarshalJSON(data []byte) error {
	type plain WorkloadRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *WorkloadRequest) Complete() error {
	switch {
	case r.Model == nil && r.Workload == nil:
		return field.Errorf("model", "missing; want a shape, or one of %s", strings.Join(model.Names(), ", "))
	case r.Model != nil && r.Workload != nil:
		return field.Errorf("workload", "not with a model")
	case r.Workload != nil:
		if r.Config != (parallel.Config{}) {
			return field.Errorf(r.Config.First(), "for a model; the workload says itself how its ranks train")
		}
		return field.In("workload", r.Workload.Check())
	}
	if err := r.Model.Complete(); err != nil {
		return field.In("model", err)
	}
	return r.Config.Complete(r.Model)
}
