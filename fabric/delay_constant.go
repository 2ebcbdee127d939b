package fabric

import "github.com/lightpath-net/lightpath/units"

// Constant is a delay of Base for every change.
var Constant DelayModel = constant{Terms{Name: "constant"}}

type constant struct{ Terms }

// Syntax implements DelayModel.
func (constant) Syntax() string { return "10us" }

// Parse implements DelayModel: a constant has no name prefix.
func (constant) Parse(text string) (r Reconfig, err error) {
	r.Base, err = units.ParseDuration(text)
	return r, err
}

// Format implements DelayModel.
func (constant) Format(r Reconfig) string { return r.Base.String() }

// Charge implements DelayModel.
func (constant) Charge(Reconfig, Change) units.Time { return 0 }
