package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/advising"
	"github.com/lightpath-net/lightpath/command/comparing"
	"github.com/lightpath-net/lightpath/command/exploring"
	"github.com/lightpath-net/lightpath/command/simulating"
	"github.com/lightpath-net/lightpath/command/tuning"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Measured draws a topology by its expression.
func Measured(m *topology.Metrics) (*chart.Scene, error) {
	parsed, err := topology.ParseExpr(m.Expr)
	if err != nil {
		return nil, err
	}
	if parsed.Nodes() > maxDrawn { // before building anything large
		return nil, fmt.Errorf("%d nodes; circuits are drawn for at most %d", parsed.Nodes(), maxDrawn)
	}
	g, err := parsed.Build()
	if err != nil {
		return nil, err
	}
	return Topology(g, m.Expr, nil)
}

// Compare draws the fastest rows of a comparison.
func Compare(c *comparing.Comparison) (*chart.Scene, error) {
	b := &chart.Bars{
		Caption: chart.Caption{Title: fmt.Sprintf("%s of %v: algorithms and planners", c.Op, units.Bytes(c.SizeBytes)), Subtitle: machine(&c.Fabric), Source: ofModel + ". Not a measurement."},
		Label:   "time", Unit: chart.Seconds, Parts: []string{"start-up", "propagation", "transmission", "reconfiguration"},
	}
	if c.Fabric.Gamma != (fabric.Gamma{}) {
		b.Parts = append(b.Parts, "reduction")
	}
	var packets []units.Time
	for _, r := range c.Rows {
		if len(b.Names) == maxBars {
			b.Source += fmt.Sprintf(" The fastest %d of %d.", maxBars, len(c.Rows))
			break
		}
		b.Names = append(b.Names, r.Algorithm+", "+r.Planner)
		values := []float64{float64(r.StartupNs), float64(r.PropagationNs), float64(r.TransmissionNs), float64(r.ReconfigurationNs), float64(r.ReductionNs)}
		b.Values = append(b.Values, values[:len(b.Parts)])
		packets = append(packets, r.SimulatedNs)
	}
	markPackets(b, packets)
	return b.Scene()
}

// markPackets marks simulated times on bars of modelled times; 0 is an unknown time.
func markPackets(b *chart.Bars, times []units.Time) {
	if !slices.ContainsFunc(times, func(t units.Time) bool { return t > 0 }) {
		return
	}
	b.MarkName, b.Marks = "packet by packet", make([]float64, len(b.Names))
	for i, t := range times {
		b.Marks[i] = float64(t)
	}
}

// Frontier draws the best time for every delay, with the delays at which plans change.
func Frontier(f *comparing.Frontier) (*chart.Scene, error) {
	first, last := 10.0, 1e7
	for _, p := range f.Points {
		if v := float64(p.FromNs); v > 0 {
			first, last = math.Min(first, v/10), math.Max(last, v*10)
		}
	}
	c := &chart.Lines{
		Caption: chart.Caption{Title: fmt.Sprintf("%s of %v: best time for every reconfiguration delay", f.Op, units.Bytes(f.SizeBytes)),
			Subtitle: machine(&f.Fabric, "reconfig"), Source: ofModel + ". Dots: another plan takes over. Not a measurement."},
		X: chart.Axis{Label: "reconfiguration delay", Unit: chart.Seconds, Log: true}, Y: chart.Axis{Label: "time", Unit: chart.Seconds, Log: true},
	}
	l := chart.Line{Name: "best plan"}
	const points = 200
	add := func(x float64, mark bool) {
		if mark {
			l.Marks = append(l.Marks, len(l.X))
		}
		l.X, l.Y = append(l.X, x), append(l.Y, float64(f.At(units.Time(x))))
	}
	next := 0
	for i := 0; i <= points; i++ {
		x := first * math.Pow(last/first, float64(i)/points)
		for next < len(f.Points) && float64(f.Points[next].FromNs) <= x {
			if from := float64(f.Points[next].FromNs); from >= first {
				add(from, true)
			}
			next++
		}
		add(x, false)
	}
	c.Lines = []chart.Line{l}
	if f.Fabric.Reconfig.Base > 0 {
		c.Here = float64(f.Fabric.Reconfig.Base.Time())
		c.HereName = "this fabric: " + f.Fabric.Reconfig.String()
	}
	return c.Scene()
}

