package iteration

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/lightpath-net/lightpath/bound"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/internal/threads"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Plans makes plans for the collectives of one group of GPUs, as train.Plans does. The first
// configuration of each plan is free. Methods return nil if there is no such plan.
type Plans interface {
	// Hold returns the fastest plan without a reconfiguration, on any topology.
	Hold(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error)
	// On returns the fastest known plan that leaves a topology up.
	On(ctx context.Context, g *topology.Graph, op collective.Op, size units.Bytes) (*plan.Plan, error)
	// For returns the fastest plan for a reconfiguration delay, with that delay. Plans that take
	// longer than the limit are not wanted.
	For(ctx context.Context, delay units.Duration, op collective.Op, size units.Bytes, limit units.Time) (*plan.Plan, error)
	// Ground returns the fastest plan without circuits, within an island that has the whole group.
	Ground(ctx context.Context, op collective.Op, size units.Bytes) (*plan.Plan, error)
	// From returns the fastest plan that begins with the given topology, which is up, and changes
	// it, for a reconfiguration delay. Plans that take longer than the limit are not wanted.
	From(ctx context.Context, g *topology.Graph, delay units.Duration, op collective.Op, size units.Bytes, limit units.Time) (*plan.Plan, error)
	// Together lists the topologies of the fastest plan for consecutive operations, for a
	// reconfiguration delay.
	Together(ctx context.Context, delay units.Duration, operations []collective.Operation) ([]*topology.Graph, error)
	// InSequence returns the plans of consecutive operations in the fastest plan for all of them,
	// for a reconfiguration delay; the changes between them do not count. If dark is set, no
	// circuits are up before the first.
	InSequence(ctx context.Context, dark bool, delay units.Duration, operations []collective.Operation) ([]*plan.Plan, error)
	// Skewed makes plans for all-to-alls with a skew: see workload.Demand. It may be used while
	// other plans are made.
	Skewed(skew string) Plans
}

// Options configure how a repertoire is made.
type Options struct {
	// Plans returns the planner for a group on a fabric of its own. Planners for different fabrics
	// are used at the same time.
	Plans func(f fabric.Fabric) Plans
	// Progress, if not nil, receives the progress of planning, including that of Fastest.
	Progress func(done, total int)
}

// ErrFabric says that a fabric does not support planning iterations.
var ErrFabric = errors.New("iterations are not planned on such a fabric")

// NewRepertoire finds the ways to carry out the works of a program on a fabric.
func NewRepertoire(ctx context.Context, p *Program, f *fabric.Fabric, o Options) (*Repertoire, error) {
	if err := Supported(f); err != nil {
		return nil, err
	}
	return newRepertory(p, f, o).repertoire(ctx)
}

func newRepertory(p *Program, f *fabric.Fabric, o Options) *repertory {
	return &repertory{program: p, fabric: f, options: o, plans: map[groupKey]Plans{}, known: map[string][]int{}, links: map[string]fabric.FixedLinks{}, leasts: map[errandKey]units.Time{}, answers: map[errandKey]*answer{},
		Repertoire: &Repertoire{Lines: linesOn(f, len(p.Classes)), Classes: len(p.Classes), Offers: make([][]Offer, len(p.Works)), Delay: changeTime(f), Cold: f.Initial != fabric.InitialFree, Progress: o.Progress}}
}

// repertoire finds everything.
func (m *repertory) repertoire(ctx context.Context) (*Repertoire, error) {
	p := m.program
	if err := m.planAhead(ctx); err != nil {
		return nil, err
	}
	for w := range p.Works {
		var err error
		if p.Works[w].IsSend() {
			err = m.send(w)
		} else {
			err = m.collective(ctx, w)
		}
		if err != nil {
			return nil, err
		}
		if len(m.Offers[w]) == 0 {
			return nil, fmt.Errorf("%w for the %v", planner.ErrInfeasible, &p.Works[w])
		}
	}
	if err := m.sequences(ctx); err != nil {
		return nil, err
	}
	if err := m.others(ctx); err != nil {
		return nil, err
	}
	m.menus()
	m.Shared = NoCircuits
	ranks := each.SumBelow(len(p.Classes), func(c int) int { return len(p.Classes[c].Ranks) })
	s := newSearch(p, m.Repertoire)
	m.shareTopology(ranks, s.times)
	m.Bound = m.bound()
	if err := m.inSequence(ctx); err != nil {
		return nil, err
	}
	m.finish()
	m.copies()
	m.maker = m
	return m.Repertoire, nil
}

