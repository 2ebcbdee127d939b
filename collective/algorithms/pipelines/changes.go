package pipelines

import (
	"math"
	"slices"
)

// Changes says, for every number of pieces, in how many steps of a pipeline other pairs send than
// in the step before. If every step has circuits of its own, they change that often.
type Changes struct {
	times *Times
	// counts[k] is the number of such steps of k pieces, as far as steps were run; more pieces
	// than counts has have as many as the last. It is nil for a chain.
	counts []int
	// rising[k] leaves out steps in which, with more pieces, the same pairs send again.
	rising []int
	period int // such steps of a period
	nodes  int // of a chain
	twoWay bool
}

// span is a range of numbers of pieces, from from to below to.
type span struct{ from, to int }

// endless is the end of a span of all larger numbers.
const endless = math.MaxInt

// ChangesOf runs a pipeline, given its times, for as many steps as these know of. On two-way
// circuits a pair is the same in both directions, and only pairs that did not send in the step
// before count: a step may take several turns on such circuits; the last turn suits the next step.
func ChangesOf(n, ports int, trees []Tree, times *Times, twoWay bool) *Changes {
	c := &Changes{times: times, nodes: n, twoWay: twoWay}
	if times.full == nil {
		return c
	}
	r := newRun(n, math.MaxInt, ports, trees)
	slots := slotsOf(trees, twoWay)
	type use struct{ step, number int } // when a pair sent last, and its first piece then
	uses := make([]use, len(trees)*n)   // by slot
	for i := range uses {
		uses[i].step = -1
	}
	var now, before []int // the slots of this step and of the step before
	var differ spans      // numbers of pieces with which this step differs from the one before
	step := 0
	r.now.sent = func(number, _, dst int) {
		slot := slots[number%len(trees)][dst]
		u := &uses[slot]
		switch {
		case u.step == step: // pieces are sent in ascending order
			return
		case u.step < step-1:
			differ.add(number+1, endless)
		case number < u.number:
			differ.add(number+1, u.number+1)
		case !twoWay:
			differ.add(u.number+1, number+1)
		}
		*u = use{step, number}
		now = append(now, slot)
	}
	var all [][]span // by step, but for the first
	for ; step < len(times.full); step++ {
		before, now = now, before[:0]
		r.step()
		for _, slot := range before {
			if u := uses[slot]; u.step < step && !twoWay {
				differ.add(u.number+1, endless)
			}
		}
		if joined := differ.join(); step > 0 {
			all = append(all, joined)
		}
	}
	c.count(all)
	return c
}

// spans collects spans. Thousands may be the same.
type spans struct {
	ends  []int // by the start of a span: its end, 0 if there is none
	begin []int // where spans start
}

func (s *spans) add(from, to int) {
	for len(s.ends) <= from {
		s.ends = append(s.ends, 0)
	}
	if s.ends[from] == 0 {
		s.begin = append(s.begin, from)
	}
	s.ends[from] = max(s.ends[from], to)
}

// join returns the spans in ascending order, those that overlap or meet as one, and removes all.
func (s *spans) join() []span {
	slices.Sort(s.begin)
	var joined []span
	for _, from := range s.begin {
		to := s.ends[from]
		if last := len(joined) - 1; last >= 0 && from <= joined[last].to {
			joined[last].to = max(joined[last].to, to)
		} else {
			joined = append(joined, span{from, to})
		}
		s.ends[from] = 0
	}
	s.begin = s.begin[:0]
	return joined
}

// count sums up the steps by their numbers of pieces, given the spans of all steps but the first.
func (c *Changes) count(all [][]span) {
	most := 0
	for _, spans := range all {
		for _, s := range spans {
			most = max(most, s.from)
			if s.to < endless {
				most = max(most, s.to)
			}
		}
	}
	c.counts, c.rising = make([]int, most+1), make([]int, most+1)
	for i, spans := range all {
		for _, s := range spans {
			c.counts[s.from]++
			if s.to < endless {
				c.counts[s.to]--
				continue
			}
			c.rising[s.from]++
			if p := c.times.Period; p != nil && i >= p.From && i < p.To { // the steps From+1..To
				c.period++
			}
		}
	}
	for k := 1; k <= most; k++ {
		c.counts[k] += c.counts[k-1]
		c.rising[k] += c.rising[k-1]
	}
}

// Of returns a lower bound on the changes between the steps of a pipeline with that many pieces,
// and one that also holds for every larger number. If the pipeline is not known to repeat itself,
// only steps that were run count.
func (c *Changes) Of(pieces int) (changes, rising int) {
	if c.times.full == nil { // the first piece uses one pair after the other, and so does the last
		changes = c.nodes - 2
		if c.twoWay {
			return changes, changes
		}
		return changes + min(pieces-1, c.nodes-2), changes
	}
	listed, times := pieces, 0
	if c.times.Period != nil {
		listed, times = c.times.listed(pieces)
	}
	at := min(listed, len(c.counts)-1)
	changes, rising = c.counts[at]+times*c.period, c.rising[at]+times*c.period
	if !c.twoWay && listed < len(c.times.ends) && c.times.ends[listed] < len(c.times.full) {
		changes, rising = changes-1, max(0, rising-1) // nothing follows the last step
	}
	return changes, rising
}

// slotsOf numbers the pairs of trees: by tree, the number of the pair of a node and its parent.
func slotsOf(trees []Tree, twoWay bool) [][]int {
	known := map[[2]int]int{}
	slots := make([][]int, len(trees))
	for i, t := range trees {
		slots[i] = make([]int, len(t))
		for u, children := range t {
			for _, v := range children {
				pair := [2]int{u, v}
				if twoWay {
					pair = [2]int{min(u, v), max(u, v)}
				}
				slot, ok := known[pair]
				if !ok {
					slot = len(known)
					known[pair] = slot
				}
				slots[i][v] = slot
			}
		}
	}
	return slots
}
