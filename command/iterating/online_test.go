package iterating

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/command"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/iteration/online"
	"github.com/lightpath-net/lightpath/units"
	"github.com/lightpath-net/lightpath/workload"
)

// experts returns a workload of two layers of experts on all ranks, with gradients at the end.
func experts(t *testing.T, ranks int, compute units.Time) *workload.Workload {
	t.Helper()
	var list []string
	for r := range ranks {
		list = append(list, fmt.Sprint(r))
	}
	group := "[[" + strings.Join(list, ",") + "]]"
	var ops []string
	last := ""
	add := func(id, what string) {
		if last != "" {
			what += fmt.Sprintf(`,"after":[%q]`, last)
		}
		ops = append(ops, fmt.Sprintf(`{"id":%q,%s}`, id, what))
		last = id
	}
	for layer := range 2 {
		add(fmt.Sprint("attend", layer), fmt.Sprintf(`"compute_ns":%d`, int(compute)))
		add(fmt.Sprint("send", layer), `"op":"alltoall","kind":"ep","size_bytes":4194304,"skew":"uniform"`)
		add(fmt.Sprint("expert", layer), fmt.Sprintf(`"compute_ns":%d`, int(compute)))
		add(fmt.Sprint("return", layer), `"op":"alltoall","kind":"ep","size_bytes":4194304,"skew":"back:uniform"`)
	}
	add("gradients", `"op":"allreduce","kind":"dp","size_bytes":16777216`)
	w := &workload.Workload{}
	text := fmt.Sprintf(`{"schema":"lightpath.workload/v1","ranks":%d,"kinds":{"ep":%s,"dp":%s},"programs":[{"ranks":"0-%d","ops":[%s]}]}`, ranks, group, group, ranks-1, strings.Join(ops, ","))
	if err := json.Unmarshal([]byte(text), w); err != nil {
		t.Fatal(err)
	}
	return w
}

// following returns a request with a trace.
func following(t *testing.T, w *workload.Workload, ports int, delay units.Duration, trace string) *IterateRequest {
	t.Helper()
	f := fabric.Default()
	f.Nodes, f.Ports, f.Reconfig.Base = w.Ranks, ports, delay
	return &IterateRequest{Workload: w, Fabric: f, DemandTrace: collective.TraceValue{Generator: trace}}
}

func TestFollowingATrace(t *testing.T) {
	t.Parallel()
	ranks := 3 // each trace takes a second, and with one more three
	if samples.Every() {
		ranks = 4
	}
	for i, delay := range []units.Duration{0, 30_000, 10_000_000} {
		for j, trace := range []string{"drift:5:0.05", "drift:3:1"} {
			if (i+j)%2 > 0 && !samples.Every() {
				continue // in turn
			}
			r := following(t, experts(t, ranks, 20_000), 1+i%2, delay, trace)
			d, err := Iterate(t.Context(), *r)
			if err != nil {
				t.Fatal(err)
			}
			o := d.Online
			var total, static, newest, bound units.Time
			rewired := 0
			for _, s := range o.Steps {
				total, static, newest, bound = total+s.Time, static+s.Static, newest+s.Newest, bound+s.Bound
				if s.Rewired {
					rewired++
				}
				if min(s.Time, s.Static, s.Newest) < s.Bound*(1-1e-9) {
					t.Errorf("delay %v, %s, step %d: %v, %v or %v is below the bound of %v", delay, trace, s.Step, s.Time, s.Static, s.Newest, s.Bound)
				}
			}
			for _, c := range [][2]units.Time{{total, o.Total}, {static, o.Static}, {newest, o.Newest}, {bound, o.Bound}} {
				if math.Abs(float64(c[0]/c[1])-1) > 1e-9 {
					t.Errorf("delay %v, %s: steps add up to %v, not %v", delay, trace, c[0], c[1])
				}
			}
			if rewired != o.Rewired {
				t.Errorf("%d steps are rewired, not %d", rewired, o.Rewired)
			}
			slack := units.Time(1 + 1e-9)
			switch {
			case o.Total > o.Static*slack:
				t.Errorf("delay %v, %s: %v; the plan for even demand takes %v", delay, trace, o.Total, o.Static)
			case o.Hindsight > min(o.Total, o.Static, o.Newest)*slack:
				t.Errorf("delay %v, %s: %v in hindsight; %v, %v and %v are possible", delay, trace, o.Hindsight, o.Total, o.Static, o.Newest)
			case o.Ratio > online.Ratio:
				t.Errorf("delay %v, %s: %.2f times the best in hindsight", delay, trace, o.Ratio)
			case delay == 0 && o.Total > o.Newest*slack:
				t.Errorf("%s: %v; rewiring is free, and every step for itself takes %v", trace, o.Total, o.Newest)
			}
		}
	}
}

