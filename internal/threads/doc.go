// Package threads says how many threads a piece of work may use, and how much processor
// time it has used. Both travel in the context, because what takes long is many calls below
// whoever knows: a service that shares a machine among its clients. Answers never depend on
// either.
package threads
