package staged

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
)

// delays answers what it costs to get to a candidate.
type delays struct {
	work    *workload
	pool    []*candidate
	up      *candidate  // at the start; nil: the first configuration is free
	initial []float64   // from it
	uniform float64     // between any two candidates, if pair is nil
	pair    [][]float64 // what was asked for; the others are not a number
	least   float64     // between any two, if pair is not nil
	leader  int         // the best state of the step before, for a uniform delay

	model fabric.DelayModel
	// together is of fabric.OverlapPorts: whether two candidates can be up at once. The
	// others are of fabric.OverlapCircuits: whether circuits carry on from one candidate to
	// another, and what is known of steps while they do.
	together, shared *answers
	carried          [][]carried  // by the candidate before and the class, then by candidate
	far              []*distances // by candidate, over all of its circuits
}

// answers keeps what was found out about two candidates, the first of which may be atStart.
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

// of returns the answer for two candidates, which it finds once.
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

func newDelays(ctx context.Context, w *workload, pool []*candidate) (*delays, error) {
	d := &delays{
		work: w, pool: pool, model: w.fabric.Reconfig.Remembering(),
		together: newAnswers(len(pool)), shared: newAnswers(len(pool)),
		far: make([]*distances, len(pool)),
	}
	up, err := w.fabric.InitialTopology()
	if err != nil {
		return nil, err
	}
	if up != nil {
		d.up = graphCandidate(up)
		for _, c := range pool {
			d.initial = append(d.initial, d.wait(d.up, c))
		}
	}
	if w.fabric.Reconfig.Each == 0 { // no two candidates are the same
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
				d.least = float64(w.fabric.WaitFor(w.fabric.Reconfig.Least())) + w.extra
				return d, nil
			}
		}
	}
	return d, nil
}

// wait is how long nothing is sent between two candidates, if nothing else goes on but
// computation. Two rings of different jumps have no circuit in common, so any two of as
// many circuits stand for a pair: only the first such pair is looked at.
func (d *delays) wait(a, b *candidate) float64 {
	if a.same(b) {
		return 0
	}
	w := d.work
	if w.fabric.Reconfig.Each == 0 {
		return d.every()
	}
	count := a.jump.count
	rings := count > 0 && count == b.jump.count
	if known, ok := w.ringDelay[count]; rings && ok {
		return known + w.extra
	}
	wait := float64(w.fabric.WaitFor(d.model.Delay(a.topology(), b.topology())))
	if rings {
		w.ringDelay[count] = wait
	}
	return wait + w.extra
}

// every is the wait of every change, where it does not depend on what changes.
func (d *delays) every() float64 {
	f := d.work.fabric
	return float64(f.WaitFor(f.Reconfig.Base.Time())) + d.work.extra
}

// first returns the state before the first step if candidate j is set up for it.
func (d *delays) first(j int) state {
	if d.initial == nil || d.up.same(d.pool[j]) {
		return state{}
	}
	return state{d.initial[j], 1}
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

// arrive returns the best state with candidate j up, and where it came from.
func (d *delays) arrive(now []state, j int) (best state, origin int) {
	best, origin = now[j], j
	if d.pair == nil {
		if moved := (state{now[d.leader].total + d.uniform, now[d.leader].changes + 1}); d.leader != j && moved.better(best) {
			best, origin = moved, d.leader
		}
		return best, origin
	}
	for i := range now {
		if i == j || now[i].total+d.least > best.total*(1+tieTolerance) || math.IsInf(now[i].total, 1) {
			continue
		}
		if moved := (state{now[i].total + d.between(i, j), now[i].changes + 1}); moved.better(best) {
			best, origin = moved, i
		}
	}
	return best, origin
}

// spare reports whether two candidates can be up at once.
func (d *delays) spare(from, to int) bool {
	return d.together.of(from, to, func() bool {
		a, b, f := d.pool[from], d.pool[to], d.work.fabric
		switch {
		case f.Reconfig.Model == fabric.PerSwitch:
			// Which ports circuits have is the model's to say.
		case a.jump.count > 0 && b.jump.count > 0:
			return a.jump.jump == b.jump.jump || a.jump.count+b.jump.count <= f.AllPorts()
		case a.rotates() && b.rotates():
			return bothAtOne(a.topology(), b.topology()) <= f.AllPorts()
		}
		return d.model.Together(a.topology(), b.topology(), f.AllPorts())
	})
}

// bothAtOne returns how many circuits go out from node 0 if both sets are up: as many as
// from every node, and into it, if all rotations leave them as they are.
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
