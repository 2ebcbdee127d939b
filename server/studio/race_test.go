package studio_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/lightpath-net/lightpath"
	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/envelope"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
	"github.com/lightpath-net/lightpath/server/studio"
	"github.com/lightpath-net/lightpath/units"
)

var rewrite = flag.Bool("rewrite", false, "compute what the studio opens on anew, and write it")

// race is what the view Race draws: for each size and lane, the plans that are the fastest for some
// delay. A plan takes FixedNs + Changes*delay, so a few plans answer for every delay.
type race struct {
	Op         collective.Op         `json:"op"`
	Nodes      int                   `json:"nodes"`
	LeastNs    float64               `json:"least_ns"` // delays that are answered for
	MostNs     float64               `json:"most_ns"`
	SizesBytes []int64               `json:"sizes_bytes"`
	Lanes      map[string][][]racing `json:"lanes"` // by lane and size; the smallest delays first
	Plans      []racer               `json:"plans"`
	Circuits   [][]int               `json:"circuits"` // of a stage: from, to, from, to, ..
	Routes     [][][]int             `json:"routes"`   // of a step: the GPUs on each
	indices    map[string]int        // of Circuits and Routes, so that each is written once
}

type racing struct {
	FixedNs float64 `json:"fixed_ns"`
	Changes int     `json:"changes"`
	Plan    int     `json:"plan"`
}

type racer struct {
	Algorithm string       `json:"algorithm"`
	Planner   string       `json:"planner"`
	Stages    []racerStage `json:"stages"`
}

type racerStage struct {
	Topology string      `json:"topology"`
	Dark     bool        `json:"dark,omitempty"` // circuits are set before it
	Circuits int         `json:"circuits"`
	Steps    []racerStep `json:"steps"`
}

type racerStep struct {
	StartupNs float64 `json:"startup_ns"`
	TotalNs   float64 `json:"total_ns"`
	Routes    int     `json:"routes"`
	Reduces   bool    `json:"reduces,omitempty"`
}

const leastDelay, mostDelay = 100 * units.Nanosecond, 10 * units.Millisecond

// raceLanes are the studio's names of the lanes, and the planners that race in them. The best
// static plan is the best plan of all planners at a delay at which no reconfiguration can pay
// off.
var raceLanes = []struct {
	name, planner string
	delay         units.Duration // 0: of the race
}{{"static", lightpath.Auto, 100 * units.Second}, {"every", string(plan.EveryStep), 0}, {"lightpath", lightpath.Auto, 0}}

// stored are the races that the studio has; it opens on the first.
var stored = []struct {
	op    collective.Op
	nodes int
}{
	{collective.AllToAll, 16},
	{collective.AllToAll, 8}, {collective.AllToAll, 32},
	{collective.AllReduce, 8}, {collective.AllReduce, 16}, {collective.AllReduce, 32},
	{collective.AllGather, 8}, {collective.AllGather, 16}, {collective.AllGather, 32},
}

func raceFile(op collective.Op, nodes int) string { return fmt.Sprintf("race-%s-%d.json", op, nodes) }

// wholePlan is the part of a plan file that a race needs.
type wholePlan struct {
	Stages []struct {
		Topology          string  `json:"topology"`
		ReconfigurationNs float64 `json:"reconfiguration_ns"`
		Links             [][]int `json:"links"`
		Steps             []struct {
			StartupNs float64 `json:"startup_ns"`
			TotalNs   float64 `json:"total_ns"`
			Transfers []struct {
				Action string `json:"action"`
				Routes []struct {
					Path []int `json:"path"`
				} `json:"routes"`
			} `json:"transfers"`
		} `json:"steps"`
	} `json:"stages"`
}

