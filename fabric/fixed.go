package fabric

import (
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Fixed are links that are always up and take no optical port, such as those of a TPU's cube or
// of a board: they are never reconfigured and never dark. The zero value is none.
type Fixed struct {
	Links     FixedLinks
	Bandwidth units.Bandwidth // of a link per direction; 0: the fabric's
	// Alpha is the start-up of a step that uses only fixed links, and Delta the propagation over
	// one; if not given, they are the fabric's.
	Alpha, Delta OwnTime
}

// IsZero reports whether there are no fixed links.
func (x Fixed) IsZero() bool {
	return x.Links.IsZero() && x.Bandwidth == 0 && x.Alpha == OwnTime{} && x.Delta == OwnTime{}
}

// String describes the links.
func (x Fixed) String() string {
	if x.Links.IsZero() {
		return noFixed
	}
	return x.Links.String()
}

// FixedLinks says which GPUs are joined: every block of consecutive GPUs in the same way, by a
// topology on the nodes of a block. The zero value is none. A value never changes, so copies
// share what was read. Compare values by their String, not with ==.
type FixedLinks struct {
	_    incomparable
	read *fixedLinks
}

// fixedLinks are links that were read.
type fixedLinks struct {
	text  string
	block *topology.Graph
}

// IsZero reports whether there are no links.
func (l FixedLinks) IsZero() bool { return l.read == nil }

// String writes the links as ParseFixed reads them; "": none.
func (l FixedLinks) String() string {
	if l.IsZero() {
		return ""
	}
	return l.read.text
}

// Block returns the links of one block; nil: there are none.
func (l FixedLinks) Block() *topology.Graph {
	if l.IsZero() {
		return nil
	}
	return l.read.block
}

const (
	noFixed    = "none"
	cubesFixed = "cubes:"
)

// ParseFixed reads a topology of the block that repeats, such as Mesh(4,4,4), Torus(8,8) or
// Edges(4;0,1,1,..); cubes:4x4x4 is Mesh(4,4,4), "" and "none" are nothing. families has those
// in addition to the built-in ones; nil: none.
func ParseFixed(text string, families *topology.Registry) (FixedLinks, error) {
	if text == "" || text == noFixed {
		return FixedLinks{}, nil
	}
	if sides, ok := strings.CutPrefix(text, cubesFixed); ok {
		text = "Mesh(" + strings.ReplaceAll(sides, "x", ",") + ")"
	}
	e, err := families.ParseExpr(text)
	if err != nil {
		return FixedLinks{}, err
	}
	if e.Nodes() > MaxNodes {
		return FixedLinks{}, fmt.Errorf("%.40s: has %d nodes; at most %d", text, e.Nodes(), MaxNodes)
	}
	g, err := e.Build()
	if err != nil {
		return FixedLinks{}, err
	}
	for u := range g.Nodes() {
		if g.Count(u, u) > 0 {
			return FixedLinks{}, fmt.Errorf("%.40s: a link from node %d to itself carries nothing", text, u)
		}
	}
	return FixedLinks{read: &fixedLinks{text: e.String(), block: g}}, nil
}

// FixedOf returns the links of a graph.
func FixedOf(g *topology.Graph) FixedLinks {
	return FixedLinks{read: &fixedLinks{text: topology.EdgesOf(g).String(), block: g}}
}

// validate reports fixed links that are invalid for the given number of GPUs.
func (x Fixed) validate(nodes int) error {
	switch {
	case x.IsZero():
		return nil
	case x.Links.IsZero():
		said := "fixed"
		for _, x := range []struct {
			field string
			given bool
		}{{"fixed-bandwidth", x.Bandwidth != 0}, {"fixed-alpha", x.Alpha != Fixed{}.Alpha}, {"fixed-delta", x.Delta != Fixed{}.Delta}} {
			if x.given {
				said = x.field
				break
			}
		}
		return field.Errorf(said, "there are no fixed links; name them in `fixed`, e.g. Mesh(4,4,4), one for every 64 GPUs")
	case nodes%x.Links.Block().Nodes() != 0:
		return field.Errorf("fixed", "%.40s has %d nodes, which do not divide %d GPUs", x.Links, x.Links.Block().Nodes(), nodes)
	case x.Bandwidth < 0:
		return field.Errorf("fixed-bandwidth", "must be above 0")
	case x.Alpha.Time < 0:
		return field.Errorf("fixed-alpha", "must not be negative")
	case x.Delta.Time < 0:
		return field.Errorf("fixed-delta", "must not be negative")
	}
	return nil
}

// FixedCount returns how many fixed links lead from one GPU to another. Failed GPUs and links
// have none.
func (f *Fabric) FixedCount(u, v int) int {
	block := f.Fixed.Links.Block()
	if block == nil || u/block.Nodes() != v/block.Nodes() {
		return 0
	}
	if !f.Avoid.IsZero() && (f.Avoid.GPU(u) || f.Avoid.GPU(v) || f.Avoid.Link(u, v)) {
		return 0
	}
	return block.Count(u%block.Nodes(), v%block.Nodes())
}

// OverFixed returns how many fixed links carry a hop from one GPU to another if no circuit is
// up. It is 0 if the hop goes through the island of both instead, which it does unless the
// links are no worse in any respect.
func (f *Fabric) OverFixed(u, v int) int {
	count := f.FixedCount(u, v)
	if count > 0 && f.SameIsland(u, v) && (f.FixedBandwidth()*units.Bandwidth(count) < f.Island.Bandwidth ||
		f.FixedAlpha() > f.IslandAlpha() || f.FixedDelta() > f.IslandDelta()) {
		return 0
	}
	return count
}

// FixedGraph returns all fixed links that are left; nil if there are none.
func (f *Fabric) FixedGraph() *topology.Graph {
	block := f.Fixed.Links.Block()
	if block == nil {
		return nil
	}
	size := block.Nodes()
	var edges []topology.Edge
	for first := 0; first < f.Nodes; first += size {
		for e := range block.Edges() {
			if count := f.FixedCount(first+e.From, first+e.To); count > 0 {
				edges = append(edges, topology.Edge{From: first + e.From, To: first + e.To, Count: count})
			}
		}
	}
	name := f.Fixed.Links.String()
	if size < f.Nodes {
		name = fmt.Sprintf("%dx%s@1", f.Nodes/size, name)
	}
	return topology.New(f.Nodes, name, edges)
}

// FixedBandwidth returns the bandwidth of a fixed link.
func (f *Fabric) FixedBandwidth() units.Bandwidth {
	if f.Fixed.Bandwidth > 0 {
		return f.Fixed.Bandwidth
	}
	return f.Bandwidth
}

// FixedAlpha returns the start-up of a step that uses only fixed links.
func (f *Fabric) FixedAlpha() units.Duration { return f.Fixed.Alpha.or(f.Alpha) }

// FixedDelta returns the propagation over a fixed link.
func (f *Fabric) FixedDelta() units.Duration { return f.Fixed.Delta.or(f.Delta) }

// Tiered reports whether there are islands or fixed links in addition to circuits.
func (f *Fabric) Tiered() bool { return !f.Island.IsZero() || !f.Fixed.IsZero() }

// Unfixed returns the fabric without its fixed links.
func (f Fabric) Unfixed() Fabric {
	f.Fixed = Fixed{}
	return f
}

// KeepsFixed reports whether every element of a group maps fixed links to fixed links.
func (f *Fabric) KeepsFixed(group topology.Translations) bool {
	block := f.Fixed.Links.Block()
	if block == nil || group.Trivial() {
		return true
	}
	size := block.Nodes()
	for _, k := range group.Generators() {
		for first := 0; first < f.Nodes; first += size {
			for e := range block.Edges() {
				u, v := group.Apply(k, first+e.From), group.Apply(k, first+e.To)
				if f.FixedCount(u, v) != f.FixedCount(first+e.From, first+e.To) {
					return false
				}
			}
		}
	}
	return true
}
