package collective

import "fmt"

// Part says which part of a node's value a transfer carries. A node that reduces what it gets
// into its own contribution has two more sums besides the whole value: what it received, and
// its own contribution. This makes windows of partial sums fit any number of nodes: if a window
// of W contributions is too long by the nearest one, the part that was received has W-1.
type Part string

// The parts.
const (
	// WholePart is the value as it was when the step began.
	WholePart Part = ""
	// OwnPart is the node's own contribution to the sum, its input, whatever it has received.
	OwnPart Part = "own"
	// ReceivedPart is what the node has reduced into its own contribution, without that
	// contribution. It exists as long as nothing was copied to the node or has replaced its value.
	ReceivedPart Part = "received"
)

// Parts lists the parts that a transfer may carry.
func Parts() []Part { return []Part{WholePart, OwnPart, ReceivedPart} }

// Check reports an unknown part.
func (p Part) Check() error {
	switch p {
	case WholePart, OwnPart, ReceivedPart:
		return nil
	}
	return fmt.Errorf("part %.40q is not %q or %q, or left out for the whole value", p, OwnPart, ReceivedPart)
}