// Find draws topologies by steps and bandwidth, with the bound.
func Find(f *exploring.TopologyFrontier) (*chart.Scene, error) {
	c := &chart.Lines{
		Caption: chart.Caption{Title: fmt.Sprintf("Topologies of %d nodes with degree %d for %s", f.Nodes, f.Degree, f.Op),
			Source: "Exact steps and bandwidth of breadth-first-broadcast schedules; no topology is left of or below the bound."},
		X: chart.Axis{Label: "steps", Unit: chart.Count}, Y: chart.Axis{Label: "transmission, in size over bandwidth of a node"},
	}
	found := chart.Line{Name: "topologies", Points: true, Labels: []string{}}
	for _, p := range f.Frontier {
		if v, ok := ratio(p.Bandwidth); ok {
			found.X, found.Y, found.Labels = append(found.X, float64(p.Steps)), append(found.Y, v), append(found.Labels, p.Expr)
		}
	}
	bound := chart.Line{Name: "bound", Points: true}
	if v, ok := ratio(f.Bound.Bandwidth); ok {
		bound.X, bound.Y = []float64{float64(f.Bound.Steps)}, []float64{v}
	}
	c.Lines = []chart.Line{found, bound}
	c.X.Least, c.X.Most = float64(f.Bound.Steps-1), float64(f.Bound.Steps+1)
	for _, p := range f.Frontier {
		c.X.Most = math.Max(c.X.Most, float64(p.Steps+1))
	}
	return c.Scene()
}

// Simulation draws how busy links were.
func Simulation(s *simulating.Simulation) (*chart.Scene, error) {
	if s.Iteration != nil {
		return carriedOut(s)
	}
	h := &chart.Histogram{
		Caption: chart.Caption{Title: fmt.Sprintf("Bytes on each link; everything had arrived after %v", s.CompletionNs), Source: fmt.Sprintf("%s level simulation. Not a measurement.", s.Level)},
		Label:   "bytes", Count: "links", Unit: chart.Bytes,
	}
	if s.PredictedNs > 0 {
		h.Subtitle = fmt.Sprintf("the model says %v", s.PredictedNs)
	}
	for _, l := range s.Links {
		h.Values = append(h.Values, float64(l.Bytes))
	}
	return h.Scene()
}

// Tune draws the best time over the size, with the sizes at which choices change, and the best
// static time.
func Tune(t *tuning.Tuning) (*chart.Scene, error) {
	c := &chart.Lines{
		Caption: chart.Caption{Title: fmt.Sprintf("%s: best time by size", t.Op), Subtitle: machine(&t.Fabric, differing(t)...),
			Source: ofModel + ". Dots: another choice takes over. Planned at least at every doubling, interpolated in between. Not a measurement."},
		X: chart.Axis{Label: "size", Unit: chart.Bytes, Log: true}, Y: chart.Axis{Label: "time", Unit: chart.Seconds, Log: true},
	}
	tables := t.Tables()
	tables[0].Name = cmp.Or(t.Name, "this fabric")
	if t.Name != "" {
		c.Title = "Collectives of a workload: best time by size"
		for i := range tables {
			tables[i].Name += fmt.Sprintf(" %s, %d GPUs", tables[i].Op, tables[i].Fabric.Nodes)
		}
	}
	lineOf := make([]int, len(tables))
	for i, table := range tables {
		lineOf[i] = len(c.Lines)
		if k := slices.IndexFunc(tables[:i], func(t tuning.TuneTable) bool { return slices.EqualFunc(t.Curve, table.Curve, asFast) }); k >= 0 {
			lineOf[i] = lineOf[k]
			c.Lines[lineOf[k]].Name += " and " + table.Name // equally fast at every size
			continue
		}
		// A line with the same times shows between the dashes of another.
		best, static := chart.Line{Name: table.Name, Dashed: i > 0}, chart.Line{Name: "best static plan", Dashed: true}
		if len(tables) == 1 {
			best.Name = "best plan"
		}
		for k, p := range table.Curve {
			if k > 0 {
				before := table.Curve[k-1]
				straight(&best, before.SizeBytes, before.TotalNs, p.SizeBytes, p.TotalNs)
				if before.StaticNs > 0 && p.StaticNs > 0 {
					straight(&static, before.SizeBytes, before.StaticNs, p.SizeBytes, p.StaticNs)
				}
			}
			begins := func(r tuning.TuneRow) bool { return r.FromBytes == p.SizeBytes }
			if k > 0 && slices.ContainsFunc(table.Rows, begins) {
				best.Marks = append(best.Marks, len(best.X))
			}
			best.X, best.Y = append(best.X, float64(p.SizeBytes)), append(best.Y, float64(p.TotalNs))
			if p.StaticNs > 0 {
				static.X, static.Y = append(static.X, float64(p.SizeBytes)), append(static.Y, float64(p.StaticNs))
			}
		}
		c.Lines = append(c.Lines, best)
		if len(tables) == 1 && len(static.X) > 1 {
			c.Lines = append(c.Lines, static)
		}
	}
	if len(tables) > 1 && len(c.Lines) == 1 { // a single line needs no key
		c.Subtitle = fmt.Sprintf("%s take the same times", c.Lines[0].Name)
	}
	return c.Scene()
}

