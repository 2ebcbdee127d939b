// Package planes decides how independently reconfigured planes of circuits serve consecutive
// steps: which plane serves which step over which circuits, and what share of the step's bytes it
// carries. A plane is one port of every GPU and the switch behind it. It is dark while it
// reconfigures; the others keep sending.
//
// The package works with times, not plans. A plane takes Fixed + x*Whole to serve a share x of a
// step over circuits c. There are barriers between steps: no plane begins a step before all
// planes have ended the previous one. Between two steps that a plane serves over different
// circuits, it is dark for Change.
//
// If all planes serve all steps, reconfiguring them one after another takes as long as
// reconfiguring all at once: the total time that planes send and are dark is the same. A plane
// saves time by skipping steps and being dark while the others send.
//
// For given circuits (a Pattern for every plane) the best shares and lengths of steps are a
// linear program (time.go). Search looks for patterns.
package planes
