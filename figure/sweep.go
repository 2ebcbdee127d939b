package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/sweep"
)

// grid is a table arranged as two-dimensional panels.
type grid struct {
	table  *sweep.Table
	x, y   string // axes; y is "" if only one varies
	panels []panel
}

// panel has the cells that agree in everything but x and y.
type panel struct {
	where string
	xs    []float64
	ys    []float64
	cells map[[2]float64]*sweep.Cell
}

// newGrid chooses the axes: the delay across and the size up, or whatever varies.
func newGrid(t *sweep.Table) (*grid, error) {
	varying, err := numbers(t)
	if err != nil {
		return nil, err
	}
	if len(varying) == 1 {
		return gridOf(t, varying[0], ""), nil
	}
	return gridOf(t, varying[0], varying[1]), nil
}

// numbers lists the parameters that vary and are numbers, those preferred for pictures first.
func numbers(t *sweep.Table) ([]string, error) {
	var varying []string
	for _, a := range t.Spec.Axes {
		if len(a.Values) > 1 && unitOf(a.Name) >= 0 {
			varying = append(varying, a.Name)
		}
	}
	if len(varying) == 0 {
		return nil, fmt.Errorf("a picture needs a numeric parameter that varies, such as `size` 1KiB..1GiB")
	}
	slices.SortStableFunc(varying, func(a, b string) int { return rank(a) - rank(b) })
	return varying, nil
}

// gridOf puts the cells of a table into panels over x and y. Among cells that differ only in
// the joined parameters, it keeps the fastest.
func gridOf(t *sweep.Table, x, y string, joined ...string) *grid {
	g := &grid{table: t, x: x, y: y}
	places := map[string]int{}
	for i := range t.Cells {
		c := &t.Cells[i]
		x, ok := number(c, g.x)
		y, okY := number(c, g.y)
		if !ok || !okY {
			continue
		}
		where := t.Spec.Besides(&c.Request, append(joined, g.x, g.y)...)
		k, known := places[where]
		if !known {
			k = len(g.panels)
			places[where] = k
			g.panels = append(g.panels, panel{where: where, cells: map[[2]float64]*sweep.Cell{}})
		}
		p := &g.panels[k]
		if !slices.Contains(p.xs, x) {
			p.xs = append(p.xs, x)
		}
		if !slices.Contains(p.ys, y) {
			p.ys = append(p.ys, y)
		}
		if old := p.cells[[2]float64{x, y}]; old == nil || faster(c, old) {
			p.cells[[2]float64{x, y}] = c
		}
	}
	for i := range g.panels {
		slices.Sort(g.panels[i].xs)
		slices.Sort(g.panels[i].ys)
	}
	return g
}

// faster reports whether a cell has a plan that is faster than that of another, if the other
// has one.
func faster(c, than *sweep.Cell) bool {
	return c.Known && c.Total > 0 && (!than.Known || than.Total <= 0 || c.Total < than.Total)
}

// rank orders the axes that a picture prefers.
func rank(name string) int {
	if k := slices.Index([]string{sweep.AxisReconfig, sweep.AxisSize, "ports", "nodes", "bandwidth"}, name); k >= 0 {
		return k
	}
	return 10
}

// unit returns the unit of an axis of the grid. Sizes given in decimal units stay in these.
func (g *grid) unit(name string) chart.Unit {
	if name != sweep.AxisSize {
		return unitOf(name)
	}
	for _, a := range g.table.Spec.Axes {
		if a.Name == name && slices.ContainsFunc(a.Values, decimal) {
			return chart.Decimal
		}
	}
	return unitOf(name)
}

// decimal reports whether a size is written in decimal units.
func decimal(size string) bool {
	number := strings.TrimRight(size, "KMGTB")
	return strings.HasSuffix(size, "B") && len(size)-len(number) == 2
}

// unitOf returns the unit of an axis, -1 if its values are words.
func unitOf(name string) chart.Unit {
	switch name {
	case sweep.AxisSize:
		return chart.Bytes
	case sweep.AxisReconfig, "alpha", "delta", "sync":
		return chart.Seconds
	case "bandwidth":
		return chart.Bits
	case "nodes", "ports":
		return chart.Count
	}
	return -1
}

