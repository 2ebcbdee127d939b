package fabric_test

import (
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/fabrictest"
	"github.com/lightpath-net/lightpath/units"
)

// TestDelayModelsKeepTheirContract: the rules are in package fabrictest.
func TestDelayModelsKeepTheirContract(t *testing.T) {
	for _, text := range []string{
		"10us", "per-port:1us+20ns", "per-circuit:1us+20ns", "per-switch:1us+5us", "per-switch/2:1us+5us",
		"0ns", "per-port:1us+0ns", "per-circuit:0ns+1ns", "per-switch:2us+0ns",
	} {
		r, err := fabric.ParseReconfig(text)
		if err != nil {
			t.Fatal(err)
		}
		if r.String() != text {
			t.Errorf("%s is written %s", text, r)
		}
		fabrictest.Model(t, r.Model, r)
	}
}

// broken is a model that breaks one rule.
type broken struct {
	fabric.Terms
	charge string
}

// Charge implements fabric.DelayModel.
func (b broken) Charge(r fabric.Reconfig, c fabric.Change) units.Time {
	each := r.Each.Time()
	set, _ := c.Circuits()
	switch b.charge {
	case "negative":
		return -each
	case "by base":
		return each * r.Base.Time()
	case "less for more":
		return each / units.Time(c.Ports())
	case "own":
		return 1000
	}
	return each * units.Time(set)
}

// TestTheContractFindsModelsThatBreakIt: a model that breaks a rule does not pass.
func TestTheContractFindsModelsThatBreakIt(t *testing.T) {
	for charge, want := range map[string]string{
		"":              "", // it breaks none
		"negative":      "is charged",
		"by base":       "where only the base differs",
		"less for more": "and",
		"own":           "three times",
	} {
		r := fabric.Reconfig{Base: units.Microsecond, Each: units.Microsecond, Model: broken{fabric.Terms{Name: "broken", Each: "EACH"}, charge}}
		err := fabrictest.Broken(r)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", charge, err, want)
		}
	}
	named := fabric.Reconfig{Model: broken{fabric.Terms{Name: "per port", Each: "EACH"}, ""}}
	if err := fabrictest.Broken(named); err == nil {
		t.Error("a name with a space passes")
	}
}
