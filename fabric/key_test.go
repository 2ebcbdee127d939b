package fabric

import (
	"reflect"
	"testing"

	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// TestKeySaysAllThatAFabricSays: Key, Equal and IsZero cover every field of a fabric. A new
// field that the key misses fails here.
func TestKeySaysAllThatAFabricSays(t *testing.T) {
	values := map[string]func(f *Fabric){
		"Nodes": func(f *Fabric) { f.Nodes++ }, "Ports": func(f *Fabric) { f.Ports++ },
		"Bandwidth": func(f *Fabric) { f.Bandwidth++ }, "Alpha": func(f *Fabric) { f.Alpha++ }, "Delta": func(f *Fabric) { f.Delta++ },
		"Gamma": func(f *Fabric) { f.Gamma.Time++ }, "Reconfig": func(f *Fabric) { f.Reconfig.Each++ },
		"Charge": func(f *Fabric) { f.Charge = ChargeSteps },
		"Sync":   func(f *Fabric) { f.Sync++ }, "Overlap": func(f *Fabric) { f.Overlap.Compute++ },
		"Duplex": func(f *Fabric) { f.Duplex = true }, "Forwarding": func(f *Fabric) { f.Forwarding += "x" },
		"Initial": func(f *Fabric) { f.Initial += "x" }, "Routing": func(f *Fabric) { f.Routing += "x" }, "Base": func(f *Fabric) { f.Base += "x" },
		"CapTheta": func(f *Fabric) { f.CapTheta = true },
		"Avoid":    func(f *Fabric) { f.Avoid = FailedGPU(1) },
		"Links":    func(f *Fabric) { f.Links = LinksOf(Link{From: 1, To: 2, Bandwidth: units.Gbps}) },
		"Island":   func(f *Fabric) { f.Island.Size++ }, "Fixed": func(f *Fabric) { f.Fixed.Bandwidth++ },
		"Layout": func(f *Fabric) { f.Layout = layout.Rails() }, "Radix": func(f *Fabric) { f.Radix++ }, "Spares": func(f *Fabric) { f.Spares.Ports++ },
		"known": func(f *Fabric) { f.known.Families = new(topology.Registry) },
		"idle":  func(f *Fabric) { f.idle++ }, "oneWay": func(f *Fabric) { f.oneWay = true },
	}
	fields := reflect.TypeFor[Fabric]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		change, ok := values[name]
		if !ok {
			t.Errorf("no value of %s is tried; is it part of Key?", name)
			continue
		}
		for _, from := range []Fabric{{}, Default()} {
			changed := from
			change(&changed)
			if changed.Key() == from.Key() || changed.Equal(from) || changed.IsZero() {
				t.Errorf("%s is not part of the key", name)
			}
		}
	}
	if !(Fabric{}).IsZero() {
		t.Error("the zero value is not zero")
	}
}

// Lists read from the same text are equal although they share no memory, and so are fabrics with
// them.
func TestListsReadTwiceAreEqual(t *testing.T) {
	const links, avoid = "0->1:400Gbps+2us,1-2:+1us", "gpu:3,link:0-1,port:2,port:2"
	made := func() Fabric {
		f := Default()
		for name, text := range map[string]string{"links": links, "avoid": avoid} {
			if err := f.Set(name, text); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	a, b := made(), made()
	if !a.Equal(b) || !a.Links.Equal(b.Links) || !a.Avoid.Equal(b.Avoid) || map[Key]bool{a.Key(): true}[b.Key()] == false {
		t.Error("two fabrics that say the same differ")
	}
	b.Avoid = b.Avoid.WithoutLinks()
	if a.Equal(b) || b.Avoid.String() != "gpu:3,port:2,port:2" || b.Avoid.Ports(2) != 2 || b.Avoid.Link(0, 1) || !a.Avoid.Link(1, 0) {
		t.Errorf("without links %s, before %s", b.Avoid, a.Avoid)
	}
	if !a.Avoid.Has(b.Avoid) || b.Avoid.Has(a.Avoid) || !b.Avoid.Has(Failures{}) {
		t.Error("which list has which")
	}
	if got := a.Links.And(LinksOf(Link{From: 0, To: 1, Bandwidth: units.Gbps})).String(); got != "1>2:+1us,2>1:+1us,0>1:1Gbps" {
		t.Errorf("both lists are %s", got)
	}
	// A caller that gets a list cannot change the fabric's.
	a.Links.List()[0].Bandwidth = 1
	if bandwidth, _ := a.Circuits().Of(0, 1); bandwidth != 400*units.Gbps {
		t.Errorf("the bandwidth has become %v", bandwidth)
	}
}

// In settings and in files, "none" and "" mean no list.
func TestNoListIsTheZeroValue(t *testing.T) {
	for _, text := range []string{"", "none"} {
		links, err1 := ParseLinks(text)
		failures, err2 := ParseFailures(text)
		if err1 != nil || err2 != nil || !links.IsZero() || !failures.IsZero() || links.String() != "" || failures.String() != "" {
			t.Errorf("%q: %v %v, %v %v", text, links, err1, failures, err2)
		}
	}
	var f Fabric
	if f.Circuits() != nil || f.Avoid.GPUs() != nil || f.Avoid.Ports(3) != 0 || f.Links.List() != nil || !f.Avoid.And(f.Avoid).IsZero() {
		t.Error("the zero lists have entries")
	}
}
