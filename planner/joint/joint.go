package joint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/joint/cast"
	"github.com/lightpath-net/lightpath/planner/joint/digit"
	"github.com/lightpath-net/lightpath/planner/mended"
	"github.com/lightpath-net/lightpath/planner/standin"
	"github.com/lightpath-net/lightpath/units"
)

// Name is the name of the planner, and of the algorithm in its plans.
const Name = "joint"

// New returns the planner.
func New() planner.Planner { return composer{} }

type composer struct{}

func (composer) Name() string { return Name }
func (composer) About() string {
	return "algorithm, circuits and reconfigurations chosen together, digit by digit of the GPUs' numbers"
}

// Traits implements planner.Described.
func (x composer) Traits() planner.Traits {
	return planner.Traits{Composes: &planner.Composer{Algorithm: Name, Supports: x.supports}, Plans: x.plans, Choices: x.choices}
}

// ops are the operations that the planner supports.
var ops = []collective.Op{
	collective.AllReduce, collective.AllGather, collective.ReduceScatter, collective.Broadcast, collective.RootReduce,
	collective.Scatter, collective.Gather,
}

// supports reports why the planner cannot do an operation, or nil.
func (composer) supports(c *collective.Collective, _ *fabric.Fabric) error {
	if !slices.Contains(ops, c.Op) {
		return fmt.Errorf("planner %s does not do %s", Name, c.Op)
	}
	if (c.Op == collective.Scatter || c.Op == collective.Gather) && c.Space.MembersCount() > mostGrouped {
		return fmt.Errorf("planner %s is for at most %d GPUs that %s", Name, mostGrouped, c.Op)
	}
	return nil
}

// mostGrouped is the largest number of GPUs that scatter or gather in groups.
const mostGrouped = 512

// candidates is how many of the best solutions are priced as plans at first, for each of several
// waits, if the wait for a reconfiguration depends on what changes. Otherwise the first solution
// is the best.
const candidates = 8

// Plan implements planner.Planner.
func (x composer) Plan(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := x.supports(r.Collective, &r.Fabric); err != nil {
		return nil, fmt.Errorf("%w: %w", planner.ErrInfeasible, err)
	}
	r.Kept = cmp.Or(r.Kept, planner.NewMemory())
	make := fastestWithin
	if standin.Needed(&r.Fabric) {
		make = differing
	}
	p, err := make(ctx, r)
	if !r.Fabric.LostPorts() {
		return p, err
	}
	return orMended(ctx, r, p, err)
}

// orMended returns p, a plan for the ports that every GPU has left, or a faster one: a plan for
// all ports, mended to bypass the lost ones. It tries every number of reconfigurations up to that
// of the best plan, so that a smaller delay leaves the same candidates.
func orMended(ctx context.Context, r planner.Request, p *plan.Plan, reason error) (*plan.Plan, error) {
	for changes, most := 0, 0; changes <= most; changes++ {
		tried := map[string]bool{}
		for _, noLines := range []bool{false, true} { // without lines, a plan may spare a port
			if p != nil && (r.Limit <= 0 || p.Cost.Total() < r.Limit) {
				r.Limit = p.Cost.Total()
			}
			within := digit.Limits{Changes: changes, NoLines: noLines}
			other, err := mended.Plan(ctx, func(ctx context.Context, r planner.Request) (*plan.Plan, error) {
				r.Limit = 0 // it is for the mended plan
				if changes == 0 && !noLines {
					best, err := fastest(ctx, r)
					if err != nil {
						return nil, err
					}
					most = len(best.Stages) - 1
				}
				made, _, err := bestOf(ctx, &r, within)
				if made == nil && err == nil {
					err = planner.ErrInfeasible
				}
				if err != nil {
					return nil, err
				}
				what := fmt.Sprint(made.Strategy, made.Cost.Total(), r.Fabric.Ports)
				if noLines && tried[what] {
					return nil, planner.ErrInfeasible // it has been mended already
				}
				tried[what] = true
				return made, nil
			}, r)
			switch {
			case err == nil && (p == nil || other.Cost.Total() < p.Cost.Total()):
				p, reason = other, nil
			case err != nil && !errors.Is(err, planner.ErrInfeasible) && !errors.Is(err, planner.ErrBeyond):
				return nil, err
			}
		}
	}
	return p, reason
}

