package fabric

import "github.com/lightpath-net/lightpath/units"

// PerCircuit is a delay of Base + Each for every circuit that is set up or, if these are more,
// taken down.
var PerCircuit DelayModel = perCircuit{Terms{Name: "per-circuit", Each: "PER_CIRCUIT"}}

type perCircuit struct{ Terms }

// Charge implements DelayModel.
func (perCircuit) Charge(r Reconfig, c Change) units.Time {
	set, taken := c.Circuits()
	return units.Time(max(set, taken)) * r.Each.Time()
}
