// Package wiring implements the command wire: which ports to plug into which switches.
package wiring

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/units"
)

// WireRequest asks how to plug the ports of GPUs into switches.
type WireRequest struct {
	// Fabric is the machine; its own layout, if it has one, is compared with the others.
	Fabric fabric.Fabric `json:"fabric,omitzero"`
	// Radix is how many ports a switch has.
	Radix int `json:"radix,omitempty"`
	// Spares is how many ports of every switch stay free.
	Spares int `json:"spares,omitempty"`
	// For are the operations that matter, with equal weights.
	For     []collective.Operation `json:"for,omitempty"`
	Planner string                 `json:"planner,omitempty" help:"planner ${NAME}, or auto: the fastest" default:"auto"`
	// Technology is the optical switch on the bill.
	Technology string `json:"technology,omitempty" help:"bill switches of technology ${NAME} (default: the cheapest that switches within the delay)"`
	// Parts are prices and parts of one's own.
	Parts *parts.Catalogue `json:"parts,omitempty" help:"also use the parts and prices in ${FILE}.yaml"`
}

// UnmarshalJSON reads the JSON form.
func (r *WireRequest) UnmarshalJSON(data []byte) error {
	type plain WireRequest
	return command.ReadRequest(data, (*plain)(r))
}

// Complete fills in the defaults and reports the first invalid field.
func (r *WireRequest) Complete() error {
	if r.Fabric.IsZero() {
		r.Fabric = fabric.Default()
	}
	r.Radix = cmp.Or(r.Radix, r.Fabric.Radix)
	bought, err := r.technology()
	if err != nil {
		return err
	}
	r.Radix = cmp.Or(r.Radix, bought.Ports)
	r.Fabric.Radix = 0
	if r.Fabric.Spares.Islands > 0 {
		return field.Errorf("fabric.spares", "wire is about ports of switches; say how many of these")
	}
	r.Spares = cmp.Or(r.Spares, r.Fabric.Spares.Ports)
	r.Fabric.Spares = fabric.Spares{}
	if err := r.Fabric.Validate(); err != nil {
		return field.In("fabric", err)
	}
	if err := command.OnlyChanges(&r.Fabric, "a choice of layouts, each with a base of its own"); err != nil {
		return err
	}
	switch {
	case r.Radix == 0:
		return field.Errorf("radix", "say how many ports a switch has")
	case r.Radix < 2:
		return field.Errorf("radix", "%d: a switch joins two ports or more", r.Radix)
	case bought.Ports > 0 && r.Radix > bought.Ports:
		return field.Errorf("radix", "%d: switches of %s have %d ports", r.Radix, r.Technology, bought.Ports)
	case r.Radix > maxRadix:
		return field.Errorf("radix", "%d: at most %d", r.Radix, maxRadix)
	}
	if r.Spares < 0 || r.Radix-r.Spares < 2 {
		return field.Errorf("spares", "%d of %d ports of a switch leave fewer than 2", r.Spares, r.Radix)
	}
	r.Planner = cmp.Or(r.Planner, collective.Auto)
	r.For = slices.Clone(r.For)
	if r.For == nil {
		r.For = []collective.Operation{{Op: collective.AllReduce, Size: usual}, {Op: collective.AllToAll, Size: usual}}
	}
	for i := range r.For {
		if err := r.For[i].Complete(r.Fabric.Nodes); err != nil {
			return field.In(field.Index("for", i), err)
		}
	}
	return nil
}

// technology returns the switch that the request names, if any.
func (r *WireRequest) technology() (parts.Part, error) {
	all, err := parts.With(r.Parts)
	if err != nil {
		return parts.Part{}, field.In("parts", err)
	}
	if r.Technology == "" {
		return parts.Part{}, nil
	}
	p, err := all.Technology(r.Technology)
	return p, field.In("technology", err)
}

// maxRadix bounds the ports of a switch, far above any real one.
const maxRadix = 1 << 24

// usual is the size of the default operations of a layout.
const usual = 64 * units.MiB

// layouts lists the layouts to compare.
func (r *WireRequest) layouts() []layout.Layout { return Layouts(&r.Fabric, r.Radix-r.Spares) }

// Layouts lists the ways to plug the ports of a fabric into switches with at most that many
// ports: the fabric's own layout; the ideal switch and rails, if a switch has enough ports;
// rails of the places of islands; and grids whose lines fit on a switch. A grid has at most as
// many digits as a GPU has ports, and each digit gets as even a share of the ports as possible.
// If there is no such grid, points of a grid may be missing.
func Layouts(f *fabric.Fabric, most int) []layout.Layout {
	var all []layout.Layout
	add := func(l layout.Layout) {
		if !slices.ContainsFunc(all, l.Equal) {
			all = append(all, l)
		}
	}
	if !f.Layout.IsZero() {
		add(f.Layout)
	}
	if f.Nodes*f.Ports <= most {
		add(layout.Layout{})
	}
	if f.Nodes <= most {
		add(layout.Rails())
	}
	for _, l := range railsOfIslands(f, most) {
		add(l)
	}
	grids := layout.Grids(f.Nodes, f.Ports, most, maxDigits)
	if len(grids) == 0 {
		grids = layout.Cuts(f.Nodes, f.Ports, most) // for example with a prime number of GPUs
	}
	for _, l := range grids {
		add(l)
	}
	return all
}

// tooSmall says why there is no layout.
func (r *WireRequest) tooSmall() error {
	nodes, ports, most := r.Fabric.Nodes, r.Fabric.Ports, r.Radix-r.Spares
	if ports == 1 {
		return field.Errorf("radix", "%d: %d GPUs with 1 port each need a switch with %d ports in use; grids of smaller switches take 2 ports per GPU",
			r.Radix, nodes, nodes)
	}
	return field.Errorf("radix", "%d: no grid of %d GPUs with %d ports each has lines of at most %d; use larger switches or more ports per GPU",
		r.Radix, nodes, ports, most)
}

// railsOfIslands lists rails of the places of islands and of parts of islands, with as many
// places per switch as fit, which needs the fewest switches.
func railsOfIslands(f *fabric.Fabric, most int) []layout.Layout {
	if f.Island.IsZero() || f.Islands() == 1 {
		return nil
	}
	var all []layout.Layout
	for size := 2; size <= f.Island.Size; size++ {
		if f.Island.Size%size != 0 {
			continue
		}
		for together := size - 1; together >= 1; together-- { // all places together would be plain rails
			if size%together == 0 && f.Nodes/size*together <= most {
				all = append(all, layout.Places(size, together))
				break
			}
		}
	}
	return all
}

// maxDigits bounds the digits of a grid: with more, GPUs are many hops apart.
const maxDigits = 4
