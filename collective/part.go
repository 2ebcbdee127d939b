package collective

import "fmt"

// Part is what of a node's value a transfer carries. A node that reduces what it gets into its
// own contribution has two more sums than its value: what it received, and its own. So
// windows of partial sums fit any number of nodes: where one of W contributions is
// too long by the nearest, what was received has W-1.
type Part string

// The parts.
const (
	// WholePart is the value as it was when the step began.
	WholePart Part = ""
	// OwnPart is what the node itself contributes to the sum, its input, whatever it has
	// received.
	OwnPart Part = "own"
	// ReceivedPart is what it has reduced into its own contribution, without that. There is
	// such a part as long as nothing was copied to the node or has replaced its value.
	ReceivedPart Part = "received"
)

// Parts lists what of a value a transfer may carry.
func Parts() []Part { return []Part{WholePart, OwnPart, ReceivedPart} }

// Check reports an unknown part.
func (p Part) Check() error {
	switch p {
	case WholePart, OwnPart, ReceivedPart:
		return nil
	}
	return fmt.Errorf("part %.40q is not %q or %q, or left out for the whole value", p, OwnPart, ReceivedPart)
}
