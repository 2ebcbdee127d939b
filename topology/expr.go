package topology

import (
	"strconv"
	"strings"
)

// Limits on what an expression may build. They are checked on the expression,
// before anything is allocated.
const (
	// MaxNodes bounds the nodes of a graph, also of one inside a larger expression.
	MaxNodes = 1 << 20
	// MaxCircuits bounds the circuits, parallel ones counted, and so the bundles.
	MaxCircuits = 1 << 26
	// MaxDepth bounds how deep operators nest.
	MaxDepth = 64
)

// Expr is a topology expression: a family with its numbers, such as Torus(4,4) or
// C(16;3,4), or an operator on other expressions, such as Line(C(16;3,4),3).
type Expr struct {
	// Family is the name of the family or operator.
	Family string
	// Graphs are the operands of an operator.
	Graphs []Expr
	// Numbers are the numbers in the order in which they are written.
	Numbers []int
	// Label is the graph's name in DistReg(NAME), or its circuits in Code(..).
	Label string

	nodes    int       // of an expression that the grammar has accepted
	families *Registry // that it was parsed with
}

// Nodes returns the number of nodes of an expression that ParseExpr or OfNodes gave,
// without building it.
func (e Expr) Nodes() int { return e.nodes }

// String prints the canonical form: no blanks. Parsing it gives the expression back.
func (e Expr) String() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e Expr) write(b *strings.Builder) {
	b.WriteString(e.Family)
	if e.Label == "" && len(e.Graphs) == 0 && len(e.Numbers) == 0 {
		return
	}
	b.WriteByte('(')
	b.WriteString(e.Label)
	separate := e.Label != ""
	for _, g := range e.Graphs {
		if separate {
			b.WriteByte(',')
		}
		g.write(b)
		separate = true
	}
	for i, x := range e.Numbers {
		switch {
		case i == 1 && grammar[e.Family].form == jumpsForm:
			b.WriteByte(';')
		case separate:
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(x))
		separate = true
	}
	b.WriteByte(')')
}

// Build constructs the graph, whose Name is the printed expression.
func (e Expr) Build() (*Graph, error) {
	checked, err := e.Checked()
	if err != nil {
		return nil, err
	}
	return checked.build()
}

// Checked returns the expression as the grammar accepts it, with the families that its parts
// were parsed with. The expression may have been put together by hand. Checked parses its
// printed form, which applies every rule of the grammar, and places faults in the text that the
// error quotes.
func (e Expr) Checked() (Expr, error) { return e.knows().ParseExpr(e.String()) }

// knows returns the registry that the expression was parsed with or, if it has none, that of
// its first part that has one.
func (e Expr) knows() *Registry {
	if e.families != nil {
		return e.families
	}
	for _, part := range e.Graphs {
		if r := part.knows(); r != nil {
			return r
		}
	}
	return nil
}

// build constructs an expression that the parser has accepted.
func (e Expr) build() (*Graph, error) {
	if own, ok := e.families.family(e.Family); ok {
		return own.build(e.String(), e.Numbers)
	}
	graphs := make([]*Graph, len(e.Graphs))
	for i, operand := range e.Graphs {
		var err error
		if graphs[i], err = operand.build(); err != nil {
			return nil, err
		}
	}
	return grammar[e.Family].build(e.String(), e.arguments(), graphs), nil
}

// arguments returns the numbers that the rules of the grammar work on: those that are written;
// for a label, its place in the table of labels; and for a code, the numbers that it stands
// for.
func (e Expr) arguments() []int {
	if grammar[e.Family].form == codeForm {
		return decoded(e.Label, e.Numbers)
	}
	if e.Label != "" {
		return []int{distanceRegularIndex(e.Label)}
	}
	return e.Numbers
}

// Parse reads an expression and builds its graph.
func Parse(s string) (*Graph, error) {
	e, err := ParseExpr(s)
	if err != nil {
		return nil, err
	}
	return e.Build()
}
