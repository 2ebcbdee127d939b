package iteration

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Plans makes plans for the collectives of one group of GPUs, as train.Plans does. The first
// configuration of each plan is free. It returns nil where there is no such plan.
type Plans interface {
	// Hold is the fastest plan without a reconfiguration, on any topology.
	Hold(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error)
	// On is the fastest plan known that leaves a topology up.
	On(ctx context.Context, g *topology.Graph, op collective.Op, size units.Bytes) (*plan.Plan, error)
	// For is the fastest plan where a reconfiguration has a delay, with that delay. One that
	// takes longer than the limit is not wanted.
	For(ctx context.Context, delay units.Duration, op collective.Op, size units.Bytes, limit units.Time) (*plan.Plan, error)
	// Ground is the fastest plan without circuits, within an island that has the whole group.
	Ground(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error)
}

// Options say how a repertoire is made.
type Options struct {
	// Plans returns what makes plans for a group on a fabric of its own.
	Plans    func(f fabric.Fabric) Plans
	Progress func(done, total int)
}

// ErrFabric says that iterations are not planned on a fabric.
var ErrFabric = errors.New("iterations are not planned on such a fabric")

// NewRepertoire finds what the works of a program can be carried out with on a fabric.
func NewRepertoire(ctx context.Context, p *Program, f *fabric.Fabric, o Options) (*Repertoire, error) {
	_, uniform := f.Reconfig.Uniform()
	switch {
	case !f.Avoid.IsZero():
		return nil, fmt.Errorf("%w: parts of it have failed", ErrFabric)
	case !f.Links.IsZero():
		return nil, fmt.Errorf("%w: links have bandwidths or delays of their own", ErrFabric)
	case !f.Layout.IsZero():
		return nil, fmt.Errorf("%w: ports do not all meet in one switch", ErrFabric)
	case !f.Fixed.IsZero():
		return nil, fmt.Errorf("%w: links beside the circuits are not used yet", ErrFabric)
	case f.Overlap != (fabric.Overlap{}):
		return nil, fmt.Errorf("%w: overlap is that of single collectives", ErrFabric)
	case !uniform:
		return nil, fmt.Errorf("%w: the delay depends on which circuits change", ErrFabric)
	case f.Initial != fabric.InitialFree:
		return nil, fmt.Errorf("%w: an iteration begins with the circuits that the one before has left", ErrFabric)
	case !f.Spares.IsZero():
		return nil, fmt.Errorf("%w: spares are for what has failed", ErrFabric)
	}
	m := &repertory{program: p, fabric: f, options: o, plans: map[groupKey]Plans{}, known: map[string]int{},
		Repertoire: &Repertoire{Lines: LinesOf(len(p.Classes), f.Ports, f.Duplex), Classes: len(p.Classes), Offers: make([][]Offer, len(p.Works)), Delay: changeTime(f)}}
	for w := range p.Works {
		if o.Progress != nil {
			o.Progress(w, len(p.Works))
		}
		var err error
		if p.Works[w].IsSend() {
			m.send(w)
		} else {
			err = m.collective(ctx, w)
		}
		if err != nil {
			return nil, err
		}
		if len(m.Offers[w]) == 0 {
			return nil, fmt.Errorf("no plan for the %v", &p.Works[w])
		}
	}
	if err := m.others(ctx); err != nil {
		return nil, err
	}
	m.menus()
	m.Shared = NoCircuits
	ranks := 0
	for c := range p.Classes {
		ranks += len(p.Classes[c].Ranks)
	}
	s := newSearch(p, m.Repertoire)
	m.one(ranks, s.times)
	m.Bound = m.bound()
	m.finish()
	return m.Repertoire, nil
}

// changeTime is how long ports are dark that change: the delay, and the barrier.
func changeTime(f *fabric.Fabric) units.Time { return f.WaitFor(f.Reconfig.Base.Time()) }

// repertory makes a repertoire.
type repertory struct {
	*Repertoire
	program *Program
	fabric  *fabric.Fabric
	options Options
	plans   map[groupKey]Plans
	known   map[string]int // circuits by name
	groups  []groupKey     // by circuits
}

// groupKey is the fabric of a group by itself.
type groupKey struct{ nodes, ports, island int }

// on returns the fabric of a group.
func (m *repertory) on(k groupKey) Plans {
	made, ok := m.plans[k]
	if !ok {
		f := *m.fabric
		f.Nodes, f.Ports, f.Base, f.Initial = k.nodes, k.ports, fabric.Default().Base, fabric.InitialFree
		f.Island.Size = k.island
		if k.island < 2 {
			f.Island = fabric.Island{}
		}
		made = m.options.Plans(f)
		m.plans[k] = made
	}
	return made
}

// inIsland is how many members of each group of a work share an island, next to each other in the
// group; 1 if they do not all do so.
func (m *repertory) inIsland(w *Work) int {
	if m.fabric.Island.IsZero() {
		return 1
	}
	size, together := m.fabric.Island.Size, 0
	for _, group := range w.Groups {
		for from := 0; from < len(group); {
			to := from + 1
			for to < len(group) && group[to]/size == group[from]/size {
				to++
			}
			if together != 0 && together != to-from {
				return 1
			}
			together, from = to-from, to
		}
	}
	return together
}

