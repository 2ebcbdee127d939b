package planner

// Circuits says how the circuits that a planner sets depend on the delay of a change, where that is
// the same whatever changes.
type Circuits int

// The kinds of Circuits.
const (
	// CircuitsOpen: nothing is known.
	CircuitsOpen Circuits = iota
	// CircuitsStay: those set up at the start stay, whatever the delay.
	CircuitsStay
	// CircuitsEveryStep: they change before every step, to the same ones whatever the delay.
	CircuitsEveryStep
	// CircuitsBest: the plan is the fastest of a set that no delay changes. As the time of each
	// plan is a line in the delay, the time of the fastest is concave.
	CircuitsBest
)

// Fixed reports whether the circuits are the same for every delay: the time of a plan is then a
// line in the delay.
func (c Circuits) Fixed() bool { return c == CircuitsStay || c == CircuitsEveryStep }
