// Package rounds is the construction of Zhou, Addanki and Apostolaki (To Reconfigure or
// Not to Reconfigure, section 4) as the paper describes it: chunks move in rounds, a round
// being a set of chunks that begin in the same slot and do not wait, and topologies after
// the first connect directly what a long round would carry.
package rounds
