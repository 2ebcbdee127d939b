package pass

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/staged/pricing"
	"github.com/lightpath-net/lightpath/topology"
)

// delays computes what it costs to get to a candidate.
type delays struct {
	work    *pricing.Workload
	pool    []*pricing.Candidate
	up      *pricing.Candidate // up at the start; nil: the first configuration is free
	initial []float64          // delays from up
	uniform float64            // delay between any two candidates, if pair is nil
	again   []bool             // whether a candidate pays for every step on it; nil: none does
	pair    [][]float64        // computed on demand; NaN until then
	least   float64            // the least between any two, if pair is not nil
	leader  int                // the candidate with the best state so far, for a uniform delay

	model fabric.Changes
	// together is for fabric.OverlapPorts: whether two candidates can be up at once. shared and
	// carried are for fabric.OverlapCircuits: whether circuits stay up from one candidate to
	// another, and what is known of steps while they do.
	together, shared *answers
	carried          [][]carried  // by the candidate before and the class, then by candidate
	far              []*distances // by candidate: distances over all of its circuits
}

// answers caches a yes-or-no question about two candidates; the first may be atStart.
type answers [][]answer

type answer uint8

const (
	notAsked answer = iota
	yes
	no
)

func newAnswers(pool int) *answers {
	a := make(answers, pool+1)
	return &a
}

// of returns the answer for two candidates. It calls find at most once for each pair.
func (a *answers) of(from, to int, find func() bool) bool {
	row := &(*a)[from+1] // atStart comes first
	if *row == nil {
		*row = make([]answer, len(*a)-1)
	}
	at := &(*row)[to]
	if *at == notAsked {
		*at = no
		if find() {
			*at = yes
		}
	}
	return *at == yes
}

// newDelays finds out what changes between candidates take.
func newDelays(ctx context.Context, w *pricing.Workload, pool []*pricing.Candidate) (*delays, error) {
	d := &delays{
		work: w, pool: pool, model: w.Fabric.Reconfig.Remembering(),
		together: newAnswers(len(pool)), shared: newAnswers(len(pool)),
		far: make([]*distances, len(pool)),
	}
	up, err := w.Fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	base, err := w.Fabric.Resting()
	if err != nil {
		return nil, err
	}
	if base != nil {
		resting := pricing.GraphCandidate(base)
		for _, c := range pool {
			d.again = append(d.again, !resting.Same(c))
		}
	}
	if up != nil {
		d.up = pricing.GraphCandidate(up)
		for _, c := range pool {
			d.initial = append(d.initial, d.wait(d.up, c))
		}
	}
	if _, uniform := w.Fabric.Reconfig.Uniform(); uniform { // no two candidates are the same
		d.uniform = d.every()
		return d, nil
	}
	if len(pool) > 1 {
		d.uniform = d.wait(pool[0], pool[1])
	}
	for i := range pool {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for j := range pool {
			if i != j && d.wait(pool[i], pool[j]) != d.uniform {
				d.pair = make([][]float64, len(pool))
				d.least = float64(w.Fabric.WaitFor(w.Fabric.Reconfig.Least())) + w.Extra
				return d, nil
			}
		}
	}
	return d, nil
}

// wait returns how long nothing is sent between two candidates if only computation overlaps. Two
// rings of different jumps have no circuit in common, so all such pairs with the same number of
// circuits are equivalent, and only the first is evaluated.
func (d *delays) wait(a, b *pricing.Candidate) float64 {
	if a.Same(b) {
		return 0
	}
	w := d.work
	if _, uniform := w.Fabric.Reconfig.Uniform(); uniform {
		return d.every()
	}
	count := a.Jump.Count
	rings := count > 0 && count == b.Jump.Count
	if known, ok := w.RingDelay[count]; rings && ok {
		return known + w.Extra
	}
	wait := float64(w.Fabric.WaitFor(d.model.Delay(a.Topology(), b.Topology())))
	if rings {
		w.RingDelay[count] = wait
	}
	return wait + w.Extra
}

// every returns the wait of any change, if it does not depend on what changes.
func (d *delays) every() float64 {
	f := d.work.Fabric
	delay, _ := f.Reconfig.Uniform()
	return float64(f.WaitFor(delay)) + d.work.Extra
}

// first returns the state before the first step if candidate j is set up for it.
func (d *delays) first(j int) pricing.State {
	if d.initial == nil {
		return pricing.State{}
	}
	if d.up.Same(d.pool[j]) {
		return d.stay(pricing.State{}, j)
	}
	return pricing.State{Total: d.initial[j], Changes: 1}
}

// stay returns the state before another step on candidate j. The step is charged if j is not the
// base and steps are charged (fabric.ChargeSteps).
func (d *delays) stay(s pricing.State, j int) pricing.State {
	if d.again == nil || !d.again[j] {
		return s
	}
	return pricing.State{Total: s.Total + d.every(), Changes: s.Changes + 1}
}

// begin prepares the moves from the states of one step to the next.
func (d *delays) begin(now []pricing.State) {
	d.leader = 0
	for j := range now {
		if now[j].Better(now[d.leader]) {
			d.leader = j
		}
	}
}

// arrive returns the best state with candidate j up, and where it came from.
func (d *delays) arrive(now []pricing.State, j int) (best pricing.State, origin int) {
	best, origin = d.stay(now[j], j), j
	if d.pair == nil {
		if moved := (pricing.State{Total: now[d.leader].Total + d.uniform, Changes: now[d.leader].Changes + 1}); d.leader != j && moved.Better(best) {
			best, origin = moved, d.leader
		}
		return best, origin
	}
	for i := range now {
		if i == j || now[i].Total+d.least > best.Total*(1+pricing.TieTolerance) || math.IsInf(now[i].Total, 1) {
			continue
		}
		if moved := (pricing.State{Total: now[i].Total + d.between(i, j), Changes: now[i].Changes + 1}); moved.Better(best) {
			best, origin = moved, i
		}
	}
	return best, origin
}

// spare reports whether two candidates can be up at once.
func (d *delays) spare(from, to int) bool {
	return d.together.of(from, to, func() bool {
		a, b, f := d.pool[from], d.pool[to], d.work.Fabric
		_, whole := f.Switches()
		switch {
		case whole:
			// Only the model knows which ports circuits use.
		case a.Jump.Count > 0 && b.Jump.Count > 0:
			return a.Jump.Jump == b.Jump.Jump || a.Jump.Count+b.Jump.Count <= f.AllPorts()
		case a.Rotates() && b.Rotates():
			return bothAtOne(a.Topology(), b.Topology()) <= f.AllPorts()
		}
		return d.model.Together(a.Topology(), b.Topology(), f.AllPorts())
	})
}

// bothAtOne returns the number of circuits out of node 0 if both sets are up. If all rotations
// preserve both sets, every node has this many circuits out and in.
func bothAtOne(a, b *topology.Graph) int {
	sum := 0
	to, count := a.Row(0)
	for i, v := range to {
		sum += max(int(count[i]), b.Count(0, int(v)))
	}
	to, count = b.Row(0)
	for i, v := range to {
		if a.Count(0, int(v)) == 0 {
			sum += int(count[i])
		}
	}
	return sum
}
