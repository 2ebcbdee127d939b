// Package sliced makes plans for some GPUs of a fabric from plans for a fabric of only these GPUs.
//
// The small fabric has the GPUs of a slice, the ports and switches that are left to them, and the
// slice's part of each island. Any planner plans there, with all symmetries of the small fabric.
// Embed then restores the numbers of the GPUs. GPUs outside the slice forward nothing.
package sliced
