package sim

import (
	"cmp"
	"slices"

	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// linkTotals adds up what circuits did in all phases.
type linkTotals struct {
	entries []LinkResult
	find    map[[2]int]int32
	// Phases on the graph of the previous phase need no search.
	graph *topology.Graph
	index []int32 // entry of each bundle of graph
}

func newLinkTotals() *linkTotals { return &linkTotals{find: map[[2]int]int32{}} }

// add adds the outcome of a phase.
func (l *linkTotals) add(out *outcome) {
	if out.graph != l.graph {
		l.turnTo(out.graph)
	}
	for e, b := range out.bundleOf {
		if b < 0 {
			continue
		}
		entry, c := &l.entries[l.index[e]], &out.Carried[b]
		entry.Bytes += units.Bytes(c.Bytes)
		entry.Packets += c.Packets
		entry.Busy += units.Duration(c.Busy)
		entry.QueuePeak = max(entry.QueuePeak, units.Duration(c.Peak))
		entry.RelayPeak = max(entry.RelayPeak, units.Bytes(c.RelayPeak))
	}
}

// turnTo looks up the entries of the bundles of g.
func (l *linkTotals) turnTo(g *topology.Graph) {
	l.graph, l.index = g, l.index[:0]
	for e := range g.Edges() {
		ends := [2]int{e.From, e.To}
		i, ok := l.find[ends]
		if !ok {
			i = int32(len(l.entries))
			l.find[ends] = i
			l.entries = append(l.entries, LinkResult{From: e.From, To: e.To})
		}
		l.entries[i].Circuits = max(l.entries[i].Circuits, e.Count)
		l.index = append(l.index, i)
	}
}

func (l *linkTotals) sorted() []LinkResult {
	slices.SortFunc(l.entries, func(a, b LinkResult) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return l.entries
}
