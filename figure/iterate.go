package figure

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/explain"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// maxIterationClasses is the most classes of ranks that are drawn.
const maxIterationClasses = 8

// maxRatio is the largest ratio of a policy's time to the plan's for which it is drawn beside
// the plan.
const maxRatio = 3

// Iteration draws what classes of ranks do in an iteration: compute, communicate by kind,
// change circuits. If there are more than maxIterationClasses, evenly spaced classes stand for
// all.
func Iteration(d *iteration.Document) (*chart.Scene, error) {
	name := cmp.Or(d.Name, "the workload")
	if d.Online != nil {
		return followed(name, d)
	}
	b := &chart.Bars{
		Caption: chart.Caption{Title: fmt.Sprintf("An iteration of %s on %d GPUs: %v", name, d.Ranks, d.Iteration), Subtitle: machine(&d.Fabric), Source: modelled},
		Label:   "time", Unit: chart.Seconds, Parts: []string{"compute", "exposed"}, Names: []string{"this plan (" + d.Policy + ")"},
		Values: [][]float64{{float64(d.Compute), float64(d.Exposed)}},
		Bound:  float64(d.Bound), BoundName: "no iteration over own ports is faster",
	}
	for _, policy := range iteration.Policies() {
		time, ok := d.Baselines[policy]
		switch {
		case !ok || policy == d.Policy:
		case time > maxRatio*d.Iteration:
			b.Subtitle += fmt.Sprintf("; %s takes %v", policy, time)
		default:
			b.Names = append(b.Names, policy)
			b.Values = append(b.Values, []float64{float64(d.Compute), float64(time - d.Compute)})
		}
	}
	parts, err := b.Scene()
	if err != nil {
		return nil, err
	}
	g := &chart.Gantt{
		Caption: chart.Caption{Title: "What ranks do when", Subtitle: fmt.Sprintf("%.1f%% of the iteration is exposed communication", 100*d.Exposed.Share(d.Iteration)),
			Source: modelled + fmt.Sprintf(" Gaps shorter than 1/%d of the iteration are not drawn.", apart)},
		Label: "time",
	}
	drawn := &iterationRows{Gantt: g, Document: d, kinds: map[string]int{}}
	drawn.kind("compute")
	for i := range d.Ops {
		if o := &d.Ops[i]; communicates(o) {
			drawn.kind(cmp.Or(o.Kind, "send"))
			drawn.grounded = drawn.grounded || o.Circuits == 0
		}
	}
	drawn.kind("ports change")
	step := arithmetic.CeilDiv(len(d.Classes), maxIterationClasses)
	for class := 0; class < len(d.Classes); class += step {
		drawn.class(class)
	}
	when, err := g.Scene()
	if err != nil {
		return nil, err
	}
	return chart.Panels("", 1, parts, when), nil
}

// followed draws the steps of a trace.
func followed(name string, d *iteration.Document) (*chart.Scene, error) {
	o := d.Online
	c := &chart.Lines{
		Caption: chart.Caption{Title: fmt.Sprintf("%s of %s on %d GPUs: %v", units.Count(len(o.Steps), "step"), name, d.Ranks, o.Total), Subtitle: machine(&d.Fabric), Source: modelled + " Dots: another plan takes over."},
		X:       chart.Axis{Label: "step"}, Y: chart.Axis{Label: "time of the step", Unit: chart.Seconds},
	}
	add := func(name string, dashed bool, time func(s *iteration.OnlineStep) units.Time) {
		l := chart.Line{Name: name, Dashed: dashed}
		for i := range o.Steps {
			l.X, l.Y = append(l.X, float64(i)), append(l.Y, float64(time(&o.Steps[i])))
		}
		c.Lines = append(c.Lines, l)
	}
	add("as decided, step by step", false, func(s *iteration.OnlineStep) units.Time { return s.Time })
	for i := range o.Steps {
		if o.Steps[i].Rewired {
			c.Lines[0].Marks = append(c.Lines[0].Marks, i)
		}
	}
	add("the plan for even demand", false, func(s *iteration.OnlineStep) units.Time { return s.Static })
	add("a plan of its own for every step", false, func(s *iteration.OnlineStep) units.Time { return s.Newest })
	add("bound", true, func(s *iteration.OnlineStep) units.Time { return s.Bound })
	return c.Scene()
}

