// Package availability computes how long a system of parts that fail and are repaired is in which
// state.
//
// Parts are in pools of like ones: so many in use, and spares. A part in use fails after a random
// time with a given mean, and is repaired in a random time with a given mean, all independently. A
// spare takes the place of a part that fails at once, and does not fail itself. If more have failed
// than there are spares, some are missing. The number that have failed is then a birth-death
// process with the stationary distribution
//
//	p(j) ~ prod_{i<j} r min(n, n+k-i) / (i+1),   r = failures per hour x hours of a repair,
//
// for n in use and k spares, whatever the distribution of repair times (Sevast'yanov 1957; without
// spares it is the binomial one). Which parts are missing is random, and all sets of the same size
// are equally likely.
//
// States are divided into strata by how many parts of which pools are missing. A stratum with few
// states is enumerated, and of one with many a sample is drawn, with a seed. What is missing in
// more than a few places at once is left out, and the answer says how likely that is.
package availability
