// Package islands plans for fabrics whose GPUs share electrical islands (fabric.Island), by plans
// for flat fabrics.
//
// An island, or some places of every island, acts as one node of a core: a flat fabric whose
// nodes have the ports of all these GPUs. Any planner plans the operation there, and Lift turns
// its plan into one for the GPUs. The bytes of a node are spread evenly over its GPUs, one share
// for each place of the island, and a share that leaves by the circuit of another place goes there
// through the island first, in the same step: electrical, optical, electrical.
//
// What is left is within islands: before, shares are collected (reduced, or sent to the place
// of their destination), and afterwards they are spread to all places. Both go on while the core
// sends: a share is collected in time for the step that sends it first, and spread once it has
// arrived, as far as a step leaves the island time. While circuits change, islands carry on.
// Steps of the core may be divided into several, so that less is left for the end.
//
// Where one island has all GPUs there is no core: Within carries the steps of any algorithm out
// there.
package islands