// communicates reports whether an operation is a collective or a send.
func communicates(o *iteration.DocumentOp) bool {
	return o.Kind != "" || o.Ports > 0 || o.Plan > 0 || o.Circuits > 0
}

// modelled says where the times of an iteration come from.
const modelled = "Computed by the cost model. Not a measurement."

// iterationRows draws the rows of classes.
type iterationRows struct {
	*chart.Gantt
	*iteration.Document
	kinds    map[string]int
	grounded bool // something is sent within islands
}

func (r *iterationRows) kind(name string) int {
	k, ok := r.kinds[name]
	if !ok {
		k = len(r.Kinds)
		r.kinds[name] = k
		r.Kinds = append(r.Kinds, name)
	}
	return k
}

// class draws what a class computes, what it sends within islands, and what its ports do.
func (r *iterationRows) class(class int) {
	row := len(r.Rows)
	r.Rows = append(r.Rows, cmp.Or(r.Classes[class].Name, fmt.Sprintf("ranks %.20s", r.Classes[class].Ranks.String())))
	islands := row
	if r.grounded {
		r.Rows = append(r.Rows, "islands")
		islands++
	}
	r.Rows = append(r.Rows, "ports")
	ports := len(r.Rows) - 1
	spans := map[[2]int][]chart.Span{} // by row and kind
	add := func(row int, kind string, from, to units.Time, tip string) {
		if to > from {
			key := [2]int{row, r.kind(kind)}
			spans[key] = append(spans[key], chart.Span{Row: row, From: float64(from), To: float64(to), Kind: key[1], Tip: tip})
		}
	}
	member := map[int]bool{}
	for i := range r.Circuits {
		if slices.Contains(r.Circuits[i].Classes, class) {
			member[i+1] = true
		}
	}
	for i := range r.Ops {
		o := &r.Ops[i]
		tip := fmt.Sprintf("%s: %v to %v", o.ID, o.Start, o.End)
		switch {
		case !communicates(o):
			if o.Class == class {
				add(row, "compute", o.Start, o.End, tip)
			}
		case o.Circuits == 0 && o.Class == class:
			add(islands, cmp.Or(o.Kind, "send"), o.Start, o.End, tip)
		case o.Circuits > 0 && (o.Class == class || member[o.Circuits]):
			add(ports, cmp.Or(o.Kind, "send"), o.Start, o.End, tip)
		}
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		if slices.ContainsFunc(c.Lanes, func(l iteration.DocumentLane) bool { return l[0] == class }) {
			add(ports, "ports change", max(0, c.Start), min(max(0, c.End), r.Iteration), fmt.Sprintf("ports change for %s", cmp.Or(c.Before, "the next iteration")))
		}
	}
	// Rare spans are drawn last, on top of those that fill the row.
	keys := slices.Collect(maps.Keys(spans))
	slices.SortFunc(keys, func(a, b [2]int) int {
		return cmp.Or(a[0]-b[0], cmp.Compare(drawnTime(spans[b]), drawnTime(spans[a])), a[1]-b[1])
	})
	for _, key := range keys {
		r.Spans = append(r.Spans, joined(spans[key], float64(r.Iteration)/apart)...)
	}
}

// apart is how many spans of a row can be distinguished.
const apart = 400

// drawnTime returns the total length of spans.
func drawnTime(list []chart.Span) float64 {
	return each.Sum(list, func(s chart.Span) float64 { return s.To - s.From })
}

