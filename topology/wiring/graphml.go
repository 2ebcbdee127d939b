package wiring

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readGraphML reads nodes and edges of the first graph of a GraphML document
// (graphml.graphdrawing.org). It reads data named count, bandwidth and delay, whatever the
// key's id, and ignores all other data. An undirected edge is two circuits, one each way.
func readGraphML(text []byte, b *builder) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	r := graphMLReader{builder: b, keys: map[string]string{}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		line, _ := d.InputPos()
		if err != nil {
			return fmt.Errorf("line %d: %s", line, xmlProblem(err))
		}
		if err := r.take(token); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	if !r.seen {
		return errors.New("no <graph> in it")
	}
	return nil
}

// xmlProblem returns the decoder's message without its line number.
func xmlProblem(err error) string {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Msg
	}
	return err.Error()
}

// graphMLReader is a state machine over the tokens.
type graphMLReader struct {
	*builder
	keys     map[string]string // id of a key to the name of the attribute
	seen     bool              // a graph
	done     bool              // that graph is over
	directed bool              // its edges, unless one says otherwise
	edge     *Link
	twoWay   bool   // the edge
	data     string // name of the attribute that is being read, within an edge
	value    strings.Builder
}

func (r *graphMLReader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return r.start(t)
	case xml.CharData:
		if r.data != "" {
			r.value.Write(t)
		}
	case xml.EndElement:
		return r.end(t.Name.Local)
	case xml.Directive:
		return errors.New("document types are not read")
	}
	return nil
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (r *graphMLReader) start(t xml.StartElement) error {
	if r.done {
		return nil
	}
	switch t.Name.Local {
	case "key":
		r.keys[attribute(t, "id")] = strings.ToLower(attribute(t, "attr.name"))
	case "graph":
		if r.seen {
			return errors.New("a graph within a graph")
		}
		r.seen = true
		switch value := attribute(t, "edgedefault"); value {
		case "directed":
			r.directed = true
		case "undirected":
		default:
			return fmt.Errorf("edgedefault %s; want directed or undirected", quoted(value))
		}
	case "node":
		id := attribute(t, "id")
		if id == "" {
			return errors.New("a node without an id")
		}
		r.node(id)
	case "edge":
		from, to := attribute(t, "source"), attribute(t, "target")
		if from == "" || to == "" {
			return errors.New("an edge without source or target")
		}
		r.edge = &Link{From: r.node(from), To: r.node(to), Count: 1}
		r.twoWay = !r.directed
		switch value := attribute(t, "directed"); value {
		case "true":
			r.twoWay = false
		case "false":
			r.twoWay = true
		case "":
		default:
			return fmt.Errorf("directed=%s; want true or false", quoted(value))
		}
	case "hyperedge":
		return errors.New("hyperedges join more than two nodes; want edges")
	case "data":
		if r.edge != nil {
			key := attribute(t, "key")
			if r.data = r.keys[key]; r.data == "" {
				r.data = key
			}
			r.value.Reset()
		}
	}
	return nil
}

func (r *graphMLReader) end(name string) error {
	switch name {
	case "data":
		attribute, value := r.data, strings.TrimSpace(r.value.String())
		r.data = ""
		if r.edge != nil && attribute != "" {
			return r.edge.attribute(attribute, value)
		}
	case "edge":
		if r.edge == nil {
			return nil
		}
		r.links = append(r.links, *r.edge)
		if r.twoWay {
			back := *r.edge
			back.From, back.To = back.To, back.From
			r.links = append(r.links, back)
		}
		r.edge = nil
	case "graph":
		r.done = true
	}
	return nil
}

// writeGraphML writes a directed graph.
func (w *Wiring) writeGraphML(out io.Writer) error {
	buffered := bufio.NewWriter(out)
	fmt.Fprint(buffered, xml.Header, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="count" for="edge" attr.name="count" attr.type="int"/>
  <key id="bandwidth" for="edge" attr.name="bandwidth" attr.type="string"/>
  <key id="delay" for="edge" attr.name="delay" attr.type="string"/>
  <graph edgedefault="directed">
`)
	for u := range w.Nodes {
		fmt.Fprintf(buffered, "    <node id=\"%s\"/>\n", escaped(w.name(u)))
	}
	for _, l := range w.Links {
		fmt.Fprintf(buffered, "    <edge source=\"%s\" target=\"%s\">", escaped(w.name(l.From)), escaped(w.name(l.To)))
		if l.Count != 1 {
			fmt.Fprintf(buffered, `<data key="count">%d</data>`, l.Count)
		}
		if l.Bandwidth != 0 {
			fmt.Fprintf(buffered, `<data key="bandwidth">%v</data>`, l.Bandwidth)
		}
		if l.Delay != 0 {
			fmt.Fprintf(buffered, `<data key="delay">%v</data>`, l.Delay)
		}
		fmt.Fprintln(buffered, "</edge>")
	}
	fmt.Fprint(buffered, "  </graph>\n</graphml>\n")
	return buffered.Flush()
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}
