package iteration

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Claim is a number of lanes of a line.
type Claim struct{ Line, Lanes int }

// Circuits are circuits that are set up together, with the lanes that they take. One of Graph,
// Pair, Ring and Jumps says which ranks they join.
type Circuits struct {
	Name    string
	Claims  []Claim         // by line, ascending
	Kind    string          // of the groups; "" for Jumps
	Classes []int           // whose ranks they join; for Pair the senders' and then the receivers'
	Graph   *topology.Graph // on the members of every group
	Pair    int             // circuits from every sender to its receiver
	Ring    int             // 1: from each member of a group to the next; -1: to the previous one
	// Jumps, descending, are how far circuits lead from every rank, and Width is the number of
	// circuits of each jump.
	Jumps, Width []int
}

// Offer is one way to carry out a work.
type Offer struct {
	// First are the circuits up at its beginning and Last those up at its end, on the same lanes:
	// indices of Repertoire.Circuits; NoCircuits: it needs none.
	First, Last int
	Time        units.Time
	Changes     int // changes of circuits within it
	// Uses are the lines of First that it occupies; nil: all of them.
	Uses []int
	// Islands are the classes whose islands it uses. Only one work at a time uses an island.
	Islands []int
	Ports   int        // of a GPU
	Plan    *plan.Plan // of one group; nil for a send
	// Copy says that its circuits are those of an earlier offer, set up a second time on other
	// lanes.
	Copy       bool
	copied     int  // the earlier offer
	everywhere bool // it occupies all lines of First
}

// NoCircuits takes the place of circuits where none are needed.
const NoCircuits = -1

// Repertoire has all the ways to carry out the works of a program.
type Repertoire struct {
	Lines    Lines
	Classes  int
	Circuits []Circuits
	Offers   [][]Offer  // by work
	Delay    units.Time // of a change of circuits
	// Cold says that no circuits are up before the iteration, and that no other follows it.
	Cold   bool
	Menus  []Menu
	Shared int        // circuits that serve all works, or NoCircuits
	Bound  units.Time // lower bound on every iteration
	// Progress, if not nil, receives the progress of planning.
	Progress func(done, total int)

	maker    *repertory
	places   []*place // by circuits; nil for those without a graph
	sequence []Offer  // of a program that is a sequence, job by job: see inSequence
	standing bool     // see Standing
}

// Menu is a set of circuits over which all works of a kind can be carried out without a change,
// if all are up.
type Menu struct {
	Kind     string
	Circuits []int
	Ports    int // ports of a GPU, at most
}

// uses lists the lines that an offer occupies.
func (r *Repertoire) uses(o *Offer) []int {
	if o.Uses != nil || o.First == NoCircuits {
		return o.Uses
	}
	claims := r.Circuits[o.First].Claims
	return each.Of(claims, func(c Claim) int { return c.Line })
}

// finish fills in the lines that offers use.
func (r *Repertoire) finish() {
	for _, offers := range r.Offers {
		for i := range offers {
			o := &offers[i]
			o.Uses = r.uses(o)
			o.everywhere = o.First != NoCircuits && !slices.ContainsFunc(r.Circuits[o.First].Claims, func(c Claim) bool { return !slices.Contains(o.Uses, c.Line) })
		}
	}
}

// Circuits are up in only one place at a time. If a class has lanes for several sets of the
// same circuits, each further set is treated as separate circuits, with separate offers. As
// many collectives may then begin with the same topology at once, on different lanes.

// copies adds further sets of all circuits that fit more than once, and the offers over these,
// after all others.
func (m *repertory) copies() {
	if len(m.program.Jobs) > mostCopied {
		return
	}
	circuits, offers := len(m.Circuits), make([]int, len(m.Offers))
	for w := range offers {
		offers[w] = len(m.Offers[w])
	}
	for set := 2; ; set++ {
		of := map[int]int{} // numbers of the circuits in this set
		for c := range circuits {
			if m.fitting(c) >= set {
				of[c] = len(m.Circuits)
				m.Circuits, m.places = append(m.Circuits, m.Circuits[c]), append(m.places, m.places[c])
			}
		}
		if len(of) == 0 {
			return
		}
		for w := range m.Offers {
			for k, o := range m.Offers[w][:offers[w]] {
				first, ok := of[o.First]
				if last, too := of[o.Last]; ok && too {
					o.First, o.Last, o.Copy, o.copied = first, last, true, k
					m.Offers[w] = append(m.Offers[w], o)
				}
			}
		}
	}
}

// fitting returns how many sets of a group's circuits fit.
func (m *repertory) fitting(c int) int {
	if c == m.Shared || m.Circuits[c].Graph == nil {
		return 1
	}
	return each.Min(math.MaxInt, m.Circuits[c].Claims, func(claim Claim) int {
		return m.Lines.Lanes(claim.Line) / claim.Lanes
	})
}

// withCopies lists an offer and those over copies of its circuits; for an offer over copies it
// lists only that.
func withCopies(offers []Offer, k int) []int {
	list := []int{k}
	for i := range offers {
		if offers[i].Copy && offers[i].copied == k {
			list = append(list, i)
		}
	}
	return list
}

// mostCopied is the largest number of jobs for which circuits are tried a second time with
// copies.
const mostCopied = 2000

// copied returns the search among all offers, including those over copies; nil if there are no
// copies.
func (s *search) copied() *search {
	for _, offers := range s.of.Offers {
		for i := range offers {
			if offers[i].Copy {
				t := *s
				t.copies = true
				return &t
			}
		}
	}
	return nil
}

