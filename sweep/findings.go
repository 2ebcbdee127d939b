package sweep

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/planner/portfolio"
	"github.com/lightpath-net/lightpath/units"
)

// Finding summarizes cells that differ only in size and delay: does reconfiguring pay off there?
type Finding struct {
	Where string // the other parameters in words; "" if nothing varies
	Cells int    // with a plan
	Pays  int    // whose best plan reconfigures: see RewiringPays
	// Clearly counts the cells among them that are at least PaysFrom times as fast as the best
	// static plan of any planner.
	Clearly int
	// Best is the largest speed-up of a plan that reconfigures, at BestSize and BestDelay.
	Best      float64
	BestSize  units.Bytes
	BestDelay units.Time
	// Longest is the longest delay at which reconfiguring pays off for some size, and
	// LongestSize is that size.
	Longest     units.Time
	LongestSize units.Bytes
	// Alike says that the static plans are those of the cells' own algorithms.
	Alike bool
	// Iterations says that cells are whole iterations, which have no size.
	Iterations bool
	// Among says among which plans the best static plans are the fastest, if not among all.
	Among string
}

// PaysFrom is the speed-up from which reconfiguring clearly pays off: 5%, more than differences
// between the model and a machine would hide.
const PaysFrom = 1.05

// fasterFrom is the speed-up from which a plan counts as faster: above the rounding of totals.
const fasterFrom = 1 + 1e-9

// RewiringPays reports whether the cell's plan reconfigures and is faster than the best static
// plan of any planner.
func (c *Cell) RewiringPays() bool { return c.paysOver(c.Baselines.Static) }

// RewiringPaysAlike reports whether the cell's plan reconfigures and is faster than the static
// plan of its own algorithm.
func (c *Cell) RewiringPaysAlike() bool { return c.paysOver(c.Same.Static) }

func (c *Cell) paysOver(static units.Time) bool {
	return c.Known && c.Reconfigurations > 0 && c.Total > 0 && float64(static/c.Total) >= fasterFrom
}

// Findings summarizes a table: one finding for each combination of the parameters besides size
// and delay.
func (t *Table) Findings() []Finding {
	var found []Finding
	places := map[string]int{}
	for i := range t.Cells {
		c := &t.Cells[i]
		static := c.Baselines.Static
		if t.Alike {
			static = c.Same.Static
		}
		if !c.Known || c.Total == 0 || static == 0 {
			continue
		}
		where := t.Spec.Besides(&c.Request, AxisSize, AxisReconfig)
		k, ok := places[where]
		if !ok {
			k = len(found)
			places[where] = k
			found = append(found, Finding{Where: where, Alike: t.Alike, Iterations: t.Spec.Workload != ""})
		}
		f := &found[k]
		if !t.Alike && !f.Iterations {
			f.Among = cmp.Or(f.Among, portfolio.StaticAmong(c.Op, &c.Fabric))
		}
		f.Cells++
		delay := c.Fabric.Reconfig.Base.Time()
		speedup := float64(static / c.Total)
		if !c.paysOver(static) {
			continue
		}
		f.Pays++
		if speedup >= PaysFrom {
			f.Clearly++
		}
		if speedup > f.Best {
			f.Best, f.BestSize, f.BestDelay = speedup, c.Size, delay
		}
		if delay >= f.Longest {
			f.Longest, f.LongestSize = delay, c.Size
		}
	}
	return found
}

// Besides names, in words, the values of a cell on the axes that vary, except for some.
func (s *Spec) Besides(r *Request, but ...string) string {
	var words []string
	for _, a := range s.Axes {
		skip := len(a.Values) < 2
		for _, b := range but {
			skip = skip || a.Name == b
		}
		if !skip {
			word := r.word(a.Name)
			if a.Name == AxisOp && s.OwnSizes() && s.Workload == "" {
				word += " of " + r.Size.String()
			}
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// word returns the value of a parameter in words.
func (r *Request) word(name string) string {
	switch name {
	case "nodes", "ports", AxisReconfig:
		return strings.Join(r.Fabric.Phrases(name), "")
	case AxisSize:
		return r.Size.String()
	}
	p := r.param(name)
	if p.Text != "" && (name == AxisOp || name == AxisAlgorithm) {
		return p.Text
	}
	text := p.Text
	if text == "" || name == "base" {
		for _, s := range fabric.Settings() {
			if s.Name == name {
				text = s.Get(&r.Fabric)
			}
		}
	}
	return name + " " + text
}

// Sentence returns the finding as a sentence.
func (f *Finding) Sentence() string {
	where := f.Where
	if where != "" {
		where += ": "
	}
	among := ""
	if f.Among != "" {
		among = "; static plans are the best of " + f.Among
	}
	static := "the best static plan found"
	switch {
	case f.Iterations:
		return f.iterations(where)
	case f.Alike:
		static = "the static plan of the same algorithm"
	}
	switch {
	case f.Pays == 0:
		return fmt.Sprintf("%sreconfiguring pays in none of %d cells%s", where, f.Cells, among)
	case f.Clearly == 0:
		return fmt.Sprintf("%sreconfiguring hardly pays: in %d of %d cells, up to a delay of %v (at %v), at most %.2f times as fast as %s%s",
			where, f.Pays, f.Cells, f.Longest, f.LongestSize, f.Best, static, among)
	}
	return fmt.Sprintf("%sreconfiguring pays in %d of %d cells, in %d by %.0f%% or more over %s; the longest delay at which it does is %v (at %v); it gains most with %v at %v: %.2f times as fast%s",
		where, f.Pays, f.Cells, f.Clearly, 100*(PaysFrom-1), static, f.Longest, f.LongestSize, f.BestSize, f.BestDelay, f.Best, among)
}

// iterations returns the sentence for whole iterations.
func (f *Finding) iterations(where string) string {
	if f.Pays == 0 {
		return fmt.Sprintf("%sreconfiguring pays in none of %d cells", where, f.Cells)
	}
	return fmt.Sprintf("%sreconfiguring pays in %d of %d cells, in %d by %.0f%% or more over the best static division of the ports; the longest delay at which it does is %v; it gains most at %v: %.2f times as fast",
		where, f.Pays, f.Cells, f.Clearly, 100*(PaysFrom-1), f.Longest, f.BestDelay, f.Best)
}
