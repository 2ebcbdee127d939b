package iterations

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/compile"
	"github.com/lightpath-net/lightpath/compile/astra"
	"github.com/lightpath-net/lightpath/emulate/iterations"
	"github.com/lightpath-net/lightpath/emulate/wire"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload/chakra"
)

// tracer makes a trace of an iteration for every rank. The ranks of a group do a job together,
// and each begins its part when its own dependencies have ended. So there are no barriers: a
// dependency of another rank delays that rank's messages only.
type tracer struct {
	*iterations.Jobs
	link  astra.Link
	whole bool // collectives are written as messages
	// queued makes the communications and circuit changes of a rank follow one another in the
	// plan's order.
	queued bool

	ranks []astra.Rank
	ends  [][][]uint64 // by job and place in its group: the nodes that end it there
	last  [][]uint64   // by rank: the ends of its last communication
	exact []units.Time // by rank: what its computations should have taken by now
	spent []uint64     // by rank: and the whole microseconds that they take
	tag   int64
	size  int // nodes
	hops  int // hops of the longest route
	made  map[int]*schedule
	calls calls
}

// schedule is the messages of a plan by places of a group.
type schedule struct {
	ranks  []astra.Rank
	roots  [][]int // by place: nodes that wait for no other
	leaves [][]int // by place: nodes that no other waits for
	tags   int64
	first  int64 // first tag, if the schedule is a file of its own
	file   string
}

// maxNodes is how many nodes all traces together may have: they are made in memory, at about 400
// bytes per node.
const maxNodes = 6_000_000

// maxTags is how many messages the simulator tells apart.
const maxTags = 500_000_000

// newTracer returns a tracer for the jobs of one iteration.
func newTracer(j *iterations.Jobs, whole, queued bool) *tracer {
	n := j.Agenda.Ranks
	t := &tracer{
		Jobs: j, link: astra.LinkOf(&j.Agenda.Fabric), whole: whole, queued: queued,
		ranks: make([]astra.Rank, n), ends: make([][][]uint64, len(j.List)), last: make([][]uint64, n),
		exact: make([]units.Time, n), spent: make([]uint64, n), made: map[int]*schedule{},
	}
	t.calls = calls{groups: map[string]int{}, file: map[int]string{}, changes: map[string]uint64{}}
	return t
}

// trace writes all jobs.
func (t *tracer) trace(ctx context.Context) error {
	needed := make([]bool, len(t.List))
	for i := range t.List {
		for _, before := range t.List[i].After {
			needed[before] = true
		}
	}
	for i := range t.List {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		job := &t.List[i]
		t.ends[i] = make([][]uint64, len(job.Group))
		// Circuits that change for the next iteration are not part of this one.
		if err := t.job(ctx, i, job.Kind == iterations.Changes && !needed[i]); err != nil {
			return err
		}
		if t.size > maxNodes || t.tag > maxTags {
			return fmt.Errorf("%w: more than %d messages and computations of all ranks", compile.ErrRefused, maxNodes)
		}
	}
	for r := range t.ranks {
		if len(t.ranks[r].Nodes) == 0 { // a trace has at least one node
			t.add(r, astra.Node{Name: "idle", Type: chakra.Comp})
		}
	}
	return nil
}

// job writes a job for every rank of its group.
func (t *tracer) job(ctx context.Context, number int, skip bool) error {
	job := &t.List[number]
	switch {
	case job.Kind == iterations.Communicates:
		return t.communicate(ctx, number)
	case job.Kind == iterations.Computes:
		t.ends[number][0] = []uint64{t.add(job.Group[0], astra.Node{
			Name: t.name(job), Type: chakra.Comp, Deps: t.ready(number, 0), Micros: t.micros(job.Group[0], job.Compute),
			Attrs: []chakra.Attr{chakra.Picoseconds(units.Duration(math.Round(float64(job.Compute) * 1000)))},
		})}
	case job.Kind == iterations.Changes && !skip:
		for i, r := range job.Group {
			n := astra.Node{Name: "reconfigure", Type: chakra.Comp, Deps: t.ready(number, i), Micros: astra.Micros(job.Dark)}
			if t.whole {
				t.ends[number][i] = []uint64{t.add(r, n)}
			} else {
				t.ends[number][i] = []uint64{t.change(job, r, n)}
			}
			t.last[r] = t.ends[number][i]
		}
	default: // its dependents inherit its dependencies
		for i := range job.Group {
			t.ends[number][i] = t.ready(number, i)
		}
	}
	return nil
}

