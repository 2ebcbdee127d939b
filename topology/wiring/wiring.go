package wiring

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Link is a bundle of circuits that lead one way.
type Link struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Count int `json:"count"` // >= 1
	// Bandwidth and Delay are those of one circuit; 0 if the file does not give them.
	Bandwidth units.Bandwidth `json:"bandwidth_bps,omitempty"`
	Delay     units.Duration  `json:"delay_ns,omitempty"`
}

// Wiring is a topology as a file describes it.
type Wiring struct {
	Nodes int    `json:"nodes"`
	Links []Link `json:"links"`
	// Names are the nodes' names, if they are not just 0, 1, ...
	Names []string `json:"names,omitempty"`
}

// Format is a file format.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	DOT     Format = "dot"
	GraphML Format = "graphml"
)

// FormatOf tells the format by the ending of a file's name.
func FormatOf(path string) (Format, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".txt", ".edges":
		return CSV, nil
	case ".dot", ".gv":
		return DOT, nil
	case ".graphml", ".xml":
		return GraphML, nil
	}
	return "", fmt.Errorf("%q: want a name that ends in .csv, .dot or .graphml", filepath.Base(path))
}

// maxText bounds how much of a file is read. A line for every circuit that a graph may have
// would be more, but no real file is that large.
const maxText = 256 << 20

// Read reads a wiring.
func Read(r io.Reader, format Format) (*Wiring, error) {
	text, err := io.ReadAll(io.LimitReader(units.SkipMark(r), maxText+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("longer than %v", units.Bytes(maxText))
	}
	b := &builder{index: map[string]int{}}
	switch format {
	case CSV:
		err = readCSV(string(text), b)
	case DOT:
		err = readDOT(string(text), b)
	case GraphML:
		err = readGraphML(text, b)
	default:
		err = fmt.Errorf("unknown format %q; use %s, %s or %s", format, CSV, DOT, GraphML)
	}
	if err != nil {
		return nil, err
	}
	return b.wiring()
}

// Write writes a wiring.
func (w *Wiring) Write(out io.Writer, format Format) error {
	switch format {
	case CSV:
		return w.writeCSV(out)
	case DOT:
		return w.writeDOT(out)
	case GraphML:
		return w.writeGraphML(out)
	}
	return fmt.Errorf("unknown format %q; use %s, %s or %s", format, CSV, DOT, GraphML)
}

// Of returns the wiring of a graph.
func Of(g *topology.Graph) *Wiring {
	w := &Wiring{Nodes: g.Nodes()}
	for e := range g.Edges() {
		w.Links = append(w.Links, Link{From: e.From, To: e.To, Count: e.Count})
	}
	return w
}

// Graph returns the circuits.
func (w *Wiring) Graph(name string) *topology.Graph {
	edges := make([]topology.Edge, len(w.Links))
	for i, l := range w.Links {
		edges[i] = topology.Edge{From: l.From, To: l.To, Count: l.Count}
	}
	return topology.New(w.Nodes, name, edges)
}

// Expr returns the topology expression of the circuits, without bandwidths and delays.
func (w *Wiring) Expr() topology.Expr { return topology.EdgesOf(w.Graph("")) }

// Merge returns the wiring of links, with parallel links merged into one. These must have the
// same bandwidth and delay.
func Merge(links []Link) (*Wiring, error) {
	b := &builder{index: map[string]int{}}
	for i, l := range links {
		if l.From < 0 || l.To < 0 || l.From >= topology.MaxNodes || l.To >= topology.MaxNodes || l.Count < 0 || l.Count > topology.MaxCircuits || l.Bandwidth < 0 || l.Delay < 0 {
			return nil, fmt.Errorf("[%d]: from %d to %d, count %d, bandwidth %v, delay %v; want nodes from 0 to %d and nothing negative",
				i, l.From, l.To, l.Count, l.Bandwidth, l.Delay, topology.MaxNodes-1)
		}
		l.Count = max(1, l.Count)
		l.From, l.To = b.node(fmt.Sprint(l.From)), b.node(fmt.Sprint(l.To))
		b.links = append(b.links, l)
	}
	w, err := b.wiring()
	if err != nil {
		return nil, err
	}
	merged := w.Links[:0]
	for _, l := range w.Links {
		if last := len(merged) - 1; last >= 0 && merged[last].From == l.From && merged[last].To == l.To {
			if merged[last].Bandwidth != l.Bandwidth || merged[last].Delay != l.Delay {
				return nil, fmt.Errorf("circuits from %d to %d differ in bandwidth or delay; want parallel ones alike", l.From, l.To)
			}
			merged[last].Count += l.Count
			continue
		}
		merged = append(merged, l)
	}
	w.Links = merged
	return w, nil
}

// Uniform reports whether the file leaves bandwidths and delays to the fabric.
func (w *Wiring) Uniform() bool {
	return !slices.ContainsFunc(w.Links, func(l Link) bool { return l.Bandwidth != 0 || l.Delay != 0 })
}

// ErrEmpty says that a file has no circuits.
var ErrEmpty = errors.New("no circuit in it")

// builder collects what a file says.
type builder struct {
	names []string // in the order in which they appear
	index map[string]int
	links []Link
}

// node returns the place of a node in the order of appearance; wiring numbers them at the end.
func (b *builder) node(name string) int {
	i, ok := b.index[name]
	if !ok {
		i = len(b.names)
		b.index[name] = i
		b.names = append(b.names, name)
	}
	return i
}

// wiring numbers the nodes: by their names if all of these are numbers, so that a file need not
// mention nodes without circuits, and otherwise in the order of appearance.
func (b *builder) wiring() (*Wiring, error) {
	if len(b.links) == 0 {
		return nil, ErrEmpty
	}
	w := &Wiring{Nodes: len(b.names), Links: b.links}
	if numbers, most, ok := b.numbers(); ok {
		w.Nodes = most + 1
		for i := range w.Links {
			w.Links[i].From, w.Links[i].To = numbers[w.Links[i].From], numbers[w.Links[i].To]
		}
	} else {
		w.Names = b.names
	}
	if w.Nodes > topology.MaxNodes {
		return nil, fmt.Errorf("%d nodes; want at most %d", w.Nodes, topology.MaxNodes)
	}
	circuits := 0
	for _, l := range w.Links {
		if circuits += l.Count; circuits > topology.MaxCircuits {
			return nil, fmt.Errorf("more than %d circuits", topology.MaxCircuits)
		}
	}
	slices.SortStableFunc(w.Links, func(a, b Link) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.To - b.To
	})
	return w, nil
}

