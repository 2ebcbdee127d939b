// Package fixed makes plans for fabrics with fixed links, by plans for flat ones.
//
// Fixed links, alone or with circuits that stay, are a network like any other: a flat fabric with
// as many ports as it takes, whose base is that network and which cannot change. Every planner
// plans there. A plan for it is one for the fabric with the same routes, whose stages have the
// circuits alone.
//
// A block that is a mesh, such as a cube of 4x4x4, makes a torus with others: circuits join the
// faces of neighbours, and of the last and the first. It is planned as a torus, with all of its
// symmetry, and renumbered: the GPUs of a block are consecutive, those of a torus are not.
package fixed
