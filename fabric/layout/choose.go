package layout

import (
	"cmp"
	"fmt"
	"slices"
)

// choose assigns circuits that could be in one of several bundles: depth first, those with the
// fewest choices first, each where most ports are free. It ends with an assignment, with the
// proof that there is none, or when its effort is used up.
func (p *Plugging) choose(d *dealt, t *tally, open []int) error {
	if len(open) == 0 {
		return nil
	}
	choices := make([][]int, len(d.pairs))
	for _, i := range open {
		u, v := d.pairs[i][0], d.pairs[i][1]
		if choices[i] = slices.Collect(p.common(u, v)); len(choices[i]) == 0 {
			return apart(u, v)
		}
	}
	if err := t.crowded(d, open); err != nil {
		return err
	}
	slices.SortStableFunc(open, func(a, b int) int { return cmp.Compare(len(choices[a]), len(choices[b])) })
	s := &chooser{p: p, d: d, t: t, open: open, choices: choices, chosen: make([]int, len(open)), left: effort}
	switch {
	case s.from(0):
		for k, i := range open {
			d.put(i, s.chosen[k])
		}
		return nil
	case s.left <= 0:
		return fmt.Errorf("%w in %d choices", ErrGivenUp, effort)
	}
	i := open[s.deepest]
	return fmt.Errorf("no assignment to switches has ports for all circuits, such as %d->%d", d.pairs[i][0], d.pairs[i][1])
}

// crowded reports a GPU with more circuits than ports on all its switches together. The search
// would take long to find that out.
func (t *tally) crowded(d *dealt, open []int) error {
	out, in := make([]int, t.p.nodes), make([]int, t.p.nodes)
	if t.twoWay {
		in = out
	}
	for _, i := range open {
		out[d.pairs[i][0]]++
		in[d.pairs[i][1]]++
	}
	for u, places := range t.p.of {
		left, free := 0, 0
		for k := range places {
			at := t.p.first[u] + k
			left += t.p.rooms[at] - t.out[at]
			free += t.p.rooms[at] - t.in[at]
		}
		if out[u] > left || in[u] > free {
			return fmt.Errorf("GPU %d has more circuits than ports on its switches", u)
		}
	}
	return nil
}

// chooser is the state of the search.
type chooser struct {
	p       *Plugging
	d       *dealt
	t       *tally
	open    []int
	choices [][]int
	chosen  []int
	left    int // effort
	deepest int
}

// from assigns the open circuits from the k-th on.
func (s *chooser) from(k int) bool {
	if k == len(s.open) {
		return true
	}
	s.deepest = max(s.deepest, k)
	i := s.open[k]
	u, v := s.d.pairs[i][0], s.d.pairs[i][1]
	order := slices.Clone(s.choices[i])
	slack := func(b int) int {
		i, j := s.p.slot(u, b), s.p.slot(v, b)
		return min(s.p.rooms[i]-s.t.out[i], s.p.rooms[j]-s.t.in[j])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(slack(b), slack(a)) })
	for _, b := range order {
		if s.left--; s.left <= 0 {
			return false
		}
		if !s.t.fits(u, v, b) {
			continue
		}
		_ = s.t.take(u, v, b, 1)
		s.chosen[k] = b
		if s.from(k + 1) {
			return true
		}
		_ = s.t.take(u, v, b, -1)
	}
	return false
}
