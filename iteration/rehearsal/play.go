package rehearsal

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// player goes through the items of consecutive iterations. Actors are the classes, or the ranks
// if these differ.
type player struct {
	*iteration.Agenda
	options *Options
	times   *lengths
	single  bool // actors are ranks

	classOf, place []int // by actor: its class, and its place there
	sizes          []int // by class: number of actors
	lanes          []units.Time
	islands        []units.Time
	left           []units.Time // by actor and circuits: when they were last used
	nodes          []node
	begins, ends   []units.Time // of iterations
	spans          []Span
	watched        []bool // by actor
	failure        *failing
	resumes        *resumed // the rest of an interrupted iteration, or nil
	standard       int      // number of items per iteration, before those that resume one
}

// node is the state of a node.
type node struct {
	own map[int][]int // by class: nodes that it waits for
	// sent is the send that a receive waits for, or -1.
	sent int
	// ended is when it ended in the current iteration, by class and place; for a send it is for
	// the sender, and received for the receiver.
	ended    map[int][]units.Time
	received []units.Time
	send     bool
	computes units.Time
}

// Span says when a rank does an item in the last iteration, after its beginning.
type Span struct {
	Rank, Item int
	Start, End units.Time
}

// maxWatched is the most ranks with spans if each has times of its own.
const maxWatched = 64

// turn is an item in one of the iterations.
type turn struct {
	round, item int
	at          units.Time // in the plan
}

// play simulates iterations, and again with every failure.
func play(ctx context.Context, a *iteration.Agenda, o *Options, times *lengths) (*Result, error) {
	p, err := perform(ctx, a, o, times, nil)
	if err != nil {
		return nil, err
	}
	r := p.result()
	if r.Calm = r.Iteration; p.single {
		calm := *o
		calm.Jitter, calm.Slow, calm.Iterations = 0, nil, min(o.Iterations, DefaultIterations)
		q, err := perform(ctx, a, &calm, times, nil)
		if err != nil {
			return nil, err
		}
		r.Calm = q.result().Iteration
	}
	for _, f := range o.Failures {
		failing := &failing{Failure: f}
		p, err := perform(ctx, a, o, times, failing)
		if err != nil {
			return nil, err
		}
		last := o.Iterations - 1
		failing.stall.Last = p.ends[last] - p.begins[last]
		if o.Replan != nil && failing.stall.First != "" {
			if failing.stall.Recovery, err = p.recover(ctx, failing); err != nil {
				return nil, err
			}
		}
		r.Stalls = append(r.Stalls, failing.stall)
	}
	return r, nil
}

// perform simulates iterations.
func perform(ctx context.Context, a *iteration.Agenda, o *Options, times *lengths, f *failing) (*player, error) {
	return performFrom(ctx, &player{Agenda: a, options: o, times: times, single: o.Jitter > 0 || len(o.Slow) > 0 || f != nil, failure: f})
}

// performFrom simulates iterations from a player's state.
func performFrom(ctx context.Context, p *player) (*player, error) {
	a, o, times := p.Agenda, p.options, p.times
	p.standard = len(a.Items)
	p.cast()
	p.learn()
	var order []turn
	first := 0
	if p.resumes != nil {
		order, first = p.resume(), 1
	}
	for round := first; round < o.Iterations; round++ {
		for i := range p.standard {
			order = append(order, turn{round, i, a.Items[i].Start + units.Time(round)*a.Iteration})
		}
	}
	// Changes of an iteration may begin in the previous one; its operations do not.
	slices.SortStableFunc(order, func(x, y turn) int { return cmp.Compare(x.at, y.at) })
	p.begins, p.ends = make([]units.Time, o.Iterations), make([]units.Time, o.Iterations)
	if p.resumes != nil {
		p.begins[0], p.ends[0] = p.resumes.at, p.resumes.ended
	}
	for i, t := range order {
		if i%(1<<10) == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if o.Progress != nil {
				o.Progress(len(times.distinct)*len(order)+i, (len(times.distinct)+1)*len(order))
			}
		}
		p.turn(t)
	}
	return p, nil
}

