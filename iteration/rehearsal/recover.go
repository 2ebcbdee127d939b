package rehearsal

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// Recovery says how an iteration continues after a failure, with a plan that does without what
// failed.
//
// Whatever had begun before the failure and does not need what failed runs to its end. No other
// communication begins under the old plan. Operations that needed what failed begin again from
// their inputs. When the ports of a group are free and the new plan is ready, they are set to
// the circuits that the new plan has up before the first remaining operation, and everything
// that remains follows in the order of the new plan.
type Recovery struct {
	Agenda *iteration.Agenda // of the new plan
	// Restarted is how many operations of all ranks had begun and begin again.
	Restarted int
	// Failing is the time of the iteration with the failure, and After those of the following
	// ones.
	Failing units.Time
	After   []units.Time

	kept  []happened       // done by the old plan
	log   []happened       // done by the new plan
	items []iteration.Item // of the new plan, and those that resume the iteration
	ready units.Time       // when the new plan is ready
}

// resumed is the rest of an iteration.
type resumed struct {
	at    units.Time            // of the failure
	ready units.Time            // when the new plan is ready
	ended units.Time            // end of the last operation that is done
	ends  map[[2]int]units.Time // by node and rank: when it was done
	gets  map[[2]int]units.Time // by send and receiver
	free  map[int]units.Time    // by rank: when its communication by the old plan has ended
	log   []happened
}

// recover carries out the rest of an iteration after a failure by another plan, and iterations
// after it.
func (p *player) recover(ctx context.Context, f *failing) (*Recovery, error) {
	next, err := p.options.Replan(ctx, f.Failure)
	if err != nil {
		return nil, err
	}
	last := p.options.Iterations - 1
	r := &resumed{
		at: p.begins[last] + f.At.Time(), ready: p.begins[last] + f.At.Time() + p.options.ReplanDelay.Time(),
		ends: map[[2]int]units.Time{}, gets: map[[2]int]units.Time{}, free: map[int]units.Time{},
	}
	made := &Recovery{Agenda: next}
	for _, h := range f.log {
		x := &p.Items[h.item]
		switch {
		case x.Change != nil || h.start >= r.at:
		case h.end == never:
			made.Restarted += len(h.group)
		default:
			p.keep(r, x, &h)
			made.kept = append(made.kept, h)
		}
	}
	o := *p.options
	if o.Iterations, o.Failures, o.Replan = 1+DefaultIterations, nil, nil; next.Fabric.Initial != fabric.InitialFree {
		o.Iterations = 1 // a cold plan: no iteration follows
	}
	times, err := simulateAll(ctx, next, &o)
	if err != nil {
		return nil, err
	}
	whole := *next
	whole.Items = slices.Clone(next.Items)
	q := &player{Agenda: &whole, options: &o, times: times, single: true, resumes: r}
	if q, err = performFrom(ctx, q); err != nil {
		return nil, err
	}
	made.Failing = q.ends[0] - p.begins[last]
	for i := 1; i < len(q.ends); i++ {
		made.After = append(made.After, q.ends[i]-q.ends[i-1])
	}
	made.log, made.items, made.ready = r.log, q.Items, r.ready
	return made, nil
}

// keep records that an operation was done by the old plan. Both plans have the same nodes:
// those of the workload.
func (p *player) keep(r *resumed, x *iteration.Item, h *happened) {
	r.ended = max(r.ended, h.end)
	members := h.group
	if p.nodes[x.Node].send && !p.Shared(x) {
		r.gets[[2]int{x.Node, h.group[len(h.group)-1]}] = h.end
		members = h.group[:1]
	}
	for _, rank := range members {
		r.ends[[2]int{x.Node, rank}] = h.end
		if p.Shared(x) {
			r.gets[[2]int{x.Node, rank}] = h.end
		}
	}
	if !x.Communicates {
		return
	}
	for _, rank := range h.group {
		r.free[rank] = max(r.free[rank], h.end)
	}
}

// resume lists the rest of the iteration, and sets the player to its beginning.
func (p *player) resume() []turn {
	r := p.resumes
	for actor := range p.classOf {
		for lane := range 3 * p.Fabric.Ports {
			p.lanes[actor*3*p.Fabric.Ports+lane] = r.free[actor]
		}
		p.islands[actor] = r.free[actor]
	}
	left := func(x iteration.Item) bool {
		return x.Change == nil && slices.ContainsFunc(x.Groups, func(group []int) bool { return !p.isDone(&x, group) })
	}
	for node := range p.nodes {
		n := &p.nodes[node]
		for actor, class := range p.classOf {
			if end, done := r.ends[[2]int{node, actor}]; done && n.ended[class] != nil {
				n.ended[class][p.place[actor]] = end
			}
			if end, done := r.gets[[2]int{node, actor}]; done && n.send && class == p.Nodes[node].Classes[1] {
				n.received[p.place[actor]] = end
			}
		}
	}
	first := slices.IndexFunc(p.Items, left)
	if first < 0 {
		return nil
	}
	var order []turn
	for _, x := range p.UpBefore(first) {
		p.Items, p.times.of = append(p.Items, x), append(p.times.of, -1)
		order = append(order, turn{0, len(p.Items) - 1, units.Time(math.Inf(-1))})
	}
	for i := first; i < p.standard; i++ {
		order = append(order, turn{0, i, p.Items[i].Start})
	}
	return order
}

// isDone reports whether a group had done an operation before the failure, or while other
// groups failed.
func (p *player) isDone(x *iteration.Item, group []int) bool {
	groups := [][]int{group[:1]}
	if p.Shared(x) { // all groups run together
		groups = p.Together(x)
	}
	for _, members := range groups {
		for _, rank := range members {
			if _, done := p.resumes.ends[[2]int{x.Node, rank}]; !done && p.nodes[x.Node].ended[p.classOf[rank]] != nil {
				return false
			}
		}
	}
	return true
}
