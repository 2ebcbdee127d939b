// Package envelope is for times that are lines in one parameter: a plan with k changes of
// circuits takes fixed + k*delay, and its transmission grows with the size. The best of
// several such plans is the lower envelope of their lines, a concave function, and every
// question about it - which plan is the best where, up to where a plan stays the best,
// what the best time is for a size nobody planned for - is answered from few lines.
//
// [Append] and [Segments] make the envelope of lines that are known; [Trace] and [Around]
// ask an oracle, such as a planner, for the lines where they are needed; [Lazy] answers for
// many places with few questions.
package envelope
