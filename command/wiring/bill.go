package wiring

import (
	"cmp"
	"fmt"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/field"
)

// price chooses the technology of the bills and its loss budget.
func (w *comparison) price() error {
	all, err := parts.With(w.Parts)
	if err != nil {
		return field.In("parts", err)
	}
	a, f := w.table, &w.Fabric
	w.parts = all
	within := f.Reconfig.Within()
	if a.Technology = cmp.Or(w.Technology, all.Cheapest(w.Radix, within)); a.Technology == "" {
		a.Unpriced = fmt.Sprintf("no known technology has %d ports and switches within %v", w.Radix, within)
		return nil
	}
	if a.Light, err = all.Light(f.Bandwidth, a.Technology); err != nil {
		return w.unpriced(err)
	}
	return nil
}

// unpriced records why there are no bills. It is an error if the request names a technology.
func (w *comparison) unpriced(err error) error {
	if w.Technology != "" {
		return field.In("technology", err)
	}
	w.table.Technology, w.table.Light, w.table.Unpriced = "", nil, err.Error()
	return nil
}

// bill writes the bill of a layout.
func (w *comparison) bill(row *PluggedLayout, p *layout.Plugging) error {
	if w.table.Technology == "" {
		return nil
	}
	f := &w.Fabric
	m := parts.Machine{Nodes: f.Nodes, Ports: f.Ports, Bandwidth: f.Bandwidth, Island: f.Island.Size, IslandBandwidth: f.Island.Bandwidth}
	b, err := w.parts.Optical(m, p, w.table.Technology, w.Radix)
	if err != nil {
		return w.unpriced(err)
	}
	row.CostUSD, row.PowerW, row.Bill = &b.CostUSD, &b.PowerW, b.Lines
	return nil
}
