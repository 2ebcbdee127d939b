package planner

// Circuits says how the circuits that a planner sets up depend on the reconfiguration delay, if
// the delay is the same whatever changes.
type Circuits int

// The kinds of Circuits.
const (
	// CircuitsOpen: nothing is known.
	CircuitsOpen Circuits = iota
	// CircuitsStay: the circuits that are set up at the start stay, whatever the delay.
	CircuitsStay
	// CircuitsEveryStep: circuits change before every step, to the same ones whatever the delay.
	CircuitsEveryStep
	// CircuitsBest: the plan is the fastest of a set of plans that does not depend on the delay.
	// The time of each plan is a line in the delay, so the time of the fastest is concave.
	CircuitsBest
)

// Fixed reports whether the circuits are the same for every delay. The time of a plan is then a
// line in the delay.
func (c Circuits) Fixed() bool { return c == CircuitsStay || c == CircuitsEveryStep }
