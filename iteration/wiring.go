package iteration

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Wiring is circuits that are set up together, on ports. Whatever else these ports had is gone.
type Wiring struct {
	Name         string
	Start, Ready units.Time
	Circuits     []layout.Circuit
}

// Wirings lists what switches do in an iteration, in order of time: circuits before operations, and
// those between the stages of collectives. In the steady state, what is done ahead for the next
// iteration belongs to this one, and up are the circuits at its beginning; else there are none.
func (a *Agenda) Wirings() (up []layout.Circuit, list []Wiring, err error) {
	var all []Wiring
	for _, s := range a.Up {
		c := &a.Circuits[s.Circuits-1]
		made, err := a.assign(a.proof.edges(c), s.Lanes)
		if err != nil {
			return nil, nil, fmt.Errorf("circuits %s: %w", c.Name, err)
		}
		up = append(up, made...)
	}
	known := map[string][]layout.Circuit{}
	add := func(name, key string, start, ready units.Time, edges func() []topology.Edge, lanes []DocumentLane) error {
		made, ok := known[key]
		if !ok {
			var err error
			if made, err = a.assign(edges(), lanes); err != nil {
				return fmt.Errorf("circuits %s: %w", name, err)
			}
			known[key] = made
		}
		all = append(all, Wiring{name, start, ready, made})
		return nil
	}
	for i := range a.Items {
		x := &a.Items[i]
		switch {
		case x.Change != nil:
			c := &a.Circuits[x.Change.Circuits-1]
			err = add(c.Name, fmt.Sprint(x.Change.Circuits, x.Lanes), x.Start, x.End, func() []topology.Edge { return a.proof.edges(c) }, x.Lanes)
		case x.Op.Plan > 0:
			p := a.Made[x.Op.Plan-1]
			for k := 1; k < len(p.Stages) && err == nil; k++ {
				s := &p.Stages[k]
				if s.Reconfiguration <= 0 && s.Topology.Equal(p.Stages[k-1].Topology) {
					continue
				}
				err = add(fmt.Sprintf("%s, stage %d", x.Op.ID, k+1), fmt.Sprint("plan", x.Op.Plan, k, a.Nodes[x.Node].Classes, x.Lanes), x.Start+s.Start, x.Start+s.Start+s.Reconfiguration,
					func() []topology.Edge { return spread(s.Topology, x.Groups) }, x.Lanes)
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	byStart := func(x, y Wiring) int { return cmp.Compare(x.Start, y.Start) }
	slices.SortStableFunc(all, byStart)
	if a.Fabric.Initial != fabric.InitialFree {
		return nil, all, nil
	}
	return a.steady(up, all, byStart)
}

// steady is one iteration of many: from the beginning of the second to that of the third.
func (a *Agenda) steady(up []layout.Circuit, all []Wiring, byStart func(x, y Wiring) int) ([]layout.Circuit, []Wiring, error) {
	var list []Wiring
	board := map[[3]int]layout.Circuit{} // by GPU, side and port
	put := func(circuits []layout.Circuit) {
		for _, c := range circuits {
			for _, fibre := range [][3]int{{c.From, 0, c.FromPort}, {c.To, 1, c.ToPort}} {
				if old, there := board[fibre]; there {
					delete(board, [3]int{old.From, 0, old.FromPort})
					delete(board, [3]int{old.To, 1, old.ToPort})
				}
			}
			board[[3]int{c.From, 0, c.FromPort}], board[[3]int{c.To, 1, c.ToPort}] = c, c
		}
	}
	put(up)
	var rounds []Wiring
	for round := range 3 {
		for _, w := range all {
			shift := units.Time(round-1) * a.Iteration
			w.Start, w.Ready = w.Start+shift, w.Ready+shift
			rounds = append(rounds, w)
		}
	}
	slices.SortStableFunc(rounds, byStart)
	for _, w := range rounds {
		switch {
		case w.Start < -a.Iteration*slack:
			put(w.Circuits)
		case w.Start < a.Iteration*(1-slack):
			w.Start = max(0, w.Start)
			list = append(list, w)
		}
	}
	up = nil
	for fibre, c := range board {
		if fibre[1] == 0 {
			up = append(up, c)
		}
	}
	slices.SortFunc(up, func(x, y layout.Circuit) int {
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.FromPort, y.FromPort))
	})
	return up, list, nil
}

// spread gives every group the circuits of a graph.
func spread(g *topology.Graph, groups [][]int) []topology.Edge {
	var edges []topology.Edge
	for e := range g.Edges() {
		for _, group := range groups {
			edges = append(edges, topology.Edge{From: group[e.From], To: group[e.To], Count: e.Count})
		}
	}
	return edges
}

// assign puts circuits between ranks on lanes of their classes.
func (a *Agenda) assign(edges []topology.Edge, lanes []DocumentLane) ([]layout.Circuit, error) {
	usable := a.proof.usable(lanes)
	if plugged := a.Fabric.Plugging(); plugged != nil {
		on := plugged.Without(func(gpu, port, _ int) bool {
			of := usable[a.Graph.Of[gpu]]
			return !slices.Contains(of[0], port) && !slices.Contains(of[1], port)
		})
		return on.Assign(topology.New(a.Ranks, "circuits", edges), a.Fabric.Duplex)
	}
	next := make([][2]int, a.Ranks) // by rank and side: lanes taken
	take := func(rank, side int) (int, error) {
		of := usable[a.Graph.Of[rank]][side]
		k := next[rank][side]
		if next[rank][side]++; k >= len(of) {
			return 0, fmt.Errorf("rank %d has %d ports, too few", rank, len(of))
		}
		return of[k], nil
	}
	var made []layout.Circuit
	for _, e := range edges {
		if a.Fabric.Duplex && e.From > e.To {
			continue // it is the way back of another
		}
		for range e.Count {
			out, err := take(e.From, 0)
			if err != nil {
				return nil, err
			}
			in, err := take(e.To, 1)
			if err != nil {
				return nil, err
			}
			made = append(made, layout.Circuit{From: e.From, FromPort: out, To: e.To, ToPort: in})
			if a.Fabric.Duplex {
				next[e.From][1]++
				next[e.To][0]++
				made = append(made, layout.Circuit{From: e.To, FromPort: in, To: e.From, ToPort: out})
			}
		}
	}
	return made, nil
}
