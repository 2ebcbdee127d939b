package film

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/units"
)

// camera watches a simulation. It keeps the transmissions of the current step, and for completed
// steps their totals in each frame.
//
// The time is O(t log t + x) for t trains and x pairs of a train and a frame during which it is
// sent.
type camera struct {
	plan    *plan.Plan
	film    *Film
	frames  int
	delay   units.Duration
	through bool
	trains  []sim.Transmission
	listed  int
}

func newCamera(p *plan.Plan, frames int) *camera {
	return &camera{plan: p, film: &Film{Slowest: []Flow{}}, frames: frames, delay: p.Fabric.Delta, through: p.Fabric.Forwarding == fabric.CutThrough}
}

// Transmission implements sim.Observer.
func (c *camera) Transmission(t sim.Transmission) { c.trains = append(c.trains, t) }

// Phase implements sim.Observer.
func (c *camera) Phase(index int, p *sim.Phase, r *sim.PhaseResult) {
	step := Step{
		Index: index + 1, StartNs: r.Start.Time(), DarkNs: p.Reconfiguration.Time(), TrafficNs: r.Traffic.Time(), EndNs: r.End.Time(),
		Frames: c.frames, Links: []Link{},
	}
	order := p.Group.Order()
	flowOf := func(number int) sim.Flow {
		f := p.Flows[number/order]
		f.Src, f.Dst = int32(p.Group.Apply(number%order, int(f.Src))), int32(p.Group.Apply(number%order, int(f.Dst)))
		return f
	}
	alike := map[units.Duration]*Flow{}
	for number, end := range r.Flows {
		f := flowOf(number)
		start := r.Traffic + f.Start
		if first := alike[end-start]; first != nil {
			first.Alike++
			continue
		}
		alike[end-start] = &Flow{
			Step: index + 1, Src: int(f.Src), Dst: int(f.Dst), Bytes: int64(f.Bytes), StartNs: start.Time(), CompletionNs: end.Time(), Alike: 1,
		}
	}
	for _, took := range slices.Sorted(maps.Keys(alike)) {
		c.film.keepSlowest(*alike[took])
	}
	clock := &grid{from: r.Traffic, until: r.End, frames: c.frames}
	links := map[[2]int]*meter{}
	for _, t := range c.trains {
		at := [2]int{t.From, t.To}
		if links[at] == nil {
			links[at] = newMeter(c.frames)
		}
		links[at].send(clock, &t)
	}
	slices.SortStableFunc(c.trains, func(a, b sim.Transmission) int {
		return cmp.Or(cmp.Compare(a.Flow, b.Flow), cmp.Compare(a.Route, b.Route), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Start, b.Start))
	})
	for rest := c.trains; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Flow == rest[0].Flow && rest[n].Route == rest[0].Route {
			n++
		}
		f := flowOf(rest[0].Flow)
		c.arrive(clock, links, rest[:n], int(f.Src), r.Traffic+f.Start, p.Pace)
		rest = rest[n:]
	}
	for _, at := range slices.SortedFunc(maps.Keys(links), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		circuits := p.Network.Graph
		if c.plan.Staggered() { // nodes are pairs of node and plane, as in replay
			circuits = c.plan.Stages[index].Topology
		}
		step.Links = append(step.Links, links[at].link(clock, at, circuits.Count(at[0], at[1])))
	}
	c.list(&step)
	c.film.Steps = append(c.film.Steps, step)
	c.trains = c.trains[:0]
}

// arrive records when the packets of one route join the queue of each of its circuits. They join
// the first queue when the message starts or, in a paced step, when they are sent; they join
// each later queue when the previous circuit has delivered them.
func (c *camera) arrive(clock *grid, links map[[2]int]*meter, trains []sim.Transmission, src int, start units.Duration, paced bool) {
	onward := map[int]int{} // a route visits no GPU twice
	for i := range trains {
		onward[trains[i].From] = trains[i].To
	}
	for i := range trains {
		t := &trains[i]
		m := links[[2]int{t.From, t.To}]
		switch {
		case t.From == src && paced:
			m.come(clock, t.Start, t.Gap, t.Packets, t.Each)
		case t.From == src:
			m.come(clock, start, 0, t.Packets, t.Each)
		}
		lag := c.delay
		if !c.through {
			lag += t.Each
		}
		if next, goes := onward[t.To]; goes {
			links[[2]int{t.To, next}].come(clock, t.Start+lag, t.Gap, t.Packets, t.Each)
		}
	}
}

