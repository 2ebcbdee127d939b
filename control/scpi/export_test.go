package scpi

import "github.com/lightpath-net/lightpath/control"

// Internals of the syntax that tests use.
var (
	ParseState = parseState
	ParseSize  = parseSize
	ParseError = parseError
)

// FormatState writes a state as a switch answers it.
func FormatState(s control.State) string { return formatLists(s.Crosses()) }
