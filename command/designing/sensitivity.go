package designing

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/fabric/parts"
	"github.com/lightpath-net/lightpath/units"
)

// The decisions that an answer makes.
const (
	Fastest = "fastest" // within the budgets
	Value   = "value"   // the least time multiplied by cost, within the budgets
)

// The inputs whose change may change a decision.
const (
	PriceOf = "price"
	PowerOf = "power"
	TimesOf = "times" // how often an operation occurs
	DelayOf = "delay"
)

// Change is a change of one input, with all others unchanged, that would change a decision. A
// change is left out if it no longer changes the decision once bills use other parts that are
// then cheaper.
type Change struct {
	Decision string `json:"decision"` // fastest | value
	Input    string `json:"input"`    // price | power | times | delay
	Of       string `json:"of"`       // the part, the operation or the technology
	// Now is the likely value of the input, and At the value at which the decision changes. They
	// are in USD or W (per part, or per port if the part is sold by port), occurrences, or ns.
	Now float64 `json:"now"`
	At  float64 `json:"at"`
	// Within says that At is within the range that the catalogue gives for the input.
	Within bool `json:"within,omitempty"`
	Then   int  `json:"then"` // number of the choice then; -1: none
}

// input is an input that may change.
type input struct {
	Change
	at func(i int, x float64) [3]float64 // time, cost and power of a choice
	// bends are the values of the input between which time, cost and power are linear.
	bends []float64
	// with returns the catalogue with another price or power of the part; nil if the input is
	// not a part.
	with   func(x float64) (*parts.Catalogue, error)
	spread parts.Range
}

// furthest is the largest factor by which a listed input may change.
const furthest = 100

// sensitivity lists what would change the decisions, the nearest first.
func (a *Design) sensitivity(d *designer) []Change {
	changes := []Change{}
	for _, in := range a.inputs(d) {
		for k, decision := range []string{Fastest, Value} {
			for _, up := range []bool{false, true} {
				if c, ok := a.nearest(&in, k, up); ok && a.holds(&in, &c, k) {
					c.Decision = decision
					changes = append(changes, c)
				}
			}
		}
	}
	slices.SortStableFunc(changes, func(x, y Change) int { return cmp.Compare(x.far(), y.far()) })
	return changes
}

// far returns how far an input is from where it changes a decision. Ratios whose product is 1, such
// as of times of the only two operations, are equally far, whatever the last bits say.
func (c *Change) far() float64 {
	const tell = 1e9 // parts of 1 that are told apart
	return math.Round(tell*math.Abs(math.Log(c.At/c.Now))) / tell
}

// inputs lists the inputs on which choices depend.
func (a *Design) inputs(d *designer) []input {
	var list []input
	seen := map[[2]string]bool{}
	for i := range a.Choices {
		for _, l := range a.Choices[i].Bill {
			key := [2]string{l.Kind, l.Part}
			part, ok := d.parts.Find(l.Kind, l.Part)
			if seen[key] || !ok {
				continue
			}
			seen[key] = true
			for _, which := range []string{PriceOf, PowerOf} {
				in := a.figureOf(which, l, &part)
				in.with = func(x float64) (*parts.Catalogue, error) { return d.changed(which, l, x) }
				list = append(list, in)
			}
		}
	}
	for o := range d.mix {
		times := float64(d.mix[o].Times)
		list = append(list, input{Change: Change{Input: TimesOf, Of: d.mix[o].String(), Now: times}, spread: parts.Exactly(times),
			at: func(i int, x float64) [3]float64 {
				c := &a.Choices[i]
				now := c.criteria()
				now[0] += (x - times) * float64(c.TimesNs[o])
				return now
			}})
	}
	if len(a.Curves) > 0 {
		for _, name := range d.Technology {
			list = append(list, a.delayOf(name, d.parts.Switches[name].Switching.Time()))
		}
	}
	return slices.DeleteFunc(list, func(in input) bool { return in.Now == 0 })
}

// figureOf returns the price or the power of a part as an input.
func (a *Design) figureOf(which string, of parts.Line, part *parts.Part) input {
	criterion, now := 1, part.Price
	share := func(l *parts.Line) float64 { return l.CostUSD.Likely }
	if which == PowerOf {
		criterion, now = 2, part.Power
		share = func(l *parts.Line) float64 { return l.PowerW.Likely }
	}
	name := of.Part
	if of.Kind != parts.Switches {
		name = strings.ReplaceAll(of.Kind, "_", " ") + " " + name // 400G is a transceiver, and a card
	}
	return input{Change: Change{Input: which, Of: name, Now: now.Likely}, spread: now.Range,
		at: func(i int, x float64) [3]float64 {
			c := &a.Choices[i]
			is := c.criteria()
			for k := range c.Bill {
				if l := &c.Bill[k]; l.Kind == of.Kind && l.Part == of.Part {
					is[criterion] += (x/now.Likely - 1) * share(l)
				}
			}
			return is
		}}
}

// delayOf returns the delay of a technology as an input.
func (a *Design) delayOf(name string, now units.Time) input {
	in := input{Change: Change{Input: DelayOf, Of: name, Now: float64(now)}, spread: parts.Exactly(float64(now))}
	curves := map[int]*Curve{}
	for i := range a.Choices {
		c := &a.Choices[i]
		for k := range a.Curves {
			if curve := &a.Curves[k]; c.Technology == name && c.on(curve) {
				curves[i] = curve
				for _, p := range curve.Pieces {
					in.bends = append(in.bends, float64(p.FromNs))
				}
			}
		}
	}
	in.at = func(i int, x float64) [3]float64 {
		is := a.Choices[i].criteria()
		if curve := curves[i]; curve != nil {
			is[0] = float64(curve.At(units.Time(x)))
		}
		return is
	}
	return in
}

