package astra

import (
	"context"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Link describes every link of the simulator's network. Real circuits and islands may differ
// from it and from one another: a message then gets as many bytes as the link carries in the
// time that the message really takes. If the real latency is longer than the link's, the
// difference is part of that time.
type Link struct {
	Bandwidth units.Bandwidth
	Latency   units.Time
}

// LinkOf returns a link like a circuit of a fabric, but with the shortest latency of all tiers.
func LinkOf(f *fabric.Fabric) Link {
	l := Link{f.Bandwidth, f.Alpha.Time() + f.Delta.Time()}
	if f.Islands() > 0 {
		l.Latency = min(l.Latency, f.IslandAlpha().Time()+f.IslandDelta().Time())
	}
	if !f.Fixed.IsZero() {
		l.Latency = min(l.Latency, f.FixedAlpha().Time()+f.FixedDelta().Time())
	}
	return l
}

// Network returns the network of such links.
func (l Link) Network() Network {
	return Network{Gigabytes: float64(l.Bandwidth) / 8 / (1 << 30), Latency: float64(l.Latency)}
}

// Bytes returns how many bytes on the link take as long as a message with the given sending time
// and latency.
func (l Link) Bytes(sending, latency units.Time) float64 {
	return float64(sending+latency-l.Latency) * float64(l.Bandwidth) / 8e9
}

// Schedule returns what every rank of a plan sends and receives over identical links.
func Schedule(ctx context.Context, p *plan.Plan, on Link) ([]Rank, error) {
	return traces(ctx, p, &pace{plan: p, link: on, forwards: Hops(p) > 1})
}

// Hops returns the number of hops of the longest route of a plan.
func Hops(p *plan.Plan) int {
	hops := 0
	for _, step := range p.Steps() {
		for i := range step.Base {
			for _, route := range step.Base[i].Routes {
				hops = max(hops, len(route.Path)-1)
			}
		}
	}
	return hops
}

// pace converts bytes on a plan's circuits and islands into bytes on the simulator's links.
type pace struct {
	plan     *plan.Plan
	link     Link
	forwards bool // ranks forward what others send
	circuits *topology.Graph
	// sent and received are the bytes that each GPU sends into its island and receives from it
	// in a step.
	sent, received []float64
	pairs          map[[2]int]float64 // bytes of each pair in an island
}

// step prepares for the messages of a step.
func (c *pace) step(stage *plan.Stage, step *plan.Step) {
	f := &c.plan.Fabric
	c.circuits = stage.Topology
	if f.Islands() == 0 {
		return
	}
	c.sent, c.received, c.pairs = make([]float64, f.Nodes), make([]float64, f.Nodes), map[[2]int]float64{}
	for t := range step.All(c.plan.Collective.Space) {
		bytes := c.plan.Bytes(t.Chunks)
		for _, r := range t.Routes {
			for h := 1; h < len(r.Path); h++ {
				if u, v := int(r.Path[h-1]), int(r.Path[h]); plan.Electrical(f, c.circuits, u, v) {
					c.sent[u] += bytes * r.Share
					c.received[v] += bytes * r.Share
					c.pairs[[2]int{u, v}] += bytes * r.Share
				}
			}
		}
	}
}

// bytes converts the bytes of a message over the hop from u to v.
func (c *pace) bytes(u, v int, bytes float64) float64 {
	f := &c.plan.Fabric
	switch plan.TierOf(f, c.circuits, u, v) {
	case plan.OverIsland:
		// A GPU has one link into its island. All its messages of a step share that link, run
		// side by side and end together.
		share := units.Time(bytes / c.pairs[[2]int{u, v}])
		return c.link.Bytes(share*f.Island.Bandwidth.Transmit(max(c.sent[u], c.received[v])), f.IslandAlpha().Time()+f.IslandDelta().Time())
	case plan.OverLink:
		return c.link.Bytes(f.FixedBandwidth().Transmit(bytes)/units.Time(f.OverFixed(u, v)), f.FixedAlpha().Time()+f.FixedDelta().Time())
	}
	bandwidth, delay := f.Bandwidth, f.Delta
	if differ := f.Circuits(); differ != nil {
		bandwidth, delay = differ.Of(u, v)
	}
	return c.link.Bytes(bandwidth.Transmit(bytes)/units.Time(c.circuits.Count(u, v)), f.Alpha.Time()+delay.Time())
}
