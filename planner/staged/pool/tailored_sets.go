package pool

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/synthesis"
	"github.com/lightpath-net/lightpath/units"
)

// Where steps are repeated, as in a pipeline of pieces, topologies are looked for that suit
// the different steps of an interval, whatever the bytes and however often they come: two
// weights, once and many times, and two sizes, one that makes bytes count and one that makes
// hops count. So pipelines of different numbers of pieces, and messages of different sizes,
// ask the same questions, and who remembers the answers looks once for all.
const (
	manyTimes = 4                // a step that is repeated counts as so many
	setWork   = tailorEffort / 4 // of one search
	// A piece takes unitBytes, a byte a nanosecond, and a hop so much less or more.
	unitBytes = 1024
	hopLight  = unitBytes / 16 * units.Nanosecond
	hopHeavy  = unitBytes * 16 * units.Nanosecond
)

// addTailoredToSets is addTailored for workloads with repeated steps: for every set of
// classes that an interval has, those of most classes first.
func (p *Pool) addTailoredToSets(ctx context.Context, w *pricing.Workload) error {
	hops := []units.Duration{hopLight, hopHeavy}
	if p.Fabric.Delta == 0 {
		hops = []units.Duration{0}
	}
	left := int64(tailorEffort)
	if 2*len(w.Classes) <= len(w.Steps) {
		left *= 2 // others are likely to ask the same
	}
	for _, s := range setsOf(w) {
		for _, hop := range hops {
			if left <= 0 {
				return nil
			}
			r, err := searched(w, ctx, question(w, s, hop), synthesis.Options{Effort: SearchEffort, Work: setWork})
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, synthesis.ErrInfeasible) || errors.Is(err, synthesis.ErrSpent):
				left -= setWork
				continue
			case err != nil:
				return err
			}
			left -= r.Work
			p.AddFound(s.Span, r)
		}
	}
	return nil
}

// classSet is the classes of an interval in the order in which they come, and which of them
// come more than once.
type classSet struct {
	Span
	classes []int
	many    []bool // by class
}

// setsOf lists the different sets of at least two classes that intervals have. For every
// first step there are at most two for every class.
func setsOf(w *pricing.Workload) []classSet {
	known := map[string]bool{}
	var all []classSet
	for first := range w.Steps {
		seen := classSet{Span: Span{first, first}, many: make([]bool, len(w.Classes))}
		for last := first; last < len(w.Steps); last++ {
			class := w.ClassOf[last]
			switch {
			case !slices.Contains(seen.classes, class):
				seen.classes = append(seen.classes, class)
			case !seen.many[class]:
				seen.many[class] = true
			default:
				continue
			}
			if key := seen.key(); len(seen.classes) > 1 && !known[key] {
				known[key] = true
				seen.Last = last
				all = append(all, classSet{seen.Span, slices.Clone(seen.classes), slices.Clone(seen.many)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b classSet) int { return cmp.Compare(len(b.classes), len(a.classes)) })
	return all
}

// key tells sets apart, whatever the order of their classes.
func (s *classSet) key() string {
	key := make([]byte, len(s.many))
	for _, class := range s.classes {
		if key[class] = 1; s.many[class] {
			key[class] = 2
		}
	}
	return string(key)
}

// question asks for the topology that suits a set best, with hops that take so long.
func question(w *pricing.Workload, s classSet, hop units.Duration) synthesis.Problem {
	f := w.Fabric
	p := synthesis.Problem{
		Nodes: f.Nodes, Ports: f.Ports, Duplex: f.Duplex, Delta: hop, Bandwidth: 8 * units.Gbps,
		Forwarding: f.Forwarding, Routing: f.Routing, CapTheta: f.CapTheta,
	}
	largest := 0.0
	for i := range w.Classes {
		for _, d := range w.Classes[i].Demands {
			largest = max(largest, d.Amount)
		}
	}
	for _, k := range s.classes {
		class := &w.Classes[k]
		step := synthesis.Step{Demands: make([]flow.Demand, len(class.Demands)), Group: class.Step.Group}
		for i, d := range class.Demands {
			d.Amount = max(1, math.Round(d.Amount/largest*unitBytes)) // so that nothing depends on rounding
			step.Demands[i] = d
		}
		times := 1
		if s.many[k] {
			times = manyTimes
		}
		for range times {
			p.Steps = append(p.Steps, step)
		}
	}
	return p
}
