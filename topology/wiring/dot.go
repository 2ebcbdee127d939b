package wiring

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// readDOT reads the edges of a graph in Graphviz' language (graphviz.org/doc/info/lang.html):
// an edge of a graph, --, is two circuits, one each way, and of a digraph, ->, one. It reads
// the attributes count, bandwidth and delay of edges, also as defaults (edge [count=2]), and
// ignores all others, which are for drawing. Subgraphs may be operands of edges; ports of nodes
// are ignored.
func readDOT(text string, b *builder) error {
	p := &dotParser{scanner: dotScanner{text: text, line: 1}, builder: b}
	if err := p.graph(); err != nil {
		return fmt.Errorf("line %d: %w", p.scanner.line, err)
	}
	return nil
}

// dotParser is a recursive descent.
type dotParser struct {
	*builder
	scanner  dotScanner
	token    dotToken
	directed bool
	depth    int
	newest   int // node that the last operand added, or -1
}

// maxDOTDepth bounds how deep subgraphs nest.
const maxDOTDepth = 64

// maxLinks bounds the edges of a file: a few words, {a b ..} -> {a b ..}, can stand for very
// many edges.
const maxLinks = 1 << 22

func (p *dotParser) next() (err error) {
	p.token, err = p.scanner.next()
	return err
}

// is reports whether the token is that mark or that keyword, in upper or lower case.
func (p *dotParser) is(text string) bool {
	return !p.token.quoted && strings.EqualFold(p.token.text, text)
}

func (p *dotParser) graph() error {
	if err := p.next(); err != nil {
		return err
	}
	if p.is("strict") {
		return errors.New("strict graphs merge parallel edges; want graph or digraph")
	}
	switch {
	case p.is("digraph"):
		p.directed = true
	case p.is("graph"):
	default:
		return fmt.Errorf("%s; want graph or digraph", p.token)
	}
	if err := p.next(); err != nil {
		return err
	}
	if p.token.kind == dotID {
		if err := p.next(); err != nil {
			return err
		}
	}
	if _, err := p.body(Link{Count: 1}); err != nil {
		return err
	}
	if p.token.kind != dotEnd {
		return fmt.Errorf("%s after the end of the graph", p.token)
	}
	return nil
}