func makeRacer(t *testing.T, op collective.Op, nodes int, size int64, planner string, delay units.Duration) *plan.Plan {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Reconfig.Base = nodes, delay
	p, err := lightpath.Plan(context.Background(), lightpath.PlanRequest{
		Fabric: f, Planner: planner, Operations: []lightpath.Operation{{Op: op, Size: units.Bytes(size)}},
	}, lightpath.WithoutBaselines())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func makeRace(t *testing.T, op collective.Op, nodes int) *race {
	t.Helper()
	r := &race{
		Op: op, Nodes: nodes, LeastNs: float64(leastDelay.Time()), MostNs: float64(mostDelay.Time()),
		Lanes: map[string][][]racing{}, indices: map[string]int{},
	}
	for size := int64(64 << 10); size <= 256<<20; size *= 2 {
		r.SizesBytes = append(r.SizesBytes, size)
		for _, lane := range raceLanes {
			r.Lanes[lane.name] = append(r.Lanes[lane.name], r.lines(t, lane.planner, size, lane.delay))
		}
	}
	return r
}

// lines finds every plan of a lane that is the fastest for some delay.
func (r *race) lines(t *testing.T, planner string, size int64, fixed units.Duration) []racing {
	t.Helper()
	var plans []*plan.Plan
	traced, err := envelope.Trace(r.LeastNs, r.MostNs, func(ns float64) (envelope.Line, error) {
		p := makeRacer(t, r.Op, r.Nodes, size, planner, cmp.Or(fixed, units.Duration(math.Round(ns*float64(units.Nanosecond)))))
		plans = append(plans, p)
		dark := float64(p.Cost.Reconfiguration)
		return envelope.Line{Fixed: float64(p.Cost.Total()) - dark, Slope: float64(p.Reconfigurations), Of: len(plans) - 1}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(traced, func(a, b envelope.Line) int { return int(b.Slope - a.Slope) })
	var all []racing
	for _, l := range traced {
		all = append(all, racing{FixedNs: l.Fixed, Changes: int(l.Slope), Plan: r.enter(t, plans[l.Of])})
	}
	return all
}

// enter records the parts of a plan that are drawn.
func (r *race) enter(t *testing.T, p *plan.Plan) int {
	t.Helper()
	data, err := p.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var whole wholePlan
	if err := json.Unmarshal(data, &whole); err != nil {
		t.Fatal(err)
	}
	one := racer{Algorithm: p.Collective.Algorithm, Planner: p.Planner}
	for _, stage := range whole.Stages {
		var circuits []int
		for _, l := range stage.Links {
			circuits = append(circuits, l[0], l[1])
		}
		s := racerStage{Topology: stage.Topology, Dark: stage.ReconfigurationNs > 0, Circuits: index(r.indices, &r.Circuits, circuits)}
		for _, step := range stage.Steps {
			x := racerStep{StartupNs: step.StartupNs, TotalNs: step.TotalNs}
			var routes [][]int
			for _, transfer := range step.Transfers {
				x.Reduces = x.Reduces || transfer.Action != "copy"
				for _, route := range transfer.Routes {
					routes = append(routes, route.Path)
				}
			}
			x.Routes = index(r.indices, &r.Routes, routes)
			s.Steps = append(s.Steps, x)
		}
		one.Stages = append(one.Stages, s)
	}
	r.Plans = append(r.Plans, one)
	return len(r.Plans) - 1
}

// index returns where a value is in a list, and adds it if it is not there.
func index[T any](known map[string]int, list *[]T, value T) int {
	key := fmt.Sprintf("%T %v", value, value)
	if i, ok := known[key]; ok {
		return i
	}
	known[key] = len(*list)
	*list = append(*list, value)
	return known[key]
}

// at is the time of a lane at a delay.
func (r *race) at(lane string, size int, delayNs float64) (best float64) {
	best = math.Inf(1)
	for _, l := range r.Lanes[lane][size] {
		best = min(best, l.FixedNs+float64(l.Changes)*delayNs)
	}
	return best
}

// won reports whether our lane is faster than both others at some delay at which the studio may
// open a race: 1, 2 or 5 times a power of ten.
func (r *race) won() bool {
	for ten := 1.0; ten <= r.MostNs; ten *= 10 {
		for _, delay := range []float64{ten, 2 * ten, 5 * ten} {
			for size := range r.SizesBytes {
				if delay >= r.LeastNs && delay <= r.MostNs && r.at("lightpath", size, delay)*1.01 < min(r.at("static", size, delay), r.at("every", size, delay)) {
					return true
				}
			}
		}
	}
	return false
}

// The stored races are the planners' results: the test compares each file with plans for delays
// between its own, and the drawn plans take the stated times.
func TestRacesAreWhatPlannersFind(t *testing.T) {
	for _, want := range stored {
		t.Run(raceFile(want.op, want.nodes), func(t *testing.T) {
			if *rewrite {
				writeStored(t, raceFile(want.op, want.nodes), makeRace(t, want.op, want.nodes))
				return
			}
			t.Parallel()
			var r race
			readStored(t, raceFile(want.op, want.nodes), &r)
			for i, delay := range []units.Duration{700 * units.Nanosecond, 11 * units.Microsecond, 170 * units.Microsecond} {
				for _, lane := range raceLanes {
					size := (5*i + 2) % len(r.SizesBytes)
					p := makeRacer(t, r.Op, r.Nodes, r.SizesBytes[size], lane.planner, cmp.Or(lane.delay, delay))
					if got := r.at(lane.name, size, float64(delay.Time())); math.Abs(got/float64(p.Cost.Total())-1) > 1e-9 {
						t.Errorf("%s of %d bytes, delay %v, takes %v and not %v; go test ./server/studio -rewrite", lane.name, r.SizesBytes[size], delay, p.Cost.Total(), got)
					}
				}
			}
			for size := range r.SizesBytes {
				for delay := r.LeastNs; delay <= r.MostNs; delay *= 1.3 {
					if ours := r.at("lightpath", size, delay); ours > min(r.at("static", size, delay), r.at("every", size, delay))*(1+1e-9) {
						t.Errorf("%d bytes, delay %v ns: ours is not the fastest", r.SizesBytes[size], delay)
					}
				}
			}
			if !r.won() {
				t.Error("at no round delay is ours faster than both others: there is nothing to open the race at")
			}
			for lane, sizes := range r.Lanes {
				for _, line := range slices.Concat(sizes...) {
					r.check(t, lane, line)
				}
			}
		})
	}
}

// check replays a plan: its parts add up, and routes follow circuits.
func (r *race) check(t *testing.T, lane string, line racing) {
	t.Helper()
	p, sum, dark := r.Plans[line.Plan], 0.0, 0
	for _, stage := range p.Stages {
		if stage.Dark {
			dark++
		}
		up := map[[2]int]bool{}
		for c := range slices.Chunk(r.Circuits[stage.Circuits], 2) {
			up[[2]int{c[0], c[1]}] = true
		}
		for _, step := range stage.Steps {
			sum += step.TotalNs
			for _, route := range r.Routes[step.Routes] {
				for i := range route[1:] {
					if !up[[2]int{route[i], route[i+1]}] {
						t.Fatalf("%s: %s: %v takes a circuit that is not there", lane, p.Algorithm, route)
					}
				}
			}
		}
	}
	if math.Abs(sum/line.FixedNs-1) > 1e-9 || line.Changes != dark {
		t.Errorf("%s: %s takes %v ns with %d changes, and not %v with %d", lane, p.Algorithm, sum, dark, line.FixedNs, line.Changes)
	}
}

// readStored reads a file that the studio has.
func readStored(t *testing.T, name string, into any) {
	t.Helper()
	data, err := fs.ReadFile(studio.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func writeStored(t *testing.T, name string, content any) {
	t.Helper()
	data, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(name + ": " + strconv.Itoa(len(data)) + " bytes")
	if err := os.WriteFile(name, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
