// Package server answers the requests of package lightpath over HTTP: POST /v1/plan with
// the JSON of a PlanRequest gives what lightpath plan --json prints, and so for every
// command. It only translates; what is its own is what a service needs: a store that
// answers what was asked before, jobs for long work, limits, and defences.
//
// # Work
//
// An identical request is answered from the store, by the hash of the completed request and
// the version of the program. Other work waits for one of a few places; where too many wait
// already, the answer is 429. It stops when its client goes, when it takes too long, and
// when it would take the memory of the machine. A job has more time, goes on without its
// client, and survives a restart: see jobs.go.
//
// # Safety
//
// Nothing that a request says becomes the name of a file. See guard.go for who may ask and
// limits.go for how much.
package server