// fastest returns the fastest plan for circuits that are all alike. If some have failed, it is
// the fastest plan that needs none of them.
func fastest(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	r.Limit = 0
	return fastestWithin(ctx, r)
}

// fastestWithin is fastest within the request's limit: plans whose floor is beyond it are not
// built. Pipelines have up to a million transfers.
func fastestWithin(ctx context.Context, r planner.Request) (*plan.Plan, error) {
	best, _, err := bestOf(ctx, &r, digit.Limits{Changes: digit.AnyChanges})
	if err != nil {
		return nil, err
	}
	if best == nil {
		return nil, fmt.Errorf("%w: %s knows no way to do %s on %d GPUs with these ports", planner.ErrInfeasible, Name,
			r.Collective.Op, r.Collective.Space.MembersCount())
	}
	best.Bound = min(best.OperationBound().Total(), best.Cost.Total())
	return best, nil
}

// plans implements planner.Traits.Plans: it returns the best few solutions of the search.
func (x composer) plans(ctx context.Context, r planner.Request, most int) ([]*plan.Plan, error) {
	r.Kept, r.Limit = cmp.Or(r.Kept, planner.NewMemory()), 0
	best, err := x.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	all := []*plan.Plan{best}
	if standin.Needed(&r.Fabric) {
		return all, nil // the search assumes that all circuits are alike
	}
	for _, o := range optionsFor(&r, digit.Limits{Changes: digit.AnyChanges}, most, func() bool { return ctx.Err() != nil }) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := o.plan(ctx, &r)
		if err != nil {
			return nil, err
		}
		if p != nil && len(all) < most && !slices.ContainsFunc(all, func(q *plan.Plan) bool { return sameEnds(p, q) }) {
			all = append(all, p)
		}
	}
	return all, ctx.Err()
}

// sameEnds reports whether two plans begin and end with the same circuits.
func sameEnds(p, q *plan.Plan) bool {
	return p.Stages[0].Topology.Equal(q.Stages[0].Topology) &&
		p.Stages[len(p.Stages)-1].Topology.Equal(q.Stages[len(q.Stages)-1].Topology)
}

// bestOf returns the fastest plan within limits and the solution it was made from, nil if there
// is none. The error wraps planner.ErrBeyond if there is none within the request's limit. A one-way
// fabric may start with two-way circuits, so plans for a two-way fabric are tried too.
func bestOf(ctx context.Context, r *planner.Request, l digit.Limits) (best *plan.Plan, made option, err error) {
	both, ok := bothWays(r)
	if ok { // the limit is for the faster of the two
		free := *r
		free.Limit = 0
		r = &free
	}
	best, made, err = searched(ctx, r, l)
	if err == nil && best != nil && !l.NoUneven && tooVaried(best) {
		l.NoUneven = true
		best, made, err = searched(ctx, r, l)
	}
	if err != nil || !ok {
		return best, made, err
	}
	other, its, err := searched(ctx, both, l)
	if err != nil || other == nil {
		return best, made, err
	}
	other.Fabric = r.Fabric
	if err := other.PriceContext(ctx); err != nil {
		return nil, option{}, err
	}
	if best == nil || other.Cost.Total() < best.Cost.Total() {
		best, made = other, its
	}
	return best, made, nil
}

// bothWays returns the request for a fabric with two-way circuits, if the fabric is one-way but
// the circuits that are up at its start are two-way.
func bothWays(r *planner.Request) (*planner.Request, bool) {
	f := &r.Fabric
	if f.Duplex || f.Initial == fabric.InitialFree || f.Initial == fabric.InitialDark {
		return nil, false
	}
	up, err := f.InitialTopology()
	if err != nil {
		return nil, false
	}
	both := *r
	both.Fabric.Duplex, both.Fabric.Initial, both.Limit = true, up.Name(), 0
	return &both, both.Fabric.Validate() == nil
}

