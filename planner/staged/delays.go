package staged

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
)

// delays answers what it costs to get to a candidate.
type delays struct {
	work    *workload
	pool    []*candidate
	up      *candidate // at the start; nil: the first configuration is free
	initial []float64  // from it
	uniform float64    // between any two candidates, if pair is nil
	pair    [][]float64
	leader  int // the best state of the step before, for a uniform delay

	// carried remembers, with fabric.OverlapCircuits, what transfers over circuits that
	// stay hide of a change, by the candidates (-1: the circuits at the start) and the
	// class of the step that follows.
	carried map[[3]int]float64
}

func newDelays(ctx context.Context, w *workload, pool []*candidate) (*delays, error) {
	d := &delays{work: w, pool: pool}
	up, err := w.fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	if up != nil {
		d.up = graphCandidate(up)
		for _, c := range pool {
			d.initial = append(d.initial, w.wait(d.up, c))
		}
	}
	if wait, ok := w.fabric.UniformWait(); ok {
		d.uniform = float64(wait) + w.extra
		return d, nil
	}
	pair := make([][]float64, len(pool))
	if len(pool) > 1 {
		d.uniform = w.wait(pool[0], pool[1])
	}
	uniform := true
	for i := range pool {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pair[i] = make([]float64, len(pool))
		for j := range pool {
			if i != j {
				pair[i][j] = w.wait(pool[i], pool[j])
				uniform = uniform && pair[i][j] == d.uniform
			}
		}
	}
	if w.fabric.Overlap.Kind == fabric.OverlapCircuits {
		d.carried = map[[3]int]float64{}
	}
	if !uniform || d.carried != nil {
		d.pair = pair
	}
	return d, nil
}

// wait is how long nothing is sent between two candidates, if nothing else goes on but
// computation. Two rings of different jumps have no circuit in common, so any two of as
// many circuits stand for a pair: only the first such pair is looked at.
func (w *workload) wait(a, b *candidate) float64 {
	if a.same(b) {
		return 0
	}
	count := a.jump.count
	rings := count > 0 && count == b.jump.count
	if known, ok := w.ringDelay[count]; rings && ok {
		return known + w.extra
	}
	from, to := a.topology(), b.topology()
	wait := float64(w.fabric.Wait(from, to, w.fabric.Hidden(from, to, 0)))
	if rings {
		w.ringDelay[count] = wait
	}
	return wait + w.extra
}

// first returns the state before the first step, which is of the given class, if
// candidate j is set up for it.
func (d *delays) first(ctx context.Context, j, class int) (state, error) {
	if d.initial == nil || d.up.same(d.pool[j]) {
		return state{}, nil
	}
	hidden, err := d.hidden(ctx, -1, j, class)
	return state{d.initial[j] - hidden, 1}, err
}

// begin prepares the moves from the states of one step to the next.
func (d *delays) begin(now []state) {
	d.leader = 0
	for j := range now {
		if now[j].better(now[d.leader]) {
			d.leader = j
		}
	}
}

// arrive returns the best state with candidate j up for a step of the given class, and
// where it came from.
func (d *delays) arrive(ctx context.Context, now []state, j, class int) (best state, origin int, err error) {
	best, origin = now[j], j
	if d.pair == nil {
		if moved := (state{now[d.leader].total + d.uniform, now[d.leader].changes + 1}); d.leader != j && moved.better(best) {
			best, origin = moved, d.leader
		}
		return best, origin, nil
	}
	for i := range now {
		if i == j || math.IsInf(now[i].total, 1) {
			continue
		}
		hidden, err := d.hidden(ctx, i, j, class)
		if err != nil {
			return best, origin, err
		}
		if moved := (state{now[i].total + d.pair[i][j] - hidden, now[i].changes + 1}); moved.better(best) {
			best, origin = moved, i
		}
	}
	return best, origin, nil
}

// hidden returns what transfers over circuits that stay hide of the change from
// candidate i to candidate j before a step of the given class. The routes must be known
// for it: there is no lower bound without them, so that this model is not lazy.
func (d *delays) hidden(ctx context.Context, i, j, class int) (float64, error) {
	if d.carried == nil {
		return 0, nil
	}
	key := [3]int{i, j, class}
	if known, ok := d.carried[key]; ok {
		return known, nil
	}
	from, to := d.up, d.pool[j]
	if i >= 0 {
		from = d.pool[i]
	}
	hidden := 0.0
	if shareBundles(from, to) {
		routed, err := d.work.settled(ctx, to, class)
		if err != nil {
			return 0, err
		}
		if routed != nil {
			delay := d.work.fabric.Reconfig.Delay(from.topology(), to.topology())
			hidden = float64(plan.Carried(d.work.fabric, from.topology(), to.topology(), delay, routed.cost,
				d.work.transfers(routed, class)))
		}
	}
	d.carried[key] = hidden
	return hidden, nil
}

// settled returns the routes of a class on a candidate, nil where it does not connect a
// pair.
func (w *workload) settled(ctx context.Context, c *candidate, class int) (*routed, error) {
	cost, _, err := w.cost(ctx, c, class)
	if err != nil || math.IsInf(cost, 1) {
		return nil, err
	}
	if c.known == nil {
		c.known = make([]judgement, len(w.classes))
	}
	if c.known[class].routed == nil {
		r, err := w.route(ctx, c.topology(), &w.classes[class])
		if err != nil {
			return nil, err
		}
		c.settled(class, r)
	}
	return c.known[class].routed, nil
}

// transfers lists what a class sends over its routes, whole.
func (w *workload) transfers(r *routed, class int) []plan.Routed {
	demands := w.classes[class].under(r.group)
	all := make([]plan.Routed, 0, len(demands)*r.group.Order())
	for k := range r.group.Order() {
		for b, d := range demands {
			all = append(all, plan.Routed{Bytes: d.Amount, Routes: plan.MoveRoutes(r.group, k, r.routes[b])})
		}
	}
	return all
}

// shareBundles reports whether some circuits of b are all up in a.
func shareBundles(a, b *candidate) bool {
	if a.jump.count > 0 && b.jump.count > 0 {
		return a.jump.jump == b.jump.jump && a.jump.count >= b.jump.count
	}
	old, now := a.topology(), b.topology()
	for e := range now.Edges() {
		if old.Count(e.From, e.To) >= e.Count {
			return true
		}
	}
	return false
}

// spare reports whether both candidates can be up at once.
func (w *workload) spare(a, b *candidate) bool {
	if a.jump.count > 0 && b.jump.count > 0 {
		return a.jump.jump == b.jump.jump || a.jump.count+b.jump.count <= w.fabric.Ports
	}
	return w.fabric.Spare(a.topology(), b.topology())
}

// sync is the barrier of every change, in ns.
func (w *workload) sync() float64 { return float64(units.Time(w.fabric.Sync.Time())) }
