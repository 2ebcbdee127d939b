// Package digit splits the numbers of GPUs into digits and finds, by a dynamic program over the
// divisors of their number, which program processes each digit in the least time: gathers and
// exchanges on rings, chains of circulants, tori and graphs of small diameter, ladders of both,
// sums over walks and of windows. It lays out the best as stages of a plan. docs/joint.md explains
// how each program works.
package digit
