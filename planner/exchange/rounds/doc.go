// Package rounds implements the construction of Zhou, Addanki and Apostolaki (To Reconfigure or
// Not to Reconfigure, section 4) as the paper describes it. Chunks move in rounds; a round is a
// set of chunks that begin in the same slot and never wait. Every topology after the first
// directly connects the pairs of a long round.
package rounds
