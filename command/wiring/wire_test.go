package wiring_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/units"
)

func request(nodes, ports, radix int, operations ...collective.Operation) lightpath.WireRequest {
	f := fabric.Default()
	f.Nodes, f.Ports = nodes, ports
	if operations == nil {
		operations = []collective.Operation{{Op: collective.AllReduce, Size: units.MiB}}
	}
	return lightpath.WireRequest{Fabric: f, Radix: radix, For: operations}
}

// If plans take long, a layout that cannot be the best has only a lower bound on its loss. The
// loss of its own plans is at least the bound, and the loss of the best layout is below the
// bound or zero.
func TestBoundedLayoutsCannotBeTheBest(t *testing.T) {
	t.Parallel()
	r := request(36, 4, 12, collective.Operation{Op: collective.AllToAll, Size: 64 * units.MiB})
	r.Planner = "static"
	a, err := lightpath.Wire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	bounded := 0
	for _, l := range a.Layouts {
		if !l.Bounded {
			continue
		}
		if bounded++; l.Loss < a.Layouts[0].Loss || l.Loss == a.Layouts[0].Loss && l.Loss > 1e-9 || l.Layout == a.Best || l.TimesNs != nil {
			t.Errorf("%+v, but %s loses %v", l, a.Best, a.Layouts[0].Loss)
		}
		f := r.Fabric
		if f.Layout, err = layout.Parse(l.Layout); err != nil {
			t.Fatal(err)
		}
		p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: r.For, Planner: r.Planner}, lightpath.WithoutBaselines())
		if err != nil {
			t.Fatal(err)
		}
		if loss := float64(p.Cost.Total()/a.For[0].IdealNs) - 1; loss < l.Loss-1e-9 {
			t.Errorf("%s loses %v, at least %v", l.Layout, loss, l.Loss)
		}
	}
	if bounded == 0 {
		t.Errorf("no layout has a bound: %+v", a.Layouts)
	}
}

// If a switch has a port for every GPU, rails are the best layout and lose nothing. Every number
// is that of the layout's own plan, no layout is faster than the ideal switch, and none uses
// more ports than a switch has.
func TestRailsAreTheBestWhereTheyFit(t *testing.T) {
	t.Parallel()
	r := request(8, 2, 8, collective.Operation{Op: collective.AllReduce, Size: units.MiB}, collective.Operation{Op: collective.AllToAll, Size: units.MiB})
	a, err := lightpath.Wire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if a.Best != "rails" || a.Layouts[0].Loss != 0 || a.Layouts[0].Switches != 2 || a.Layouts[0].Fibres != 32 || len(a.Layouts) != 2 {
		t.Errorf("%+v", a)
	}
	for _, l := range a.Layouts {
		if l.Loss < 0 || l.PortsUsed > r.Radix || l.Reason != "" || l.SparePorts != l.Switches*r.Radix-l.Fibres/2 {
			t.Errorf("%+v", l)
		}
		f := r.Fabric
		if f.Layout, err = layout.Parse(l.Layout); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, o := range r.For {
			p, err := lightpath.Plan(t.Context(), lightpath.PlanRequest{Fabric: f, Operations: []collective.Operation{o}}, lightpath.WithoutBaselines())
			if err != nil {
				t.Fatal(err)
			}
			if p.Cost.Total() != l.TimesNs[i] {
				t.Errorf("%s: %s takes %v, its plan %v", l.Layout, o.Op, l.TimesNs[i], p.Cost.Total())
			}
			sum += float64(p.Cost.Total() / a.For[i].IdealNs)
		}
		if math.Abs(sum/float64(len(r.For))-1-l.Loss) > 1e-12 {
			t.Errorf("%s: loss %v, of its plans %v", l.Layout, l.Loss, sum/float64(len(r.For))-1)
		}
	}
}

// Spare ports make switches smaller, which rules out rails that need every port.
func TestSparesStayFree(t *testing.T) {
	t.Parallel()
	r := request(8, 2, 8)
	r.Spares = 1
	a, err := lightpath.Wire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if a.Best != "4x2:1,1" {
		t.Errorf("best is %s", a.Best)
	}
	for _, l := range a.Layouts {
		if l.PortsUsed > 7 {
			t.Errorf("%+v leaves no port free", l)
		}
	}
}

