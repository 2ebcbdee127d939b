package fabric

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestChargeIsReadAndWritten(t *testing.T) {
	for text, want := range map[string]Charge{"changes": ChargeChanges, "steps": ChargeSteps} {
		f := Default()
		if err := f.Set("charge", text); err != nil || f.Charge != want || f.Charge.String() != text {
			t.Errorf("%s: %q, %v", text, f.Charge, err)
		}
		data, err := json.Marshal(f)
		if err != nil || strings.Contains(string(data), "charge") != (want == ChargeSteps) {
			t.Errorf("%s: %s, %v", text, data, err)
		}
		if read, err := Decode(data, Known{}); err != nil || !read.Equal(f) {
			t.Errorf("%s: read %+v, %v", text, read, err)
		}
		var asked Fabric
		if err := json.Unmarshal([]byte(`{"charge": "`+text+`"}`), &asked); err != nil || asked.Charge != want {
			t.Errorf("%s in a request: %q, %v", text, asked.Charge, err)
		}
	}
	f := Default()
	for _, text := range []string{"", "step", "Steps", "none"} {
		if err := f.Set("charge", text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// Settings that Eq. 7 does not cover are refused, with a suggestion of what to use.
func TestChargeStepsRefuses(t *testing.T) {
	for _, c := range []struct{ setting, value, want string }{
		{"reconfig", "per-port:1us+10ns", "depends on what changes"},
		{"reconfig", "per-switch:1us+5us", "depends on what changes"},
		{"overlap", "circuits", "overlap circuits"},
		{"overlap", "compute:1us", "overlap compute"},
		{"avoid", "gpu:3", "failed or held parts"},
		{"held", "0-3", "failed or held parts"},
	} {
		f := Default()
		if err := f.Set(c.setting, c.value); err != nil {
			t.Fatal(err)
		}
		f.Charge = ChargeSteps
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), "use changes") {
			t.Errorf("%s %s: %v", c.setting, c.value, err)
		}
	}
	f := Default()
	f.Charge, f.Duplex = ChargeSteps, true // one port: matchings only
	if err := f.Validate(); err == nil || !strings.Contains(err.Error(), "needs a base") {
		t.Errorf("without a base: %v", err)
	}
	f = Default()
	f.Charge = "often"
	if err := f.Validate(); err == nil {
		t.Error("an unknown charge is valid")
	}
}

// The base is that of the whole fabric, even for plans that leave ports unused.
func TestRestingIsTheBaseOfTheWholeFabric(t *testing.T) {
	f := Default()
	f.Nodes, f.Ports = 8, 2
	if g, err := f.Resting(); g != nil || err != nil {
		t.Errorf("%v, %v; changes have none", g, err)
	}
	f.Charge = ChargeSteps
	whole, err := f.BaseTopology()
	if err != nil {
		t.Fatal(err)
	}
	narrow := f.Narrowed(1, false)
	if g, err := narrow.Resting(); err != nil || !g.Equal(whole) {
		t.Errorf("%v, %v; want %v", g, err, whole)
	}
}
