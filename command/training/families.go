package training

import (
	"cmp"
	"context"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// The steps of a plan work for any size and any delay, and its time is an affine function of
// each. The minimum of many such functions is concave: between two sizes, or two delays, it is
// on or above the line between the best times at these two. If the plan of one of them reaches
// that line, it is the best in between, and no search is needed.

// family is plans that differ only in their size, or only in their delay.
type family struct {
	like plannedCollective // without the size or delay, and without a limit
	by   string
}

// member is the best plan of a family for a size or a delay.
type member struct {
	at    float64
	least units.Time // lower bound by the search: the plan's time, or the limit if it found none
	plan  *plan.Plan // nil: none within the limit
}

// How far above the line a time may be and still count as on it: rounding for delays; a
// thousandth for sizes, because pipelines have whole numbers of pieces, which differ from size
// to size.
const onLineByDelay, onLineBySize = 1e-9, 1e-3

// relative is a plan as a member of a family.
type relative struct {
	family
	at     float64
	onLine float64
	// again adapts a plan of another member to this one.
	again func(p *plan.Plan)
}

// families lists the families to which a plan belongs. Small groups have no family by size,
// because planning them is fast.
func (t *trainingPlans) families(key *plannedCollective) []relative {
	if !t.listed {
		return nil
	}
	var list []relative
	like := *key
	like.limit = 0
	if key.delay >= 0 {
		of := like
		of.delay = 0
		list = append(list, relative{family{of, "delay"}, float64(key.delay), onLineByDelay, func(p *plan.Plan) { p.Fabric.Reconfig.Base = key.delay }})
	}
	if t.fabric.Nodes > mostHeld && key.skew == "" && !key.held {
		of := like
		of.size = 0
		list = append(list, relative{family{of, "size"}, float64(key.size), onLineBySize, func(p *plan.Plan) { p.Collective.Size = key.size }})
	}
	return list
}

func (m member) compare(at float64) int { return cmp.Compare(m.at, at) }

// between returns the better plan for a member adapted from the members before and after it, and
// whether it is known to be the best. If not, the caller must search.
func (t *trainingPlans) between(ctx context.Context, r *relative, limit units.Time) (best *plan.Plan, known bool, err error) {
	list := t.members[r.family]
	at, _ := slices.BinarySearchFunc(list, r.at, member.compare)
	if at == 0 || at == len(list) {
		return nil, false, nil
	}
	a, b := &list[at-1], &list[at]
	line := a.least + (b.least-a.least)*units.Time((r.at-a.at)/(b.at-a.at))
	for _, other := range []*member{a, b} {
		made, err := r.stand(ctx, other.plan)
		if err != nil {
			return nil, false, err
		}
		if made != nil && (best == nil || made.Cost.Total() < best.Cost.Total()) {
			best = made
		}
	}
	if best != nil && limit > 0 && best.Cost.Total() > limit {
		best = nil
	}
	reached := line * units.Time(1+r.onLine)
	return best, best != nil && best.Cost.Total() <= reached || best == nil && limit > 0 && limit <= reached, nil
}

// remember enters the best plan for a key in its families.
func (t *trainingPlans) remember(key *plannedCollective, families []relative, made *plan.Plan) {
	m := member{least: key.limit, plan: made}
	if made != nil {
		m.least = made.Cost.Total()
	}
	if m.least == 0 {
		return // there is no plan at all
	}
	for i := range families {
		r := &families[i]
		m.at = r.at
		list := t.members[r.family]
		if at, known := slices.BinarySearchFunc(list, r.at, member.compare); !known {
			t.members[r.family] = slices.Insert(list, at, m)
		}
	}
}

// stand returns a plan with the same steps for the member. It returns nil if not all bytes are
// shares of the size, or if planes do not wait for one another.
func (r *relative) stand(ctx context.Context, p *plan.Plan) (*plan.Plan, error) {
	if p == nil || p.Staggered() || p.Independent {
		return nil, nil
	}
	if s := &p.Collective.Space; r.by == "size" && (s.Sizes != nil || s.Pieces != nil || s.Sections != nil) {
		return nil, nil
	}
	other := *p
	r.again(&other)
	other.Synthesis, other.Baselines, other.SameAlgorithm = nil, plan.Baselines{}, plan.Baselines{}
	other.Stages = slices.Clone(p.Stages)
	for i := range other.Stages {
		other.Stages[i].Steps = slices.Clone(p.Stages[i].Steps)
	}
	if err := other.PriceContext(ctx); err != nil {
		return nil, err
	}
	other.Bound = other.OperationBound().Total()
	return &other, nil
}
