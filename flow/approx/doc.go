// Package approx has the parts of the approximate routing of package flow: paths with the bytes
// that take them, and the potential that replaces the peak while bytes are shifted between
// paths.
package approx
