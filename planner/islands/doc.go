// Package islands makes plans for fabrics with electrical islands (fabric.Island) from plans for
// flat fabrics.
//
// An island, or some places of every island, acts as one node of a core: a flat fabric whose
// nodes have the ports of all these GPUs. Any planner plans the operation there, and Lift turns
// its plan into one for the GPUs. The bytes of a node are spread evenly over its GPUs, one share
// for each place of the island, and a share that leaves by the circuit of another place goes there
// through the island first, in the same step: electrical, optical, electrical.
//
// The rest of the work is within islands. They collect shares before the core sends them (reduce
// them, or send them to the place of their destination) and then spread them to all places. Both
// happen while the core sends: a share is collected in time for the first step that sends it, and
// spread once it has arrived, as far as a step leaves the island time. Islands also work while
// circuits change. Steps of the core may be divided, so that less is left for the end.
//
// If one island has all GPUs, there is no core: Within runs the steps of any algorithm there.
package islands
