package iteration

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Wiring is a set of circuits that are set up together, on ports. Whatever these ports had
// before is gone.
type Wiring struct {
	Name         string
	Start, Ready units.Time
	Circuits     []layout.Circuit
}

// Wirings lists what switches do in an iteration, in order of time: circuits before operations,
// and those between the stages of collectives. In the steady state, what is done ahead for the
// next iteration belongs to this one, and up has the circuits at its beginning; otherwise there
// are none.
func (a *Agenda) Wirings() (up []layout.Circuit, list []Wiring, err error) {
	var all []Wiring
	for i := range a.Up {
		made, err := a.SetUp(&a.Up[i])
		if err != nil {
			return nil, nil, err
		}
		up = append(up, made...)
	}
	for i := range a.Items {
		x := &a.Items[i]
		switch {
		case x.Change != nil:
			made, err := a.SetUp(&x.Change.DocumentSeat)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, Wiring{a.Circuits[x.Change.Circuits-1].Name, x.Start, x.End, made})
		case x.Op.Plan > 0:
			for k := 1; k < len(a.Made[x.Op.Plan-1].Stages); k++ {
				made, err := a.SetUpStage(x, k)
				if err != nil {
					return nil, nil, err
				}
				if s := &a.Made[x.Op.Plan-1].Stages[k]; made != nil {
					all = append(all, Wiring{fmt.Sprintf("%s, stage %d", x.Op.ID, k+1), x.Start + s.Start, x.Start + s.Start + s.Reconfiguration, made})
				}
			}
		}
	}
	byStart := func(x, y Wiring) int { return cmp.Compare(x.Start, y.Start) }
	slices.SortStableFunc(all, byStart)
	if a.Fabric.Initial != fabric.InitialFree {
		return nil, all, nil
	}
	return a.steady(up, all, byStart)
}

// SetUp returns circuits that are set up together, with their ports.
func (a *Agenda) SetUp(s *DocumentSeat) ([]layout.Circuit, error) {
	c := &a.Circuits[s.Circuits-1]
	return a.wire(fmt.Sprint(s.Circuits, s.Lanes), c.Name, s.Lanes, func() []topology.Edge { return a.proof.edges(c) })
}

// SetUpStage returns the circuits of a stage (from 0) of a collective for all groups, with
// their ports; nil: those of the previous stage stay.
func (a *Agenda) SetUpStage(x *Item, stage int) ([]layout.Circuit, error) {
	stages := a.Made[x.Op.Plan-1].Stages
	s := &stages[stage]
	if stage > 0 && s.Reconfiguration <= 0 && s.Topology.Equal(stages[stage-1].Topology) {
		return nil, nil
	}
	name := fmt.Sprintf("%s, stage %d", x.Op.ID, stage+1)
	return a.wire(fmt.Sprint("plan", x.Op.Plan, stage, a.Nodes[x.Node].Classes, x.Lanes), name, x.Lanes, func() []topology.Edge { return spread(s.Topology, x.Groups) })
}

// wire assigns circuits to the ports of lanes, once for all with the same key.
func (a *Agenda) wire(key, name string, lanes []DocumentLane, edges func() []topology.Edge) ([]layout.Circuit, error) {
	if made, known := a.wired[key]; known {
		return made, nil
	}
	made, err := a.assign(edges(), lanes)
	if err != nil {
		return nil, fmt.Errorf("circuits %s: %w", name, err)
	}
	if a.wired == nil {
		a.wired = map[string][]layout.Circuit{}
	}
	a.wired[key] = made
	return made, nil
}

// steady cuts out one iteration of many: from the beginning of the second to that of the third.
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

// unlooped returns the circuits of a graph that lead from one GPU to another. A loop takes a
// port in the plan of a collective, but is never set up.
func unlooped(g *topology.Graph) *topology.Graph {
	var edges []topology.Edge
	for e := range g.Edges() {
		if e.From != e.To {
			edges = append(edges, e)
		}
	}
	if len(edges) == g.Bundles() {
		return g
	}
	return topology.New(g.Nodes(), g.Name(), edges)
}

// portsOn returns how many ports of a GPU the circuits of a graph take.
func portsOn(g *topology.Graph) int { return unlooped(g).Degree() }

// spread gives every group the circuits of a graph, except loops.
func spread(g *topology.Graph, groups [][]int) []topology.Edge {
	var edges []topology.Edge
	for e := range unlooped(g).Edges() {
		for _, group := range groups {
			edges = append(edges, topology.Edge{From: group[e.From], To: group[e.To], Count: e.Count})
		}
	}
	return edges
}

// assign assigns circuits between ranks to lanes of their classes.
func (a *Agenda) assign(edges []topology.Edge, lanes []DocumentLane) ([]layout.Circuit, error) {
	usable := a.proof.usable(lanes)
	if plugged := a.Fabric.Plugging(); plugged != nil {
		on := plugged.Without(func(gpu, port, _ int) bool {
			of := usable[a.Graph.Of[gpu]]
			return !slices.Contains(of[0], port) && !slices.Contains(of[1], port)
		})
		return on.Assign(topology.New(a.Ranks, "circuits", edges), a.Fabric.Duplex)
	}
	next := make([][2]int, a.Ranks) // lanes taken, by rank and side
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
			continue // it is the reverse of another circuit
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

// UpBefore lists the circuits that are up just before an item of the plan, given by its number
// in Items, as changes that set them up.
func (a *Agenda) UpBefore(item int) []Item {
	var up []DocumentSeat
	put := func(s DocumentSeat) {
		up = slices.DeleteFunc(up, func(old DocumentSeat) bool {
			return old.Circuits == s.Circuits || slices.ContainsFunc(old.Lanes, func(l DocumentLane) bool { return slices.Contains(s.Lanes, l) })
		})
		up = append(up, s)
	}
	for _, s := range a.Up {
		put(s)
	}
	for i := range a.Items[:item] {
		switch x := &a.Items[i]; {
		case x.Change != nil:
			put(x.Change.DocumentSeat)
		case x.Op.Leaves > 0:
			if at := slices.IndexFunc(up, func(s DocumentSeat) bool { return s.Circuits == x.Op.Circuits }); at >= 0 {
				put(DocumentSeat{x.Op.Leaves, up[at].Lanes})
			}
		}
	}
	return each.Of(up, a.settingUp)
}

// settingUp returns a change that sets circuits up, for no operation in particular.
func (a *Agenda) settingUp(s DocumentSeat) Item {
	change := &DocumentChange{DocumentSeat: s, End: a.Dark()}
	return Item{Node: -1, Change: change, End: a.Dark(), Lanes: s.Lanes, Circuits: []int{s.Circuits}, Groups: a.joined(&a.Circuits[s.Circuits-1])}
}

// Dark returns how long ports that change are dark.
func (a *Agenda) Dark() units.Time { return changeTime(&a.Fabric) }
