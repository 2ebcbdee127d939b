package digit

import (
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// NewSearchOn prepares a search that knows a single network of all nodes. Circuits that are
// already up cost no reconfiguration, so what is done on them can be the best, however slow they
// are.
func NewSearchOn(q Question, g *topology.Graph) *Search {
	q.Changes = 0
	s := NewSearch(q)
	s.only = g
	s.nets[q.Nodes] = s.wiredOn(g)
	return s
}

// Only returns the only network that the search knows, nil if it knows more.
func (s *Search) Only() *topology.Graph { return s.only }

// staying is within for a search that knows a single network.
func (s *Search) staying(t Task) []Solution {
	if t.Nodes != s.Nodes || s.NoNetworks {
		return nil
	}
	b := &Board{Keep: s.Keep, Most: math.Inf(1)}
	s.OnNetworks(b, t, t.Nodes)
	s.onBalls(b, t, t.Nodes)
	return b.List
}

// givenKey is what the programs for a given network depend on: its name, and what the programs
// for a number of points depend on.
type givenKey struct {
	programsKey
	name string
}

// given is a network with its programs.
type given struct {
	graph *topology.Graph
	*wired
}

// wiredOn is wiredFor for a given network.
func (s *Search) wiredOn(g *topology.Graph) *wired {
	points := g.Nodes()
	if points > maxRouted {
		return &wired{}
	}
	make := func() (*given, bool) {
		m := &Machine{Ports: s.Ports, Duplex: s.Duplex, Stores: s.Stores, Capped: s.Capped}
		var sk *sketch
		if jumps, cyclic := g.Jumps(); cyclic && !slices.Contains(jumps, 0) {
			sk = m.circulant(points, jumps)
		} else {
			sk = m.sketchOf(network.New(g, topology.Translations{}))
		}
		w := m.programsOn([]*sketch{sk}, s.parts(), s.Stopped)
		return &given{g, w}, !s.Stopped()
	}
	key := givenKey{programsKey{points, s.Ports, s.parts(), s.Duplex, s.Stores, s.Capped}, g.Name()}
	found := planner.Kept(s.Memory, key, make)
	if !found.graph.Equal(g) { // another network of the same name
		found, _ = make()
	}
	return found.own()
}
