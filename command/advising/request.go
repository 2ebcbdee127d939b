package advising

import (
	"cmp"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
)

// AdviseRequest asks what a change of the fabric would buy.
type AdviseRequest struct {
	Operation collective.Operation `json:"operation"`
	// More are further operations, each treated on its own.
	More    []collective.Operation `json:"more,omitempty"`
	Fabric  fabric.Fabric          `json:"fabric,omitzero"`
	Planner string                 `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
	// MostPorts is the largest number of ports to try; 0: twice the fabric's, at least 4.
	MostPorts int `json:"most_ports,omitempty" help:"largest number of ports to try, ${D} (default: twice the fabric's, at least 4)"`
}

// UnmarshalJSON reads the JSON form.
func (r *AdviseRequest) UnmarshalJSON(data []byte) error {
	type plain AdviseRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first field that makes no sense.
func (r *AdviseRequest) Complete() error {
	if err := command.CompleteOperation(&r.Operation, &r.Fabric); err != nil {
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
