package advising

import (
	"cmp"
	"reflect"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/iterating"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/workload"
)

// AdviseRequest asks what each change of the fabric would save.
type AdviseRequest struct {
	Operation collective.Operation `json:"operation,omitzero"`
	// More are further operations, each treated on its own.
	More []collective.Operation `json:"more,omitempty"`
	// Workload is planned as a whole iteration, in place of operations.
	Workload *workload.Workload `json:"workload,omitempty" help:"advise on iterations of the workload in ${FILE}.json, in place of operations"`
	Fabric   fabric.Fabric      `json:"fabric,omitzero"`
	Planner  string             `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
	// MostPorts is the largest number of ports to try; 0: twice the fabric's, at least 4.
	MostPorts int `json:"most_ports,omitempty" help:"largest number of ports to try, ${D} (default: twice the fabric's, at least 4)"`
}

// UnmarshalJSON reads the JSON form.
func (r *AdviseRequest) UnmarshalJSON(data []byte) error {
	type plain AdviseRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *AdviseRequest) Complete() error {
	if r.Workload != nil {
		if err := r.completeWorkload(); err != nil {
			return err
		}
	} else if err := command.CompleteOperation(&r.Operation, &r.Fabric); err != nil {
		return err
	}
	if err := command.OnlyChanges(&r.Fabric, "advice on when changes pay"); err != nil {
		return err
	}
	for i := range r.More {
		if err := r.More[i].Complete(r.Fabric.Nodes); err != nil {
			return field.In(field.Index("more", i), err)
		}
	}
	r.Planner = cmp.Or(r.Planner, collective.Auto)
	if r.MostPorts == 0 {
		r.MostPorts = max(4, 2*r.Fabric.Ports)
	}
	if r.MostPorts < r.Fabric.Ports || r.MostPorts > fabric.MaxPorts {
		return field.Errorf("most_ports", "%d is not in %d..%d", r.MostPorts, r.Fabric.Ports, fabric.MaxPorts)
	}
	return nil
}

// completeWorkload checks the other fields beside a workload.
func (r *AdviseRequest) completeWorkload() error {
	switch {
	case !reflect.ValueOf(r.Operation).IsZero() || len(r.More) > 0:
		return field.Errorf("operation", "there is a workload, too; want one of them")
	case r.Planner != "" && r.Planner != collective.Auto:
		return field.Errorf("planner", "not with a workload, whose collectives are planned by all of them")
	}
	asked := iterating.IterateRequest{Workload: r.Workload, Fabric: r.Fabric}
	err := asked.Complete()
	r.Fabric = asked.Fabric
	return err
}
