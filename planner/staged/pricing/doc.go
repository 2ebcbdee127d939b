// Package pricing says what the steps of a collective take on a topology: by bounds first, by
// shortest paths next, by routes only where a search asks for them. A Workload is the steps,
// sorted into classes that send the same; a Candidate is a topology with all that is known of it
// so far.
package pricing
