package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// Check is the outcome of one check.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	// Unchecked says that a claim could not be checked: it is neither OK nor wrong.
	Unchecked bool `json:"unchecked,omitempty"`
}

// Report is the outcome of a verification. It is OK if no check failed; unchecked claims do not
// count.
type Report struct {
	OK     bool    `json:"ok"`
	Checks []Check `json:"checks"`
	// Assumed lists what is in neither the HARVEST schedule nor the request.
	Assumed []string `json:"assumed,omitempty"`
}

// First returns the first check that failed, or nil.
func (r *Report) First() *Check {
	for i := range r.Checks {
		if !r.Checks[i].OK && !r.Checks[i].Unchecked {
			return &r.Checks[i]
		}
	}
	return nil
}

// Set adds a check to the report, replacing one of the same name.
func (r *Report) Set(c Check) {
	i := slices.IndexFunc(r.Checks, func(other Check) bool { return other.Name == c.Name })
	if i < 0 {
		r.Checks = append(r.Checks, c)
	} else {
		r.Checks[i] = c
	}
	r.OK = r.First() == nil
}

// Plan checks a plan against its fabric and its collective. The checks, in order:
//
//	form         every step is in its place, every number in its range, no GPU sends to itself,
//	             and operations follow one another
//	ports        no GPU has more circuits than ports; duplex circuits are two-way
//	switches     where the fabric has a layout: every circuit joins two ports that are plugged
//	             into one switch, and no fibre has two
//	held         where other jobs hold GPUs or ports: the plan touches none of them
//	topology     the circuits of a stage are those of the expression that names it; other names
//	             are counted, and the check is unchecked if no name is an expression
//	routes       every route runs over circuits that are up, from source to target
//	timing       a replay of every circuit's times: nothing is on a dark circuit, no step
//	             begins before the one before ends, no change before the last is over; if
//	             planes reconfigure independently, a replay of every plane's
//	data         every chunk that is sent is there, and nothing is written twice
//	reductions   every contribution is reduced exactly once
//	result       at the end every node holds what the operation promises
//	cost         the claimed times are those that the circuits and routes give, and
//	             repeated claims agree
//	slots        of an exchange: no circuit carries two chunks in one slot
//	bound        the claimed bounds are not above the cost, nor above what can be proven here;
//	             unchecked if the algorithm is not known here
//	synthesis    what a search for topologies claims to have proven does not contradict the
//	             plan; unchecked if only the search could tell
//	algorithm    the steps are those of the named algorithm; unchecked if it is not known
//	             here, or has other steps
//	origin       unchecked: the names of the planner and of its strategy
//	symmetry     unchecked, if a file claims one that the transfers of a step do not have:
//	             they are then checked one by one
//	baselines    unchecked: that would need other plans
//
// The error is only for a cancelled context; a wrong plan gives a Report.
func Plan(ctx context.Context, p *plan.Plan) (*Report, error) {
	r := &Report{OK: true}
	add := func(name, good string, err error) {
		check := Check{Name: name, OK: err == nil, Detail: good}
		if err != nil {
			check.Detail = err.Error()
			r.OK = false
		}
		r.Checks = append(r.Checks, check)
	}
	transfers := 0
	for _, step := range p.Steps() {
		transfers += step.Len()
	}
	form := checkForm(p)
	proven := false
	if form == nil {
		var err error
		if proven, err = byPhases(ctx, p); err != nil {
			return nil, err
		}
		if !proven {
			form = checkMoves(ctx, p)
		}
	}
	add("form", fmt.Sprintf("stages: %d, steps: %d, transfers: %d", len(p.Stages), p.CountSteps(), transfers), form)
	if form != nil {
		return r, nil // the other checks depend on it
	}
	ports := checkPorts(p)
	add("ports", fmt.Sprintf("no GPU has more circuits than its ports (%d)", p.Fabric.Ports), ports)
	if !p.Fabric.Layout.IsZero() {
		add("switches", fmt.Sprintf("every circuit joins two ports of one switch (%s)", p.Fabric.Layout.Short()), checkSwitches(p))
	}
	if held := p.Fabric.Avoid.Held(); held != "" {
		add("held", fmt.Sprintf("nothing that other jobs hold is touched (%.60s)", held), checkHeld(p))
	}
	r.Set(checkNames(p))
	priced, unpriced := repriced(ctx, p)
	routes, err := checkRoutes(ctx, p, unpriced)
	if err != nil {
		return nil, err
	}
	add("routes", "every route follows circuits that are up", routes)
	timing := errors.New("not replayed: a route is broken, or GPUs have too few ports")
	if routes == nil && ports == nil {
		if timing, err = checkTiming(ctx, p); err != nil {
			return nil, err
		}
	}
	still := "reconfigurations do not overlap"
	if p.Staggered() {
		still = "no plane sends while it changes"
	}
	add("timing", "nothing is sent over a dark circuit, and "+still, timing)
	var data dataReport
	if !proven {
		if data, err = checkData(ctx, p); err != nil {
			return nil, err
		}
	}
	add("data", "every chunk is where the next step needs it", data.missing)
	// A chunk is run up to its first violation; what follows from that is unknown.
	after := func(name, holds string, before, wrong error) {
		if before != nil && wrong == nil {
			r.Set(Check{Name: name, Unchecked: true, Detail: "not known: what is wrong with data was not followed further"})
			return
		}
		add(name, holds, wrong)
	}
	after("reductions", reductionsDetail(p), data.missing, data.counted)
	after("result", fmt.Sprintf("%s is complete on all %d GPUs", p.Collective.Op, p.Collective.Space.MembersCount()), cmp.Or(data.missing, data.counted), data.result)
	if routes == nil {
		// A step's transmission is the time of its busiest circuit. Routes that spread their shares
		// evenly over that time, as simulations pace them, fit on every circuit.
		wrong := unpriced
		if len(p.File.Misstated) > 0 {
			wrong = errors.New(p.File.Misstated[0])
		} else if wrong == nil {
			wrong = checkCost(ctx, p, priced)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		add("cost", fmt.Sprintf("%v as claimed; in that time, every circuit carries all that is routed over it", p.Cost.Total()), wrong)
	} else {
		add("cost", "", errors.New("not computed: a route is broken"))
	}
	if p.Slots != 0 {
		add("slots", fmt.Sprintf("%d slots in which no circuit carries two chunks", p.Slots), checkSlots(p))
	}
	claims, err := checkClaims(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, claim := range claims {
		r.Set(claim)
	}
	return r, nil
}

func reductionsDetail(p *plan.Plan) string {
	if p.Collective.Reduces() {
		return "every contribution is reduced exactly once"
	}
	return "nothing is reduced in this operation"
}

// where names a place in a plan, counting from 1.
func where(stage, step, transfer int) string {
	return fmt.Sprintf("stage %d, step %d, transfer %d", stage+1, step+1, transfer+1)
}

func checkForm(p *plan.Plan) error {
	if err := p.Fabric.Validate(); err != nil {
		return fmt.Errorf("fabric: %w", err)
	}
	n, space := p.Fabric.Nodes, p.Collective.Space
	if err := space.Check(p.Collective.Op, p.Collective.Size); err != nil {
		return fmt.Errorf("collective: %w", err)
	}
	if space.Nodes != n {
		return fmt.Errorf("the collective is for %d nodes, the fabric has %d", space.Nodes, n)
	}
	if len(p.Stages) == 0 {
		return errors.New("the plan has no stage")
	}
	index := 0
	for i, stage := range p.Stages {
		if stage.Topology == nil || stage.Topology.Nodes() != n {
			return fmt.Errorf("stage %d has no topology of %d nodes", i+1, n)
		}
		if len(stage.Steps) == 0 {
			return fmt.Errorf("stage %d has no step", i+1)
		}
		for j := range stage.Steps {
			step := &stage.Steps[j]
			index++
			if step.Index != index {
				return fmt.Errorf("stage %d, step %d: index is %d, want %d", i+1, j+1, step.Index, index)
			}
			if len(step.Base) == 0 {
				return fmt.Errorf("stage %d, step %d has no transfer", i+1, j+1)
			}
			if err := step.Group.Check(n); err != nil {
				return fmt.Errorf("stage %d, step %d: symmetry: %w", i+1, j+1, err)
			}
			for t, transfer := range step.Base {
				if err := check(&transfer, space); err != nil {
					return fmt.Errorf("%s: %w", where(i, j, t), err)
				}
				if !step.Group.Trivial() && !space.HomogeneousAt(transfer.Chunks) {
					return fmt.Errorf("%s: symmetry where chunks differ in size or GPUs take no part", where(i, j, t))
				}
			}
		}
	}
	if err := checkOrder(p); err != nil {
		return err
	}
	if err := checkLanes(p); err != nil {
		return err
	}
	return checkIndependent(p)
}

// checkOrder checks that a step belongs to one operation, and that operations follow one
// another: the result of one is the input of the next.
func checkOrder(p *plan.Plan) error {
	now := 0
	for i, stage := range p.Stages {
		for j, step := range stage.Steps {
			for t, transfer := range step.Base {
				switch section := p.Collective.Space.SectionOf(transfer.Chunks); {
				case section < 0 || t > 0 && section != now:
					return fmt.Errorf("%s: chunks of several operations in one step", where(i, j, t))
				case section < now:
					return fmt.Errorf("%s: chunks of operation %d after those of operation %d", where(i, j, t), section+1, now+1)
				default:
					now = section
				}
			}
		}
	}
	return nil
}

// maxMoves bounds the chunks that the transfers of a plan may name, so that a few bytes that
// stand for a huge set cannot exhaust the memory of a verifier. A plan that lists many runs may
// name more: movesPerRun for every run of chunks, whose chunks are neighbours and run at once.
// (A gather of 4096 GPUs whose shards have 64 parts sends 2^30 of them, in 2^24 runs.)
const (
	maxMoves    = 1 << 28
	movesPerRun = 1 << 8
)

// checkMoves counts what checkData will have to run. Chunks that represent others by symmetry
// are run at once; if there are too many, it counts only those that differ.
func checkMoves(ctx context.Context, p *plan.Plan) error {
	group, shared := sharedGroup(p)
	moves, most, plain := 0, maxMoves, !shared
	if shared {
		most = maxEvents
	} else {
		runs := 0
		for _, step := range p.Steps() {
			plain = plain && step.Group.Trivial()
			for i := range step.Base {
				runs += len(step.Base[i].Chunks)
			}
		}
		most = max(most, movesPerRun*runs)
	}
	for _, step := range p.Steps() {
		images := step.Group.Order()
		if shared {
			images /= group.Order()
		}
		for _, t := range step.Base {
			if moves += min(t.Chunks.Len(), most+1) * images; moves > most {
				if shared && differs(ctx, p, group, maxMoves) || plain && differsAlone(ctx, p, most) {
					return nil
				}
				return fmt.Errorf("step %d: more than %d chunks have been sent by then, too many to follow", step.Index, most)
			}
		}
	}
	return nil
}

// check reports a transfer that is invalid in the space.
func check(t *plan.Transfer, space collective.Space) error {
	switch {
	case t.Src < 0 || t.Src >= space.Nodes || t.Dst < 0 || t.Dst >= space.Nodes:
		return fmt.Errorf("%d->%d is outside 0..%d", t.Src, t.Dst, space.Nodes-1)
	case t.Src == t.Dst:
		return fmt.Errorf("node %d sends to itself", t.Src)
	}
	if err := t.Action.Check(); err != nil {
		return err
	}
	if err := t.Part.Check(); err != nil {
		return err
	}
	if err := t.Sides.Check(t.Action); err != nil {
		return err
	}
	return t.Chunks.Check(space.Chunks())
}

func checkPorts(p *plan.Plan) error {
	for i, stage := range p.Stages {
		if err := p.Fabric.Fits(stage.Topology); err != nil {
			return fmt.Errorf("stage %d: %w", i+1, err)
		}
	}
	return nil
}

// repriced returns the plan with the times that its circuits and routes give.
func repriced(ctx context.Context, p *plan.Plan) (*plan.Plan, error) {
	priced := *p
	priced.Stages = slices.Clone(p.Stages)
	for i := range priced.Stages {
		priced.Stages[i].Steps = slices.Clone(p.Stages[i].Steps)
	}
	return &priced, priced.PriceContext(ctx)
}

// checkCost compares the times that a plan claims with those that its routes give.
func checkCost(ctx context.Context, p, priced *plan.Plan) error {
	for i := range p.Stages {
		for j := range p.Stages[i].Steps {
			claim, real := p.Stages[i].Steps[j].Cost, priced.Stages[i].Steps[j].Cost
			if !plan.Near(claim.Startup, real.Startup) || !plan.Near(claim.Propagation, real.Propagation) ||
				!plan.Near(claim.Transmission, real.Transmission) || !plan.Near(claim.Reduction, real.Reduction) || claim.Hops != real.Hops ||
				!plan.Near(units.Time(claim.Congestion), units.Time(real.Congestion)) {
				return fmt.Errorf("stage %d, step %d: claims %v, hops %d, congestion %.4g, its routes give %v, %d and %.4g",
					i+1, j+1, claim.Total(), claim.Hops, claim.Congestion, real.Total(), real.Hops, real.Congestion)
			}
		}
	}
	if err := checkUneven(p); err != nil {
		return err
	}
	if err := checkTiers(ctx, p); err != nil {
		return err
	}
	for _, part := range []struct {
		name        string
		claim, real units.Time
	}{
		{"start-up", p.Cost.Startup, priced.Cost.Startup},
		{"propagation", p.Cost.Propagation, priced.Cost.Propagation},
		{"transmission", p.Cost.Transmission, priced.Cost.Transmission},
		{"reduction", p.Cost.Reduction, priced.Cost.Reduction},
		{"reconfiguration", p.Cost.Reconfiguration, priced.Cost.Reconfiguration},
	} {
		if !plan.Near(part.claim, part.real) {
			return fmt.Errorf("claims %s of %v, the plan has %v", part.name, part.claim, part.real)
		}
	}
	if p.Reconfigurations != priced.Reconfigurations {
		return fmt.Errorf("claims %d reconfigurations, the plan has %d", p.Reconfigurations, priced.Reconfigurations)
	}
	// Starting later than necessary is no timing error, but the wait is not free.
	last := &plan.Step{}
	for _, step := range p.Steps() {
		if !p.Independent || step.Start+step.Cost.Total() > last.Start+last.Cost.Total() {
			last = step
		}
	}
	if !plan.Near(last.Start+last.Cost.Total(), p.Cost.Total()) {
		return fmt.Errorf("claims %v, but step %d ends at %v", p.Cost.Total(), last.Index, last.Start+last.Cost.Total())
	}
	return nil
}

// checkRoutes reports the first route that leaves the circuits. unpriced is the error of following
// all routes to price them; nil if none is wrong.
func checkRoutes(ctx context.Context, p *plan.Plan, unpriced error) (violation, cancelled error) {
	circuits := p.Fabric.Circuits()
	for i := range p.Stages {
		stage := &p.Stages[i]
		for j := range stage.Steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			step := &stage.Steps[j]
			if stage.Lanes != nil {
				if err := checkLaneRoutes(p, i); err != nil {
					return err, nil
				}
			}
			if !step.Group.Invariant(stage.Topology) || circuits != nil && !step.Group.Invariant(circuits.On(stage.Topology).Kinds) {
				return fmt.Errorf("stage %d, step %d: the transfers claim a symmetry that %q does not have", i+1, j+1, stage.Topology.Name()), nil
			}
			if unpriced == nil {
				continue
			}
			_, wrong := p.PriceStep(ctx, circuits, stage, step)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if wrong == nil {
				continue
			}
			for t := range step.Base {
				one := plan.Step{Group: step.Group, Base: step.Base[t : t+1]}
				if _, err := p.PriceStep(ctx, circuits, stage, &one); err != nil {
					return fmt.Errorf("%s: %w", where(i, j, t), err), nil
				}
			}
		}
	}
	return nil, nil
}