// These are the stages of planning an iteration, with their share of a thousand: plans of every
// collective, plans on circuits of others, and the search for a course.
var planned, reused, searched = [2]int{0, 600}, [2]int{600, 800}, [2]int{800, 1000}

// report reports the progress of a stage.
func (r *Repertoire) report(stage [2]int, done, total int) {
	if r.Progress != nil {
		r.Progress(stage[0]+(stage[1]-stage[0])*done/max(1, total), searched[1])
	}
}

// Supported reports why a fabric does not support planning iterations, by its field: an
// ErrFabric. It does not check what depends on the workload.
func Supported(f *fabric.Fabric) error {
	refuse := func(name, why string, args ...any) error {
		return field.Errorf(name, "%w: "+why, append([]any{ErrFabric}, args...)...)
	}
	_, uniform := f.Reconfig.Uniform()
	switch {
	case !f.Avoid.IsZero() && f.Avoid.Held() != "":
		return refuse("held", "ranks need all ports of their GPUs, and other jobs hold some; plan on a fabric of what is left")
	case !f.Avoid.IsZero():
		return refuse("avoid", "ranks need all ports of their GPUs, and some have failed; plan with fewer ports, or without these ranks")
	case !f.Links.IsZero():
		return refuse("links", "all circuits must be equal, and some links have bandwidths or delays of their own; plan with the slowest")
	case f.Overlap != (fabric.Overlap{}):
		return refuse("overlap", "within a collective, all ports wait while circuits change; leave it out")
	case f.Charge != fabric.ChargeChanges:
		return refuse("charge", "it charges changes of circuits only; leave it out")
	case !uniform:
		return refuse("reconfig", "all changes must take the same time, and %v depends on what changes; plan with the longest", f.Reconfig)
	case !f.Spares.IsZero():
		return refuse("spares", "failures are not modelled, so spares have no effect; leave them out")
	}
	return nil
}

// changeTime returns how long ports that change are dark: the delay, and the barrier.
func changeTime(f *fabric.Fabric) units.Time { return f.WaitFor(f.Reconfig.Base.Time()) }

// repertory makes a repertoire.
type repertory struct {
	*Repertoire
	program *Program
	fabric  *fabric.Fabric
	options Options
	plans   map[groupKey]Plans
	known   map[string][]int // circuits by their content
	links   map[string]fabric.FixedLinks
	answers map[errandKey]*answer // collectives for which plans are known

	mutex  sync.Mutex
	leasts map[errandKey]units.Time // lower bounds without a delay
}

// inIsland returns how many members of each group of a work share an island, as neighbours in
// the group; 1 if not all groups have the same number.
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

// claims returns the lanes that circuits of classes take in the banks of a place.
func (m *repertory) claims(classes []int, p *place, lanes int) []Claim {
	var list []Claim
	for _, bank := range p.banks {
		if p.whole {
			lanes = len(m.Lines.Banks[bank])
		}
		for _, c := range classes {
			list = append(list, Claim{m.Lines.Out(c, bank), lanes})
			if !m.Lines.Duplex {
				list = append(list, Claim{m.Lines.In(c, bank), lanes})
			}
		}
	}
	slices.SortFunc(list, func(a, b Claim) int { return a.Line - b.Line })
	return list
}

