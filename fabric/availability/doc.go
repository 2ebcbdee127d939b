// Package availability computes for how much of the time a system is in which state if its
// parts fail and are repaired.
//
// Parts are in pools of equal ones: a number in use, plus spares. A part in use fails after a
// random time with a given mean, and is repaired in a random time with a given mean, all
// independently. A spare replaces a failed part at once, and does not fail itself. If more
// parts have failed than there are spares, some are missing. The number of failed parts is then
// a birth-death process with the stationary distribution
//
//	p(j) ~ prod_{i<j} r min(n, n+k-i) / (i+1),   r = failures per hour x hours of a repair,
//
// for n in use and k spares, whatever the distribution of repair times (Sevast'yanov 1957;
// without spares it is binomial). Which parts are missing is random, and all sets of the same
// size are equally likely.
//
// States are divided into strata by the number of parts that each pool is missing. A stratum with
// few states is enumerated; from one with many a sample is drawn, with a fixed seed. States with
// too many missing parts are left out, and the answer says how likely those are.
package availability
