package sim

import (
	"fmt"
)

// Level is the granularity of a simulation.
type Level string

// The levels.
const (
	PacketLevel Level = "packet" // every packet, exactly
	FlowLevel   Level = "flow"   // rates that share circuits max-min fairly
)

// ParseLevel returns the level of that name.
func ParseLevel(name string) (Level, error) {
	switch l := Level(name); l {
	case PacketLevel, FlowLevel:
		return l, nil
	}
	return "", fmt.Errorf("unknown level %q: want %q or %q", name, FlowLevel, PacketLevel)
}