// lanes are the lanes of a class with their content.
type chained struct {
	t    *testing.T
	up   map[iteration.DocumentLane]string
	busy map[iteration.DocumentLane]units.Time
}

// seat says which circuits are where.
func seat(d *iteration.Document, s iteration.DocumentSeat) string {
	c := d.Circuits[s.Circuits-1]
	c.Name = ""
	text, _ := json.Marshal(c)
	return fmt.Sprint(string(text), s.Lanes)
}

// play executes a document event by event from a given time on. First it sets up the circuits
// that must be up by then.
func (c *chained) play(d *iteration.Document, from units.Time) {
	type event struct {
		at, end units.Time
		change  *iteration.DocumentChange
		op      *iteration.DocumentOp
	}
	var events []event
	for i := range d.Changes {
		events = append(events, event{d.Changes[i].Start, d.Changes[i].End, &d.Changes[i], nil})
	}
	for i := range d.Ops {
		if d.Ops[i].Circuits > 0 {
			events = append(events, event{d.Ops[i].Start, d.Ops[i].End, nil, &d.Ops[i]})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return cmp.Compare(a.end, b.end)
	})
	at := map[int][]iteration.DocumentLane{} // where circuits are
	for _, s := range d.Up {
		at[s.Circuits] = s.Lanes
	}
	take := func(e event, lanes []iteration.DocumentLane, set string) {
		for _, l := range lanes {
			if busy, ok := c.busy[l]; ok && from+e.at < busy-1e-3 {
				c.t.Errorf("port %v is busy until %v; something begins at %v", l, busy, from+e.at)
			}
			c.busy[l] = max(c.busy[l], from+e.end)
			if set != "" {
				c.up[l] = set
			}
		}
	}
	for _, e := range events {
		if e.change != nil {
			take(e, e.change.Lanes, seat(d, e.change.DocumentSeat))
			at[e.change.Circuits] = e.change.Lanes
			continue
		}
		lanes := at[e.op.Circuits]
		for _, l := range lanes {
			if want := seat(d, iteration.DocumentSeat{Circuits: e.op.Circuits, Lanes: lanes}); c.up[l] != want {
				c.t.Errorf("%s at %v: port %v has %.60s; want %.60s", e.op.ID, from+e.at, l, c.up[l], want)
			}
		}
		set := ""
		if e.op.Leaves > 0 {
			at[e.op.Leaves] = lanes
			set = seat(d, iteration.DocumentSeat{Circuits: e.op.Leaves, Lanes: lanes})
		}
		take(e, lanes, set)
	}
}