// numbers returns the names as numbers, if all are.
func (b *builder) numbers() (all []int, most int, ok bool) {
	for _, name := range b.names {
		n, err := nodeNumber(name)
		if err != nil {
			return nil, 0, false
		}
		all = append(all, n)
		most = max(most, n)
	}
	return all, most, true
}

// nodeNumber reads the number of a node, in plain decimals.
func nodeNumber(text string) (int, error) {
	n := 0
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' || i > 0 && n == 0 {
			return 0, fmt.Errorf("%s is not the number of a node; want 0 or 1 and so on", quoted(text))
		}
		if n = 10*n + int(c-'0'); n >= topology.MaxNodes {
			return 0, fmt.Errorf("node %s: want a number below %d", quoted(text), topology.MaxNodes)
		}
	}
	if text == "" {
		return 0, errors.New("a node without a number")
	}
	return n, nil
}

// attribute sets an attribute of a link from its name and value in a file. It ignores other
// names.
func (l *Link) attribute(name, value string) error {
	switch name {
	case "count":
		return l.setCount(value)
	case "bandwidth":
		return l.setBandwidth(value)
	case "delay":
		return l.setDelay(value)
	}
	return nil
}

func (l *Link) setCount(text string) error {
	n := 0
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' || n > topology.MaxCircuits {
			n = 0
			break
		}
		n = 10*n + int(c-'0')
	}
	if n < 1 || n > topology.MaxCircuits {
		return fmt.Errorf("count %s; want a whole number from 1 to %d", quoted(text), topology.MaxCircuits)
	}
	l.Count = n
	return nil
}

func (l *Link) setBandwidth(text string) (err error) {
	if l.Bandwidth, err = units.ParsePositiveBandwidth(text); err != nil {
		return fmt.Errorf("bandwidth: %w", err)
	}
	return nil
}

func (l *Link) setDelay(text string) (err error) {
	if l.Delay, err = units.ParseDuration(text); err != nil {
		return fmt.Errorf("delay: %w", err)
	}
	return nil
}

// quoted keeps an error on one line of bearable length.
func quoted(text string) string {
	const longest = 60
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// name returns the name of a node.
func (w *Wiring) name(u int) string {
	if w.Names != nil {
		return w.Names[u]
	}
	return fmt.Sprint(u)
}
