// Package sliced plans for some GPUs of a fabric by plans for a fabric of these GPUs alone.
//
// The small fabric has the GPUs of a slice, the ports and switches that are left to them, and what
// the slice has of each island. Any planner plans there, with all symmetries that the small fabric
// has; Embed gives the plan back the numbers of the GPUs. Nobody else's GPUs pass anything on.
package sliced
