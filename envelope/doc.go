// Package envelope handles times that are lines in one parameter: a plan with k reconfigurations
// takes fixed + k*delay, and its transmission grows with the size. The best of several such plans
// is the lower envelope of their lines, a concave function. A few lines answer every question
// about it: which plan is best where, up to where a plan stays the best, and what the best time is
// for a size that nobody planned for.
//
// [Append] and [Segments] compute the envelope of known lines. [Trace] and [Around] ask an
// oracle, such as a planner, only for the lines that they need. [Lazy] answers for many points
// with few questions.
package envelope
