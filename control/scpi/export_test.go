package scpi

import "github.com/lightpath-net/lightpath/control"

// What tests reach of the syntax.
var (
	ParseState = parseState
	ParseSize  = parseSize
	ParseError = parseError
)

// FormatState writes a state as a switch answers it.
func FormatState(s control.State) string { return formatLists(s.Crosses()) }
