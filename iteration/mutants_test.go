package iteration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/fabric/layout"
	"github.com/lightpath-net/lightpath/internal/samples"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// TestWrongIterationsAreRefused: a document that was changed in some way fails the check
// responsible for it.
func TestWrongIterationsAreRefused(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 3))
	tried := map[string]int{}
	for range samples.Draws(4, 8) {
		w := drawn(random, 8)
		good, _ := newPlanner(t, w).plan(t, small(1, 20*units.Microsecond), iteration.Best)
		for name, mutant := range map[string]struct {
			change func(d *iteration.Document) bool
			check  string
		}{
			"an operation starts early": {func(d *iteration.Document) bool {
				o := &d.Ops[len(d.Ops)-1]
				o.Start, o.End = o.Start-5000, o.End-5000
				return true
			}, "order workload ports circuits plans"},
			"no other policy has a time":   {func(d *iteration.Document) bool { d.Baselines = nil; return true }, "claims"},
			"an operation is missing":      {func(d *iteration.Document) bool { d.Ops = d.Ops[1:]; return true }, "order"},
			"an operation is listed twice": {func(d *iteration.Document) bool { d.Ops[1] = d.Ops[0]; return true }, "order"},
			"a collective is too short": {func(d *iteration.Document) bool {
				i := slices.IndexFunc(d.Ops, func(o iteration.DocumentOp) bool { return o.Plan > 0 })
				if i < 0 {
					return false
				}
				d.Ops[i].End -= 1000
				return true
			}, "plans"},
			"a send is too short": {func(d *iteration.Document) bool {
				i := slices.IndexFunc(d.Ops, func(o iteration.DocumentOp) bool { return o.Plan == 0 && o.Circuits > 0 })
				if i < 0 {
					return false
				}
				d.Ops[i].End -= 1000
				return true
			}, "plans"},
			"a plan is of another size": {func(d *iteration.Document) bool {
				if len(d.Plans) < 2 {
					return false
				}
				d.Plans[0], d.Plans[1] = d.Plans[1], d.Plans[0]
				return true
			}, "plans"},
			"a plan is damaged": {func(d *iteration.Document) bool {
				if len(d.Plans) == 0 {
					return false
				}
				text := strings.Replace(string(d.Plans[0]), `"reduce"`, `"copy"`, 1)
				if text == string(d.Plans[0]) {
					return false
				}
				d.Plans[0] = json.RawMessage(text)
				return true
			}, "plans"},
			"a change is too short": {func(d *iteration.Document) bool {
				if len(d.Changes) == 0 {
					return false
				}
				d.Changes[0].Start += 1000
				return true
			}, "changes ports"},
			"a change is missing": {func(d *iteration.Document) bool {
				if len(d.Changes) == 0 {
					return false
				}
				d.Changes = d.Changes[1:]
				return true
			}, "ports steady"},
			"a change comes while the port sends": {func(d *iteration.Document) bool {
				for i := range d.Changes {
					if c := &d.Changes[i]; c.Start > 2000 {
						c.Start, c.End = c.Start-1500, c.End-1500
						for _, o := range d.Ops {
							if o.Circuits > 0 && o.Start < c.Start && o.End > c.Start && len(d.Classes) == 1 {
								return true
							}
						}
						return false
					}
				}
				return false
			}, "ports"},
			"circuits take a port that there is not": {func(d *iteration.Document) bool {
				if len(d.Changes) == 0 {
					return false
				}
				d.Changes[0].Lanes = slices.Clone(d.Changes[0].Lanes)
				d.Changes[0].Lanes[0][2] = 1
				return true
			}, "circuits"},
			"circuits are claimed to be up": {func(d *iteration.Document) bool {
				if len(d.Changes) < 2 {
					return false
				}
				d.Up = append(d.Up, d.Changes[0].DocumentSeat)
				d.Changes = d.Changes[1:]
				return true
			}, "circuits ports steady time"},
			"the iteration is too short": {func(d *iteration.Document) bool { d.Iteration -= 5000; return true }, "time steady"},
			"the bound is too high":      {func(d *iteration.Document) bool { d.Bound = d.Iteration * 2; return true }, "time claims"},
			"the compute is wrong":       {func(d *iteration.Document) bool { d.Compute++; return true }, "time claims"},
			"hidden changes are wrong":   {func(d *iteration.Document) bool { d.Hidden++; return true }, "time claims"},
			"a class is another":         {func(d *iteration.Document) bool { d.Classes = d.Classes[1:]; return true }, "workload"},
		} {
			d := reread(t, good)
			if !mutant.change(d) {
				continue
			}
			tried[name]++
			report, err := iteration.Verify(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			bad := report.First()
			if bad == nil {
				t.Errorf("%s: it is proven", name)
			} else if !slices.Contains(strings.Fields(mutant.check), bad.Name) {
				t.Errorf("%s: refused by %s: %s; want %s", name, bad.Name, bad.Detail, mutant.check)
			}
		}
	}
	if len(tried) < 16 {
		t.Errorf("only %d kinds of mutants: %v", len(tried), tried)
	}
}

