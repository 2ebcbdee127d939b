// Package resized makes allreduces for a number of GPUs from plans for a few more or a few fewer.
// Plans for numbers with small factors are fast; those for 37 GPUs lose to those for 36 and 40.
//
// A plan grows by a GPU (grow.go) that is inserted into circuits of the first and the last stage.
// The new GPU adds its vector to those of others, and gets the sum at the end.
//
// A plan shrinks by a GPU (shrink.go) whose circuits are joined to one another. A neighbour takes
// over what the missing GPU would hold and send. That works chunk by chunk, as long as the
// neighbour needs only one of the two values: in a scatter and a gather with something in between,
// each of the two has its own chunks.
//
// Both work on any plan whose transfers carry whole values, however it was found. They know what
// a value is good for from two sums over the plan (values.go): what is in it, and which results it
// will be part of.
package resized
