// Package planes decides how planes of circuits serve steps that follow one another when
// each plane can be rewired by itself: which plane serves which step over which circuits,
// and which share of the step's bytes it carries. A plane is one port of every GPU and the
// switch behind it. It is dark while it changes; the others go on sending meanwhile.
//
// It knows times and no plans. A step that circuits c serve takes a plane Fixed + x*Whole
// for a share x of its bytes. The steps have barriers between them: no plane begins one
// before all have ended the one before. Between two steps that a plane serves over other
// circuits it is dark for Change.
//
// If all planes serve all steps, rewiring them one after another takes as long as rewiring
// all at once: the sum over planes of what they send and of what they are dark for is the
// same. What saves time is a plane that skips steps, dark while the others send.
//
// For given circuits (a Pattern for every plane) the best shares and lengths of steps are a
// linear program (time.go). Search looks for patterns.
package planes
