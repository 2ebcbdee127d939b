// Package parts knows what fabrics are made of and what that costs: optical switches,
// transceivers, network cards, fibres and packet switches, each with its price, power and
// optical loss, the source and its date. It writes bills of materials for optical fabrics that
// are plugged as a layout says, and for the electrical packet fabrics that they are compared
// with.
//
// An uncertain figure is a range, low..likely..high, and so are the sums that it enters. The
// low end of a sum adds up all low ends, as if all figures erred in the same direction.
//
// The catalogue of this package is parts.yaml. A user's file in the same form changes figures
// of its parts and adds more (With).
package parts
