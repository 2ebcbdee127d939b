package cast

import (
	"fmt"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/deals"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/joint/network"
	"github.com/lightpath-net/lightpath/topology"
)

// dealtOut is a deal with its circuits, each as many times as ports allow, and its steps.
type dealtOut struct {
	deal    deals.Deal
	graph   *topology.Graph
	steps   [][]deals.Send
	tallies []network.Tally // of the steps, in units of a piece
}

// dealsKey is what a list of deals depends on.
type dealsKey struct {
	nodes, ports int
	twoWay       bool
}

// dealCasts returns the broadcasts in a deal and rounds, for all numbers of neighbours that the
// ports allow.
func dealCasts(s *digit.Search, nodes int, bytes float64) []cast {
	k := dealsKey{nodes, s.Ports, s.Duplex}
	var all []cast
	for _, d := range planner.Kept(s.Memory, k, func() ([]dealtOut, bool) { return k.all(), true }) {
		if bytes < float64(d.deal.Pieces) {
			continue // a piece would be less than a byte
		}
		takes := digit.Shape{}
		for _, t := range d.tallies {
			takes.Steps, takes.Hops, takes.Load = takes.Steps+1, takes.Hops+t.Hops, takes.Load+s.Load(t)
		}
		rounds := "a round"
		if count := len(d.deal.Rounds); count > 1 {
			rounds = fmt.Sprintf("%d rounds", count)
		}
		about := fmt.Sprintf("%d pieces, dealt out and passed on in %s", d.deal.Pieces, rounds)
		all = append(all, cast{Time: s.Time(takes, bytes/float64(d.deal.Pieces)), About: about, Build: d.lay})
	}
	return all
}

// all lists the deals.
func (k dealsKey) all() []dealtOut {
	var list []dealtOut
	for degree := 1; degree <= k.ports; degree++ {
		for _, d := range deals.Of(k.nodes, degree, k.twoWay) {
			if steps, ok := d.Steps(); ok {
				list = append(list, dealOut(d, steps, k.ports/degree))
			}
		}
	}
	return list
}

// dealOut puts a deal on circuits of a width.
func dealOut(d deals.Deal, steps [][]deals.Send, width int) dealtOut {
	var edges []topology.Edge
	for circuit, to := range d.To {
		if from := circuit / d.Degree; from != to {
			edges = append(edges, topology.Edge{From: from, To: to, Count: width})
		}
	}
	made := dealtOut{deal: d, steps: steps, graph: topology.New(d.Nodes, fmt.Sprintf("a deal to %d by %d", d.Nodes, d.Degree), edges)}
	for _, sent := range steps {
		made.tallies = append(made.tallies, tallyOf(made.graph, sent))
	}
	return made
}

// tallyOf returns the tally of a step, in units of a piece.
func tallyOf(g *topology.Graph, sent []deals.Send) network.Tally {
	var t network.Tally
	load, pair := map[[2]int32]float64{}, map[[2]int32]float64{}
	for _, s := range sent {
		last := len(s.Path) - 1
		t.Hops = max(t.Hops, last)
		ends := [2]int32{s.Path[0], s.Path[last]}
		pair[ends]++
		t.Pair = max(t.Pair, pair[ends])
		delay := 0.0 // hop after hop
		for i := range last {
			over := [2]int32{s.Path[i], s.Path[i+1]}
			share := 1 / float64(g.Count(int(over[0]), int(over[1])))
			load[over] += share
			delay += share
			t.Peak = max(t.Peak, load[over])
		}
		t.Dilation = max(t.Dilation, delay)
	}
	return t
}

// lay lays out the deal and the rounds.
func (d *dealtOut) lay() Laid {
	steps := make([]plan.Step, len(d.steps))
	for i, sent := range d.steps {
		for _, s := range sent {
			steps[i].Base = append(steps[i].Base, copyOver(s.Path, collective.Single(s.Piece)))
		}
	}
	return Laid{
		Stages: []plan.Stage{{Topology: d.graph, Steps: steps}},
		Space:  collective.SpaceOf(collective.Broadcast, d.deal.Nodes, d.deal.Pieces),
	}
}