// cast determines the actors.
func (p *player) cast() {
	p.sizes = make([]int, len(p.Graph.Classes))
	if p.single {
		for _, class := range p.Graph.Of {
			p.classOf, p.place = append(p.classOf, class), append(p.place, p.sizes[class])
			p.sizes[class]++
		}
	} else {
		for class := range p.Graph.Classes {
			p.classOf, p.place, p.sizes[class] = append(p.classOf, class), append(p.place, 0), 1
		}
	}
	p.lanes = make([]units.Time, len(p.classOf)*3*p.Fabric.Ports)
	p.islands = make([]units.Time, len(p.classOf))
	p.left = make([]units.Time, len(p.classOf)*(len(p.Circuits)+1))
	p.watched = make([]bool, len(p.classOf))
	seen, left := map[int]bool{}, maxWatched
	for actor, class := range p.classOf {
		if _, slow := p.options.Slow[actor]; !p.single || (slow || !seen[class]) && left > 0 {
			p.watched[actor], seen[class] = true, true
			left--
		}
	}
}

// learn determines what every node waits for.
func (p *player) learn() {
	waits, tasks := p.Graph.Waits(), p.Graph.TasksOf()
	p.nodes = make([]node, len(p.Nodes))
	for i := range p.Nodes {
		n := &p.nodes[i]
		n.own, n.sent, n.ended = map[int][]int{}, -1, map[int][]units.Time{}
		for class, task := range tasks(i) {
			own, sent := waits(class, task)
			n.own[class] = own
			n.sent = max(n.sent, sent)
			n.ended[class] = make([]units.Time, p.sizes[class])
		}
		of := &p.Nodes[i]
		switch t := &p.Graph.Classes[of.Class].Tasks[of.Task]; t.Type {
		case workload.Send:
			n.send, n.received = true, make([]units.Time, p.sizes[of.Classes[1]])
		case workload.Computation:
			n.computes = t.Op.Compute.Time()
		case workload.Collective, workload.Receive, workload.Call:
		}
	}
}

// lane returns the number of an actor's lane.
func (p *player) lane(actor int, l iteration.DocumentLane) int {
	return (actor*3+l[1])*p.Fabric.Ports + l[2]
}

// seat returns the number of an actor's circuits.
func (p *player) seat(actor, circuits int) int { return actor*(len(p.Circuits)+1) + circuits }

// groupsOf lists the actors that do an item together.
func (p *player) groupsOf(x *iteration.Item) [][]int {
	if p.single {
		return x.Groups
	}
	var all []int
	if x.Change == nil {
		all = append(all, p.Nodes[x.Node].Classes...)
		if !x.Communicates {
			all = all[:1]
		}
	}
	for _, l := range x.Lanes {
		if !slices.Contains(all, l[0]) {
			all = append(all, l[0])
		}
	}
	return [][]int{all}
}

// ready returns when an actor is ready for a node: it has ended what the node waits for.
func (p *player) ready(n *node, actor int) units.Time {
	at := units.Time(0)
	class := p.classOf[actor]
	for _, b := range n.own[class] {
		at = max(at, p.nodes[b].ended[class][p.place[actor]])
	}
	if n.sent >= 0 {
		at = max(at, p.nodes[n.sent].received[p.place[actor]])
	}
	return at
}

// turn carries out an item for all its groups.
func (p *player) turn(t turn) {
	x := &p.Items[t.item]
	if (x.Change == nil || x.Late) && t.round > 0 {
		p.begins[t.round] = p.ends[t.round-1]
	}
	for _, group := range p.groupsOf(x) {
		skipped := p.resumes != nil && t.round == 0 && x.Change == nil && p.isDone(x, group)
		if skipped && x.Op.Leaves == 0 {
			continue
		}
		start := p.start(t, x, group)
		end := start + p.takes(t, x, group)
		if skipped { // its circuits are set to what it would have left
			end = start + p.Dark()
		}
		if p.failure != nil && x.Change == nil {
			if t.round == p.options.Iterations-1 {
				p.failure.stall.Of += len(group)
			}
			if end == never || p.hit(x, group, end, t.round) {
				p.lose(x, group, start)
				end = never
			}
		}
		if p.failure != nil && t.round == p.options.Iterations-1 {
			p.failure.log = append(p.failure.log, happened{t.round, t.item, group, start, end, skipped})
		}
		if p.resumes != nil {
			p.resumes.log = append(p.resumes.log, happened{t.round, t.item, group, start, end, skipped})
		}
		for _, actor := range group {
			class := p.classOf[actor]
			for _, l := range x.Lanes {
				if l[0] == class {
					p.lanes[p.lane(actor, l)] = end
				}
			}
			if slices.Contains(x.Islands, class) {
				p.islands[actor] = end
			}
			for _, c := range x.Circuits {
				p.left[p.seat(actor, c)] = end
			}
			if t.round == p.options.Iterations-1 && p.watched[actor] {
				p.spans = append(p.spans, Span{actor, t.item, start, end})
			}
		}
		if x.Change == nil && !skipped {
			p.finish(x, group, end)
			if end < never {
				p.ends[t.round] = max(p.ends[t.round], end)
			}
		}
	}
}