// label returns what an axis of a picture is called.
func label(axis string) string {
	if axis == sweep.AxisSize {
		return "size"
	}
	return fabric.Label(axis)
}

// number returns the value of a parameter; "" is 0.
func number(c *sweep.Cell, axis string) (float64, bool) {
	if axis == "" {
		return 0, true
	}
	for _, p := range c.Params {
		if name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(p.Name, "_ns"), "_bytes"), "_bps"); name == axis {
			return p.Number, p.Text == ""
		}
	}
	return 0, false
}

// maxCurves is the most curves that one can follow in a picture.
const maxCurves = 8

// curves returns the grid for a picture of curves over the size, or over whatever varies, nil
// if there would be too many.
func curves(t *sweep.Table) (*grid, error) {
	varying, err := numbers(t)
	if err != nil {
		return nil, err
	}
	x := varying[0]
	if slices.Contains(varying, sweep.AxisSize) {
		x = sweep.AxisSize
	}
	if g := gridOf(t, x, ""); len(g.panels) <= maxCurves {
		return g, nil
	}
	return nil, nil
}

// Speedup draws a sweep's most telling number: how many times as fast as static plans the plans
// are.
func Speedup(t *sweep.Table) (*chart.Scene, error) {
	m, err := sweep.MetricOf("speedup:static")
	if err != nil {
		return nil, err
	}
	return Sweep(t, m)
}

// Sweep draws metrics of a sweep: heat maps if two parameters vary, otherwise lines. There is
// one for each combination of the other parameters, and a row for each metric. The ratio to the
// bound is drawn as curves, unless there are too many.
func Sweep(t *sweep.Table, metrics ...sweep.Metric) (*chart.Scene, error) {
	if len(metrics) == 1 && metrics[0].Name == sweep.Ratio {
		if g, err := curves(t); err != nil || g != nil {
			if err != nil {
				return nil, err
			}
			return g.lines(metrics)
		}
	}
	g, err := newGrid(t)
	if err != nil {
		return nil, err
	}
	if g.y == "" {
		return g.lines(metrics)
	}
	rows, err := g.heatMaps(metrics)
	if err != nil {
		return nil, err
	}
	if len(rows) == 1 && len(rows[0]) == 1 {
		return rows[0][0].Scene()
	}
	title := g.title()
	var lines []*chart.Scene
	for i, row := range rows {
		about := row[0].About
		if len(rows) == 1 {
			title, about = about+": "+title, ""
		}
		s, err := together(about, rows[i])
		if err != nil {
			return nil, err
		}
		lines = append(lines, s...)
	}
	return chart.Panels(title, 1, lines...), nil
}

// widest is the largest width of a row of maps: beyond it, letters are too small in print.
const widest = 1360

// titled is a heat map, with what distinguishes its panel from the others, and the source of
// its numbers.
type titled struct {
	*chart.HeatMap
	Where, About string
}

// together draws the maps of a metric, in as many rows as needed, over the key that they share.
func together(about string, row []titled) ([]*chart.Scene, error) {
	var scenes []*chart.Scene
	key, width := *row[0].HeatMap, 0.0
	for _, h := range row {
		h.Subtitle, h.Bare = "", true // the title of all maps, and the key, have these
		if h.Where != "" {
			h.Title = h.Where
		}
		s, err := h.Scene()
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, s)
		width = max(width, s.Width)
		if key.Inside == nil {
			key.Inside = h.Inside
		}
	}
	maps := chart.Panels(about, max(1, int(widest/width)), scenes...)
	return []*chart.Scene{maps, key.Key(max(maps.Width, width))}, nil
}

func (g *grid) title() string {
	var ops []string
	size := ""
	for _, a := range g.table.Spec.Axes {
		switch {
		case a.Name == sweep.AxisOp:
			ops = a.Values
		case a.Name == sweep.AxisSize && len(a.Values) == 1:
			size = " of " + a.Values[0]
		}
	}
	common := g.table.Spec.Machine()
	if named, _, ok := strings.Cut(g.table.Spec.Workload, " "); ok {
		ops = []string{"an iteration of " + named}
	}
	return strings.Join(ops, " and ") + size + " on " + machine(&common, g.varying()...)
}