// joined merges spans that are too close to be distinguished.
func joined(list []chart.Span, least float64) []chart.Span {
	slices.SortFunc(list, func(a, b chart.Span) int { return cmp.Compare(a.From, b.From) })
	var kept []chart.Span
	for _, s := range list {
		if n := len(kept); n > 0 && s.From-kept[n-1].To < least {
			kept[n-1].To = max(kept[n-1].To, s.To)
			kept[n-1].Tip = ""
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// Budget draws what the time of an iteration is spent on, for the critical path and for every
// class of ranks, and below that the rewiring that the iteration hides.
func Budget(e *explain.Explanation) (*chart.Scene, error) {
	x := e.Iteration
	if x == nil {
		return nil, errors.New("it is drawn onto its plan")
	}
	kinds := map[string]units.Time{}
	for _, budget := range append([]iteration.Budget{x.Path}, budgets(x)...) {
		for kind := range budget.Communication {
			kinds[kind] = 0
		}
	}
	b := &chart.Bars{
		Caption: chart.Caption{Title: fmt.Sprintf("An iteration of %s on %d GPUs: %v", cmp.Or(x.Name, "the workload"), x.Ranks, x.Iteration),
			Subtitle: "exposed communication, by kind of group, and exposed reconfiguring", Source: modelled},
		Label: "time", Unit: chart.Seconds, Parts: []string{"compute"}, Bound: float64(x.Bound), BoundName: "no iteration over own ports is faster",
	}
	b.Parts = append(append(b.Parts, iteration.Kinds(kinds)...), "reconfiguring", "waits")
	b.UnderName = "hidden reconfiguring, meanwhile"
	enter := func(name string, budget *iteration.Budget, hidden units.Time) {
		values := []float64{float64(budget.Compute)}
		for _, kind := range iteration.Kinds(kinds) {
			values = append(values, float64(budget.Communication[kind]))
		}
		b.Names, b.Values = append(b.Names, name), append(b.Values, append(values, float64(budget.Rewiring), float64(budget.Waits)))
		b.Under = append(b.Under, float64(hidden))
	}
	enter("critical path", &x.Path, 0)
	step := arithmetic.CeilDiv(len(x.Classes), maxIterationClasses)
	for i := 0; i < len(x.Classes); i += step {
		enter(cmp.Or(x.Classes[i].Name, "ranks "+x.Classes[i].Ranks), &x.Classes[i].Budget, x.Classes[i].HiddenRewiring)
	}
	return b.Scene()
}

// budgets lists the budgets of all classes.
func budgets(x *iteration.Explanation) []iteration.Budget {
	return each.Below(len(x.Classes), func(i int) iteration.Budget { return x.Classes[i].Budget })
}

// carriedOut draws how long the communications of an iteration took in simulation, and what the
// plan says about each.
func carriedOut(s *simulating.Simulation) (*chart.Scene, error) {
	i := s.Iteration
	b := &chart.Bars{
		Caption: chart.Caption{Title: fmt.Sprintf("An iteration of %s on %d GPUs: %v in simulation", cmp.Or(i.Name, "the workload"), i.Ranks, s.CompletionNs),
			Subtitle: fmt.Sprintf("the model says %v", s.PredictedNs), Source: fmt.Sprintf("%s level simulation. Not a measurement.", s.Level)},
		Label: "time of one", Unit: chart.Seconds, Parts: []string{"simulated"}, MarkName: "model",
	}
	for k := range i.Communications {
		if len(b.Names) == maxBars {
			b.Source += fmt.Sprintf(" The first %d of %d communications.", maxBars, len(i.Communications))
			break
		}
		c := &i.Communications[k]
		b.Names = append(b.Names, strings.TrimSpace(fmt.Sprintf("%s %s of %v, %d GPUs", c.Kind, c.Op, c.Size, c.Ranks)))
		b.Values, b.Marks = append(b.Values, []float64{float64(c.SimulatedNs)}), append(b.Marks, float64(c.PredictedNs))
	}
	return b.Scene()
}