// name returns the name of a job's operation.
func (t *tracer) name(job *iterations.Job) string { return t.Agenda.Items[job.Item].Op.ID }

// micros returns a computation of a rank in whole microseconds, rounded such that the rank's
// total is right.
func (t *tracer) micros(rank int, time units.Time) uint64 {
	t.exact[rank] += time
	micros := uint64(math.Round(float64(t.exact[rank])/1000)) - t.spent[rank]
	t.spent[rank] += micros
	return micros
}

// add adds a node to a rank's trace.
func (t *tracer) add(rank int, n astra.Node) uint64 {
	n.Attrs = append(n.Attrs, chakra.Bool("is_cpu_op", false))
	n.ID = uint64(len(t.ranks[rank].Nodes))
	t.ranks[rank].Nodes = append(t.ranks[rank].Nodes, n)
	t.size++
	return n.ID
}

// ready lists the nodes that the rank at a place of a job's group waits for.
func (t *tracer) ready(number, place int) []uint64 {
	job := &t.List[number]
	var deps []uint64
	for _, before := range job.After {
		if at := slices.Index(t.List[before].Group, job.Group[place]); at >= 0 {
			deps = append(deps, t.ends[before][at]...)
		}
	}
	if t.queued && (job.Kind == iterations.Communicates || job.Kind == iterations.Changes) {
		deps = append(deps, t.last[job.Group[place]]...)
	}
	slices.Sort(deps)
	return slices.Compact(deps)
}

// communicate writes a communication.
func (t *tracer) communicate(ctx context.Context, number int) error {
	job := &t.List[number]
	x := &t.Agenda.Items[job.Item]
	if job.Program.Plan == 0 {
		t.send(number, x)
		return nil
	}
	s, err := t.schedule(ctx, job.Program)
	if err != nil {
		return fmt.Errorf("%s: %w", x.Op.ID, err)
	}
	for i, r := range job.Group {
		ready := t.ready(number, i)
		switch {
		case len(s.ranks[i].Nodes) == 0:
			t.ends[number][i] = ready
			continue
		case !t.whole:
			t.ends[number][i] = []uint64{t.call(number, i, s, ready)}
		default:
			t.ends[number][i] = t.messages(s, job, i, ready)
		}
		t.last[r] = t.ends[number][i]
	}
	t.tag += s.tags
	return nil
}

// messages writes what the rank at a place sends and receives in a collective.
func (t *tracer) messages(s *schedule, job *iterations.Job, place int, ready []uint64) []uint64 {
	rank := job.Group[place]
	first := uint64(len(t.ranks[rank].Nodes))
	for k := range s.ranks[place].Nodes {
		n := s.ranks[place].Nodes[k]
		deps := make([]uint64, len(n.Deps))
		for d := range n.Deps {
			deps[d] = n.Deps[d] + first
		}
		n.Deps = deps
		n.Attrs = slices.Clone(n.Attrs)
		for a := range n.Attrs {
			switch v := &n.Attrs[a]; v.Name {
			case "comm_src", "comm_dst":
				v.Int = int64(job.Group[v.Int])
			case "comm_tag":
				v.Int += t.tag
			}
		}
		t.add(rank, n)
	}
	for _, k := range s.roots[place] {
		t.ranks[rank].Nodes[first+uint64(k)].Deps = ready
	}
	ends := make([]uint64, len(s.leaves[place]))
	for k, leaf := range s.leaves[place] {
		ends[k] = first + uint64(leaf)
	}
	if len(ends) <= few {
		return ends
	}
	return []uint64{t.add(rank, astra.Node{Name: t.name(job), Type: chakra.Comp, Deps: ends})}
}

// few is how many end nodes dependents wait for one by one; if there are more, they wait for an
// extra node that takes a nanosecond.
const few = 4

