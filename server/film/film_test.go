package film_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/server/film"
	"github.com/lightpath-net/lightpath/sim"
	"github.com/lightpath-net/lightpath/sim/replay"
	"github.com/lightpath-net/lightpath/units"
)

func planned(t testing.TB, request string) *plan.Plan {
	t.Helper()
	var r lightpath.PlanRequest
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		t.Fatal(err)
	}
	p, err := lightpath.Plan(t.Context(), r, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// plans are plans in which packets queue behind others: on routes of several hops, on parallel
// circuits, with and without a pace.
var plans = map[string]string{
	"one port":          `{"operations":[{"op":"allreduce","size":"1MiB","algorithm":"recursive-doubling"}],"fabric":{"nodes":8,"ports":1,"reconfig":"10us"},"planner":"harvest"}`,
	"relays":            `{"operations":[{"op":"allreduce","size":"1MB","algorithm":"recursive-doubling"}],"fabric":{"nodes":8,"ports":1,"reconfig":"10ms"},"planner":"static"}`,
	"store and forward": `{"operations":[{"op":"alltoall","size":"100KB","algorithm":"direct"}],"fabric":{"nodes":6,"ports":2,"forwarding":"store-and-forward"},"planner":"static"}`,
	"merging routes":    `{"operations":[{"op":"alltoall","size":"100KB","algorithm":"direct"}],"fabric":{"nodes":8,"ports":4},"planner":"static"}`,
	"parallel circuits": `{"operations":[{"op":"allreduce","size":"1MiB","algorithm":"recursive-doubling"}],"fabric":{"nodes":8,"ports":2,"reconfig":"1us"},"planner":"every-step"}`,
}

// naive records every packet separately.
type naive struct {
	packets []packet
	phases  []sim.PhaseResult
	starts  []map[int]units.Duration // of flows, by phase
	sources []map[int]int
	paced   []bool
	took    map[[2]int64]int // messages by phase and time
}

type packet struct {
	phase, from, to, flow, route int
	start, each                  units.Duration
}

func (n *naive) Transmission(t sim.Transmission) {
	for i := range t.Packets {
		n.packets = append(n.packets, packet{t.Phase, t.From, t.To, t.Flow, t.Route, t.Start + units.Duration(i)*t.Gap, t.Each})
	}
}

func (n *naive) Phase(_ int, p *sim.Phase, r *sim.PhaseResult) {
	n.phases = append(n.phases, *r)
	starts, sources := map[int]units.Duration{}, map[int]int{}
	order := p.Group.Order()
	if n.took == nil {
		n.took = map[[2]int64]int{}
	}
	for i := range p.Count() {
		n.took[[2]int64{int64(len(n.phases)), int64(r.Flows[i] - r.Traffic - p.Flows[i/order].Start)}]++
		starts[i] = r.Traffic + p.Flows[i/order].Start
		sources[i] = p.Group.Apply(i%order, int(p.Flows[i/order].Src))
	}
	n.starts, n.sources, n.paced = append(n.starts, starts), append(n.sources, sources), append(n.paced, p.Pace)
}

// queue is the work that waits for a link at a time, packet by packet.
func (n *naive) queue(p *plan.Plan, phase, from, to int, at units.Duration) units.Duration {
	work := units.Duration(0)
	for _, x := range n.packets {
		if x.phase != phase {
			continue
		}
		lag := p.Fabric.Delta
		if p.Fabric.Forwarding == fabric.StoreAndForward {
			lag += x.each
		}
		if x.from == from && x.to == to {
			if x.start+x.each <= at {
				work -= x.each // its last bit has left
			}
			switch came := n.starts[phase][x.flow]; {
			case n.sources[phase][x.flow] != from:
			case n.paced[phase] && x.start <= at, !n.paced[phase] && came <= at:
				work += x.each
			}
		}
		if x.to == from && x.start+lag <= at && n.goesOn(x, to) {
			work += x.each
		}
	}
	return work
}

// goesOn reports whether a packet leaves the end of its circuit for a GPU.
func (n *naive) goesOn(x packet, to int) bool {
	for _, y := range n.packets {
		if y.phase == x.phase && y.flow == x.flow && y.route == x.route && y.from == x.to && y.to == to {
			return true
		}
	}
	return false
}

// Films of planes that reconfigure independently are of GPUs and their circuits, each step in
// its own time.
func TestFilmsOfPlanesShowGPUs(t *testing.T) {
	for _, request := range []string{
		`{"operations":[{"op":"alltoall","size":"16MiB","demand":"random"}],"fabric":{"nodes":8,"ports":2,"reconfig":"1us","overlap":"planes"},"planner":"exchange"}`,
		`{"operations":[{"op":"allreduce","size":"4MiB","algorithm":"halving-doubling"}],"fabric":{"nodes":8,"ports":3,"reconfig":"20us","overlap":"planes"},"planner":"staggered"}`,
	} {
		p := planned(t, request)
		if !p.Staggered() {
			t.Fatal("planes are rewired together")
		}
		made, err := film.Make(t.Context(), p, 16*units.KiB)
		if err != nil {
			t.Fatal(err)
		}
		last := units.Time(0)
		for i, step := range made.Steps {
			last = max(last, step.EndNs)
			for _, l := range step.Links {
				if l.Circuits != p.Stages[i].Topology.Count(l.From, l.To) || l.Circuits == 0 {
					t.Fatalf("step %d: %d circuits %d->%d", i+1, l.Circuits, l.From, l.To)
				}
				for _, part := range l.Busy {
					if part < 0 || part > 1.0001 {
						t.Errorf("step %d, %d->%d: busy for %v of a frame", i+1, l.From, l.To, part)
					}
				}
			}
		}
		if last != made.CompletionNs {
			t.Errorf("the last step ends at %v, all at %v", last, made.CompletionNs)
		}
	}
}

// A film's queues and busy circuits equal those computed from its packets, one by one.
func TestFilmsShowWhatPacketsDo(t *testing.T) {
	for name, request := range plans {
		t.Run(name, func(t *testing.T) {
			p := planned(t, request)
			const size = 16 * units.KiB
			made, err := film.Make(t.Context(), p, size)
			if err != nil {
				t.Fatal(err)
			}
			n := &naive{}
			result, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, replay.PaceMerging), sim.Options{Packet: size, Forwarding: p.Fabric.Forwarding, Observer: n})
			if err != nil {
				t.Fatal(err)
			}
			if made.CompletionNs != result.Completion.Time() || len(made.Steps) != p.CountSteps() || made.Packets != result.Packets {
				t.Fatalf("%v after %d steps, %d packets", made.CompletionNs, len(made.Steps), made.Packets)
			}
			busy, waited := map[[2]int]float64{}, units.Time(0)
			for i, step := range made.Steps {
				long := float64(step.EndNs-step.TrafficNs) / float64(step.Frames)
				for _, l := range step.Links {
					for k, part := range l.Busy {
						busy[[2]int{l.From, l.To}] += part * long * float64(l.Circuits)
						if part < 0 || part > 1.0001 {
							t.Errorf("step %d, %d->%d: busy for %v of a frame", i+1, l.From, l.To, part)
						}
						end := n.phases[i].End
						if k < step.Frames-1 { // as the film divides time
							end = n.phases[i].Traffic + units.Duration(float64(n.phases[i].End-n.phases[i].Traffic)*float64(k+1)/float64(step.Frames))
						}
						want := n.queue(p, i, l.From, l.To, end).Time()
						if got := l.QueueNs[k]; math.Abs(float64(got-want)) > 0.001 {
							t.Fatalf("step %d, %d->%d, frame %d: %v waits, packet by packet %v", i+1, l.From, l.To, k, got, want)
						}
						waited = max(waited, want)
					}
				}
			}
			if waited == 0 {
				t.Error("nothing ever waits")
			}
			for _, l := range result.Links {
				const rounding = 1e-3 // busy is written with four digits
				if got, want := busy[[2]int{l.From, l.To}], float64(l.Busy.Time()); math.Abs(got-want) > rounding*float64(result.Completion.Time()) {
					t.Errorf("%d->%d: busy for %v ns, want %v", l.From, l.To, got, want)
				}
			}
		})
	}
}

