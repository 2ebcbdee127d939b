package iteration

import (
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Lines are the ends of circuits: the sending side of the ports that a class has in a bank,
// their receiving side, or both sides if circuits carry both directions.
type Lines struct {
	Classes int
	Banks   []Bank
	Duplex  bool
	// Aligned says that a circuit ends in lanes with the same number, as on switches that have
	// port p of every GPU.
	Aligned bool
}

// Bank is a set of ports of a GPU that reach the same others: for each lane the ports that are
// set up together.
type Bank [][]int

// LinesOf returns the lines of classes whose ports are all on one switch.
func LinesOf(classes, ports int, duplex bool) Lines {
	return Lines{Classes: classes, Banks: []Bank{bankOf(0, ports)}, Duplex: duplex}
}

// bankOf returns a bank of ports that are set up one by one.
func bankOf(first, ports int) Bank {
	b := make(Bank, ports)
	for i := range b {
		b[i] = []int{first + i}
	}
	return b
}

// linesOn returns the lines of the given number of classes on a fabric. Rails are one bank, and
// so is every digit of a grid; on other layouts all ports of a GPU are set up together.
func linesOn(f *fabric.Fabric, classes int) Lines {
	l := LinesOf(classes, f.Ports, f.Duplex)
	if f.Layout.IsZero() {
		return l
	}
	l.Aligned = true
	if f.Layout.Parallel() {
		return l
	}
	_, share := f.Layout.Grid(f.Ports)
	if share == nil {
		all := arithmetic.UpTo(f.Ports)
		l.Banks = []Bank{{all}}
		return l
	}
	l.Banks = nil
	for first := 0; len(l.Banks) < len(share); {
		ports := share[len(l.Banks)]
		l.Banks = append(l.Banks, bankOf(first, ports))
		first += ports
	}
	return l
}

// sides returns how many lines a class has in a bank.
func (l Lines) sides() int {
	if l.Duplex {
		return 1
	}
	return 2
}

// Count returns the number of lines.
func (l Lines) Count() int { return l.Classes * l.sides() * len(l.Banks) }

// Lanes returns the number of lanes of a line.
func (l Lines) Lanes(line int) int { return len(l.Banks[line%len(l.Banks)]) }

// most returns the largest number of lanes of any line.
func (l Lines) most() int {
	return each.Max(0, l.Banks, func(b Bank) int { return len(b) })
}

// sameBank reports whether two lines are in the same bank.
func (l Lines) sameBank(a, b int) bool { return a%len(l.Banks) == b%len(l.Banks) }

// Out returns the line on which a class sends in a bank.
func (l Lines) Out(class, bank int) int { return class*l.sides()*len(l.Banks) + bank }

// In returns the line on which a class receives in a bank.
func (l Lines) In(class, bank int) int { return (class*l.sides()+l.sides()-1)*len(l.Banks) + bank }

// ports returns a lane in the terms of documents: the class, the side and the ports.
func (l Lines) ports(at Lane) (class, side int, ports []int) {
	bank, rest := at.Line%len(l.Banks), at.Line/len(l.Banks)
	if l.Duplex {
		return rest, 2, l.Banks[bank][at.Lane]
	}
	return rest / 2, rest % 2, l.Banks[bank][at.Lane]
}

// narrowed returns the lines with at most the given number of lanes each.
func (l Lines) narrowed(lanes int) Lines {
	l.Banks = slices.Clone(l.Banks)
	for i, b := range l.Banks {
		l.Banks[i] = b[:min(len(b), lanes)]
	}
	return l
}

// fits reports whether lines have the claimed lanes.
func (l Lines) fits(claims []Claim) bool {
	return !slices.ContainsFunc(claims, func(c Claim) bool { return c.Lanes > l.Lanes(c.Line) })
}