// If switches have more ports than needed, spare ports stay free, unused ports are counted, and
// the bill includes all of them.
func TestLargeSwitchesKeepTheirPorts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ nodes, ports, radix, spares int }{
		{8, 1, 384, 4}, {8, 1, 12, 1}, {8, 1, 12, 0}, {8, 2, 136, 8}, {8, 2, 17, 1}, {8, 2, 17, 2}, {8, 1, 9, 1},
	} {
		r := request(test.nodes, test.ports, test.radix)
		r.Spares, r.Technology, r.Fabric.Bandwidth = test.spares, "polatis", 400*units.Gbps
		a, err := lightpath.Wire(t.Context(), r)
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		plugged := test.nodes * test.ports
		if a.Radix != test.radix || a.Best == "" {
			t.Errorf("%+v: switches of %d ports, best %q", test, a.Radix, a.Best)
		}
		if one := a.Best == layout.Ideal; one != (plugged+test.spares <= test.radix) {
			t.Errorf("%+v: best is %s", test, a.Best)
		}
		for _, l := range a.Layouts {
			if l.SparePorts != l.Switches*test.radix-plugged || l.PortsUsed+test.spares > test.radix {
				t.Errorf("%+v: %+v", test, l)
			}
			if want := float64(l.Switches * test.radix * 520); l.Bill[0].CostUSD.Likely != want {
				t.Errorf("%+v: %s pays %v for switches, want %v", test, l.Layout, l.Bill[0].CostUSD.Likely, want)
			}
		}
	}
}

// The plugging list describes the chosen layout, with every port listed once.
func TestTheListIsTheBestLayout(t *testing.T) {
	t.Parallel()
	for _, radix := range []int{4, 8, 16} { // a grid, rails, one switch
		a, err := lightpath.Wire(t.Context(), request(8, 2, radix))
		if err != nil {
			t.Fatal(err)
		}
		var list strings.Builder
		if err := a.WriteCSV(&list); err != nil {
			t.Fatal(err)
		}
		l, err := layout.ReadCSV("plug.csv", strings.NewReader(list.String()))
		if err != nil {
			t.Fatal(err)
		}
		p, err := l.Plug(8, 2)
		if err != nil {
			t.Fatal(err)
		}
		best := a.Layouts[0]
		if p.Fibres() != 32 || p.Switches() != best.Switches || p.Radix() != best.PortsUsed || p.Radix() > radix {
			t.Errorf("radix %d: the list has %d switches of %d ports, %d fibres; the answer %+v", radix, p.Switches(), p.Radix(), p.Fibres(), best)
		}
	}
}