// searched is bestOf without a second try on two-way circuits.
func searched(ctx context.Context, r *planner.Request, l digit.Limits) (best *plan.Plan, made option, err error) {
	stopped := func() bool { return ctx.Err() != nil }
	late := math.Inf(1) // the least floor beyond the limit
	try := func(o option) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if best != nil && o.floor >= float64(best.Cost.Total()) {
			return nil
		}
		if r.Beyond(units.Time(o.floor)) != nil {
			late = min(late, o.floor)
			return nil
		}
		p, err := o.plan(ctx, r)
		if p != nil && (best == nil || p.Cost.Total() < best.Cost.Total()) {
			best, made = p, o
		}
		return err
	}
	for _, o := range options(r, l, stopped) {
		if err := try(o); err != nil {
			return nil, option{}, err
		}
	}
	most := late
	if best != nil {
		most = min(most, float64(best.Cost.Total()))
	}
	twoWay, err := onTwoWay(ctx, r, l, most)
	if err != nil {
		return nil, option{}, err
	}
	for _, o := range append(twoWay, onShort(ctx, r, l)...) {
		if err := try(o); err != nil {
			return nil, option{}, err
		}
	}
	err = widen(r, l, stopped, func(o option) (bool, error) {
		err := try(o)
		return best != nil && o.floor >= float64(best.Cost.Total()) || o.floor >= late, err
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || math.IsInf(late, 1) || best != nil && r.Beyond(best.Cost.Total()) == nil {
		return best, made, err
	}
	if best != nil {
		late = min(late, float64(best.Cost.Total()))
	}
	return nil, option{}, &planner.Beyond{Least: units.Time(late)}
}

// option is a plan that has not been built yet.
type option struct {
	time  float64 // as predicted, without the reconfiguration from the initial circuits
	floor float64 // a lower bound on its time, whatever a reconfiguration takes
	build func() cast.Laid
	uses  func() digit.Uses
}

// options returns the candidates for the best plan: one if the search knows the time of every
// plan, and several if it does not, because waits depend on what changes or reducing takes time.
func options(r *planner.Request, l digit.Limits, stopped func() bool) []option {
	return optionsFor(r, l, 1, stopped)
}

// exact reports whether the search knows the time of every plan.
func exact(r *planner.Request) bool {
	_, uniform := r.Fabric.UniformWait()
	starts := r.Fabric.Initial == fabric.InitialFree || r.Fabric.Initial == fabric.InitialDark
	return uniform && starts && r.Fabric.Avoid.IsZero() && !unsure(&r.Fabric) && !reduces(r)
}

// unsure reports whether the switches may be unable to set up the circuits that the search finds.
// On a grid the search looks only for digits of the grid, whose one-way circuits can all be set
// up.
func unsure(f *fabric.Fabric) bool {
	sides, _ := f.Layout.Grid(f.AllPorts())
	return f.Restricts() && (sides == nil || f.Duplex)
}

// reduces reports whether reducing takes time.
func reduces(r *planner.Request) bool {
	return r.Fabric.Gamma.Time > 0 && r.Collective.Op != collective.Broadcast && r.Collective.Op != collective.AllGather
}

// optionsFor returns the best few options, those with the lowest floor first.
func optionsFor(r *planner.Request, l digit.Limits, keep int, stopped func() bool) []option {
	known := exact(r)
	if !known {
		keep = max(keep, candidates)
	}
	members := r.Collective.Space.MembersCount()
	ports := workingPorts(&r.Fabric, r.Collective.Space.Members)
	if ports == 0 {
		return nil
	}
	m := digit.NewMachine(&r.Fabric, onLine(r, ports), members)
	all := optionsOn(m, r, l, keep, stopped)
	if known {
		return all
	}
	if reduces(r) {
		// The search does not count the time to reduce. A node reduces no more than its ports
		// receive, so without detours reducing is like slower circuits (Zhao et al., Theorem 8).
		// So the best plan for circuits that are slower by that amount is priced too.
		slower := m
		slower.PerByte += float64(r.Fabric.Gamma.Of(float64(ports)))
		more := optionsOn(slower, r, l, keep, stopped)
		if r.Collective.Op == collective.AllReduce { // only half of an allreduce reduces
			slower.PerByte = (slower.PerByte + m.PerByte) / 2
			more = append(more, optionsOn(slower, r, l, keep, stopped)...)
		}
		for _, o := range more {
			o.floor = 0 // its time is for slower circuits
			all = append(all, o)
		}
	}
	// The other candidates must not depend on the delay, so that a smaller delay never gives a
	// slower plan. All of them are priced, unless their floor rules them out.
	for _, wait := range supposedWaits {
		m.Wait = wait
		all = append(all, optionsOn(m, r, l, keep, stopped)...)
	}
	all = append(all, optionsUp(m, r, l, keep, stopped)...)
	slices.SortStableFunc(all, func(a, b option) int { return cmp.Compare(a.floor, b.floor) })
	return all
}

// optionsUp returns the best few options on the circuits that are up at the start, if there are
// any. The other searches do not count the reconfiguration before the first stage, so they keep
// options that are faster only after it.
func optionsUp(m digit.Machine, r *planner.Request, l digit.Limits, keep int, stopped func() bool) []option {
	l.NoWindows, l.NoBalls = l.NoWindows || r.Whole, l.NoBalls || r.Whole
	f := &r.Fabric
	if f.Initial == fabric.InitialFree || f.Initial == fabric.InitialDark || r.Collective.Space.Members != nil {
		return nil
	}
	up, err := f.InitialTopology()
	if err != nil || up.Bundles() == 0 {
		return nil
	}
	op, on := r.Collective.Op, up
	if op == collective.RootReduce { // a reduction is a reversed broadcast
		on = up.Transpose(up.Name())
	}
	s := digit.NewSearchOn(digit.Question{
		Machine: m, Limits: l, Keep: keep, Nodes: f.Nodes, Bytes: float64(r.Size), Memory: r.Kept, Stopped: stopped,
	}, on)
	all := found(s, op, func(time float64, _ int) float64 { return time * (1 - rounding) })
	for i, o := range all {
		all[i].build = func() cast.Laid {
			l := o.build()
			for i := range l.Stages {
				if l.Stages[i].Topology.Equal(up) {
					l.Stages[i].Topology = up // this graph has the right name
				}
			}
			return l
		}
	}
	return all
}

// widen is for searches that do not know the time of every plan. It assumes the least wait that a
// reconfiguration can take, and offers more and more of the best solutions until one of them
// cannot win. Then no later one can win either, so the best solution offered is the best of all
// that the search distinguishes. It gives up after mostPriced.
func widen(r *planner.Request, l digit.Limits, stopped func() bool, offer func(option) (done bool, err error)) error {
	ports := workingPorts(&r.Fabric, r.Collective.Space.Members)
	if exact(r) || ports == 0 {
		return nil
	}
	members := r.Collective.Space.MembersCount()
	m := digit.NewMachine(&r.Fabric, onLine(r, ports), members)
	m.Wait = float64(r.Fabric.LeastBarrier())
	for keep, seen := candidates, 0; keep <= max(candidates, mostPriced/members); keep *= 2 {
		all := optionsWith(m, r, l, keep, stopped)
		for _, o := range all[min(seen, len(all)):] {
			if done, err := offer(o); done || err != nil {
				return err
			}
		}
		if len(all) < keep {
			return nil
		}
		seen = keep
	}
	return nil
}

// mostPriced limits how much is priced if the search does not know the time of every plan. It is
// the number of plans times their nodes: 128 plans of 64 GPUs.
const mostPriced = 1 << 13

// supposedWaits are the waits, in ns, for which plans are searched if the real waits depend on
// what changes. They range from no wait to one so long that circuits never change.
var supposedWaits = [...]float64{0, 1e3, 1e4, 1e5, 1e6, 1e15}

// rounding is more than the rounding error of sums that end in a supposed wait.
const rounding = 1e-15

// optionsOn returns the best few options for a machine whose waits are all the same. The known
// networks of two-way circuits for some number of ports may be worse than those for fewer ports,
// so the best few options for fewer ports are included.
func optionsOn(m digit.Machine, r *planner.Request, l digit.Limits, keep int, stopped func() bool) []option {
	all := optionsWith(m, r, l, keep, stopped)
	if !m.Duplex || r.Collective.Space.MembersCount() > mostNarrowed {
		return all
	}
	for m.Ports--; m.Ports > 0; m.Ports-- {
		all = append(all, optionsWith(m, r, l, keep, stopped)...)
	}
	slices.SortStableFunc(all, func(a, b option) int { return cmp.Compare(a.time, b.time) })
	return all
}

// mostNarrowed is the largest number of GPUs for which two-way circuits of fewer ports are tried:
// networks have no more points.
const mostNarrowed = 256

// optionsWith is optionsOn with exactly the ports of the machine.
func optionsWith(m digit.Machine, r *planner.Request, l digit.Limits, keep int, stopped func() bool) []option {
	l.NoWindows, l.NoBalls = l.NoWindows || r.Whole, l.NoBalls || r.Whole
	members := r.Collective.Space.MembersCount()
	s := digit.NewSearch(digit.Question{
		Machine: m, Limits: l, Sides: sidesOf(r), Keep: keep, Nodes: members, Bytes: float64(r.Size), Memory: r.Kept, Stopped: stopped,
	})
	cheaper := m.Wait - float64(r.Fabric.LeastBarrier())
	floor := func(time float64, changes int) float64 { return time*(1-rounding) - float64(changes)*cheaper }
	return found(s, r.Collective.Op, floor)
}

// found returns the options that a search finds for an operation. floor returns a lower bound on
// the time of a plan, given its predicted time and its number of reconfigurations.
func found(s *digit.Search, op collective.Op, floor func(time float64, changes int) float64) []option {
	var all []option
	members := s.Nodes
	if op == collective.Broadcast || op == collective.RootReduce {
		casts := cast.All
		if s.Only() != nil {
			casts = cast.Staying
		}
		for _, c := range casts(s, members, s.Bytes) {
			all = append(all, option{time: c.Time, floor: floor(c.Time, c.Changes), uses: func() digit.Uses { return digit.Uses{Cast: c.Family} }, build: func() cast.Laid {
				l := c.Build()
				l.About = c.About
				if op == collective.RootReduce {
					l.Stages = cast.Reversed(l)
				}
				return l
			}})
		}
		return all
	}
	if op == collective.Scatter || op == collective.Gather {
		if s.Only() != nil {
			return nil // groups change circuits
		}
		for _, c := range cast.Scatters(s, members, s.Bytes) {
			all = append(all, option{time: c.Time, floor: floor(c.Time, c.Changes), uses: func() digit.Uses { return digit.Uses{} }, build: func() cast.Laid {
				l := c.Build()
				l.About = c.About
				if op == collective.Gather {
					l.Stages, l.Space = cast.Reversed(l), collective.SpaceOf(op, members, 1)
				}
				return l
			}})
		}
		return all
	}
	goal := digit.AllGather
	if op == collective.AllReduce {
		goal = digit.AllReduce
	}
	for _, found := range s.Solve(digit.Task{Op: goal, Nodes: members, Scale: 1, Changes: s.Changes}) {
		all = append(all, option{time: found.Time, floor: floor(found.Time, found.Changes), uses: found.Uses, build: func() cast.Laid {
			stages, parts, about := digit.Stages(found, op, s.Stores)
			return cast.Laid{Stages: stages, Space: collective.SpaceOf(op, members, parts), About: about}
		}})
	}
	return all
}

// sidesOf returns the sides of the grid in which the GPUs are cabled. It is nil for other
// layouts, and if not all GPUs take part.
func sidesOf(r *planner.Request) []int {
	if r.Collective.Space.Members != nil {
		return nil
	}
	sides, _ := r.Fabric.Layout.Grid(r.Fabric.AllPorts())
	return sides
}

// onLine returns how many of the given ports a GPU can use along every line of the grid; all of
// them if there is no grid.
func onLine(r *planner.Request, ports int) int {
	if sidesOf(r) == nil {
		return ports
	}
	_, share := r.Fabric.Layout.Grid(r.Fabric.AllPorts())
	return min(ports, slices.Min(share))
}

// workingPorts returns the number of ports that every member has left.
func workingPorts(f *fabric.Fabric, members []int) int {
	ports := f.Ports
	for _, u := range f.Avoid.LostPorts() {
		if members == nil || slices.Contains(members, u) {
			ports = min(ports, f.Ports-f.Avoid.Ports(u))
		}
	}
	return max(0, ports)
}

// plan builds and prices an option. It returns nil if the option needs a circuit that has failed.
func (o option) plan(ctx context.Context, r *planner.Request) (*plan.Plan, error) {
	laid := o.build()
	p := &plan.Plan{
		Fabric: r.Fabric, Provenance: plan.Provenance{Planner: Name, Strategy: laid.About}, Stages: laid.Stages,
		Collective: plan.Collective{Op: r.Collective.Op, Algorithm: Name, Size: r.Size, Space: laid.Space},
	}
	if m := r.Collective.Space.Members; m != nil {
		settle(p, m)
	}
	for i := range p.Stages {
		if p.Fabric.Fits(p.Stages[i].Topology) != nil {
			return nil, nil
		}
	}
	if err := p.PriceContext(ctx); err != nil {
		return nil, err
	}
	return p, nil
}