// differing lists the settings in which the fabrics of tables differ.
func differing(t *tuning.Tuning) []string {
	var names []string
	for _, s := range fabric.Settings() {
		differs := func(o tuning.TuneTable) bool { return s.Get(&o.Fabric) != s.Get(&t.Fabric) }
		if slices.ContainsFunc(t.Others, differs) {
			names = append(names, s.Name)
		}
	}
	return names
}

// asFast reports whether points of two curves coincide in a picture.
func asFast(a, b tuning.TunePoint) bool {
	return a.SizeBytes == b.SizeBytes && a.TotalNs == b.TotalNs
}

// straight adds points between two sizes, because a time that is linear in the size is a curve
// on logarithmic axes.
func straight(l *chart.Line, from int64, first units.Time, to int64, last units.Time) {
	const factor = 1.15 // close enough to hide corners
	slope := float64(last-first) / float64(to-from)
	for x := float64(from) * factor; x < float64(to); x *= factor {
		l.X, l.Y = append(l.X, x), append(l.Y, float64(first)+slope*(x-float64(from)))
	}
}

// Advise draws what changes gain and the delay below which rewiring pays, one row for every
// operation, and what changes gain for all of them.
func Advise(a *advising.Advice) (*chart.Scene, error) {
	scenes, err := advice(a)
	for i := range a.More {
		if err != nil {
			return nil, err
		}
		if len(scenes)%2 == 1 { // a row for each operation
			scenes = append(scenes, &chart.Scene{})
		}
		var more []*chart.Scene
		more, err = advice(&a.More[i])
		scenes = append(scenes, more...)
	}
	if err != nil {
		return nil, err
	}
	if len(a.More) > 0 {
		if len(scenes)%2 == 1 {
			scenes = append(scenes, &chart.Scene{})
		}
		all := &chart.Bars{
			Caption: chart.Caption{Title: fmt.Sprintf("All %d, planned on their own and added up: what one change buys", 1+len(a.More)),
				Subtitle: machine(&a.Fabric), Source: ofModel + ". Not a measurement."},
			Label: "time", Unit: chart.Seconds, Parts: []string{"time"}, Names: []string{"as it is"}, Values: [][]float64{{float64(a.Now())}},
		}
		for _, c := range a.Together {
			all.Names, all.Values = append(all.Names, c.Change), append(all.Values, []float64{float64(c.TotalNs)})
		}
		last, err := all.Scene()
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, last)
	}
	return chart.Panels("", 2, scenes...), nil
}

// advice draws the advice for one operation.
func advice(a *advising.Advice) ([]*chart.Scene, error) {
	gains := &chart.Bars{
		Caption: chart.Caption{Title: fmt.Sprintf("%s of %v: what one change buys", a.Op, units.Bytes(a.SizeBytes)), Subtitle: machine(&a.Fabric), Source: ofModel + ". Not a measurement."},
		Label:   "time", Unit: chart.Seconds, Parts: []string{"time"}, Names: []string{"as it is"}, Values: [][]float64{{float64(a.TotalNs)}},
	}
	if i := a.Iteration; i != nil {
		gains.Title, gains.Source = fmt.Sprintf("An iteration of %s: what one change buys", cmp.Or(i.Name, "the workload")), modelled
		gains.Bound, gains.BoundName = float64(i.ComputeNs), "compute alone"
	}
	for _, c := range a.Changes {
		if c.TotalNs > 0 {
			gains.Names, gains.Values = append(gains.Names, c.Change), append(gains.Values, []float64{float64(c.TotalNs)})
		}
	}
	first, err := gains.Scene()
	if err != nil {
		return nil, err
	}
	scenes := []*chart.Scene{first}
	pays := &chart.Lines{
		Caption: chart.Caption{Title: fmt.Sprintf("%s: reconfiguring pays below this delay", a.Op), Subtitle: machine(&a.Fabric, "reconfig"),
			Source: ofModel + "; the requested planners, at these sizes. Not a measurement."},
		X: chart.Axis{Label: "size", Unit: chart.Bytes, Log: true}, Y: chart.Axis{Label: "reconfiguration delay", Unit: chart.Seconds, Log: true},
	}
	l := chart.Line{Name: "break-even"}
	for _, p := range a.PaysBelow {
		if p.ReconfigNs != nil && *p.ReconfigNs > 0 {
			l.Marks = append(l.Marks, len(l.X))
			l.X, l.Y = append(l.X, float64(p.SizeBytes)), append(l.Y, float64(*p.ReconfigNs))
		}
	}
	here := chart.Line{Name: "this fabric: " + a.Fabric.Reconfig.String(), Dashed: true}
	if delay := float64(a.Fabric.Reconfig.Base.Time()); delay > 0 && len(l.X) > 1 {
		here.X, here.Y = []float64{l.X[0], l.X[len(l.X)-1]}, []float64{delay, delay}
	}
	if len(l.X) > 0 {
		pays.Lines = []chart.Line{l, here}
		second, err := pays.Scene()
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, second)
	}
	return scenes, nil
}