// claims are the lanes that circuits of all classes of a work take.
func (m *repertory) claims(classes []int, lanes int) []Claim {
	var list []Claim
	for _, c := range classes {
		list = append(list, Claim{m.Lines.Out(c), lanes})
		if !m.Lines.Duplex {
			list = append(list, Claim{m.Lines.In(c), lanes})
		}
	}
	slices.SortFunc(list, func(a, b Claim) int { return a.Line - b.Line })
	return list
}

// circuits returns the number of circuits, which are added if they are new. The fabric of a group
// is for those with a graph.
func (m *repertory) circuits(c Circuits, of groupKey) int {
	for i := 0; ; i++ {
		key := fmt.Sprintf("%s %v: %s #%d", c.Kind, c.Classes, c.Name, i)
		at, ok := m.known[key]
		if !ok {
			m.known[key] = len(m.Circuits)
			m.Circuits, m.groups = append(m.Circuits, c), append(m.groups, of)
			return len(m.Circuits) - 1
		}
		if c.Graph == nil || m.Circuits[at].Graph.Equal(c.Graph) {
			return at
		}
	}
}

// collective finds the offers of a collective: for every number of ports its fastest plan without
// a change and its fastest one with changes.
func (m *repertory) collective(ctx context.Context, w int) error {
	work := &m.program.Works[w]
	key := groupKey{nodes: len(work.Groups[0]), island: m.inIsland(work)}
	for key.ports = 1; key.ports <= m.fabric.Ports; key.ports++ {
		plans := m.on(key)
		if key.ports == 1 && key.island == key.nodes {
			ground, err := plans.Ground(ctx, work.Op, work.Size)
			if err != nil {
				return err
			}
			m.offer(w, ground, key)
		}
		hold, err := plans.Hold(ctx, work.Op, work.Size)
		if err != nil {
			return err
		}
		m.offer(w, hold, key)
		limit := units.Time(0)
		if hold != nil {
			limit = hold.Cost.Total()
		}
		made, err := plans.For(ctx, m.fabric.Reconfig.Base, work.Op, work.Size, limit)
		if err != nil {
			return err
		}
		if made != nil && made.Reconfigurations > 0 {
			m.offer(w, made, key)
		}
	}
	return nil
}

// offer adds a plan to the offers of a work, unless another with the same circuits is as fast.
func (m *repertory) offer(w int, p *plan.Plan, key groupKey) {
	if p == nil {
		return
	}
	work := &m.program.Works[w]
	o := Offer{Time: p.Cost.Total(), Changes: p.Reconfigurations, Plan: p, First: NoCircuits, Last: NoCircuits}
	if key.island > 1 {
		o.Islands = work.Classes
	}
	name := func(g *topology.Graph) int {
		lanes := g.Degree()
		if lanes == 0 {
			return NoCircuits
		}
		o.Ports = max(o.Ports, lanes)
		return m.circuits(Circuits{Name: g.Name(), Kind: work.Kind, Classes: work.Classes, Graph: g, Claims: m.claims(work.Classes, lanes)}, key)
	}
	first, last := p.Stages[0].Topology, p.Stages[len(p.Stages)-1].Topology
	o.First, o.Last = name(first), name(last)
	if first.Degree() != last.Degree() {
		return // it would leave lanes behind, or need more of them on the way
	}
	for i := range m.Offers[w] {
		if old := &m.Offers[w][i]; old.First == o.First && old.Last == o.Last && (old.Changes == 0) == (o.Changes == 0) {
			if o.Time < old.Time {
				*old = o
			}
			return
		}
	}
	m.Offers[w] = append(m.Offers[w], o)
}

// others finds, for every collective, plans on the circuits that other collectives of its kind
// have: these may be up.
func (m *repertory) others(ctx context.Context) error {
	for c := 0; c < len(m.Circuits); c++ {
		of := &m.Circuits[c]
		if of.Graph == nil {
			continue
		}
		for w := range m.program.Works {
			work := &m.program.Works[w]
			if work.IsSend() || work.Kind != m.Circuits[c].Kind || !slices.Equal(work.Classes, m.Circuits[c].Classes) || m.has(w, c) {
				continue
			}
			made, err := m.on(m.groups[c]).On(ctx, m.Circuits[c].Graph, work.Op, work.Size)
			if err != nil {
				return err
			}
			m.offer(w, made, m.groups[c])
		}
	}
	return nil
}

// has reports whether a work has an offer that leaves circuits up.
func (m *repertory) has(w, circuits int) bool {
	return slices.ContainsFunc(m.Offers[w], func(o Offer) bool { return o.First == circuits && o.Last == circuits && o.Changes == 0 })
}

