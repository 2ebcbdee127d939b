package fabric_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/units"
)

func TestEveryPresetIsAValidFabricWithSources(t *testing.T) {
	seen := map[string]bool{}
	digits := regexp.MustCompile(`\b\d+(x\d+)? (ports|circuits)|\d+x\d+`)
	for _, p := range fabric.Presets() {
		f := fabric.Default()
		if err := f.ApplyPreset(p.Name); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if err := f.Validate(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if seen[p.Name] || p.About == "" || strings.Contains(p.About, "\n") || len(p.Values) == 0 {
			t.Errorf("%s: about %q, %d values, seen %v", p.Name, p.About, len(p.Values), seen[p.Name])
		}
		seen[p.Name] = true
		source := map[string]int{}
		for _, s := range p.Sources {
			source[s.Figure]++
			if len(s.Text) < 10 {
				t.Errorf("%s: the source of %s is %q", p.Name, s.Figure, s.Text)
			}
		}
		for _, v := range p.Values {
			if source[v.Setting] != 1 {
				t.Errorf("%s: %s has %d sources", p.Name, v.Setting, source[v.Setting])
			}
			delete(source, v.Setting)
		}
		if digits.MatchString(p.About) && source["about"] != 1 {
			t.Errorf("%s: the number in %q has no source", p.Name, p.About)
		}
		delete(source, "about")
		if len(source) > 0 {
			t.Errorf("%s: sources for what is not set: %v", p.Name, source)
		}
	}
	if !slices.Equal(fabric.PresetNames()[:2], []string{"sirius", "plzt"}) {
		t.Errorf("presets are not in the order of their file: %v", fabric.PresetNames())
	}
}

// The settings of the papers' own evaluations.
func TestPresetsOfPapers(t *testing.T) {
	for name, want := range map[string]func(f *fabric.Fabric){
		// HARVEST §6.1 and Fig. 5: the default itself.
		"harvest-sim": func(f *fabric.Fabric) {
			f.Nodes, f.Ports, f.Bandwidth = 64, 1, 800*units.Gbps
			f.Alpha, f.Delta, f.Initial = 500*units.Nanosecond, 500*units.Nanosecond, "free"
		},
		"harvest-sim-2": func(f *fabric.Fabric) {
			f.Nodes, f.Ports, f.Bandwidth = 64, 2, 800*units.Gbps
			f.Alpha, f.Delta, f.Initial = 500*units.Nanosecond, 500*units.Nanosecond, "free"
		},
		// Light Bends §3.4, and x_0 = 1 in Eq. 7.
		"light-bends": func(f *fabric.Fabric) { f.Delta, f.Initial = 100*units.Nanosecond, "base" },
		// ReTri §2 and §4.
		"retri": func(f *fabric.Fabric) {
			f.Nodes, f.Ports, f.Duplex, f.Bandwidth = 81, 2, true, 400*units.Gbps
			f.Alpha, f.Delta = 1700*units.Nanosecond, units.Microsecond
		},
		// To Reconfigure or Not §3.1 and §5.1.
		"reconfigure-or-not": func(f *fabric.Fabric) {
			f.Alpha, f.Forwarding, f.Initial = 0, fabric.StoreAndForward, "dark"
		},
		// Direct-Connect Topologies, table 4: 100 Gbps over 4 ports.
		"direct-connect": func(f *fabric.Fabric) {
			f.Nodes, f.Ports, f.Bandwidth, f.Alpha, f.Delta = 1024, 4, 25*units.Gbps, 10*units.Microsecond, 0
		},
	} {
		f, expected := fabric.Default(), fabric.Default()
		if err := f.ApplyPreset(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want(&expected)
		if !f.Equal(expected) {
			t.Errorf("%s: %+v, want %+v", name, f, expected)
		}
	}
}

// A preset leaves other settings unchanged.
func TestPresetsKeepTheRest(t *testing.T) {
	f := fabric.Default()
	f.Nodes, f.Routing, f.Base = 16, flow.Shortest, "DC(16;5)"
	want := f
	want.Reconfig = fabric.Reconfig{Model: fabric.Constant, Base: 10 * units.Millisecond}
	if err := f.ApplyPreset("polatis"); err != nil || !f.Equal(want) {
		t.Errorf("%+v, %v; want %+v", f, err, want)
	}
	before := f
	err := f.ApplyPreset("abacus")
	if err == nil || !strings.Contains(err.Error(), "use sirius, ") || !f.Equal(before) {
		t.Errorf("%v, %+v", err, f)
	}
}
