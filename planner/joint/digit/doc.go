// Package digit splits the numbers of the GPUs into digits. A dynamic program over the divisors
// of the number of GPUs finds the fastest program for each digit: gathers and exchanges on rings,
// chains of circulants, tori and graphs of small diameter, ladders of both, sums over walks and
// sums of windows. The package lays out the best solution as stages of a plan. docs/joint.md
// explains how each program works.
package digit