// send finds the offers of a send: over circuits of its own, around a ring of its group, or within
// an island.
func (m *repertory) send(w int) {
	work := &m.program.Works[w]
	f := m.fabric
	from, to := work.Classes[0], work.Classes[1]
	if size := f.Island.Size; !f.Island.IsZero() && !slices.ContainsFunc(work.Groups, func(p []int) bool { return p[0]/size != p[1]/size }) {
		time := f.IslandAlpha().Time() + f.IslandDelta().Time() + f.Island.Bandwidth.Transmit(float64(work.Size))
		m.Offers[w] = append(m.Offers[w], Offer{First: NoCircuits, Last: NoCircuits, Time: time, Islands: slices.Compact([]int{from, to})})
	}
	for ports := 1; ports <= f.Ports; ports++ {
		a, b := from, to
		if m.Lines.Duplex {
			a, b = min(from, to), max(from, to)
		}
		claims := []Claim{{m.Lines.Out(from), ports}, {m.Lines.In(to), ports}}
		if from == to && m.Lines.Duplex {
			claims = []Claim{{m.Lines.Out(from), 2 * ports}}
			if 2*ports > f.Ports {
				break
			}
		}
		slices.SortFunc(claims, func(a, b Claim) int { return a.Line - b.Line })
		c := m.circuits(Circuits{Name: fmt.Sprintf("pairs, %d each", ports), Kind: work.Kind, Classes: []int{a, b}, Pair: ports, Claims: claims}, groupKey{})
		m.Offers[w] = append(m.Offers[w], Offer{First: c, Last: c, Time: m.sends(work, 1, ports), Ports: ports})
	}
	for _, backwards := range []bool{false, true} {
		way, all := m.program.ring(work, m.program.Places[work.Kind], backwards)
		if len(way) < 2 || len(all) < 3 || m.Lines.Duplex {
			continue
		}
		ring := Circuits{Name: "cycle", Kind: work.Kind, Classes: all, Ring: 1, Claims: m.claims(all, 1)}
		if backwards {
			ring.Name, ring.Ring = "cycle backwards", -1
		}
		c := m.circuits(ring, groupKey{})
		o := Offer{First: c, Last: c, Time: m.sends(work, len(way)-1, 1), Ports: 1}
		for i := 1; i < len(way); i++ {
			o.Uses = append(o.Uses, m.Lines.Out(way[i-1]), m.Lines.In(way[i]))
		}
		m.Offers[w] = append(m.Offers[w], o)
	}
}

// sends is how long a send takes over some hops of so many parallel circuits.
func (m *repertory) sends(w *Work, hops, ports int) units.Time {
	f := m.fabric
	bytes := f.Bandwidth.Transmit(float64(w.Size)) / units.Time(ports)
	if f.Forwarding == fabric.StoreAndForward {
		bytes *= units.Time(hops)
	}
	return f.Alpha.Time() + units.Time(hops)*f.Delta.Time() + bytes
}

// menus lists, for every kind and number of ports, circuits that carry all of its works out.
func (m *repertory) menus() {
	s := newSearch(m.program, m.Repertoire)
	for _, k := range s.kinds {
		kind := m.program.Works[k.works[0]].Kind
		for ports := 1; ports <= m.Lines.Lanes; ports++ {
			m.menu(s, k, Menu{Kind: kind, Ports: ports}, func(o *Offer) bool { return o.Ports <= ports && !m.onRing(o) })
		}
		m.menu(s, k, Menu{Kind: kind, Ports: 1}, func(o *Offer) bool {
			return o.Ports <= 1 && (m.onRing(o) || o.First == NoCircuits || m.Circuits[o.First].Graph != nil)
		})
	}
}

// onRing reports whether an offer goes around a ring.
func (m *repertory) onRing(o *Offer) bool { return o.Uses != nil }

// menu adds a menu of the best circuits for the works of each set of classes.
func (m *repertory) menu(s *search, k *kindOf, menu Menu, pass func(o *Offer) bool) {
	done := map[string]bool{}
	for _, w := range k.works {
		of := fmt.Sprint(m.program.Works[w].Classes, m.program.Works[w].IsSend())
		if done[of] {
			continue
		}
		done[of] = true
		same := &kindOf{}
		for _, other := range k.works {
			if fmt.Sprint(m.program.Works[other].Classes, m.program.Works[other].IsSend()) == of {
				same.works = append(same.works, other)
			}
		}
		best, found := NoCircuits, false
		var least units.Time
		for i := range m.Offers[w] {
			o := &m.Offers[w][i]
			if o.First != o.Last || o.Changes > 0 || !pass(o) {
				continue
			}
			only := &Menu{}
			if o.First != NoCircuits {
				only.Circuits = []int{o.First}
			}
			if load := same.load(s, only); !found || load < least {
				best, least, found = o.First, load, true
			}
		}
		if !found {
			return
		}
		if best != NoCircuits && !slices.Contains(menu.Circuits, best) {
			menu.Circuits = append(menu.Circuits, best)
		}
	}
	m.Menus = append(m.Menus, menu)
}
