package fabric_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/units"
)

func TestJSONIsReadable(t *testing.T) {
	f := fabric.Default()
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"nodes":64,"ports":1,"bandwidth_bps":800000000000,"alpha_ns":500,"delta_ns":500,` +
		`"reconfig":{"model":"constant","base_ns":10000},"duplex":false,"forwarding":"cut-through",` +
		`"initial":"free","routing":"optimal"}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

// JSON carries times as nanoseconds in floating point. Dividing by 1000 and back is exact below
// 2^51 ps, over half an hour.
func TestJSONLosesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	duration := func() units.Duration { return units.Duration(rng.Int64N(1 << (1 + rng.IntN(51)))) }
	for range 2000 {
		f := fabric.Fabric{
			Nodes: 8, Ports: 1 + rng.IntN(fabric.MaxPorts), Bandwidth: units.Bandwidth(1 + rng.Int64N(1<<62)),
			Alpha: duration(), Delta: duration(),
			Reconfig:   fabric.Reconfig{Model: fabric.Constant, Base: duration()},
			Forwarding: fabric.StoreAndForward, Initial: "DC(8;3)", Routing: flow.Shortest,
		}
		if rng.IntN(2) == 0 {
			f.Reconfig.Model, f.Reconfig.Each = fabric.PerPort, duration()
			f.Initial, f.Base = fabric.InitialBase, "DC(8;5)"
		} else if f.Ports > 1 {
			f.Duplex, f.Initial = true, fabric.InitialDark
		}
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var again fabric.Fabric
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if !again.Equal(f) {
			t.Fatalf("%+v, want %+v", again, f)
		}
	}
}

func TestBadJSONIsRefused(t *testing.T) {
	good, err := json.Marshal(fabric.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{`"duplex":false`, `"duplx":false`},
		{`"duplex":false`, `"Duplex":false`},
		{`"duplex":false`, `"duplex":false,"duplex":false`},
		{`"nodes":64`, `"nodes":1`},
		{`"nodes":64`, `"nodes":"64"`},
		{`"nodes":64`, `"nodes":6.4`},
		{`"nodes":64,`, ``},
		{`"bandwidth_bps":800000000000`, `"bandwidth_bps":0`},
		{`"bandwidth_bps":800000000000`, `"bandwidth_bps":1e30`},
		{`"alpha_ns":500`, `"alpha_ns":-1`},
		{`"alpha_ns":500`, `"alpha_ns":1e300`},
		{`"delta_ns":500`, `"delta_ns":9.3e15`},
		{`"delta_ns":500`, `"delta_ns":null,"delta_ns":"x"`},
		{`"base_ns":10000`, `"base_ns":-10000`},
		{`"base_ns":10000`, `"base_ns":1,"each_ns":-1`},
		{`"model":"constant"`, `"model":""`},
		{`"cut-through"`, `"cut"`},
		{`"free"`, `"C(3"`},
		{`"free"`, `"DC(63;1)"`},
		{`"optimal"`, `"random"`},
		{`{"nodes"`, `["nodes"`},
		{`}`, ``},
	} {
		bad := strings.Replace(string(good), c[0], c[1], 1)
		if bad == string(good) {
			t.Fatalf("%s is not in %s", c[0], good)
		}
		if _, err := fabric.Decode([]byte(bad), fabric.Known{}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s instead of %s: %v", c[1], c[0], err)
		}
		if c[1] == "" {
			continue // what is missing has its default
		}
		f := fabric.Default()
		f.Nodes = 7
		before := f
		if err := json.Unmarshal([]byte(bad), &f); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s instead of %s: %v", c[1], c[0], err)
		}
		if !f.Equal(before) {
			t.Errorf("%s instead of %s: the fabric is now %+v", c[1], c[0], f)
		}
	}
}

func TestPartialJSONHasDefaultsAndPresets(t *testing.T) {
	preset := fabric.Default()
	if err := preset.ApplyPreset("light-bends"); err != nil {
		t.Fatal(err)
	}
	preset.Nodes = 32
	if preset.Initial != fabric.InitialBase {
		t.Fatal("the preset has changed")
	}
	set := func(values ...string) fabric.Fabric {
		f := fabric.Default()
		for i := 0; i < len(values); i += 2 {
			if err := f.Set(values[i], values[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	for text, want := range map[string]fabric.Fabric{
		`{}`: fabric.Default(),
		`{"nodes":64,"ports":2,"reconfig":"10us"}`:                      set("ports", "2"),
		`{"preset":"light-bends","nodes":32}`:                           preset,
		`{"reconfig":"per-port:1us+10ns","alpha":"7ns"}`:                set("reconfig", "per-port:1us+10ns", "alpha", "7ns"),
		`{"reconfig":{"base_ns":5},"alpha_ns":7.5}`:                     set("reconfig", "5ns", "alpha", "7.5ns"),
		`{"overlap":"compute:3us","theta":"1","duplex":true,"ports":2}`: set("overlap", "compute:3us", "theta", "1", "duplex", "true", "ports", "2"),
		`{"overlap":{"kind":"ports"},"cap_theta":true}`:                 set("overlap", "ports", "theta", "1"),
		`{"bandwidth":"1.6Tbps","forwarding":"store-and-forward"}`:      set("bandwidth", "1.6Tbps", "forwarding", "store-and-forward"),
	} {
		var f fabric.Fabric
		if err := json.Unmarshal([]byte(text), &f); err != nil || !f.Equal(want) {
			t.Errorf("%s: %+v, %v", text, f, err)
		}
	}
	for text, place := range map[string]string{
		`{"preset":"abacus"}`: "preset", `{"preset":7}`: "preset", `{"alpha":"7"}`: "alpha", `{"alpha":7}`: "alpha",
		`{"alpha":"7ns","alpha_ns":7}`: "alpha_ns", `{"theta":"1","cap_theta":true}`: "cap_theta",
		`{"nodes":1}`: "nodes", `{"base":"Torus(3"}`: "base", `{"base":"K(3)"}`: "base", `{"reconfig":{"bas_ns":1}}`: "reconfig.bas_ns",
		`{"colour":"red"}`: "colour", `{"Nodes":3}`: "Nodes", `{"reconfig":"fast"}`: "reconfig",
	} {
		var f fabric.Fabric
		err := json.Unmarshal([]byte(text), &f)
		var e *field.Error
		if !errors.As(err, &e) || e.Path != place {
			t.Errorf("%s: %v, want an error of %s", text, err, place)
		}
	}
}
