package planner

// Circuits says how the circuits of a planner's plans depend on the reconfiguration delay, if
// every reconfiguration takes equally long.
type Circuits int

// The kinds of Circuits.
const (
	// CircuitsOpen: nothing is known about the circuits.
	CircuitsOpen Circuits = iota
	// CircuitsStay: the circuits set up at the start stay for the whole plan, whatever the delay.
	CircuitsStay
	// CircuitsEveryStep: circuits change before every step. Which circuits a step gets does not
	// depend on the delay.
	CircuitsEveryStep
	// CircuitsBest: the plan is the fastest of a set of plans that does not depend on the delay.
	// The time of each plan is linear in the delay, so the time of the fastest is concave.
	CircuitsBest
)

// Fixed reports whether the circuits are the same for every delay. The time of a plan is then
// linear in the delay.
func (c Circuits) Fixed() bool { return c == CircuitsStay || c == CircuitsEveryStep }