// varying lists the axes with several values.
func (g *grid) varying() []string {
	var names []string
	for _, a := range g.table.Spec.Axes {
		if len(a.Values) > 1 {
			names = append(names, a.Name)
		}
	}
	return names
}

// HeatMaps returns the heat maps of a sweep over two parameters, for a terminal.
func HeatMaps(t *sweep.Table, metrics ...sweep.Metric) ([]*chart.HeatMap, error) {
	g, err := newGrid(t)
	if err != nil {
		return nil, err
	}
	if g.y == "" {
		return nil, nil
	}
	rows, err := g.heatMaps(metrics)
	maps := each.Of(slices.Concat(rows...), func(h titled) *chart.HeatMap { return h.HeatMap })
	return maps, err
}

// heatMaps returns a row of maps for each metric, without panels that have no value. The maps
// of a metric have the same colours for the same values. A metric that names the fastest
// algorithm or planner considers all of them together.
func (g *grid) heatMaps(metrics []sweep.Metric) ([][]titled, error) {
	var all [][]titled
	of := g
	for _, m := range metrics {
		g := of
		if m.Words != nil {
			g = gridOf(g.table, g.x, g.y, sweep.AxisAlgorithm, sweep.AxisPlanner)
		}
		var row []titled
		var names []string // of categories, the same in the whole row
		least, most := math.Inf(1), math.Inf(-1)
		for i := range g.panels {
			if !g.panels[i].planned() {
				continue
			}
			h := g.heatMap(&g.panels[i], m, &names)
			row = append(row, titled{h, g.panels[i].where, capital(m.About)})
			for _, values := range h.Values {
				for _, v := range values {
					if !math.IsNaN(v) {
						least, most = min(least, v), max(most, v)
					}
				}
			}
		}
		for _, h := range row {
			if m.Words != nil {
				h.Categories = names
				continue
			}
			h.Least, h.Most = min(least, most), most
			if strings.HasPrefix(m.Name, "speedup:") && least < 1/sweep.PaysFrom {
				h.Ramp, h.Center = chart.Diverging, 1
			} else if strings.HasPrefix(m.Name, "speedup:") {
				h.Least = 1
			}
		}
		if len(row) > 0 {
			all = append(all, row)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no cell has a value to show")
	}
	return all, nil
}

// metricUnit returns the unit of a metric; most are ratios.
func metricUnit(name string) chart.Unit {
	switch name {
	case "time", "simulated":
		return chart.Seconds
	case "reconfigurations":
		return chart.Count
	case "gap", sweep.Exposed:
		return chart.Percent
	}
	return chart.Times
}

// logarithmic reports whether the colours of a metric show ratios.
func logarithmic(metric string) bool {
	return metric != "reconfigurations" && metric != "gap" && metric != sweep.Exposed
}

// metricLabel names the numbers of a metric at an axis; the title says what they belong to.
func metricLabel(name string) string {
	switch name {
	case "time":
		return "time"
	case "simulated":
		return "time, packet by packet"
	case "reconfigurations":
		return "reconfigurations"
	case "gap", sweep.Ratio:
		return "time over the bound"
	case sweep.Exposed:
		return "exposed"
	}
	return "speed-up"
}

func (g *grid) heatMap(p *panel, m sweep.Metric, names *[]string) *chart.HeatMap {
	h := &chart.HeatMap{
		Caption: g.caption(p, m), XLabel: label(g.x), YLabel: label(g.y), XUnit: g.unit(g.x), YUnit: g.unit(g.y),
		X: p.xs, Y: p.ys, Value: metricLabel(m.Name), Unit: metricUnit(m.Name), Log: logarithmic(m.Name),
	}
	bordered, pays := strings.HasPrefix(m.Name, "speedup:"), false
	for _, y := range p.ys {
		row, inside := make([]float64, len(p.xs)), make([]bool, len(p.xs))
		for j, x := range p.xs {
			row[j] = math.NaN()
			c := p.cells[[2]float64{x, y}]
			if c == nil || !c.Known {
				continue
			}
			if inside[j] = c.RewiringPays(); strings.HasPrefix(m.Name, "speedup:same-") {
				inside[j] = c.RewiringPaysAlike() // by the numbers that are shown
			}
			pays = pays || inside[j]
			if m.Words != nil {
				if text, ok := m.Words(c); ok {
					k := slices.Index(*names, text)
					if k < 0 {
						k = len(*names)
						*names = append(*names, text)
					}
					row[j] = float64(k)
				}
			} else if v, ok := m.Value(c); ok {
				row[j] = v
			}
		}
		h.Values = append(h.Values, row)
		if bordered {
			h.Inside = append(h.Inside, inside)
		}
	}
	h.InsideName = "within: reconfiguring pays"
	if !pays {
		h.Inside = nil
	}
	return h
}

// planned reports whether some cell has a plan: an algorithm may not support an operation.
func (p *panel) planned() bool {
	for _, c := range p.cells {
		if c.Known && c.Total > 0 {
			return true
		}
	}
	return false
}

// capital capitalises the beginning of a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func (g *grid) caption(p *panel, m sweep.Metric) chart.Caption {
	c := chart.Caption{Title: capital(m.About)}
	if p.where != "" {
		c.Title = p.where + ": " + m.About
	}
	c.Subtitle = g.title()
	c.Source = source(g.table, m)
	if m.Words != nil {
		c.Source = "Ties go to the first named. " + c.Source
	}
	return c
}