// TestCircuitsBetweenSwitchesAreRefused: circuits whose ports are on different switches are not
// proven, nor plans over fixed links that are not there.
func TestCircuitsBetweenSwitchesAreRefused(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 6))
	refused := map[string]int{}
	for range samples.Draws(4, 6) {
		w := drawn(random, 8)
		rows, columns := len(w.Kinds["dp"][0]), len(w.Kinds["tp"][0])
		p := newPlanner(t, w)
		refuse := func(name string, d *iteration.Document) {
			report, err := iteration.Verify(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if report.OK {
				t.Errorf("%s: it is proven", name)
			}
			refused[name]++
		}
		f := small(2, 20*units.Microsecond)
		ideal, _ := p.plan(t, f, iteration.Best)
		var err error
		if f.Layout, err = layout.Grid([]int{rows, columns}, nil); err != nil {
			t.Fatal(err)
		}
		good, _ := p.plan(t, f, iteration.Best)
		if both := reread(t, good); len(both.Up) > 0 {
			for i := range both.Up[0].Lanes {
				both.Up[0].Lanes[i][2] = 1 - both.Up[0].Lanes[i][2]
			}
			refuse("ports of another digit", both)
		}
		if slices.ContainsFunc(ideal.Ops, func(o iteration.DocumentOp) bool { return o.Ports == 2 }) {
			other := reread(t, ideal)
			other.Fabric.Layout = f.Layout
			refuse("a plan of one switch on a grid", other)
		}
		f.Layout = layout.Rails()
		static, _ := p.plan(t, f, iteration.Static) // which divides the ports
		for i := 0; static != nil && i < len(static.Up); i++ {
			other := reread(t, static)
			if lanes := other.Up[i].Lanes; len(lanes) > 1 && !slices.Contains(lanes, iteration.DocumentLane{lanes[0][0], lanes[0][1], 1 - lanes[0][2]}) {
				lanes[0][2] = 1 - lanes[0][2]
				refuse("a circuit from switch to switch", other)
				break
			}
		}
		f.Layout = layout.Layout{}
		f.Fixed.Bandwidth = 3200 * units.Gbps
		if f.Fixed.Links, err = fabric.ParseFixed(fmt.Sprintf("K(%d)", columns), nil); err != nil {
			t.Fatal(err)
		}
		good, _ = p.plan(t, f, iteration.Best)
		for i, text := range good.Plans {
			if bytes.Contains(text, []byte(`"fixed"`)) && slices.ContainsFunc(good.Ops, func(o iteration.DocumentOp) bool { return o.Plan == i+1 }) {
				other := reread(t, good)
				other.Fabric.Fixed.Bandwidth *= 2
				refuse("links that are faster than the plan says", other)
				other = reread(t, good)
				other.Fabric.Fixed = fabric.Fixed{}
				refuse("links that are not there", other)
				break
			}
		}
	}
	if len(refused) < 5 {
		t.Errorf("only these were tried: %v", refused)
	}
}

// FuzzDecode: whatever is read is proven or refused, and nothing panics.
func FuzzDecode(f *testing.F) {
	f.Add(`{"schema":"lightpath.iterate/v1","ranks":1,"workload":{"schema":"lightpath.workload/v1","ranks":1,"kinds":{},"programs":[{"ranks":"0","ops":[{"id":"a","compute_ns":5}]}]},"classes":[{"ranks":"0"}],"ops":[{"id":"a","class":0,"start_ns":0,"end_ns":5}],"iteration_ns":5,"compute_ns":5,"bound_ns":5,"gap":0,"fabric":{"nodes":2}}`)
	f.Add(`{"schema":"lightpath.iterate/v1","circuits":[{"name":"x","classes":[0],"ring":1}],"changes":[{"circuits":1,"lanes":[[0,0,0]],"start_ns":1,"end_ns":0}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := iteration.Decode(strings.NewReader(text))
		if err != nil {
			return
		}
		if _, err := iteration.Verify(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	})
}

// TestChangesAtTheEndSayWhatTheyCost: circuits that are up at the beginning of an iteration but
// not at its end are set up again at its end. The plan says what they add to its time, and such
// changes are not hidden.
func TestChangesAtTheEndSayWhatTheyCost(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(31, 12))
	exposed, hidden := 0, 0
	for range 12 {
		p := newPlanner(t, drawn(random, 8))
		f := small(1, units.Duration(1+random.IntN(200))*units.Microsecond)
		_, made := p.plan(t, f, iteration.PhasesAhead)
		f.Nodes = p.graph.Workload.Ranks
		r := p.known[f.Key()]
		// The circuits that are set up first are up before instead.
		c := made.Course
		touched := map[iteration.Lane]bool{}
		for i := range c.Moves {
			m := &c.Moves[i]
			first := r.Offers[p.program.Jobs[m.Job].Work][m.Offer].First
			if m.Take != nil && c.Initial[first] == nil && !slices.ContainsFunc(m.Take, func(l iteration.Lane) bool { return touched[l] }) {
				c.Initial[first], m.Take = m.Take, nil
			}
			for _, claim := range r.Circuits[first].Claims {
				touched[iteration.Lane{Line: claim.Line}] = true
			}
		}
		made.Timetable, made.Baselines = c.Time(p.program, r), map[string]*iteration.Timetable{iteration.PhasesAhead: c.Time(p.program, r)}
		d, err := iteration.NewDocument(p.graph, &f, p.program, r, made)
		if err != nil {
			t.Fatal(err)
		}
		report, err := iteration.Verify(t.Context(), reread(t, d))
		if err != nil {
			t.Fatal(err)
		}
		if bad := report.First(); bad != nil {
			t.Errorf("%s: %s", bad.Name, bad.Detail)
		}
		for i := range d.Changes {
			if c := &d.Changes[i]; c.Before == "" {
				if c.Exposed > 0 {
					exposed++
				} else {
					hidden++
				}
				other := reread(t, d)
				other.Changes[i].Exposed += 1000
				if report, err := iteration.Verify(t.Context(), other); err != nil || report.OK {
					t.Errorf("%v more at the end is proven: %v", other.Changes[i].Exposed, err)
				}
			}
		}
	}
	if exposed == 0 || hidden == 0 {
		t.Errorf("%d changes at the end are exposed and %d are hidden; want both", exposed, hidden)
	}
}
