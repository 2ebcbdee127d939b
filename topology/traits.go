package topology

// Traits are what a family says of all its graphs, for searches. What it does not say is measured,
// graph by graph, or taken not to be so.
type Traits struct {
	// ReverseSymmetric families have graphs that are isomorphic to their transposes, even if they
	// are one-way. (Zhao et al., Table 9; negation turns the circuits of circulants round.)
	ReverseSymmetric bool
	// LinesWithin families have the line graphs of their graphs: those of GenKautz(d,m) are
	// GenKautz(d,dm), and those of de Bruijn graphs likewise.
	LinesWithin bool
	// Search says which searches try the members.
	Search Search
}

// Search is what a search looks for when it tries the members of a family.
type Search int

// Searches.
const (
	// NotSearched families are not tried: a search chooses their numbers itself, such as the jumps
	// of circulants, or reaches their graphs by operators.
	NotSearched Search = iota
	// ForBandwidth: breadth-first broadcasts are expected to be bandwidth-optimal.
	ForBandwidth
	// ForSteps: the graphs are made for few steps; a breadth-first broadcast may take twice the
	// least bandwidth. (Zhao et al., section E.2 and Figure 12.)
	ForSteps
)

// Traits returns what the family of an expression says of its graphs, nothing for an operator.
func (e Expr) Traits() Traits {
	if own, ok := e.families.family(e.Family); ok {
		return own.Traits
	}
	return grammar[e.Family].traits
}