func TestBadWireRequests(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"fabric":{"nodes":8,"ports":2}}`:                                       "radix: say how many ports a switch has",
		`{"radix":1,"fabric":{"nodes":8,"ports":2}}`:                             "radix: 1: a switch joins two ports or more",
		`{"radix":3,"fabric":{"nodes":64,"ports":2}}`:                            "radix: 3: no grid of 64 GPUs with 2 ports each has lines of at most 3",
		`{"radix":8,"fabric":{"nodes":16,"ports":1}}`:                            "radix: 8: 16 GPUs with 1 port each need a switch with 16 ports",
		`{"radix":99999999,"fabric":{"nodes":8,"ports":2}}`:                      "radix: 99999999: at most 16777216",
		`{"radix":8,"spares":7,"fabric":{"nodes":8,"ports":2}}`:                  "spares: 7 of 8 ports",
		`{"radix":8,"spares":-1,"fabric":{"nodes":8,"ports":2}}`:                 "spares: -1",
		`{"radix":8,"for":[{"op":"allscatter"}],"fabric":{"nodes":8,"ports":2}}`: "for[0]",
		`{"radix":8,"planner":"nobody","fabric":{"nodes":8,"ports":2}}`:          "planner",
		`{"radix":8,"fabric":{"nodes":8,"ports":2,"switches":"3x3"}}`:            "3x3 is for 9 GPUs",
	} {
		var r lightpath.WireRequest
		err := json.Unmarshal([]byte(text), &r)
		if err == nil {
			_, err = lightpath.Wire(t.Context(), r)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

// TestRailsOfIslandsLoseNothing: if switches are too small for rails over all GPUs, rails over
// the same places of islands lose nothing for all-to-alls and allgathers, and wire finds them.
func TestRailsOfIslandsLoseNothing(t *testing.T) {
	t.Parallel()
	r := request(8, 2, 4, collective.Operation{Op: collective.AllToAll, Size: 16 * units.MiB}, collective.Operation{Op: collective.AllGather, Size: 16 * units.MiB})
	r.Fabric.Island = fabric.Island{Size: 4, Bandwidth: 7200 * units.Gbps}
	a, err := lightpath.Wire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if best := a.Layouts[0]; !strings.HasPrefix(best.Layout, "places:") || best.Loss > 1e-9 || best.PortsUsed > 4 {
		t.Errorf("%+v", best)
	}
}

// TestWireTakesPrimes: 13 GPUs do not form a grid; wire plugs a grid whose last points are
// missing.
func TestWireTakesPrimes(t *testing.T) {
	t.Parallel()
	a, err := lightpath.Wire(t.Context(), request(13, 2, 4))
	if err != nil {
		t.Fatal(err)
	}
	if best := a.Layouts[0]; !strings.HasPrefix(best.Layout, "cut:") || best.Reason != "" || best.TimesNs == nil {
		t.Errorf("%+v", best)
	}
}

// Every layout has a bill of its parts, with the requested technology or with the cheapest that
// is fast enough. A layout without a bill states the reason.
func TestLayoutsHaveBills(t *testing.T) {
	t.Parallel()
	r := request(8, 2, 8)
	r.Technology, r.Fabric.Bandwidth = "polatis", 400*units.Gbps
	a, err := lightpath.Wire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if a.Technology != "polatis" || a.Light == nil || a.Light.Stages.High < 1 || len(a.Layouts) < 2 {
		t.Errorf("%s %+v", a.Technology, a.Light)
	}
	for _, l := range a.Layouts {
		// 16 ports with a transceiver, two fibres and a card each.
		want := float64(l.Switches*8*520 + 16*(659+2*8+1499))
		if l.CostUSD == nil || l.CostUSD.Likely != want || l.PowerW.Likely <= 0 || len(l.Bill) != 4 {
			t.Errorf("%s: %+v, want %v", l.Layout, l, want)
		}
	}
	price, err := parts.ParseQuantity("1 USD")
	if err != nil {
		t.Fatal(err)
	}
	r.Technology, r.Fabric.Reconfig.Base = "", units.Millisecond
	r.Parts = &parts.Catalogue{Switches: map[string]parts.Part{"mine": {Like: "palomar", Switching: units.Millisecond, Price: price}}}
	if a, err = lightpath.Wire(t.Context(), r); err != nil || a.Technology != "mine" || a.Layouts[0].Bill[0].CostUSD.Likely != float64(a.Layouts[0].Switches) {
		t.Errorf("%s, %v", a.Technology, err)
	}
	r.Parts, r.Fabric.Reconfig.Base = nil, 1
	if a, err = lightpath.Wire(t.Context(), r); err != nil || a.Technology != "" || a.Unpriced == "" || a.Layouts[0].CostUSD != nil {
		t.Errorf("%+v, %v", a, err)
	}
	for _, bad := range []func(r *lightpath.WireRequest){
		func(r *lightpath.WireRequest) { r.Technology = "x" },
		func(r *lightpath.WireRequest) { r.Technology, r.Radix, r.Fabric.Nodes = "plzt", 17, 64 },
		func(r *lightpath.WireRequest) { r.Technology, r.Fabric.Bandwidth = "polatis", units.Tbps },
		func(r *lightpath.WireRequest) {
			r.Parts = &parts.Catalogue{Switches: map[string]parts.Part{"mine": {}}}
		},
	} {
		r := request(8, 2, 8)
		bad(&r)
		var named *lightpath.FieldError
		if _, err := lightpath.Wire(t.Context(), r); !errors.As(err, &named) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	// A technology says how many ports a switch has.
	r = request(8, 2, 0)
	r.Technology = "plzt"
	if a, err := lightpath.Wire(t.Context(), r); err != nil || a.Radix != 16 {
		t.Errorf("%v", err)
	}
}
