package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/planner"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/planner/synthesis"
	"github.com/lightpath-net/lightpath/topology"
)

// tailorEffort is the work that AddTailored may do: some hundredths of a second. At 16 GPUs that
// is enough for all intervals of a tree, at 64 GPUs for the longest ones.
const tailorEffort = EffortPerSecond / 20

// maxTailoredClasses is the number of different steps up to which AddTailored searches: a
// pipeline has very many, and each is an interval of its own.
const maxTailoredClasses = 16

// maxTailoredSteps is the number of steps up to which AddTailored searches. The number of
// intervals is half its square, and nearly all are alike if a few steps are repeated that often.
const maxTailoredSteps = 1 << 10

// AddTailored adds, at one port, rings through the nodes in orders that suit steps in which some
// nodes send or receive more than others, such as those of a tree. The shifts of a ring suit only
// steps that look the same from every node: a binomial broadcast among four GPUs takes 1.5 times
// as long on the best shift as on the best ring.
//
// For every interval of steps, the longest first, a local search looks for the cycles on which
// the interval takes the least time, as far as the effort reaches. Every topology that was the
// best at some time is kept. The cost of a reconfiguration plays no part, so the pool is the same
// for all delays. The search runs once for a pool. For repeated steps, see addTailoredToSets.
func (p *Pool) AddTailored(ctx context.Context, w *pricing.Workload) error {
	if !p.MayTailor(w) {
		return nil
	}
	p.tailored = true
	if len(w.Classes) < len(w.Steps) {
		return p.addTailoredToSets(ctx, w)
	}
	left := int64(tailorEffort)
	found, steps := NewFound(w), len(w.Steps)
	for length := steps; length > 1; length-- {
		for first := 0; first+length <= steps && left > 0; first++ {
			iv := Span{first, first + length - 1}
			if found.Looked[found.Kind(iv)] {
				continue
			}
			found.Looked[found.Kind(iv)] = true
			r, err := searched(w, ctx, IntervalProblem(w, w.Fabric, iv), synthesis.Options{Effort: SearchEffort, Work: left})
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, synthesis.ErrInfeasible) || errors.Is(err, synthesis.ErrSpent):
				continue
			case err != nil:
				return err
			}
			left -= r.Work
			p.AddFound(iv, r)
		}
	}
	return nil
}

// MayTailor reports whether a search could find something and has not run yet.
func (p *Pool) MayTailor(w *pricing.Workload) bool {
	f := p.Fabric
	return !p.tailored && f.Ports == 1 && !f.Duplex && len(w.Classes) <= maxTailoredClasses && len(w.Steps) <= maxTailoredSteps && lopsided(w)
}

// lopsided reports whether some nodes send or receive more than others in a step. It makes no
// difference whether the step is written with a group or without.
func lopsided(w *pricing.Workload) bool {
	n := w.Space.Nodes
	for i := range w.Classes {
		c := &w.Classes[i]
		if c.Step.Group.Order() == n {
			continue // the group moves every node to every other
		}
		out, in := make([]float64, n), make([]float64, n)
		for _, d := range c.All() {
			out[d.Src] += d.Amount
			in[d.Dst] += d.Amount
		}
		if slices.Min(out) != slices.Max(out) || slices.Min(in) != slices.Max(in) {
			return true
		}
	}
	return false
}

// AddFound adds the topologies that a search found for an interval.
func (p *Pool) AddFound(iv Span, r *synthesis.Result) {
	for _, g := range append(slices.Clone(r.Earlier), r.Graph) {
		if jumps, ok := g.Jumps(); ok {
			p.AddJumps(jumps)
			continue
		}
		name := fmt.Sprintf("synthesised:%d-%d", iv.First+1, iv.Last+1)
		p.addFitting(topology.New(g.Nodes(), name, slices.Collect(g.Edges())))
	}
}

// searched is synthesis.Search with a memory: the same search runs once.
func searched(w *pricing.Workload, ctx context.Context, p synthesis.Problem, opt synthesis.Options) (*synthesis.Result, error) {
	type answer struct {
		result *synthesis.Result
		err    error
	}
	found := planner.Kept(w.Kept, synthesis.KeyOf(&p, &opt), func() (answer, bool) {
		r, err := synthesis.Search(ctx, p, nil, opt)
		return answer{r, err}, ctx.Err() == nil
	})
	return found.result, found.err
}
