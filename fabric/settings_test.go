package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
)

// other has a value for every setting that differs from the default.
var other = map[string]string{
	"nodes": "81", "ports": "2", "bandwidth": "1.6Tbps", "alpha": "1.7us", "delta": "500ps", "gamma": "400us/GiB",
	"reconfig": "per-circuit:1us+20ns", "charge": "steps", "sync": "4us", "overlap": "compute:20us", "duplex": "true", "forwarding": "store-and-forward", "initial": "dark",
	"routing": "shortest-split", "base": "C(81;1)", "theta": "1", "avoid": "link:3-4", "held": "80,7.1", "links": "0>1:400Gbps+2us",
	"fixed": "Torus(3,3)", "fixed-bandwidth": "450Gbps", "fixed-alpha": "300ns", "fixed-delta": "50ns",
	"island": "9", "island-bandwidth": "7.2Tbps", "island-alpha": "200ns", "island-delta": "100ns",
	"switches": between(81), "radix": "3", "spares": "1",
}

// between returns a layout with a switch between every two neighbours of a ring.
func between(n int) string {
	rows := make([]string, n)
	for u := range n {
		rows[u] = fmt.Sprintf("%d,%d", u, (u+1)%n)
	}
	return "table:" + strings.Join(rows, ";")
}

func TestSettingsRoundTrip(t *testing.T) {
	f := fabric.Default()
	for _, s := range fabric.Settings() {
		if s.About == "" || strings.Contains(s.About, "\n") {
			t.Errorf("%s is described as %q", s.Name, s.About)
		}
		before := s.Get(&f)
		value, ok := other[s.Name]
		if !ok {
			t.Errorf("%s has no test value", s.Name)
			continue
		}
		if err := f.Set(s.Name, value); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if got := s.Get(&f); got != value || got == before {
			t.Errorf("%s: set %s, got %s; before %s", s.Name, value, got, before)
		}
	}
	valid := f
	valid.Charge = fabric.ChargeChanges // steps go with few of the others
	if err := valid.Validate(); err != nil {
		t.Error(err)
	}
	// What Get says makes the same fabric again, from any start.
	again := fabric.Default()
	for _, s := range fabric.Settings() {
		if err := again.Set(s.Name, s.Get(&f)); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if !again.Equal(f) {
		t.Errorf("%+v, want %+v", again, f)
	}
}

// An invalid value changes nothing and gives a one-line error.
func TestBadSettingsChangeNothing(t *testing.T) {
	for _, c := range [][2]string{
		{"nodes", ""}, {"nodes", "1"}, {"nodes", "65537"}, {"nodes", "64.0"}, {"nodes", "x"}, {"nodes", "99999999999999999999"},
		{"ports", "0"}, {"ports", "-1"}, {"ports", "1025"}, {"bandwidth", "0bps"}, {"bandwidth", "800"}, {"bandwidth", "-1Gbps"},
		{"alpha", "1"}, {"alpha", "-1us"}, {"delta", "fast"}, {"reconfig", "per-port:1us"}, {"duplex", "yes"}, {"duplex", ""},
		{"forwarding", "wormhole"}, {"initial", "light"}, {"initial", "K(3"}, {"routing", "best"}, {"base", ""}, {"base", "C(4"},
		{"island", "0"}, {"island", "x"}, {"island-bandwidth", "0bps"}, {"island-alpha", "-1ns"}, {"island-delta", "3"}, {"colour", "red"}, {"", "1"},
	} {
		f := fabric.Default()
		err := f.Set(c[0], c[1])
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s = %q: %v", c[0], c[1], err)
		}
		if !f.Equal(fabric.Default()) {
			t.Errorf("%s = %q: the fabric is now %+v", c[0], c[1], f)
		}
	}
}

func TestDefaultIsValid(t *testing.T) {
	f := fabric.Default()
	if err := f.Validate(); err != nil {
		t.Error(err)
	}
	if (&fabric.Fabric{}).Validate() == nil {
		t.Error("the zero value is not a fabric")
	}
}

func TestValidateNamesTheSetting(t *testing.T) {
	for _, c := range []struct {
		setting string
		change  func(f *fabric.Fabric)
	}{
		{"nodes", func(f *fabric.Fabric) { f.Nodes = 1 }},
		{"nodes", func(f *fabric.Fabric) { f.Nodes = fabric.MaxNodes + 1 }},
		{"ports", func(f *fabric.Fabric) { f.Ports = 0 }},
		{"ports", func(f *fabric.Fabric) { f.Ports = fabric.MaxPorts + 1 }},
		{"bandwidth", func(f *fabric.Fabric) { f.Bandwidth = 0 }},
		{"bandwidth", func(f *fabric.Fabric) { f.Bandwidth = -1 }},
		{"alpha", func(f *fabric.Fabric) { f.Alpha = -1 }},
		{"delta", func(f *fabric.Fabric) { f.Delta = -1 }},
		{"forwarding", func(f *fabric.Fabric) { f.Forwarding = "" }},
		{"routing", func(f *fabric.Fabric) { f.Routing = "random" }},
		{"reconfig", func(f *fabric.Fabric) { f.Reconfig.Model = nil }},
		{"reconfig", func(f *fabric.Fabric) { f.Reconfig.Base = -1 }},
		{"reconfig", func(f *fabric.Fabric) { f.Reconfig.Each = -1 }},
		{"base", func(f *fabric.Fabric) { f.Base = "C(" }},
		{"base", func(f *fabric.Fabric) { f.Base = "DC(63;1)" }},
		{"base", func(f *fabric.Fabric) { f.Base = "C(64;1)" }}, // needs 2 ports
		{"base", func(f *fabric.Fabric) { f.Base, f.Duplex = "DC(64;1)", true }},
		{"base", func(f *fabric.Fabric) { f.Initial, f.Duplex = fabric.InitialBase, true }}, // has none
		{"initial", func(f *fabric.Fabric) { f.Initial = "" }},
		{"initial", func(f *fabric.Fabric) { f.Initial = "DC(8;1)" }},
		{"initial", func(f *fabric.Fabric) { f.Initial = "C(64;1)" }},
	} {
		f := fabric.Default()
		c.change(&f)
		err := f.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), c.setting+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.setting, err)
		}
	}
}
