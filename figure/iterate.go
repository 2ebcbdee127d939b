package figure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/iteration"
	"github.com/lightpath-net/lightpath/units"
)

// maxIterationClasses is how many classes of ranks are drawn.
const maxIterationClasses = 8

// Iteration draws what classes of ranks do in an iteration: compute, communicate by kind, change
// circuits. Beyond maxIterationClasses, classes evenly spread stand for all.
func Iteration(d *iteration.Document) (*chart.Scene, error) {
	name := cmp.Or(d.Name, "the workload")
	b := &chart.Bars{
		Caption: chart.Caption{Title: fmt.Sprintf("An iteration of %s on %d GPUs: %v", name, d.Ranks, d.Iteration), Subtitle: machine(&d.Fabric), Source: modelled},
		Label:   "time", Unit: chart.Seconds, Parts: []string{"compute", "exposed"}, Names: []string{d.Policy},
		Values: [][]float64{{float64(d.Compute), float64(d.Exposed)}},
		Bound:  float64(d.Bound), BoundName: "no iteration over own ports is faster",
	}
	for _, policy := range iteration.Policies() {
		if time, ok := d.Baselines[policy]; ok && policy != d.Policy && time < 20*d.Iteration {
			b.Names = append(b.Names, policy)
			b.Values = append(b.Values, []float64{float64(d.Compute), float64(time - d.Compute)})
		}
	}
	parts, err := b.Scene()
	if err != nil {
		return nil, err
	}
	g := &chart.Gantt{
		Caption: chart.Caption{Title: "What ranks do when", Subtitle: fmt.Sprintf("%.1f%% of the iteration is exposed communication", 100*float64(d.Exposed/d.Iteration)), Source: modelled},
		Label:   "time",
	}
	drawn := &iterationRows{Gantt: g, Document: d, kinds: map[string]int{}}
	step := (len(d.Classes) + maxIterationClasses - 1) / maxIterationClasses
	for class := 0; class < len(d.Classes); class += step {
		drawn.class(class)
	}
	when, err := g.Scene()
	if err != nil {
		return nil, err
	}
	return chart.Panels("", 1, parts, when), nil
}

// modelled is where the times of an iteration come from.
const modelled = "Computed by the cost model. Not a measurement."

// iterationRows draws the rows of classes.
type iterationRows struct {
	*chart.Gantt
	*iteration.Document
	kinds map[string]int
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

// class draws what a class computes, what it communicates and what its ports do.
func (r *iterationRows) class(class int) {
	label := cmp.Or(r.Classes[class].Name, fmt.Sprintf("ranks %.20s", r.Classes[class].Ranks.String()))
	row := len(r.Rows)
	r.Rows = append(r.Rows, label, "network")
	spans := map[string][]chart.Span{}
	add := func(row int, kind string, from, to units.Time, tip string) {
		if to > from {
			key := fmt.Sprint(row, kind)
			spans[key] = append(spans[key], chart.Span{Row: row, From: float64(from), To: float64(to), Kind: r.kind(kind), Tip: tip})
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
		case o.Kind == "" && o.Class == class && o.Ports == 0 && o.Plan == 0 && o.Circuits == 0:
			add(row, "compute", o.Start, o.End, tip)
		case o.Class == class || member[o.Circuits]:
			add(row+1, cmp.Or(o.Kind, "send"), o.Start, o.End, tip)
		}
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		if slices.ContainsFunc(c.Lanes, func(l iteration.DocumentLane) bool { return l[0] == class }) {
			add(row+1, "ports change", max(0, c.Start), max(0, c.End), fmt.Sprintf("ports change for %s", c.Before))
		}
	}
	for _, list := range spans {
		r.Spans = append(r.Spans, joined(list, float64(r.Iteration)/1500)...)
	}
}

// joined makes one span of those that are too close to be told apart.
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
