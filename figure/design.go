package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/chart"
	"github.com/lightpath-net/lightpath/command/designing"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/units"
)

// ofBills says where costs come from.
const ofBills = ofModel + ". Costs are likely ones of the catalogue, or of the user's own parts."

// Design draws the choices: the cost of each, and how long the load takes on it.
func Design(a *designing.Design) (*chart.Scene, error) {
	lines := &chart.Lines{
		Caption: chart.Caption{Title: designTitle(a), Subtitle: "Beside points: ports per GPU, and the size of islands after a slash", Source: ofBills},
		X:       chart.Axis{Label: "cost in million USD", Log: true}, Y: chart.Axis{Label: "time of the load", Unit: chart.Seconds, Log: true},
	}
	frontier := chart.Line{Name: "not beaten in time, cost and power", Dashed: true}
	byName := map[string]*chart.Line{}
	var names []string
	labelled := map[[2]float64]bool{}
	for i := range a.Choices {
		c := &a.Choices[i]
		if c.Reason != "" {
			continue
		}
		l := byName[c.Name()]
		if l == nil {
			l = &chart.Line{Name: c.Name(), Points: true}
			byName[c.Name()], names = l, append(names, c.Name())
		}
		label := ""
		if c.OnFrontier {
			if label = fmt.Sprint(c.Ports); c.Island > 1 {
				label += fmt.Sprintf("/%d", c.Island)
			}
			if at := [2]float64{c.CostUSD.Likely, float64(c.IterationNs)}; labelled[at] {
				label = "" // named already
			} else {
				labelled[at] = true
			}
			frontier.X, frontier.Y = append(frontier.X, c.CostUSD.Likely/1e6), append(frontier.Y, float64(c.IterationNs))
		}
		l.X, l.Y, l.Labels = append(l.X, c.CostUSD.Likely/1e6), append(l.Y, float64(c.IterationNs)), append(l.Labels, label)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no choice has both a plan and a bill")
	}
	slices.Sort(names)
	for _, name := range names {
		lines.Lines = append(lines.Lines, *byName[name])
	}
	lines.Lines = append(lines.Lines, lower(frontier))
	return lines.Scene()
}

// lower keeps, of a frontier from the fastest point on, the points that are cheaper than all
// before; those left out draw less power.
func lower(l chart.Line) chart.Line {
	out := chart.Line{Name: l.Name, Dashed: l.Dashed}
	for k := range l.X {
		if n := len(out.X); n == 0 || l.X[k] < out.X[n-1] {
			out.X, out.Y = append(out.X, l.X[k]), append(out.Y, l.Y[k])
		}
	}
	return out
}

// designTitle describes the load.
func designTitle(a *designing.Design) string {
	texts := each.Of(a.Mix, designing.MixedOperation.String)
	load := strings.Join(texts, ", ")
	if len(texts) == 0 {
		load = "an iteration of " + a.Workload
	}
	const longest = 60
	if len(load) > longest {
		load = load[:longest] + ".."
	}
	return fmt.Sprintf("What to buy for %d GPUs: %s", a.Fabric.Nodes, load)
}

// DesignDelays draws the time of the load as a function of the switching delay.
func DesignDelays(a *designing.Design) (*chart.Scene, error) {
	lines := &chart.Lines{
		Caption: chart.Caption{Title: "What the delay of the switches costs", Subtitle: "Dots: from there on other plans are the fastest", Source: ofModel + "."},
		X:       chart.Axis{Label: "delay of the switches", Unit: chart.Seconds, Log: true}, Y: chart.Axis{Label: "time of the load", Unit: chart.Seconds, Log: true},
	}
	least, most := delays(a)
	for k := range a.Curves {
		c := &a.Curves[k]
		l := chart.Line{Name: fmt.Sprintf("%s, %s", units.Count(c.Ports, "port"), c.Layout)}
		if c.Island > 1 {
			l.Name += fmt.Sprintf(", islands of %d", c.Island)
		}
		for d := least; d < most; d *= 1.1 {
			l.X, l.Y = append(l.X, d), append(l.Y, float64(c.At(units.Time(d))))
		}
		for _, p := range c.Pieces {
			at, _ := slices.BinarySearch(l.X, float64(p.FromNs))
			if p.FromNs > units.Time(least) && at < len(l.X) {
				l.X, l.Y = slices.Insert(l.X, at, float64(p.FromNs)), slices.Insert(l.Y, at, float64(p.IterationNs))
				l.Marks = append(l.Marks, at)
			}
		}
		lines.Lines = append(lines.Lines, l)
	}
	return lines.Scene()
}

// delays returns the smallest and the largest delay in a picture, which has those of the
// choices, and all at which something changes.
func delays(a *designing.Design) (least, most float64) {
	least, most = 1000, 1e6
	for i := range a.Choices {
		if d := float64(a.Choices[i].ReconfigNs); d > 0 {
			least, most = min(least, d/3), max(most, 3*d)
		}
	}
	for k := range a.Curves {
		if c := &a.Curves[k]; c.PaysUpToNs != nil && *c.PaysUpToNs > 0 {
			most = max(most, 2*float64(*c.PaysUpToNs))
		}
	}
	return least, most
}
