// Package server serves package lightpath over HTTP: POST /v1/plan with the JSON of a
// PlanRequest returns what lightpath plan --json prints, and the same holds for every command.
// The package only translates, and adds what a service needs: a store of earlier answers, jobs
// for long work, limits, and protection against abuse.
//
// # Work
//
// An identical request is answered from the store, by the hash of the completed request and
// the version of the program. Other work waits for one of a few slots; if too many requests
// wait, the answer is 429. Work stops when its client disconnects, when it takes too long, and
// when it would exhaust the memory. A job has more time, continues without its client, and
// survives a restart: see jobs.go.
//
// # Safety
//
// Nothing in a request becomes a file name. guard.go decides who may connect, and limits.go how
// much they may ask for.
package server
