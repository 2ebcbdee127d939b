package planes

import (
	"cmp"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/units"
)

// choices returns the circuits that serve a step best, at most most of them.
func (p *Problem) choices(step, most int) []int {
	var all []int
	for c, s := range p.Services[step] {
		if s.serves() {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Compare(p.Services[step][a].alone(p.Planes), p.Services[step][b].alone(p.Planes))
	})
	return all[:min(len(all), most)]
}

// together returns the best pattern for planes that all do the same and reconfigure together
// between steps. It is a dynamic program over steps and circuits.
func (p *Problem) together() Pattern {
	steps, circuits := len(p.Services), len(p.Change)
	from := make([][]int, steps)
	now := make([]units.Time, circuits)
	for i := range steps {
		next := make([]units.Time, circuits)
		from[i] = make([]int, circuits)
		for c := range next {
			next[c] = units.Time(math.Inf(1))
			s := p.Services[i][c]
			if !s.serves() {
				continue
			}
			if i == 0 {
				next[c] = s.alone(p.Planes)
				if p.Initial != nil {
					next[c] += p.Initial[c]
				}
				continue
			}
			for before, time := range now {
				if time += p.dark(i-1, before, c) + s.alone(p.Planes); time < next[c] {
					next[c], from[i][c] = time, before
				}
			}
		}
		now = next
	}
	c := 0
	for other, time := range now {
		if time < now[c] {
			c = other
		}
	}
	pattern := make(Pattern, steps)
	for i := steps - 1; i >= 0; i-- {
		pattern[i] = c
		c = from[i][c]
	}
	return pattern
}

// weights are the step lengths that planes respond to, in multiples of the lengths without
// changes.
var weights = []units.Time{1, 1.2, 1.5, 2, 3, 5}

// starts returns the sets of patterns that a search begins with.
func (p *Problem) starts() [][]Pattern {
	all := [][]Pattern{slices.Repeat([]Pattern{p.together()}, p.Planes)}
	for turns := 1; turns <= min(p.Planes, len(p.Services)); turns++ {
		patterns := make([]Pattern, p.Planes)
		for plane := range patterns {
			for i := range p.Services {
				c := Skip
				if i%turns == plane%turns {
					c = p.Direct(i)
				}
				patterns[plane] = append(patterns[plane], c)
			}
		}
		all = append(all, patterns)
	}
	for _, weight := range weights {
		all = append(all, p.answers(weight))
	}
	return all
}

// answers lets planes choose one after another; each knows what the others have left to do.
func (p *Problem) answers(weight units.Time) []Pattern {
	steps := len(p.Services)
	lengths, prices, left := make([]units.Time, steps), make([]float64, steps), make([]float64, steps)
	for i := range lengths {
		s := p.Services[i][p.Direct(i)]
		lengths[i] = s.Fixed + weight*s.Whole/units.Time(p.Planes)
		left[i] = 1
	}
	patterns := make([]Pattern, p.Planes)
	for plane := range patterns {
		for i := range prices {
			// What is left is worth its time; what is done is worth almost nothing.
			prices[i] = float64(p.Services[i][p.Direct(i)].Whole) * max(left[i], 0.01)
		}
		patterns[plane] = p.respond(lengths, prices, breadth)
		for i, c := range patterns[plane] {
			if c != Skip {
				left[i] -= float64((lengths[i] - p.Services[i][c].Fixed) / p.Services[i][c].Whole)
			}
		}
	}
	for i := range left { // serve every step at least once
		if !slices.ContainsFunc(patterns, func(w Pattern) bool { return w[i] != Skip }) {
			patterns[len(patterns)-1][i] = p.Direct(i)
		}
	}
	return patterns
}
