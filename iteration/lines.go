package iteration

import (
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
)

// Lines are where circuits can end: the sending side of the ports that a class has in a bank,
// their receiving side, or both at once where circuits carry both directions.
type Lines struct {
	Classes int
	Banks   []Bank
	Duplex  bool
	// Aligned says that a circuit ends in lanes of the same number, as where port p of every GPU is
	// on switch p.
	Aligned bool
}

// Bank is ports of a GPU that reach the same others: by lane its ports, which are set up together.
type Bank [][]int

// LinesOf returns the lines of classes whose ports all meet in one switch.
func LinesOf(classes, ports int, duplex bool) Lines {
	return Lines{Classes: classes, Banks: []Bank{bankOf(0, ports)}, Duplex: duplex}
}

// bankOf is a bank of ports that are set up one by one.
func bankOf(first, ports int) Bank {
	b := make(Bank, ports)
	for i := range b {
		b[i] = []int{first + i}
	}
	return b
}

// linesOn returns the lines of so many classes on a fabric. Rails are a bank, and so is every digit
// of a grid; on other layouts all ports of a GPU are set up together.
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
		all := make([]int, f.Ports)
		for i := range all {
			all[i] = i
		}
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

// sides is how many lines a class has in a bank.
func (l Lines) sides() int {
	if l.Duplex {
		return 1
	}
	return 2
}

// Count is how many lines there are.
func (l Lines) Count() int { return l.Classes * l.sides() * len(l.Banks) }

// Lanes is how many lanes a line has.
func (l Lines) Lanes(line int) int { return len(l.Banks[line%len(l.Banks)]) }

// most is how many lanes any line has at most.
func (l Lines) most() int {
	most := 0
	for _, b := range l.Banks {
		most = max(most, len(b))
	}
	return most
}

// sameBank reports whether two lines are in the same bank.
func (l Lines) sameBank(a, b int) bool { return a%len(l.Banks) == b%len(l.Banks) }

// Out is the line that a class sends on in a bank.
func (l Lines) Out(class, bank int) int { return class*l.sides()*len(l.Banks) + bank }

// In is the line that a class receives on in a bank.
func (l Lines) In(class, bank int) int {
	return (class*l.sides()+l.sides()-1)*len(l.Banks) + bank
}

// Port names a lane as documents do: the class, the side and the ports.
func (l Lines) ports(at Lane) (class, side int, ports []int) {
	bank, rest := at.Line%len(l.Banks), at.Line/len(l.Banks)
	if l.Duplex {
		return rest, 2, l.Banks[bank][at.Lane]
	}
	return rest / 2, rest % 2, l.Banks[bank][at.Lane]
}

// narrowed returns the lines with at most so many lanes each.
func (l Lines) narrowed(lanes int) Lines {
	l.Banks = slices.Clone(l.Banks)
	for i, b := range l.Banks {
		l.Banks[i] = b[:min(len(b), lanes)]
	}
	return l
}

// fits reports whether lines have the lanes that are claimed.
func (l Lines) fits(claims []Claim) bool {
	return !slices.ContainsFunc(claims, func(c Claim) bool { return c.Lanes > l.Lanes(c.Line) })
}
