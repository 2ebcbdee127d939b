// Package fixed makes plans for fabrics with fixed links from plans for flat fabrics.
//
// Fixed links, alone or with circuits that stay up, form a network like any other: a flat fabric
// with enough ports, whose base is that network and which never reconfigures. Every planner plans
// on it. The plan for the real fabric has the same routes, but its stages hold only the circuits.
//
// Blocks that are meshes, such as cubes of 4x4x4, form a torus: circuits join the faces of
// neighbouring blocks, and of the last and the first. The torus is planned with all of its symmetry
// and then renumbered, because the GPUs of a block are consecutive, but not those of a torus.
package fixed