// circuits returns the number of circuits, adding them if they are new. The place is for those
// with a graph. Graphs with the same circuits are the same, whatever their names.
func (m *repertory) circuits(c Circuits, at *place) int {
	key := fmt.Sprintf("%s %v: ", c.Kind, c.Classes)
	if c.Graph == nil {
		key += c.Name
	} else {
		key += fmt.Sprint(unlooped(c.Graph).Fingerprint())
	}
	for _, known := range m.known[key] {
		if c.Graph == nil || unlooped(m.Circuits[known].Graph).Equal(unlooped(c.Graph)) {
			return known
		}
	}
	m.known[key] = append(m.known[key], len(m.Circuits))
	m.Circuits, m.places = append(m.Circuits, c), append(m.places, at)
	return len(m.Circuits) - 1
}

// collective finds the offers of a collective: for every number of ports its fastest plan
// without a change and its fastest one with changes.
func (m *repertory) collective(ctx context.Context, w int) error {
	work := &m.program.Works[w]
	at, err := m.place(work)
	if err != nil {
		return err
	}
	ground := true
	for p := range m.widths(&at) {
		if err := m.plansAt(ctx, w, &p, ground); err != nil {
			return err
		}
		ground = false
	}
	return nil
}

// planAhead makes the plans that collectives need by themselves, in parallel for different
// fabrics and skews.
func (m *repertory) planAhead(ctx context.Context) error {
	errands, err := m.errands()
	if err != nil {
		return err
	}
	errands = slices.DeleteFunc(errands, func(e errand) bool { // drop repetitions
		known := m.answers[e.key] != nil
		if !known {
			m.answers[e.key] = &answer{}
		}
		return known
	})
	return m.sideBySide(ctx, planned, errands, func(ctx context.Context, e *errand) (err error) {
		a := m.answers[e.key]
		a.hold, a.made, err = m.both(ctx, e.plans, e.work, e.key.at)
		return err
	})
}

// errand is a request for plans of a collective on the fabric of its group.
type errand struct {
	key      errandKey
	plans    Plans
	work     int
	circuits int // that are up
}

// errandKey identifies a collective on the fabric of a group.
type errandKey struct {
	at   groupKey
	op   collective.Op
	size units.Bytes
	skew string
}

// answer has the plans of a collective that may use any circuits.
type answer struct{ hold, made *plan.Plan }

func (m *repertory) errand(w int, at *place) (errand, error) {
	work := &m.program.Works[w]
	plans, err := m.plansFor(work, at)
	return errand{key: errandKey{at.key, work.Op, work.Size, work.Skew}, plans: plans, work: w}, err
}

