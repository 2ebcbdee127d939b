// Package available implements the command availability: how long, and how fast, a fabric works
// whose parts fail.
package available

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/command/wiring"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/units"
)

// AvailabilityRequest asks how long a fabric works, and how fast.
type AvailabilityRequest struct {
	// Fabric is the machine with its spares. Without a layout, ports are plugged into the fewest
	// switches, as in design.
	Fabric fabric.Fabric `json:"fabric,omitzero"`
	// For are the operations whose total time determines the speed.
	For []collective.Operation `json:"for,omitempty"`
	// Technology is the optical switch. If the delay is the default, the technology also sets the
	// delay.
	Technology string `json:"technology,omitempty" help:"optical switches of technology ${NAME} (default: the cheapest that switches within the delay)"`
	// Parts are the user's own parts, with their failures and repairs.
	Parts *parts.Catalogue `json:"parts,omitempty" help:"also use the parts in ${FILE}.yaml, with their failures and repairs"`
	// SpareSwitches is the number of switches that replace failed ones anywhere in the fabric.
	SpareSwitches int `json:"spare_switches,omitempty" help:"number of spare switches for the whole fabric"`
	// NodesNeeded is the smallest number of GPUs with which the job can go on.
	NodesNeeded int `json:"nodes_needed,omitempty" help:"the job can go on with ${K} GPUs or more (default: all GPUs that are not spare)"`
	// GPUFailures counts failures of GPUs, too.
	GPUFailures bool `json:"gpu_failures,omitempty" help:"GPUs fail as well"`
	// Plans bounds the plans around failures.
	Plans   int    `json:"plans,omitempty" help:"plan for at most ${K} states with failures" default:"12"`
	Seed    uint64 `json:"seed,omitempty" help:"seed of the random samples"`
	Planner string `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
}

// UnmarshalJSON reads the JSON form.
func (r *AvailabilityRequest) UnmarshalJSON(data []byte) error {
	type plain AvailabilityRequest
	return command.ReadRequest(data, (*plain)(r))
}

const (
	// usualPlans is the default of Plans.
	usualPlans = 12
	// mostPlans bounds Plans, because each plan may take seconds.
	mostPlans = 10_000
	// mostSpares bounds spare switches.
	mostSpares = 1 << 16
	// usual is the size of the default operation.
	usual = 64 * units.MiB
)

// Complete fills in the defaults and reports the first invalid field.
func (r *AvailabilityRequest) Complete() error {
	if r.Fabric.IsZero() {
		r.Fabric = fabric.Default()
	}
	f := &r.Fabric
	if err := command.OnlyChanges(f, "failures"); err != nil {
		return err
	}
	all, err := parts.With(r.Parts)
	if err != nil {
		return field.In("parts", err)
	}
	if err := r.complete(all); err != nil {
		return err
	}
	if err := f.Validate(); err != nil {
		return field.In("fabric", err)
	}
	if f.Avoid.String() != "" {
		return field.Errorf("fabric.avoid", "failures are random here; leave it out")
	}
	if f.Avoid.Held() != "" {
		return field.Errorf("fabric.held", "the job has the fabric to itself; leave it out")
	}
	active := f.Nodes - f.Spares.Islands*max(1, f.Island.Size)
	r.NodesNeeded = cmp.Or(r.NodesNeeded, active)
	if err := field.Range(r.NodesNeeded, fabric.MinNodes, active); err != nil {
		return field.In("nodes_needed", err)
	}
	r.Plans = cmp.Or(r.Plans, usualPlans)
	if err := field.Range(r.Plans, 1, mostPlans); err != nil {
		return field.In("plans", err)
	}
	if err := field.Range(r.SpareSwitches, 0, mostSpares); err != nil {
		return field.In("spare_switches", err)
	}
	r.Planner = cmp.Or(r.Planner, collective.Auto)
	r.For = slices.Clone(r.For)
	if r.For == nil {
		r.For = []collective.Operation{{Op: collective.AllReduce, Size: usual}}
	}
	for i := range r.For {
		o := &r.For[i]
		if err := o.Complete(f.Nodes); err != nil {
			return field.In(field.Index("for", i), err)
		}
		if o.GPUs != nil || o.Demand != nil || o.Generator != "" {
			return field.Errorf(field.Index("for", i), "want an operation of all GPUs in which all pairs send the same")
		}
	}
	return nil
}

// complete chooses the technology, and a layout if there is none.
func (r *AvailabilityRequest) complete(all *parts.Catalogue) error {
	f := &r.Fabric
	if r.Technology != "" {
		of, err := all.Technology(r.Technology)
		if err != nil {
			return field.In("technology", err)
		}
		if f.Reconfig.String() == fabric.Default().Reconfig.String() {
			f.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: of.Switching}
		}
	} else if r.Technology = all.Cheapest(max(2, f.Radix), f.Reconfig.Within()); r.Technology == "" {
		return field.Errorf("technology", "no known one switches within %v; name one", f.Reconfig.Within())
	}
	of := all.Switches[r.Technology]
	if f.Radix > of.Ports {
		return field.Errorf("fabric.radix", "%d: switches of %s have %d ports", f.Radix, r.Technology, of.Ports)
	}
	f.Radix = cmp.Or(f.Radix, of.Ports)
	if f.Spares.Ports > f.Radix-2 {
		return field.Errorf("fabric.spares", "%d of %d ports of a switch leave fewer than 2", f.Spares.Ports, f.Radix)
	}
	if !f.Layout.IsZero() {
		return nil
	}
	bare := *f
	bare.Spares, bare.Radix = fabric.Spares{}, 0
	if err := bare.Validate(); err != nil {
		return field.In("fabric", err)
	}
	l, _, err := wiring.Fewest(&bare, f.Radix-f.Spares.Ports)
	if err != nil {
		return field.In("technology", err)
	}
	f.Layout = l
	return nil
}

// plugged returns how the ports are plugged.
func plugged(f *fabric.Fabric) (*layout.Plugging, error) {
	if f.Layout.IsZero() {
		return layout.OneSwitch(f.Nodes, f.Ports)
	}
	p, err := f.Layout.Plug(f.Nodes, f.Ports)
	return p, field.In("fabric.switches", err)
}