// source says which clock the numbers come from and which planner made the plans.
func source(t *sweep.Table, m sweep.Metric) string {
	text := ofModel
	if m.Name == "simulated" {
		text = ofPackets
	}
	for _, a := range t.Spec.Axes {
		if a.Name == sweep.AxisPlanner && t.Spec.Workload == "" {
			text += "; planner " + strings.Join(a.Values, ", ")
		}
	}
	return text + "; lightpath " + t.Spec.Version + ". Not a measurement."
}

// sameValue reports whether two values coincide in a picture; missing values are equal.
func sameValue(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// lines draws metrics over one parameter, one line for each combination of the others.
func (g *grid) lines(metrics []sweep.Metric) (*chart.Scene, error) {
	var scenes []*chart.Scene
	for _, m := range metrics {
		if m.Value == nil {
			return nil, fmt.Errorf("metric %s needs two parameters that vary", m.Name)
		}
		c := &chart.Lines{
			Caption: g.caption(&panel{}, m), X: chart.Axis{Label: label(g.x), Unit: g.unit(g.x), Log: g.x != "ports"},
			Y: chart.Axis{Label: metricLabel(m.Name), Unit: metricUnit(m.Name), Log: logarithmic(m.Name)},
		}
		for i := range g.panels {
			p := &g.panels[i]
			l := chart.Line{Name: p.where}
			for k, x := range p.xs {
				v := math.NaN()
				if cell := p.cells[[2]float64{x, 0}]; cell != nil && cell.Known {
					if value, ok := m.Value(cell); ok {
						v = value
					}
				}
				l.X, l.Y, l.Marks = append(l.X, x), append(l.Y, v), append(l.Marks, k)
			}
			same := func(o chart.Line) bool { return slices.Equal(o.X, l.X) && slices.EqualFunc(o.Y, l.Y, sameValue) }
			if k := slices.IndexFunc(c.Lines, same); k >= 0 { // one would hide the other
				c.Lines[k].Name += "; " + l.Name
				continue
			}
			c.Lines = append(c.Lines, l)
		}
		if m.Name == sweep.Ratio && len(c.Lines) > 0 {
			xs := c.Lines[0].X
			c.Lines = append(c.Lines, chart.Line{Name: "bound: no plan is below", X: []float64{xs[0], xs[len(xs)-1]}, Y: []float64{1, 1}, Dashed: true})
		}
		s, err := c.Scene()
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, s)
	}
	if len(scenes) == 1 {
		return scenes[0], nil
	}
	return chart.Panels("", 1, scenes...), nil
}
