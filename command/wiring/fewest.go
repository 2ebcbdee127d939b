package wiring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/units"
)

// Fewest chooses how ports are plugged into switches of a radix, without planning: all on one
// switch, rails, or rails of islands if they fit; otherwise the grid with the fewest digits and,
// among equals, the fewest switches.
func Fewest(f *fabric.Fabric, radix int) (layout.Layout, *layout.Plugging, error) {
	var best layout.Layout
	var plugged *layout.Plugging
	rank := func(l layout.Layout, p *layout.Plugging) []int {
		return []int{strings.Count(l.String(), "x"), p.Switches()}
	}
	for _, l := range Layouts(f, radix) {
		p, err := l.Plug(f.Nodes, f.Ports)
		if l.IsZero() {
			p, err = layout.OneSwitch(f.Nodes, f.Ports)
		}
		if err != nil || p.Radix() > radix {
			continue
		}
		if plugged == nil || slices.Compare(rank(l, p), rank(best, plugged)) < 0 {
			best, plugged = l, p
		}
	}
	if plugged == nil {
		return best, nil, fmt.Errorf("no layout of %d GPUs with %s fits on switches of %d ports", f.Nodes, units.Count(f.Ports, "port"), radix)
	}
	return best, plugged, nil
}
