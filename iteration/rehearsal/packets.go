package rehearsal

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// lengths says how long communications take.
type lengths struct {
	of       []int // by item: its communication, or -1
	distinct []Communication
}

// simulateAll simulates every distinct communication once.
func simulateAll(ctx context.Context, a *iteration.Agenda, o *Options) (*lengths, error) {
	s := &simulator{agenda: a, options: o}
	l := &lengths{of: make([]int, len(a.Items))}
	known := map[string]int{}
	var first []int // first item of each communication
	for i := range a.Items {
		x := &a.Items[i]
		if l.of[i] = -1; !x.Communicates {
			continue
		}
		key := s.key(x)
		at, ok := known[key]
		if !ok {
			at = len(l.distinct)
			known[key] = at
			task := a.Task(x)
			l.distinct = append(l.distinct, Communication{Kind: x.Op.Kind, Op: opName(task), Size: task.Op.Size, Ranks: a.Nodes[x.Node].Ranks, Model: x.End - x.Start})
			first = append(first, i)
		}
		l.of[i] = at
		l.distinct[at].Times++
	}
	for c, i := range first {
		if o.Progress != nil {
			o.Progress(c, len(first)+1)
		}
		if err := s.simulate(ctx, &a.Items[i], &l.distinct[c]); err != nil {
			return nil, fmt.Errorf("%s: %w", a.Items[i].Op.ID, err)
		}
	}
	return l, nil
}

func opName(t *workload.Task) string {
	if t.Type == workload.Send {
		return "send"
	}
	return string(t.Op.Op)
}

// simulator simulates single communications.
type simulator struct {
	agenda  *iteration.Agenda
	options *Options
}

// key is the same for communications that take the same time.
func (s *simulator) key(x *iteration.Item) string {
	t := s.agenda.Task(x)
	switch {
	case s.agenda.Shared(x):
		return fmt.Sprint("shared", x.Op.Circuits, t.Op.Kind, t.Op.Op, int64(t.Op.Size), t.Op.Skew, s.agenda.Nodes[x.Node].Classes)
	case x.Op.Plan > 0:
		return fmt.Sprint(t.Op.Kind, x.Op.Plan)
	}
	return fmt.Sprint(t.Op.Kind, int64(t.Op.Size), s.agenda.Way(x))
}

// how returns the options of a simulation.
func (s *simulator) how() sim.Options {
	return sim.Options{Packet: s.options.Packet, Threads: s.options.Threads, Forwarding: s.agenda.Fabric.Forwarding, Orbit: true}
}

// simulate determines how long a communication takes.
func (s *simulator) simulate(ctx context.Context, x *iteration.Item, c *Communication) error {
	groups := int64(len(x.Groups))
	switch {
	case s.agenda.Shared(x):
		return s.walk(ctx, x, c)
	case x.Op.Plan == 0:
		result, err := sim.Run(ctx, s.options.Level, sim.Sequence(s.send(x)), s.how())
		if err == nil {
			c.Took, c.packets, c.hops = result.Completion.Time(), result.Packets*groups, result.PacketHops*groups
		}
		return err
	}
	p := s.agenda.Made[x.Op.Plan-1]
	how := s.how()
	how.Forwarding = p.Fabric.Forwarding
	result, err := sim.Run(ctx, s.options.Level, replay.Paced(p, s.options.pace()), how)
	if err != nil {
		return err
	}
	c.Took, c.packets, c.hops = result.Completion.Time(), result.Packets*groups, result.PacketHops*groups
	explanation, err := replay.Explain(p, s.options.Level, how, result.Phases, nil)
	if err != nil {
		return err
	}
	c.Causes = explanation.Total
	return nil
}

func (o *Options) pace() replay.Pace {
	if o.Pace == "" {
		return replay.PaceMerging
	}
	return o.Pace
}

// send returns a message over separate circuits, within an island or over fixed links.
func (s *simulator) send(x *iteration.Item) *sim.Phase {
	f, bytes := &s.agenda.Fabric, s.agenda.Task(x).Op.Size
	switch w := s.agenda.Way(x); {
	case w.Hops > 0:
		return line(sim.Network{Bandwidth: f.Bandwidth, Delay: f.Delta}, w.Hops, w.Width, f.Alpha, bytes)
	case w.Island: // its switch is in the middle
		return line(sim.Network{Bandwidth: f.Island.Bandwidth, Delay: f.IslandDelta() / 2}, 2, 1, f.IslandAlpha(), bytes)
	default:
		return line(sim.Network{Bandwidth: f.FixedBandwidth(), Delay: f.FixedDelta()}, 1, w.Width, f.FixedAlpha(), bytes)
	}
}

// line returns a message over consecutive circuits, each with width parallel ones.
func line(n sim.Network, hops, width int, startup units.Duration, bytes units.Bytes) *sim.Phase {
	edges := make([]topology.Edge, hops)
	path := make([]int32, hops+1)
	for i := range edges {
		edges[i] = topology.Edge{From: i, To: i + 1, Count: width}
		path[i+1] = int32(i + 1)
	}
	n.Graph, n.Delay = topology.New(hops+1, "way", edges), max(1, n.Delay)
	return &sim.Phase{
		Network: n, Startup: startup, Flows: []sim.Flow{{Src: 0, Dst: int32(hops), Bytes: bytes}},
		Routes: [][]flow.Route{{{Path: path, Share: 1}}},
	}
}

// walk simulates an operation over circuits that all ranks share, all groups together.
func (s *simulator) walk(ctx context.Context, x *iteration.Item, c *Communication) error {
	f := &s.agenda.Fabric
	for _, w := range s.agenda.Walks(x) {
		phase := &sim.Phase{Network: s.sharedNetwork(x), Startup: f.Alpha, Pace: f.Forwarding == fabric.CutThrough}
		for _, path := range w.Paths {
			phase.Flows = append(phase.Flows, sim.Flow{Src: path[0], Dst: path[len(path)-1], Bytes: units.Bytes(math.Ceil(w.Bytes))})
			phase.Routes = append(phase.Routes, []flow.Route{{Path: path, Share: 1}})
		}
		result, err := sim.Run(ctx, s.options.Level, sim.Sequence(phase), s.how())
		if err != nil {
			return err
		}
		c.Took += units.Time(w.Times)*result.Completion.Time() + units.Time(w.Reduces)*f.Gamma.Of(w.Bytes)
		c.packets += int64(w.Times) * result.Packets
		c.hops += int64(w.Times) * result.PacketHops
	}
	return nil
}

// sharedNetwork returns the circuits that all ranks share.
func (s *simulator) sharedNetwork(x *iteration.Item) sim.Network {
	c, f := &s.agenda.Circuits[x.Op.Circuits-1], &s.agenda.Fabric
	var edges []topology.Edge
	for u := range s.agenda.Ranks {
		for k, jump := range c.Jumps {
			edges = append(edges, topology.Edge{From: u, To: (u + jump) % s.agenda.Ranks, Count: c.Width[k]})
		}
	}
	return sim.Network{Graph: topology.New(s.agenda.Ranks, c.Name, edges), Bandwidth: f.Bandwidth, Delay: max(1, f.Delta)}
}