// list keeps the trains of a step for drawing, if there are not too many.
func (c *camera) list(step *Step) {
	if c.film.TrainsLeft > 0 || c.listed+len(c.trains) > mostTrains {
		c.film.TrainsLeft += int64(len(c.trains))
		return
	}
	c.listed += len(c.trains)
	step.Trains = make([][7]float64, 0, len(c.trains))
	for _, t := range c.trains {
		step.Trains = append(step.Trains, [7]float64{
			float64(t.From), float64(t.To), float64(t.Flow), float64(t.Packets),
			float64(t.Start.Time()), float64(t.Gap.Time()), float64(t.Each.Time()),
		})
	}
}

// grid divides a time into frames.
type grid struct {
	from, until units.Duration
	frames      int
}

// end returns when frame i ends; for -1, when the first frame begins.
func (g *grid) end(i int) units.Duration {
	if i == g.frames-1 {
		return g.until
	}
	return g.from + units.Duration(float64(g.until-g.from)*float64(i+1)/float64(g.frames))
}

// frame returns the frame of an event: the first frame that does not end before it.
func (g *grid) frame(t units.Duration) int {
	if g.until <= g.from {
		return 0
	}
	i := int(float64(t-g.from) / float64(g.until-g.from) * float64(g.frames))
	i = min(max(i-1, 0), g.frames-1)
	for i < g.frames-1 && g.end(i) < t {
		i++
	}
	return i
}

// meter sums the traffic of a link, by frame, in ps of one circuit.
type meter struct {
	busy    []units.Duration
	in, out []units.Duration
}

func newMeter(frames int) *meter {
	return &meter{make([]units.Duration, frames), make([]units.Duration, frames), make([]units.Duration, frames)}
}

// send enters a train on the circuit.
func (m *meter) send(g *grid, t *sim.Transmission) {
	spread(g, m.out, t.Start+t.Each, t.Gap, t.Packets, t.Each)
	last := t.Start + units.Duration(t.Packets-1)*t.Gap + t.Each
	for i := g.frame(t.Start); i < g.frames; i++ {
		from, until := g.end(i-1), g.end(i)
		m.busy[i] += sending(t, until) - sending(t, from)
		if last <= until {
			break
		}
	}
}

// sending returns how long a train has been sending until a time.
func sending(t *sim.Transmission, until units.Duration) units.Duration {
	if until <= t.Start {
		return 0
	}
	whole := int64(1)
	if t.Packets > 1 {
		whole = min(t.Packets, int64((until-t.Start)/t.Gap)+1) // number of packets that have started
	}
	under := until - t.Start - units.Duration(whole-1)*t.Gap
	return units.Duration(whole-1)*t.Each + min(under, t.Each)
}

// come records packets that join the queue.
func (m *meter) come(g *grid, first, gap units.Duration, packets int64, each units.Duration) {
	spread(g, m.in, first, gap, packets, each)
}

// spread adds packets to the frames in which they join or leave.
func spread(g *grid, into []units.Duration, first, gap units.Duration, packets int64, each units.Duration) {
	for i := g.frame(first); packets > 0; i++ {
		n := packets
		if gap > 0 && i < g.frames-1 {
			n = 0
			if end := g.end(i); first <= end {
				n = min(packets, int64((end-first)/gap)+1)
			}
		}
		into[i] += units.Duration(n) * each
		packets -= n
		first += units.Duration(n) * gap
	}
}

// link returns the readings of the meter.
func (m *meter) link(g *grid, at [2]int, circuits int) Link {
	l := Link{From: at[0], To: at[1], Circuits: circuits, Busy: make([]float64, g.frames), QueueNs: make([]units.Time, g.frames)}
	queue := units.Duration(0)
	for i := range g.frames {
		if long := g.end(i) - g.end(i-1); long > 0 {
			l.Busy[i] = math.Round(float64(m.busy[i])/float64(long)/float64(circuits)*1e4) / 1e4
		}
		queue += m.in[i] - m.out[i]
		l.QueueNs[i] = queue.Time()
	}
	return l
}
