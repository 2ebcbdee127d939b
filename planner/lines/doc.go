// Package lines makes plans for grids of GPUs (layouts such as 8x8:2,2) from plans for their
// lines.
//
// The switches of a digit connect GPUs that differ only in that digit, so each line is a flat
// fabric of its own with the ports of its digit, and every planner can plan on it. An operation
// on the grid is a sequence of operations on lines, one digit after the other. To let the ports
// of all digits send at once, the data is cut into as many pieces as there are digits, and each
// piece takes the digits in an order rotated by one: in every phase each digit has another piece
// (as tori have done since Johnsson and Ho, "Optimum broadcasting and personalized communication
// in hypercubes", 1989). Pieces may differ in size if digits differ in their sides or ports. An
// operation with a root goes outwards digit by digit, from the lines of GPUs that have data, or
// inwards.
package lines