// body reads { statements } and returns the nodes in it. Defaults for edges apply up to its
// end.
func (p *dotParser) body(edge Link) (nodes []int, err error) {
	if p.depth++; p.depth > maxDOTDepth {
		return nil, fmt.Errorf("subgraphs nest deeper than %d", maxDOTDepth)
	}
	defer func() { p.depth-- }()
	if !p.is("{") {
		return nil, fmt.Errorf("%s; want {", p.token)
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	for !p.is("}") {
		switch {
		case p.token.kind == dotEnd:
			return nil, errors.New("the graph is not closed; want }")
		case p.is(";") || p.is(","):
			if err := p.next(); err != nil {
				return nil, err
			}
			continue
		case p.is("graph"), p.is("node"):
			var drawn Link
			err = p.attributesAfterKeyword(&drawn)
		case p.is("edge"):
			err = p.attributesAfterKeyword(&edge)
		default:
			var some []int
			some, err = p.statement(edge)
			nodes = append(nodes, some...)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), p.next()
}

func (p *dotParser) attributesAfterKeyword(l *Link) error {
	if err := p.next(); err != nil {
		return err
	}
	return p.attributes(l)
}

// statement reads a node, an edge, a subgraph or name = value.
func (p *dotParser) statement(edge Link) (nodes []int, err error) {
	left, plain, err := p.operand(edge)
	if err != nil {
		return nil, err
	}
	if plain && p.is("=") { // an attribute of the graph
		p.forget(left)
		if err := p.next(); err != nil {
			return nil, err
		}
		if p.token.kind != dotID {
			return nil, fmt.Errorf("%s; want a value", p.token)
		}
		return nil, p.next()
	}
	nodes = append(nodes, left...)
	first := len(p.links)
	for p.is("->") || p.is("--") {
		if p.directed != p.is("->") {
			return nil, fmt.Errorf("%s; want -> in a digraph and -- in a graph", p.token)
		}
		if err := p.next(); err != nil {
			return nil, err
		}
		right, _, err := p.operand(edge)
		if err != nil {
			return nil, err
		}
		if len(left)*len(right) > maxLinks-len(p.links) {
			return nil, fmt.Errorf("more than %d edges", maxLinks)
		}
		for _, u := range left {
			for _, v := range right {
				p.links = append(p.links, Link{From: u, To: v, Count: edge.Count, Bandwidth: edge.Bandwidth, Delay: edge.Delay})
			}
		}
		nodes = append(nodes, right...)
		left = right
		if len(nodes) > 2*len(p.names) { // each once is enough
			slices.Sort(nodes)
			nodes = slices.Compact(nodes)
		}
	}
	said := edge
	if err := p.attributes(&said); err != nil {
		return nil, err
	}
	for i := first; i < len(p.links); i++ {
		l := &p.links[i]
		l.Count, l.Bandwidth, l.Delay = said.Count, said.Bandwidth, said.Delay
	}
	if !p.directed {
		for _, l := range p.links[first:] {
			l.From, l.To = l.To, l.From
			p.links = append(p.links, l)
		}
	}
	return nodes, nil
}

// forget takes back a node that was the name of an attribute, if it is the newest.
func (p *dotParser) forget(nodes []int) {
	if last := len(p.names) - 1; len(nodes) == 1 && nodes[0] == last && p.newest == last {
		delete(p.index, p.names[last])
		p.names = p.names[:last]
	}
}

// operand reads a node, which is plain, or a subgraph.
func (p *dotParser) operand(edge Link) (nodes []int, plain bool, err error) {
	if p.is("subgraph") {
		if err := p.next(); err != nil {
			return nil, false, err
		}
		if p.token.kind == dotID {
			if err := p.next(); err != nil {
				return nil, false, err
			}
		}
	}
	if p.is("{") {
		nodes, err = p.body(edge)
		return nodes, false, err
	}
	if p.token.kind != dotID {
		return nil, false, fmt.Errorf("%s; want a node", p.token)
	}
	before := len(p.names)
	u := p.node(p.token.text)
	p.newest = -1
	if len(p.names) > before {
		p.newest = u
	}
	if err := p.next(); err != nil {
		return nil, false, err
	}
	for p.is(":") { // a port, and perhaps a compass point
		if err := p.next(); err != nil {
			return nil, false, err
		}
		if p.token.kind != dotID {
			return nil, false, fmt.Errorf("%s; want a port", p.token)
		}
		if err := p.next(); err != nil {
			return nil, false, err
		}
	}
	return []int{u}, true, nil
}

// attributes reads any number of [name=value, ..] into the link.
func (p *dotParser) attributes(l *Link) error {
	for p.is("[") {
		if err := p.next(); err != nil {
			return err
		}
		for !p.is("]") {
			if p.is(",") || p.is(";") {
				if err := p.next(); err != nil {
					return err
				}
				continue
			}
			if p.token.kind != dotID {
				return fmt.Errorf("%s; want name=value or ]", p.token)
			}
			name := p.token.text
			if err := p.next(); err != nil {
				return err
			}
			if !p.is("=") {
				return fmt.Errorf("%s; want = after %s", p.token, quoted(name))
			}
			if err := p.next(); err != nil {
				return err
			}
			if p.token.kind != dotID {
				return fmt.Errorf("%s; want a value of %s", p.token, quoted(name))
			}
			if err := l.attribute(strings.ToLower(name), p.token.text); err != nil {
				return err
			}
			if err := p.next(); err != nil {
				return err
			}
		}
		if err := p.next(); err != nil {
			return err
		}
	}
	return nil
}

// writeDOT writes a digraph.
func (w *Wiring) writeDOT(out io.Writer) error {
	buffered := bufio.NewWriter(out)
	fmt.Fprintln(buffered, "digraph {")
	for u := range w.Nodes {
		fmt.Fprintf(buffered, "  %s;\n", dotName(w.name(u)))
	}
	for _, l := range w.Links {
		fmt.Fprintf(buffered, "  %s -> %s", dotName(w.name(l.From)), dotName(w.name(l.To)))
		var said []string
		if l.Count != 1 {
			said = append(said, fmt.Sprintf("count=%d", l.Count))
		}
		if l.Bandwidth != 0 {
			said = append(said, fmt.Sprintf("bandwidth=%q", l.Bandwidth.String()))
		}
		if l.Delay != 0 {
			said = append(said, fmt.Sprintf("delay=%q", l.Delay.String()))
		}
		if said != nil {
			fmt.Fprintf(buffered, " [%s]", strings.Join(said, ","))
		}
		fmt.Fprintln(buffered, ";")
	}
	fmt.Fprintln(buffered, "}")
	return buffered.Flush()
}

// dotName quotes a name unless it is a number.
func dotName(name string) string {
	if _, err := nodeNumber(name); err == nil {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
}
