package wiring

import (
	"io"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/units"
)

// WireSchema names the JSON form of the answer and its version.
const WireSchema = "lightpath.wire/v1"

// LayoutTable lists layouts, the one with the least loss first.
type LayoutTable struct {
	Schema string        `json:"schema"`
	Fabric fabric.Fabric `json:"fabric"`
	Radix  int           `json:"radix"`
	Spares int           `json:"spares,omitempty"` // ports of every switch that stay free
	// For are the operations, with their times on the ideal switch.
	For []WiredOperation `json:"for"`
	// Layouts are those that switches of the radix allow. Layouts that leave an operation
	// without a plan come last, with the reason.
	Layouts []PluggedLayout `json:"layouts"`
	// Technology is the optical switch of the bills: the requested one, or the cheapest that
	// switches within the fabric's delay. Light says how many such switches a link can pass.
	Technology string            `json:"technology,omitempty"`
	Light      *parts.LossBudget `json:"light,omitempty"`
	// Unpriced says why there are no bills.
	Unpriced string `json:"unpriced,omitempty"`
	// Best is the layout with the least loss and, among equals, the fewest switches; "" if there
	// is none.
	Best string `json:"best,omitempty"`
}

// WiredOperation is an operation that the layout is for.
type WiredOperation struct {
	Op        collective.Op `json:"op"`
	SizeBytes int64         `json:"size_bytes"`
	IdealNs   units.Time    `json:"ideal_ns"` // with all ports on one switch
}

// PluggedLayout is a way to plug ports into switches.
type PluggedLayout struct {
	Layout   string `json:"layout"`
	Switches int    `json:"switches"`
	// PortsUsed is the largest number of plugged-in ports of a switch; SparePorts is the number
	// of unused ports of all switches.
	PortsUsed  int `json:"ports_used"`
	SparePorts int `json:"spare_ports"`
	Fibres     int `json:"fibres"` // two per plugged-in port
	// Loss is how much longer the operations take than on the ideal switch: the mean of the
	// ratios of their times, less 1.
	Loss float64 `json:"loss"`
	// Bounded says that Loss is a lower bound, from the bounds of the operations on this layout.
	// Such a layout cannot be the best, and not all operations were planned on it.
	Bounded bool         `json:"bounded,omitempty"`
	TimesNs []units.Time `json:"times_ns,omitempty"` // of the operations
	Reason  string       `json:"reason,omitempty"`   // why an operation has no plan
	// CostUSD and PowerW are the totals of the bill: switches with their spare ports,
	// transceivers, fibres and network cards.
	CostUSD *parts.Range `json:"cost_usd,omitempty"`
	PowerW  *parts.Range `json:"power_w,omitempty"`
	Bill    []parts.Line `json:"bill,omitempty"`
}

// WriteCSV writes the best layout for the people who plug cables: gpu,port,switch.
func (a *LayoutTable) WriteCSV(to io.Writer) error {
	text := a.Best
	if text == layout.Ideal { // one switch
		p, err := layout.OneSwitch(a.Fabric.Nodes, a.Fabric.Ports)
		if err != nil {
			return err
		}
		return p.WriteCSV(to)
	}
	l, err := layout.Parse(text)
	if err != nil {
		return err
	}
	p, err := l.Plug(a.Fabric.Nodes, a.Fabric.Ports)
	if err != nil {
		return err
	}
	return p.WriteCSV(to)
}
