// Package pricing computes how long the steps of a collective take on a topology: first by
// bounds, then by shortest paths, and by routes only if a search asks for them. A Workload is the
// steps, sorted into classes with equal transfers. A Candidate is a topology with everything
// known about it so far.
package pricing
