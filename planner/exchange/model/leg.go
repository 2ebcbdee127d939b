package model

// Leg is a part of a chunk's way that uses one generator of one stage.
type Leg struct {
	Stage, Port, Hops int32
}
