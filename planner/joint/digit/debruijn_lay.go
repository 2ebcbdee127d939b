package digit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/joint/network"
)

// maxWalked bounds the points of graphs of walks. They have no symmetry, so a plan lists every
// transfer and is checked for every shard: the square of the points, times the circuits.
const maxWalked = 1024

// onWalks tries the sums over walks.
func (s *Search) onWalks(b *Board, t Task, points int) {
	if t.Op != AllReduce || s.Duplex || s.NoExchange || s.NoSums || s.NoUneven || points < 4 || points > maxWalked {
		return
	}
	bytes := s.Bytes / float64(t.Scale)
	for _, graph := range s.walkings(points) {
		if s.cutsBytes(graph.parts()) {
			continue
		}
		w := s.walker(graph)
		for scattering := range graph.length + 1 {
			t.Replaced = graph.wordsOf(scattering) == points // else something is exchanged before the rest
			rests, changes, _ := s.rests(b, t, points, graph.wordsOf(scattering))
			for _, rest := range rests {
				so := rest.Time + changes*s.Wait
				if so+w.floor(bytes, scattering) >= b.limit() {
					continue
				}
				found := w.best(bytes, scattering)
				b.add(so+found.time, digit{points, func() *program { return found.program() }}, int(changes), rest)
			}
		}
	}
}

// walker returns the walker of a graph, which knows what has been counted for the graph.
func (s *Search) walker(graph walks) *walker {
	if s.walked[graph] == nil {
		s.walked[graph] = &walker{Machine: &s.Machine, walks: graph, memory: s.Memory, known: map[lineStep]float64{}}
	}
	return s.walked[graph]
}

// program turns sums into the program of a digit.
func (s sums) program() *program {
	p := &program{
		points: s.points(), kind: exchange, scattered: 1, parts: s.parts(), ranges: true,
		has: Uses{Exchange: true, Networks: true, Sums: true},
	}
	net := s.network()
	p.about = "sums over walks on " + s.name() + ": " + s.cutting()
	forth := func() []stage {
		st := stage{Net: net, kind: gather}
		done := 0
		if s.joined >= 0 {
			st.steps = append(st.steps, s.layJoined())
			done = s.joined
		}
		for _, list := range [][]int{s.scatter, s.add} {
			for _, lines := range list {
				st.steps = append(st.steps, s.layLines(done, lines))
				done += lines
			}
		}
		return []stage{st}
	}
	p.Lay = forth
	if len(s.scatter) > 0 {
		p.kind, p.scattered, p.sums = total, s.wordsOf(s.scattering()), forth
		p.Lay = func() []stage { return []stage{{Net: net, kind: gather, steps: s.layGathers()}} }
	}
	return p
}

// scattering returns the number of lines that scatter.
func (s sums) scattering() int { return arithmetic.Sum(s.scatter) }

// cutting describes how lines are merged into steps.
func (s sums) cutting() string {
	list := func(name string, lines []int) string {
		parts := each.Of(lines, func(h int) string { return fmt.Sprint(h) })
		return name + " " + strings.Join(parts, "+")
	}
	var parts []string
	if s.joined >= 0 {
		parts = append(parts, list("join", []int{1 + s.joined}))
	}
	if len(s.scatter) > 0 {
		parts = append(parts, list("scatter", s.scatter))
	}
	if len(s.add) > 0 {
		parts = append(parts, list("add", s.add))
	}
	return strings.Join(parts, ", ")
}

// send adds the ways of a message: one of modulus ranges of shards, in all parts.
func (s sums) send(to []network.Way, path []int32, at, modulus int, replaces bool) []network.Way {
	path = slices.Clone(path)
	for part := range s.parts() {
		to = append(to, network.Way{Source: at, Modulus: modulus, Part: part, Path: path, Replaces: replaces})
	}
	return to
}

// returns reports which points walks of the given number of links lead back to: the old values of
// these points are part of their next sum. There must be no more links than labels.
func (w walks) returns(links int) []bool {
	back := make([]bool, w.points())
	for v := range back {
		at := v
		for i := range links { // a point's last labels are those of the links that lead to it
			at = w.next(at, w.label(v, w.length-links+1+i))
		}
		back[v] = at == v
	}
	return back
}

// layLines lists a step of merged lines that follows done earlier lines. In the first lines
// shards become smaller, then they stay.
func (s sums) layLines(done, lines int) []network.Way {
	var step []network.Way
	successors, back := s.successors(), s.returns(lines)
	after := done + lines
	count := min(after, s.scattering())
	modulus := s.wordsOf(count)
	for v := range s.points() {
		s.each(successors, v, lines, func(path []int32) {
			to := int(path[len(path)-1])
			at := 0
			if count > 0 {
				at = s.labels(to, s.length-after+1, count)
			}
			step = s.send(step, path, at, modulus, !back[to])
		})
	}
	return step
}

// layGathers lists the gathering steps, which mirror the scattering steps.
func (s sums) layGathers() [][]network.Way {
	var steps [][]network.Way
	all := s.scattering()
	modulus := s.wordsOf(all)
	successors, done := s.successors(), 0
	for i := len(s.scatter) - 1; i >= 0; i-- {
		var step []network.Way
		for v := range s.points() {
			s.each(successors, v, s.scatter[i], func(path []int32) {
				own, each := s.labels(v, 1, all-done), s.wordsOf(all-done)
				for first := range s.wordsOf(done) {
					step = s.send(step, path, own+first*each, modulus, false)
				}
			})
		}
		steps = append(steps, step)
		done += s.scatter[i]
	}
	return steps
}

// layJoined lists the joining step, with the lines merged into it.
func (s sums) layJoined() []network.Way {
	var step []network.Way
	successors := s.successors()
	if s.joined > 0 { // no links are parallel: all walks of both lengths
		back := s.returns(s.joined)
		if s.joined == s.length { // some walk leads back to every point
			back = slices.Repeat([]bool{true}, s.points())
		} else {
			for v, again := range s.returns(s.joined + 1) {
				back[v] = back[v] || again
			}
		}
		for v := range s.points() {
			for links := s.joined; links <= s.joined+1; links++ {
				s.each(successors, v, links, func(path []int32) {
					to := path[len(path)-1]
					step = s.send(step, path, 0, 1, !back[to])
				})
			}
		}
		return step
	}
	parts := s.parts()
	for v := range s.points() {
		s.each(successors, v, 1, func(path []int32) {
			path = slices.Clone(path)
			to := int(path[1])
			count, index := s.parallel(s.label(to, s.length))
			for part := range parts {
				if (s.label(v, 1)+part)%count == index {
					step = append(step, network.Way{Modulus: 1, Part: part, Path: path})
				}
			}
		})
	}
	return step
}
