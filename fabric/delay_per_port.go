package fabric

import "github.com/lightpath-net/lightpath/units"

// PerPort is a delay of Base + Each for every port with a changed circuit.
var PerPort DelayModel = perPort{Terms{Name: "per-port", Each: "PER_PORT"}}

type perPort struct{ Terms }

// Charge implements DelayModel.
func (perPort) Charge(r Reconfig, c Change) units.Time {
	return units.Time(c.Ports()) * r.Each.Time()
}
