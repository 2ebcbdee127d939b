// Package extend shows how a program outside of Lightpath adds what it needs, each in one file:
//
//   - an algorithm (algorithm.go);
//   - a topology family, as an expression (topology.go) and with members that searches try
//     (coxeter.go);
//   - a planner (planner.go), and one with an option of its own (jumping.go);
//   - a delay model (delay_model_test.go).
//
// Nothing is registered globally: these additions are values, passed to what needs them. The
// verifier proves plans made with them like all others, once it is told what the names stand
// for. added_test.go follows each addition from requests to plan files, simulators and
// compilers.
//
// Compile targets, layouts of switches and commands are added within the module, or passed to the
// command line: CONTRIBUTING.md has the table.
package extend
