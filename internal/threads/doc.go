// Package threads limits how many threads a piece of work may use, and measures its processor
// time. Both travel in the context, because the costly code is many calls below the code that
// knows the limits, which is a service that shares a machine among its clients. Answers never
// depend on either.
package threads