// offer adds a plan to the offers of a work, unless another with the same circuits is as fast.
func (m *repertory) offer(w int, p *plan.Plan, at *place) {
	if p == nil {
		return
	}
	work := &m.program.Works[w]
	o := Offer{Time: p.Cost.Total(), Changes: p.Reconfigurations, Plan: p, First: NoCircuits, Last: NoCircuits}
	if at.key.island > 1 || at.key.fixed != "" {
		o.Islands = work.Classes
	}
	name := func(g *topology.Graph) int {
		lanes := m.lanesOf(g, at)
		if lanes == 0 {
			return NoCircuits
		}
		o.Ports = max(o.Ports, lanes)
		if at.whole {
			o.Ports = at.key.ports
		}
		return m.circuits(Circuits{Name: g.Name(), Kind: work.Like, Classes: work.Classes, Graph: g, Claims: m.claims(work.Classes, at, lanes)}, at)
	}
	first, last := p.Stages[0].Topology, p.Stages[len(p.Stages)-1].Topology
	if o.First, o.Last = name(first), name(last); o.First == NoCircuits && slices.ContainsFunc(p.Stages, func(s plan.Stage) bool { return portsOn(s.Topology) > 0 }) {
		return // its ports would belong to no class
	}
	if portsOn(first) != portsOn(last) && !at.whole && !(m.Lines.Duplex && m.Lines.Aligned) {
		return // it would leave lanes unused, or need more of them on the way
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

// may reports whether a work may be carried out over circuits of other collectives of its
// groups.
func (m *repertory) may(w, c int) bool {
	work, of := &m.program.Works[w], &m.Circuits[c]
	return of.Graph != nil && !work.IsSend() && work.Like == of.Kind && slices.Equal(work.Classes, of.Classes)
}

// instead returns how long a work that begins with the given circuits takes by other offers.
// These leave the circuits up, or first set up those of the fastest offer on as many ports. It
// returns 0 if there is none.
func (m *repertory) instead(w, circuits int) units.Time {
	least := units.Time(0)
	for i := range m.Offers[w] {
		o := &m.Offers[w][i]
		if o.First == NoCircuits || !slices.Equal(m.Circuits[o.First].Claims, m.Circuits[circuits].Claims) {
			continue
		}
		time := o.Time
		if o.First != circuits {
			time += m.Delay
		}
		if least == 0 || time < least {
			least = time
		}
	}
	return least
}

// has reports whether a work has an offer that leaves the circuits up.
func (m *repertory) has(w, circuits int) bool {
	return slices.ContainsFunc(m.Offers[w], func(o Offer) bool { return o.First == circuits && o.Last == circuits && o.Changes == 0 })
}

// inSequence adds the offers of the fastest plan for the whole sequence, if a program is only a
// sequence of collectives.
func (m *repertory) inSequence(ctx context.Context) error {
	jobs := m.program.sequence()
	if jobs == nil {
		return nil
	}
	work := &m.program.Works[m.program.Jobs[jobs[0]].Work]
	at, err := m.place(work)
	if err != nil {
		return err
	}
	at.key.ports = m.portsOf(&at, m.lanes(&at))
	plans, err := m.on(at.key)
	if err != nil {
		return err
	}
	var operations []collective.Operation
	for _, j := range jobs {
		w := &m.program.Works[m.program.Jobs[j].Work]
		operations = append(operations, collective.Operation{Op: w.Op, Size: w.Size})
	}
	apart, err := plans.InSequence(ctx, m.Cold, m.fabric.Reconfig.Base, operations)
	if err != nil || len(apart) != len(jobs) {
		return err
	}
	// Collectives keep their lanes throughout. So if one needs more lanes later than at first, all
	// take the largest number that any needs.
	most, same := 0, true
	for _, one := range apart {
		first := m.lanesOf(one.Stages[0].Topology, &at)
		for i := range one.Stages {
			lanes := m.lanesOf(one.Stages[i].Topology, &at)
			if lanes == 0 {
				return nil // without circuits on the way
			}
			most, same = max(most, lanes), same && lanes == first
		}
	}
	wide := map[uint64][]int{}
	circuits := func(g *topology.Graph) int {
		lanes := m.lanesOf(g, &at)
		c := Circuits{Name: g.Name(), Kind: work.Like, Classes: work.Classes, Graph: g, Claims: m.claims(work.Classes, &at, lanes)}
		if same || lanes == most {
			return m.circuits(c, &at)
		}
		c.Claims = m.claims(work.Classes, &at, most)
		key := unlooped(g).Fingerprint()
		for _, known := range wide[key] {
			if unlooped(m.Circuits[known].Graph).Equal(unlooped(g)) {
				return known
			}
		}
		wide[key] = append(wide[key], len(m.Circuits))
		m.Circuits, m.places = append(m.Circuits, c), append(m.places, &at)
		return len(m.Circuits) - 1
	}
	for _, one := range apart {
		o := Offer{Time: one.Cost.Total(), Changes: one.Reconfigurations, Plan: one,
			First: circuits(one.Stages[0].Topology), Last: circuits(one.Stages[len(one.Stages)-1].Topology)}
		for _, c := range []int{o.First, o.Last} {
			o.Ports = max(o.Ports, m.Circuits[c].Claims[0].Lanes)
		}
		if at.whole {
			o.Ports = at.key.ports
		}
		if at.key.island > 1 || at.key.fixed != "" {
			o.Islands = work.Classes
		}
		m.Repertoire.sequence = append(m.Repertoire.sequence, o)
	}
	for i, j := range jobs {
		w := m.program.Jobs[j].Work
		m.Offers[w] = append(m.Offers[w], m.Repertoire.sequence[i])
	}
	return nil
}
