// Package placing implements the command place: the best GPUs for a job on a shared fabric.
package placing

import (
	"cmp"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
)

// PlaceRequest asks for the best GPUs for a job.
type PlaceRequest struct {
	// Operation is what the job does; without an op, an allreduce. It must not name GPUs,
	// because place finds them.
	Operation collective.Operation `json:"operation,omitzero"`
	// Fabric is the machine, with failures and the GPUs that other jobs hold.
	Fabric      fabric.Fabric `json:"fabric,omitzero"`
	NodesNeeded int           `json:"nodes_needed,omitempty" help:"number of GPUs that the job needs"`
	Planner     string        `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
}

// UnmarshalJSON reads the JSON form.
func (r *PlaceRequest) UnmarshalJSON(data []byte) error {
	type plain PlaceRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *PlaceRequest) Complete() error {
	r.Operation.Op = cmp.Or(r.Operation.Op, collective.AllReduce)
	if err := command.CompleteOperation(&r.Operation, &r.Fabric); err != nil {
		return err
	}
	if err := command.OnlyChanges(&r.Fabric, "placing a job"); err != nil {
		return err
	}
	if r.Operation.GPUs != nil {
		return field.Errorf("operation.gpus", "place finds the GPUs; give only `nodes_needed`")
	}
	if r.Operation.Demand != nil || r.Operation.Generator != "" {
		return field.Errorf("operation.demand", "place takes only operations in which all pairs send the same")
	}
	if free := len(r.Fabric.Present()); r.NodesNeeded < fabric.MinNodes || r.NodesNeeded > free {
		if r.NodesNeeded == 0 {
			return field.Errorf("nodes_needed", "say how many GPUs the job needs, %d..%d", fabric.MinNodes, free)
		}
		return field.Errorf("nodes_needed", "%d is not in %d..%d, the number of free GPUs", r.NodesNeeded, fabric.MinNodes, free)
	}
	r.Planner = cmp.Or(r.Planner, collective.Auto)
	return nil
}
