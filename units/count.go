package units

import "strconv"

// Count formats a number of things: "1 port", "2 ports". A plural that is not formed by adding
// s must be given: Count(n, "process", "processes").
func Count(n int, one string, many ...string) string {
	noun := one
	switch {
	case n == 1:
	case len(many) > 0:
		noun = many[0]
	default:
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
