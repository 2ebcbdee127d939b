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

// Dealt returns the gather of all nodes on one network that stays, and the time of the gather and
// of a step before it over the same network, in which one point deals out the shards. Of all such
// gathers it is the one for which both together are fastest. deal returns the cost of dealing, in
// units of a shard. It is called for few networks, because dealing takes as many hops as the
// diameter, and a point's ports send all shards but one. Gathers that take longer than the limit
// are not found.
func (s *Search) Dealt(deal func(*network.Network) network.Tally, limit float64) (found Solution, time float64, ok bool) {
	points := s.Nodes
	if s.Ports == 1 || points == 2 || points > maxRouted || s.NoNetworks {
		return Solution{}, 0, false
	}
	shard := s.Bytes / float64(points)
	if s.Time(s.LeastDealt(), shard)+s.moore(points, shard) >= limit {
		return Solution{}, 0, false
	}
	if s.nets[points] == nil {
		s.nets[points] = s.wiredFor(points)
	}
	dealt := map[*network.Network]network.Tally{}
	var both, gathers []*program
	for _, p := range s.nets[points].gathers {
		if s.cutsBytes(p.parts) {
			continue
		}
		one := &program{Shape: p.plus(Shape{Steps: 1, Hops: p.Hops, Load: s.LeastDealt().Load})}
		one.settle = func(stopped func() bool) counted {
			if p.settleOne(false, stopped); stopped() {
				return counted{load: impossible}
			}
			net := p.on()
			if _, ok := dealt[net]; !ok {
				dealt[net] = deal(net)
			}
			return counted{hops: p.Hops + dealt[net].Hops, load: p.Load + s.Load(dealt[net])}
		}
		both, gathers = append(both, one), append(gathers, p)
	}
	best, time := s.pick(both, shard, limit)
	for i, p := range gathers {
		if both[i] == best && best != nil {
			made := digit{points, func() *program { return p }}
			return Solution{Digits: []digit{made}, Time: s.Time(p.Shape, shard)}, time, true
		}
	}
	return Solution{}, 0, false
}

// LeastDealt returns a lower bound on the shape of dealing a shard to every node, in shards.
func (s *Search) LeastDealt() Shape {
	return Shape{Steps: 1, Hops: s.reach(s.Nodes), Load: float64(s.Nodes-1) / float64(s.Ports)}
}

// Hear returns the fewest hops in which a node can hear of the given number of nodes, however
// circuits change.
func (m *Machine) Hear(nodes int) float64 { return m.hear(nodes) }

// FloorGather returns a lower bound on the time of a gather of the given bytes by the given
// number of nodes.
func (m *Machine) FloorGather(nodes int, bytes float64) float64 {
	return m.restAtLeast(AllGather, nodes, bytes)
}
