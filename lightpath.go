// Package lightpath plans collective communication on reconfigurable optical
// fabrics: which circuits to set and when, what every GPU sends over them, how long
// it takes, how far that is from a proven bound, and a proof that it is correct.
//
// It has one function per command, which takes a context, a request and options, and returns
// an answer. A request is a plain value whose JSON form has the names of the flags, so a
// command line, an HTTP body and a Go program say the same. Its zero fields mean documented
// defaults, and an error names the wrong field. What cannot be a plain value is an Option.
//
// The functions, requests and answers live in the packages below command, one package per
// command or per group of related commands; this package only names them. The other packages
// hold the parts: fabric and collective describe the problem, planner solves it, plan is the
// answer.
package lightpath