// The steps of a trace follow one another at the charged times: no port is ever used twice at
// once, or without its circuits.
func TestStepsFollowOneAnother(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 9))
	for i := range samples.Draws(2, 4) {
		delay := units.Duration(random.IntN(400_000))
		r := following(t, experts(t, 3+random.IntN(2), units.Time(random.IntN(60_000))), 1+random.IntN(3), delay, fmt.Sprintf("drift:4:%v", []float64{0.2, 1}[i%2]))
		if err := r.Complete(); err != nil {
			t.Fatal(err)
		}
		trace, err := r.DemandTrace.Of(r.Workload.Ranks)
		if err != nil {
			t.Fatal(err)
		}
		e := command.NewRun(nil)
		g, err := newGame(t.Context(), r, r.Workload, &groups{e: e})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range trace {
			if err := g.add(t.Context(), d.Spec()); err != nil {
				t.Fatal(err)
			}
		}
		c := &chained{t, map[iteration.DocumentLane]string{}, map[iteration.DocumentLane]units.Time{}}
		before, at := 0, units.Time(0)
		var last *iteration.Document
		for step := range g.Steps() {
			planned, err := g.Plan(t.Context(), step)
			if err != nil {
				t.Fatal(err)
			}
			states := append([]int{0, before}, planned...)
			next := states[random.IntN(len(states))] // any of them
			run, err := g.run(t.Context(), next, step)
			if err != nil {
				t.Fatal(err)
			}
			if run == nil {
				next = 0
				if run, err = g.run(t.Context(), next, step); err != nil {
					t.Fatal(err)
				}
			}
			move, err := g.Move(t.Context(), before, next, step)
			if err != nil {
				t.Fatal(err)
			}
			if move > g.Delay()*(1+1e-9) {
				t.Errorf("a move takes %v; the delay is %v", move, g.Delay())
			}
			if back, err := g.Move(t.Context(), before, 0, step); err != nil || back > g.Back(before)*(1+1e-9) && before != 0 {
				t.Errorf("a move home takes %v, not at most %v: %v", back, g.Back(before), err)
			}
			if same := run.Again(run); math.Abs(float64(same-run.Iteration)) > 1e-6 {
				t.Errorf("an iteration takes %v before itself, not %v", same, run.Iteration)
			}
			d, err := proven(t.Context(), g.demands[g.of[step]].graph, &r.Fabric, run)
			if err != nil {
				t.Fatal(err)
			}
			if last != nil {
				at += last.Iteration
			} else { // what home leaves
				home, err := proven(t.Context(), g.demands[0].graph, &r.Fabric, g.states[0])
				if err != nil {
					t.Fatal(err)
				}
				for _, up := range home.Up {
					for _, l := range up.Lanes {
						c.up[l] = seat(home, up)
					}
				}
				c.play(home, 0)
				at = home.Iteration
			}
			if next != before {
				for _, s := range d.Up {
					text := seat(d, s)
					for _, l := range s.Lanes {
						if c.up[l] != text { // set up when the step begins
							c.up[l], c.busy[l] = text, at+g.Delay()
						}
					}
				}
			}
			at += move
			c.play(d, at)
			before, last = next, d
		}
	}
}

func TestTracesThatCannotBeFollowed(t *testing.T) {
	t.Parallel()
	none := experts(t, 4, 1000)
	for i := range none.Programs[0].Ops {
		if o := &none.Programs[0].Ops[i]; o.Skew != "" {
			o.Op, o.Skew = "allreduce", ""
		}
	}
	cold := following(t, experts(t, 4, 1000), 1, 1000, "drift:2:0.1")
	cold.Fabric.Initial = fabric.InitialDark
	for want, r := range map[string]*IterateRequest{
		"no all-to-all":                 following(t, none, 1, 1000, "drift:2:0.1"),
		"not a rate":                    following(t, experts(t, 4, 1000), 1, 1000, "drift:2:7"),
		"unknown trace":                 following(t, experts(t, 4, 1000), 1, 1000, "sideways"),
		"the plan for even demand":      cold,
		"demands are of 2 ranks; the g": {Workload: experts(t, 4, 1000), DemandTrace: collective.TraceValue{Steps: collective.DemandTrace{{{0, 1}, {1, 0}}}}},
		"step 0: row 0":                 {Workload: experts(t, 4, 1000), DemandTrace: collective.TraceValue{Steps: collective.DemandTrace{{{0, 1}}}}},
	} {
		if _, err := Iterate(t.Context(), *r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
