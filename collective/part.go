package collective

import "fmt"

// Part says which part of a node's value a transfer carries. A node that reduces what it gets
// into its own contribution has more sums besides the whole value: what it received, its own
// contribution, and its side sums (Sides). This makes windows of partial sums fit any number of
// nodes: if a window of W contributions is too long by the nearest one, the part that was
// received has W-1.
type Part string

// The parts, besides those of the side sums.
const (
	// WholePart is the value as it was when the step began.
	WholePart Part = ""
	// OwnPart is the node's own contribution to the sum, its input, whatever it has received.
	OwnPart Part = "own"
	// ReceivedPart is what the node has reduced into its own contribution, without that
	// contribution. It exists as long as nothing was copied to the node or has replaced its value.
	ReceivedPart Part = "received"
)

// sideParts are the side sums without a node's own contribution, and sumParts are those with it.
var (
	sideParts = [MostSides]Part{"side1", "side2", "side3", "side4", "side5", "side6", "side7", "side8"}
	sumParts  = [MostSides]Part{"own+side1", "own+side2", "own+side3", "own+side4", "own+side5", "own+side6", "own+side7", "own+side8"}
)

// SidePart returns the part that is a side sum, from 1 to MostSides, with the node's own
// contribution or without. Like ReceivedPart, it exists as long as nothing was copied to the node
// or has replaced its value.
func SidePart(side int, own bool) Part {
	if own {
		return sumParts[side-1]
	}
	return sideParts[side-1]
}

// Side returns the side sum that a part consists of, 0 for other parts, and whether the node's own
// contribution belongs to the part.
func (p Part) Side() (side int, own bool) {
	if len(p) < len(sideParts[0]) {
		return 0, false
	}
	for i := range MostSides {
		switch p {
		case sideParts[i]:
			return i + 1, false
		case sumParts[i]:
			return i + 1, true
		}
	}
	return 0, false
}

// Parts lists the parts that a transfer may carry.
func Parts() []Part {
	list := append([]Part{WholePart, OwnPart, ReceivedPart}, sideParts[:]...)
	return append(list, sumParts[:]...)
}

// Check reports an unknown part.
func (p Part) Check() error {
	switch p {
	case WholePart, OwnPart, ReceivedPart:
		return nil
	}
	if side, _ := p.Side(); side > 0 {
		return nil
	}
	return fmt.Errorf("part %.40q is not %q, %q, %q to %q or %q to %q, or left out for the whole value", p, OwnPart, ReceivedPart,
		sideParts[0], sideParts[MostSides-1], sumParts[0], sumParts[MostSides-1])
}