// start returns when a group begins an item: its members are ready, their lanes and islands are
// free.
func (p *player) start(t turn, x *iteration.Item, group []int) units.Time {
	at := units.Time(0)
	if x.Change == nil || x.Late {
		at = p.begins[t.round]
	}
	if p.resumes != nil && (x.Change != nil || x.Communicates) {
		at = max(at, p.resumes.ready)
	}
	for i, actor := range group {
		class := p.classOf[actor]
		if x.Change == nil || x.Late && x.Node >= 0 {
			n := &p.nodes[x.Node]
			// A send waits only for its sender, the first of the ranks on its path.
			alone := n.send && p.single && x.Change == nil && !p.Shared(x)
			if _, takesPart := n.own[class]; takesPart && (i == 0 || !alone) {
				at = max(at, p.ready(n, actor))
			}
		}
		for _, l := range x.Lanes {
			if l[0] == class {
				at = max(at, p.lanes[p.lane(actor, l)])
			}
		}
		if slices.Contains(x.Islands, class) {
			at = max(at, p.islands[actor])
		}
		at = each.Max(at, x.Circuits, func(c int) units.Time { return p.left[p.seat(actor, c)] })
	}
	return at
}

// takes returns how long an item takes for a group.
func (p *player) takes(t turn, x *iteration.Item, group []int) units.Time {
	switch {
	case x.Change != nil:
		return x.End - x.Start
	case x.Communicates:
		return p.times.distinct[p.times.of[t.item]].Took
	}
	time := p.nodes[x.Node].computes
	if !p.single || time == 0 {
		return time
	}
	rank := group[0]
	if factor, slow := p.options.Slow[rank]; slow {
		time *= units.Time(factor)
	}
	if p.options.Jitter > 0 {
		r := rand.New(rand.NewPCG(p.options.Seed, uint64(t.round)<<48^uint64(x.Node)<<24^uint64(rank)))
		time += units.Time(r.Float64()) * p.options.Jitter.Time()
	}
	return time
}

// finish records that a group has ended an operation.
func (p *player) finish(x *iteration.Item, group []int, end units.Time) {
	n, of := &p.nodes[x.Node], &p.Nodes[x.Node]
	if n.send {
		senders, receivers := group[:1], group[len(group)-1:]
		if p.Shared(x) {
			senders, receivers = group, group
		}
		if !p.single {
			senders, receivers = of.Classes[:1], of.Classes[1:2]
		}
		for _, actor := range senders {
			if p.classOf[actor] == of.Class {
				n.ended[of.Class][p.place[actor]] = end
			}
		}
		for _, actor := range receivers {
			if p.classOf[actor] == of.Classes[1] {
				n.received[p.place[actor]] = end
			}
		}
		return
	}
	for _, actor := range group {
		if ended := n.ended[p.classOf[actor]]; ended != nil {
			ended[p.place[actor]] = end
		}
	}
}

// result returns the times.
func (p *player) result() *Result {
	r := &Result{Communications: p.times.distinct, Of: p.times.of, Spans: p.spans}
	for i := range p.Items {
		if c := p.times.of[i]; c >= 0 {
			r.Packets += p.times.distinct[c].packets
			r.PacketHops += p.times.distinct[c].hops
		}
	}
	at := units.Time(0)
	for _, end := range p.ends {
		r.Iterations = append(r.Iterations, end-at)
		at = end
	}
	last := len(r.Iterations) - 1
	r.Iteration = r.Iterations[last]
	if p.options.Jitter > 0 && last > 0 {
		r.Iteration = (p.ends[last] - p.ends[0]) / units.Time(last)
	}
	for i := range r.Spans {
		s := &r.Spans[i]
		s.Start, s.End = s.Start-p.begins[last], s.End-p.begins[last]
		if !p.single {
			s.Rank = p.Graph.Classes[s.Rank].Ranks.First()
		}
	}
	return r
}
