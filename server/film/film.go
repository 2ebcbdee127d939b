package film

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

// Schema names the JSON form of a film and its version.
const Schema = "lightpath.film/v1"

// Film is a simulation over time.
type Film struct {
	Schema       string      `json:"schema"`
	CompletionNs units.Time  `json:"completion_ns"`
	PacketBytes  units.Bytes `json:"packet_bytes"`
	// DeltaNs is the time of a packet over a circuit besides its transmission.
	DeltaNs units.Time `json:"delta_ns"`
	Packets int64      `json:"packets"`
	Steps   []Step     `json:"steps"`
	// Slowest are the messages that took longest from their start, the slowest first; of the
	// messages of a step that took exactly the same time, one stands for all.
	Slowest []Flow `json:"slowest"`
	// TrainsLeft counts the trains, those of the last steps, that are not listed because there
	// were too many.
	TrainsLeft int64 `json:"trains_left"`
}

// Step is one step of the plan. Its frames divide the time from TrafficNs to EndNs evenly.
type Step struct {
	Index     int        `json:"index"` // from 1
	StartNs   units.Time `json:"start_ns"`
	DarkNs    units.Time `json:"dark_ns"` // time in which circuits are set, from StartNs on
	TrafficNs units.Time `json:"traffic_ns"`
	EndNs     units.Time `json:"end_ns"`
	Frames    int        `json:"frames"`
	Links     []Link     `json:"links"`
	// Trains are packets that follow each other on a circuit: from, to, flow, packets, and, in
	// ns, when the first one starts, the interval between starts, and the time of each. Nil:
	// they are not listed.
	Trains [][7]float64 `json:"trains"`
}

// Link describes the circuits from one GPU to another in a step.
type Link struct {
	From     int `json:"from"`
	To       int `json:"to"`
	Circuits int `json:"circuits"`
	// Busy is the fraction of each frame in which they send.
	Busy []float64 `json:"busy"`
	// QueueNs is the work that waits for the circuits at the end of each frame, as time on one
	// circuit: packets that have arrived and whose last bit has not left. Packets of the GPU
	// itself count from the start of the message or, in a paced step, from their start on the
	// circuit.
	QueueNs []units.Time `json:"queue_ns"`
}

// Flow is a message.
type Flow struct {
	Step         int        `json:"step"`
	Src          int        `json:"src"`
	Dst          int        `json:"dst"`
	Bytes        int64      `json:"bytes"`
	StartNs      units.Time `json:"start_ns"`
	CompletionNs units.Time `json:"completion_ns"`
	Alike        int        `json:"alike"` // messages of the step with the same time, this included
}

// How much of a simulation is shown.
const (
	mostFrames = 40      // of a step
	mostValues = 400_000 // frames of links, in total
	mostTrains = 60_000
	mostFlows  = 20
	// MostLinks bounds the links of all steps together: with more, a picture would show nothing,
	// and the answer would have many megabytes.
	MostLinks = 500_000
)

// Links counts the links of all steps of a plan.
func Links(p *plan.Plan) int {
	n := 0
	for stage := range p.Steps() {
		n += stage.Topology.Bundles()
	}
	return n
}

// Make simulates a correct plan packet by packet and records the film.
func Make(ctx context.Context, p *plan.Plan, packet units.Bytes) (*Film, error) {
	packet = cmp.Or(packet, sim.DefaultPacket)
	how := sim.Options{Packet: packet, Forwarding: p.Fabric.Forwarding}
	c := newCamera(p, min(mostFrames, max(1, mostValues/max(1, Links(p)))))
	how.Observer = replay.OnGPUs(p, c)
	result, err := sim.Run(ctx, sim.PacketLevel, replay.Paced(p, replay.PaceMerging), how)
	if err != nil {
		return nil, err
	}
	f := c.film
	f.Schema, f.CompletionNs, f.PacketBytes = Schema, result.Completion.Time(), packet
	f.DeltaNs, f.Packets = p.Fabric.Delta.Time(), result.Packets
	return f, nil
}

// keepSlowest inserts a message among the slowest, if it belongs there.
func (f *Film) keepSlowest(x Flow) {
	// Times are whole picoseconds.
	took := func(x Flow) float64 { return math.Round(float64(x.CompletionNs-x.StartNs) * 1000) }
	if len(f.Slowest) == mostFlows && took(x) <= took(f.Slowest[mostFlows-1]) {
		return
	}
	at, _ := slices.BinarySearchFunc(f.Slowest, x, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(took(b), took(a)), -1) // of equals, the first
	})
	f.Slowest = slices.Insert(f.Slowest, at, x)
	f.Slowest = f.Slowest[:min(len(f.Slowest), mostFlows)]
}
