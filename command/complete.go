package command

import (
	"cmp"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
)

// CompleteOperation fills in an operation and its fabric. If the fabric is empty, a demand gives
// the number of GPUs.
func CompleteOperation(o *collective.Operation, f *fabric.Fabric) error {
	if f.IsZero() && o.Demand != nil && o.GPUs == nil {
		*f = fabric.Default()
		f.Nodes = len(o.Demand)
	}
	if err := CompleteFabric(f); err != nil {
		return err
	}
	return field.In("operation", o.Complete(f.Nodes))
}

// PatternNodes returns an error if a pattern is for another number of GPUs.
func PatternNodes(p *collective.PatternFile, f *fabric.Fabric) error {
	return field.Errorf("pattern", "it is for %d nodes, the fabric has %d", p.Nodes, f.Nodes)
}

// CompletePattern fills in the fabric for a pattern.
func CompletePattern(p *collective.PatternFile, f *fabric.Fabric) error {
	if f.IsZero() {
		*f = fabric.Default()
		f.Nodes, f.Ports = p.Nodes, cmp.Or(p.Ports, f.Ports)
	}
	if err := CompleteFabric(f); err != nil {
		return err
	}
	if p.Nodes != f.Nodes {
		return PatternNodes(p, f)
	}
	return nil
}

// CompleteFabric fills in the fabric of a request: an empty fabric stands for the default.
func CompleteFabric(f *fabric.Fabric) error {
	if f.IsZero() {
		*f = fabric.Default()
	}
	return field.In("fabric", f.Validate())
}

// OnlyChanges refuses a fabric that charges steps (fabric.ChargeSteps). It is for commands and
// settings that charge only changes of circuits.
func OnlyChanges(f *fabric.Fabric, what string) error {
	if f.Charge == fabric.ChargeChanges {
		return nil
	}
	return field.Errorf("fabric.charge", "%s does not go with %s; use %s", f.Charge, what, fabric.ChargeChanges)
}
