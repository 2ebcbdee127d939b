// Package parts knows what fabrics are made of and what that costs: optical switches,
// transceivers, network cards, fibres and packet switches, each with its price, power and loss
// of light, its source and its date. It writes bills of materials for optical fabrics that are
// plugged as a layout says, and for the electrical packet fabrics that they are compared with.
//
// A figure may be uncertain. It is then a range, low..likely..high, and so are the sums that it
// is part of: the low end of a sum adds up all low ends, as if all figures erred to the same
// side.
//
// The catalogue of this package is parts.yaml. A file of one's own in the same form changes
// figures of its parts and adds more (With).
package parts