// send writes a message, hop by hop.
func (t *tracer) send(number int, x *iteration.Item) {
	job, f, way := &t.List[number], &t.Agenda.Fabric, t.Agenda.Way(x)
	bandwidth, latency := f.Bandwidth, f.Alpha.Time()+f.Delta.Time()
	switch {
	case way.Hops > 0:
	case way.Island:
		bandwidth, latency, way.Width = f.Island.Bandwidth, f.IslandAlpha().Time()+f.IslandDelta().Time(), 1
	default:
		bandwidth, latency = f.FixedBandwidth(), f.FixedAlpha().Time()+f.FixedDelta().Time()
	}
	group, last := job.Group, len(job.Group)-1
	sending := bandwidth.Transmit(float64(job.Program.Bytes)) / units.Time(way.Width)
	ready := t.ready(number, 0)
	pass := func(from, to int, latency units.Time, deps []uint64) (sent, received uint64) {
		return t.message(x, [2]int{group[from], group[to]}, t.link.Bytes(sending, latency), deps)
	}
	if f.Forwarding == fabric.StoreAndForward {
		t.hops = max(t.hops, last)
		for i := range last {
			sent, received := pass(i, i+1, latency, ready)
			t.ends[number][i], t.last[group[i]] = []uint64{sent}, []uint64{sent}
			t.ends[number][i+1] = []uint64{received}
			ready = append(t.ready(number, i+1), received)
		}
		return
	}
	// The message cuts through the ranks on its way. Each of them says when its ports are free,
	// and its ports stay busy until the message has passed, as if another message were sent to
	// it.
	for i := 1; i < last; i++ {
		if free := t.ready(number, i); len(free) > 0 {
			_, received := t.message(x, [2]int{group[i], group[0]}, 1, free)
			ready = append(ready, received)
		}
	}
	for i := 1; i <= last; i++ {
		sent, received := pass(0, i, latency+units.Time(last-1)*f.Delta.Time(), ready)
		t.ends[number][i] = []uint64{received}
		t.ends[number][0], t.last[group[0]] = []uint64{sent}, []uint64{sent}
	}
}

// message writes a message from one rank to another. The receive waits for nothing, because it
// keeps nothing busy.
func (t *tracer) message(x *iteration.Item, ends [2]int, bytes float64, deps []uint64) (sent, received uint64) {
	attrs := func() []chakra.Attr {
		return append(astra.Message(ends[0], ends[1], t.tag, max(1, int64(math.Round(bytes)))), chakra.Size(t.Agenda.Task(x).Op.Size))
	}
	sent = t.add(ends[0], astra.Node{Name: x.Op.ID, Type: chakra.CommSend, Deps: deps, Attrs: attrs()})
	received = t.add(ends[1], astra.Node{Name: x.Op.ID, Type: chakra.CommRecv, Attrs: attrs()})
	t.tag++
	return sent, received
}

// schedule returns the messages of a plan and makes them only once.
func (t *tracer) schedule(ctx context.Context, id wire.ProgramID) (*schedule, error) {
	if s := t.made[id.Plan]; s != nil {
		return s, nil
	}
	var p *plan.Plan
	if id.Plan <= len(t.Agenda.Made) {
		p = t.Agenda.Made[id.Plan-1]
	} else { // over circuits that all ranks share
		var err error
		if p, err = plan.Decode(bytes.NewReader(t.Document.Plans[id.Plan-1])); err != nil {
			return nil, err
		}
	}
	ranks, err := astra.Schedule(ctx, p, t.link)
	if err != nil {
		return nil, err
	}
	s := &schedule{ranks: ranks, roots: make([][]int, len(ranks)), leaves: make([][]int, len(ranks)), first: t.calls.tags}
	for r := range ranks {
		if nodes := ranks[r].Nodes; len(nodes) == 1 && nodes[0].Type == chakra.Comp { // the rank is idle
			ranks[r].Nodes = nil
			continue
		}
		waited := make([]bool, len(ranks[r].Nodes))
		for i := range ranks[r].Nodes {
			n := &ranks[r].Nodes[i]
			if len(n.Deps) == 0 {
				s.roots[r] = append(s.roots[r], i)
			}
			for _, d := range n.Deps {
				waited[d] = true
			}
			if tag := n.Attr("comm_tag"); tag != nil {
				s.tags = max(s.tags, tag.Int+1)
			}
		}
		for i := range waited {
			if !waited[i] {
				s.leaves[r] = append(s.leaves[r], i)
			}
		}
	}
	t.hops = max(t.hops, astra.Hops(p))
	t.calls.tags += s.tags
	t.made[id.Plan] = s
	return s, nil
}