// decided returns the fastest choice within the budgets, the cheapest of equals, and the choice
// with the least time multiplied by cost; -1 stands for none.
func (a *Design) decided(at func(i int) [3]float64) [2]int {
	best := [2]int{-1, -1}
	var least [2][3]float64
	for i := range a.Choices {
		if !a.Choices[i].possible() {
			continue
		}
		is := at(i)
		if a.BudgetCost > 0 && is[1] > a.BudgetCost || a.BudgetPower > 0 && is[2] > a.BudgetPower {
			continue
		}
		for k, by := range [2][3]float64{is, {judge(is, 1)}} {
			if best[k] < 0 || slices.Compare(by[:], least[k][:]) < 0 {
				best[k], least[k] = i, by
			}
		}
	}
	return best
}

// nearest finds the nearest value above or below the current input at which a decision changes.
// Between two bends, times, costs and powers are linear in the input, and so are their products,
// because only one factor depends on the input. So a decision changes where two lines meet, or
// where a line meets a budget.
func (a *Design) nearest(in *input, decision int, up bool) (Change, bool) {
	low, high := in.Now/furthest, in.Now
	if up {
		low, high = in.Now, in.Now*furthest
	}
	ends := []float64{low, high}
	for _, x := range in.bends {
		if x > low && x < high {
			ends = append(ends, x)
		}
	}
	slices.Sort(ends)
	is := a.decided(func(i int) [3]float64 { return in.at(i, in.Now) })[decision]
	var critical []float64
	for k := 1; k < len(ends); k++ {
		critical = append(critical, ends[k-1], ends[k])
		critical = append(critical, a.crossings(in, ends[k-1], ends[k], is, decision)...)
	}
	slices.Sort(critical)
	if !up {
		slices.Reverse(critical)
	}
	// The decision is constant between two neighbours, so one point between them decides.
	for k := 1; k < len(critical); k++ {
		if critical[k] == critical[k-1] {
			continue
		}
		middle := (critical[k-1] + critical[k]) / 2
		then := a.decided(func(i int) [3]float64 { return in.at(i, middle) })[decision]
		if then == is || is >= 0 && then >= 0 && a.alike(in, middle, is, then, decision) {
			continue
		}
		c := in.Change
		c.At, c.Then = critical[k-1], then
		if c.At == c.Now {
			return c, false // two choices are equal now
		}
		c.Within = c.At >= in.spread.Low && c.At <= in.spread.High
		return c, true
	}
	return Change{}, false
}

// alike reports whether two choices are equal except for rounding.
func (a *Design) alike(in *input, x float64, i, j, decision int) bool {
	p, q := in.at(i, x), in.at(j, x)
	same := func(u, v float64) bool { return math.Abs(u-v) <= sameTime*u }
	return same(judge(p, decision), judge(q, decision)) && (decision == 1 || same(p[1], q[1]))
}

// changed returns the catalogue with another price or power of a part.
func (d *designer) changed(which string, of parts.Line, x float64) (*parts.Catalogue, error) {
	part, _ := d.parts.Find(of.Kind, of.Part)
	if which == PowerOf {
		part.Power.Range = parts.Exactly(x)
	} else {
		part.Price.Range = parts.Exactly(x)
	}
	return d.parts.Replacing(of.Kind, of.Part, part)
}

// holds reports whether a decision changes as stated even with new bills: just short of the
// change it is as now, and just beyond it is c.Then.
func (a *Design) holds(in *input, c *Change, decision int) bool {
	if in.with == nil {
		return true
	}
	now := a.decided(func(i int) [3]float64 { return a.Choices[i].criteria() })[decision]
	const near = 1e-6
	for factor, want := range map[float64]int{1 - near: now, 1 + near: c.Then} {
		all, err := in.with(c.Now + (c.At-c.Now)*factor)
		if err != nil {
			return false
		}
		got := a.decided(func(i int) [3]float64 {
			is := a.Choices[i].criteria()
			if b, err := a.Choices[i].buy(all); err == nil {
				is[1], is[2] = b.CostUSD.Likely, b.PowerW.Likely
			}
			return is
		})[decision]
		if got != want {
			return false
		}
	}
	return true
}

// crossings lists where, between two values of an input, another choice becomes as good as the
// current one by a decision, and where a choice meets a budget.
func (a *Design) crossings(in *input, low, high float64, is, decision int) []float64 {
	var found []float64
	meet := func(f, g func(x float64) float64) {
		if from, to := f(low)-g(low), f(high)-g(high); from*to < 0 {
			found = append(found, low+(high-low)*from/(from-to))
		}
	}
	judged := func(i int) func(x float64) float64 {
		return func(x float64) float64 { return judge(in.at(i, x), decision) }
	}
	budgets := [3]float64{1: a.BudgetCost, 2: a.BudgetPower}
	for i := range a.Choices {
		if !a.Choices[i].possible() {
			continue
		}
		if is >= 0 && i != is {
			meet(judged(is), judged(i))
			// Ties go to the cheapest choice.
			meet(func(x float64) float64 { return in.at(is, x)[1] }, func(x float64) float64 { return in.at(i, x)[1] })
		}
		for k, budget := range budgets {
			if budget > 0 {
				meet(func(x float64) float64 { return in.at(i, x)[k] }, func(float64) float64 { return budget })
			}
		}
	}
	return found
}

// judge returns the value that a decision minimizes.
func judge(is [3]float64, decision int) float64 {
	if decision == 1 {
		return is[0] * is[1]
	}
	return is[0]
}