// sideBySide runs errands: those of one fabric and skew in order, others in parallel.
func (m *repertory) sideBySide(ctx context.Context, stage [2]int, errands []errand, do func(ctx context.Context, e *errand) error) error {
	type crew struct {
		at   groupKey
		skew string
	}
	of := map[crew][]*errand{}
	var crews []crew
	for i := range errands {
		c := crew{errands[i].key.at, errands[i].key.skew}
		if of[c] == nil {
			crews = append(crews, c)
		}
		of[c] = append(of[c], &errands[i])
	}
	slices.SortStableFunc(crews, func(a, b crew) int { // longest first
		return cmp.Compare(b.at.nodes*b.at.ports*len(of[b]), a.at.nodes*a.at.ports*len(of[a]))
	})
	errs, done := make([]error, len(crews)), 0
	inner := threads.Split(ctx, min(threads.Of(ctx), len(crews)))
	threads.Few(ctx, len(crews), func(i int) {
		for _, e := range of[crews[i]] {
			if errs[i] = do(inner, e); errs[i] != nil {
				return
			}
			m.mutex.Lock()
			done++
			m.report(stage, done, len(errands))
			m.mutex.Unlock()
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// errands lists the plans that collectives need. Among similar errands for large groups, the
// smallest and the largest sizes come first, because plans for sizes between them can then be
// made quickly from these.
func (m *repertory) errands() ([]errand, error) {
	var first, all []errand
	type sort struct {
		key groupKey
		op  collective.Op
	}
	of := map[sort][]errand{}
	var order []sort
	for w := range m.program.Works {
		work := &m.program.Works[w]
		if work.IsSend() {
			continue
		}
		at, err := m.place(work)
		if err != nil {
			return nil, err
		}
		for p := range m.widths(&at) {
			e, err := m.errand(w, &p)
			if err != nil {
				return nil, err
			}
			all = append(all, e)
			if work.Skew != "" || len(work.Groups[0]) <= mostTogether {
				continue
			}
			s := sort{p.key, work.Op}
			if of[s] == nil {
				order = append(order, s)
			}
			if !slices.ContainsFunc(of[s], func(o errand) bool { return o.key.size == work.Size }) {
				of[s] = append(of[s], e)
			}
		}
	}
	for _, s := range order {
		if len(of[s]) > 2 {
			bySize := func(a, b errand) int { return cmp.Compare(a.key.size, b.key.size) }
			first = append(first, slices.MinFunc(of[s], bySize), slices.MaxFunc(of[s], bySize))
		}
	}
	return append(first, all...), nil
}

// widths yields the place with each number of ports that circuits may take there.
func (m *repertory) widths(at *place) iter.Seq[place] {
	return func(yield func(p place) bool) {
		most := m.lanes(at)
		for lanes := 1; lanes <= most; lanes++ {
			if at.whole && lanes < most {
				continue
			}
			p := *at
			p.key.ports = m.portsOf(at, lanes)
			if !yield(p) {
				return
			}
		}
	}
}

// plansAt finds the offers of a collective on ports of a place, and without circuits if ground
// is set.
func (m *repertory) plansAt(ctx context.Context, w int, at *place, ground bool) error {
	work := &m.program.Works[w]
	e, err := m.errand(w, at)
	if err != nil {
		return err
	}
	if ground && (at.key.island == at.key.nodes || at.key.fixed != "") {
		grounded, err := e.plans.Ground(ctx, work.Op, work.Size)
		if err != nil {
			return err
		}
		m.offer(w, grounded, at)
	}
	a := m.answers[e.key]
	m.offer(w, a.hold, at)
	if a.made != nil && a.made.Reconfigurations > 0 {
		m.offer(w, a.made, at)
	}
	return nil
}

// both makes the fastest plan of a collective without a change, and the fastest one with
// changes if that is faster; nil if there is none.
func (m *repertory) both(ctx context.Context, plans Plans, w int, at groupKey) (hold, made *plan.Plan, err error) {
	work := &m.program.Works[w]
	hold, err = plans.Hold(ctx, work.Op, work.Size)
	if err != nil {
		return nil, nil, err
	}
	limit := units.Time(0)
	if hold != nil {
		limit = hold.Cost.Total()
	}
	if !m.pays(w, at, limit) {
		return hold, nil, nil
	}
	made, err = plans.For(ctx, m.fabric.Reconfig.Base, work.Op, work.Size, limit)
	return hold, made, err
}

// Up to this group size and number of works, circuits for all works of a group together are
// considered.
const (
	mostTogether = 16
	mostWorks    = 6
)

// sequences adds circuits that suit all collectives of a group together.
func (m *repertory) sequences(ctx context.Context) error {
	same := map[string][]int{}
	var order []string
	for w := range m.program.Works {
		work := &m.program.Works[w]
		if work.IsSend() || work.Skew != "" || len(work.Groups[0]) > mostTogether {
			continue
		}
		key := fmt.Sprint(work.Like, work.Classes)
		if same[key] == nil {
			order = append(order, key)
		}
		same[key] = append(same[key], w)
	}
	for _, key := range order {
		works := same[key]
		if len(works) < 2 || len(works) > mostWorks {
			continue
		}
		var operations []collective.Operation
		for _, w := range m.program.inOrder(works) {
			operations = append(operations, collective.Operation{Op: m.program.Works[w].Op, Size: m.program.Works[w].Size})
		}
		at, err := m.place(&m.program.Works[works[0]])
		if err != nil {
			return err
		}
		work := &m.program.Works[works[0]]
		for lanes := 1; lanes <= m.lanes(&at); lanes++ {
			p := at
			p.key.ports = m.portsOf(&at, lanes)
			plans, err := m.on(p.key)
			if err != nil {
				return err
			}
			graphs, err := plans.Together(ctx, m.fabric.Reconfig.Base, operations)
			if err != nil {
				return err
			}
			for _, g := range graphs {
				if portsOn(g) > 0 {
					m.circuits(Circuits{Name: g.Name(), Kind: work.Like, Classes: work.Classes, Graph: g, Claims: m.claims(work.Classes, &p, m.lanesOf(g, &p))}, &p)
				}
			}
		}
	}
	return nil
}

// lanesOf returns how many lanes circuits need at a place. Two-way ones may need one more
// switch than a GPU has circuits, so they take all ports that they were planned with.
func (m *repertory) lanesOf(g *topology.Graph, at *place) int {
	if m.Lines.Duplex && m.Lines.Aligned && portsOn(g) > 0 && !at.whole {
		return at.key.ports
	}
	return portsOn(g)
}

// others finds, for every collective, plans on the circuits of other collectives of its kind,
// which may be up.
func (m *repertory) others(ctx context.Context) error {
	first := len(m.Circuits) // other plans begin with an earlier one
	if err := m.holdAhead(ctx); err != nil {
		return err
	}
	for c := 0; c < len(m.Circuits); c++ {
		for w := range m.program.Works {
			if !m.may(w, c) {
				continue
			}
			work := &m.program.Works[w]
			plans, err := m.plansFor(work, m.places[c])
			if err != nil {
				return err
			}
			if !m.has(w, c) {
				made, err := plans.On(ctx, m.Circuits[c].Graph, work.Op, work.Size)
				if err != nil {
					return err
				}
				m.offer(w, made, m.places[c])
			}
			if c >= first {
				continue
			}
			limit := m.instead(w, c)
			if !m.pays(w, m.places[c].key, limit) {
				continue
			}
			made, err := plans.From(ctx, m.Circuits[c].Graph, m.fabric.Reconfig.Base, work.Op, work.Size, limit)
			if err != nil {
				return err
			}
			m.offer(w, made, m.places[c])
		}
	}
	return nil
}

// holdAhead makes the plans of collectives on circuits of others, in parallel; the planners
// remember them.
func (m *repertory) holdAhead(ctx context.Context) error {
	var errands []errand
	for c := range m.Circuits {
		for w := range m.program.Works {
			if !m.may(w, c) || m.has(w, c) {
				continue
			}
			e, err := m.errand(w, m.places[c])
			if err != nil {
				return err
			}
			e.circuits = c
			errands = append(errands, e)
		}
	}
	return m.sideBySide(ctx, reused, errands, func(ctx context.Context, e *errand) error {
		_, err := e.plans.On(ctx, m.Circuits[e.circuits].Graph, e.key.op, e.key.size)
		return err
	})
}

// pays reports whether a plan of a work with at least one reconfiguration can take less than a
// limit: it takes the delay, plus the lower bound without a delay.
func (m *repertory) pays(w int, at groupKey, limit units.Time) bool {
	f, err := m.fabricOf(at)
	if err != nil || limit == 0 {
		return true
	}
	f.Reconfig.Base = 0
	key := errandKey{at, m.program.Works[w].Op, m.program.Works[w].Size, m.program.Works[w].Skew}
	m.mutex.Lock()
	least, ok := m.leasts[key]
	m.mutex.Unlock()
	if !ok {
		section, err := m.program.Works[w].section()
		if err != nil {
			return true
		}
		least = bound.OfOperation(&f, section).Total()
		m.mutex.Lock()
		m.leasts[key] = least
		m.mutex.Unlock()
	}
	return least+m.Delay < limit
}