// The slowest messages come first, none is left out that is slower than one that is listed,
// and each says how many are like it.
func TestSlowestMessagesComeFirst(t *testing.T) {
	p := planned(t, plans["merging routes"])
	made, err := film.Make(t.Context(), p, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := &naive{}
	if _, err := sim.Run(t.Context(), sim.PacketLevel, replay.Paced(p, replay.PaceMerging), sim.Options{Forwarding: p.Fabric.Forwarding, Observer: n}); err != nil {
		t.Fatal(err)
	}
	keys := slices.SortedFunc(maps.Keys(n.took), func(a, b [2]int64) int { return cmp.Or(cmp.Compare(b[1], a[1]), cmp.Compare(a[0], b[0])) })
	if len(made.Slowest) != min(20, len(keys)) || len(keys) < 2 {
		t.Fatalf("%d of %d listed", len(made.Slowest), len(keys))
	}
	for i, f := range made.Slowest {
		took := (f.CompletionNs - f.StartNs) * 1000 // ps
		if math.Abs(float64(took)-float64(keys[i][1])) > 0.5 || f.Alike != n.took[keys[i]] || int64(f.Step) != keys[i][0] {
			t.Errorf("%d: %+v, want %v with %d alike", i, f, keys[i], n.took[keys[i]])
		}
	}
}

func TestFilmsStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := film.Make(ctx, planned(t, plans["relays"]), 0); err == nil {
		t.Error("it went on")
	}
}

func Example() {
	var r lightpath.PlanRequest
	if err := json.Unmarshal([]byte(plans["one port"]), &r); err != nil {
		fmt.Println(err)
		return
	}
	p, err := lightpath.Plan(context.Background(), r)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := film.Make(context.Background(), p, 64*units.KiB)
	if err != nil {
		fmt.Println(err)
		return
	}
	first := f.Steps[0]
	fmt.Printf("%d steps, %v; in the first, circuit %d->%d is busy for %.0f%% of the first frame\n",
		len(f.Steps), f.CompletionNs, first.Links[0].From, first.Links[0].To, 100*first.Links[0].Busy[0])
	// Output: 6 steps, 37.46us; in the first, circuit 0->1 is busy for 100% of the first frame
}
