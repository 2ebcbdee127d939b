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

// If steps are repeated, as in a pipeline of pieces, the searches look for topologies that suit
// the different steps of an interval, whatever their bytes and however often they occur. There
// are two weights, once and many times, and two sizes, one for which bytes dominate and one for
// which hops dominate. So pipelines with different numbers of pieces and messages of different
// sizes pose the same problems, and a memory answers each problem once for all of them.
const (
	manyTimes = 4                // a repeated step counts this often
	setWork   = tailorEffort / 4 // of one search
	// The largest demand is unitBytes at a nanosecond per byte; a hop takes much less or much
	// more.
	unitBytes = 1024
	hopLight  = unitBytes / 16 * units.Nanosecond
	hopHeavy  = unitBytes * 16 * units.Nanosecond
)

// addTailoredToSets is addTailored for workloads with repeated steps: it searches for every set
// of classes that an interval has, the largest sets first.
func (p *Pool) addTailoredToSets(ctx context.Context, w *pricing.Workload) error {
	hops := []units.Duration{hopLight, hopHeavy}
	if p.Fabric.Delta == 0 {
		hops = []units.Duration{0}
	}
	left := int64(tailorEffort)
	if 2*len(w.Classes) <= len(w.Steps) {
		left *= 2 // other requests are likely to pose the same problems
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

// classSet is the classes of an interval in order of their first occurrence, and which of them
// occur more than once.
type classSet struct {
	Span
	classes []int
	many    []bool // by class
}

// setsOf lists the different sets of at least two classes that intervals have. Every first step
// has at most two sets for every class.
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

// question returns the problem of finding the topology that suits a set best if a hop takes the
// given time.
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
