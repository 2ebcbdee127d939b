package digit

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lightpath-net/lightpath/collective"
	"github.com/lightpath-net/lightpath/planner/joint/jointtest"
	"github.com/lightpath-net/lightpath/units"
)

// Covers on line digraphs are correct, take the counted time for every cut of the lines, and no
// less than was predicted before.
func TestLineCoversAreCorrectAndTakeThePredictedTime(t *testing.T) {
	tried := 0
	for _, c := range []struct{ points, ports int }{{12, 2}, {16, 2}, {20, 2}, {24, 2}, {32, 2}, {40, 2}, {18, 3}, {45, 3}, {54, 3}, {24, 4}, {36, 4}, {100, 4}} {
		r := jointtest.Request(collective.AllReduce, c.points, c.ports, units.MiB)
		m := NewMachine(&r.Fabric, c.ports, c.points)
		for i, p := range m.lineCoverings(c.points) {
			if p.Load >= impossible {
				continue
			}
			tried++
			t.Run(fmt.Sprintf("%d points/%d ports/%d", c.points, c.ports, i), func(t *testing.T) {
				least := p.Shape
				p.settleOne(false, never)
				if p.Load < least.Load || p.Hops < least.Hops {
					t.Errorf("%+v, predicted %+v or more", p.Shape, least)
				}
				stages, parts, _ := Stages(Solution{Digits: []digit{{c.points, func() *program { return p }}}}, collective.AllReduce, false)
				made := jointtest.PlanOf(t, &r, stages, collective.SpaceOf(collective.AllReduce, c.points, parts))
				jointtest.Check(t, made, m.Time(p.Shape, float64(r.Size)))
			})
		}
	}
	if tried < 20 {
		t.Errorf("%d covers", tried)
	}
}

// After all lines, a point has the sum of the points whose walks end where its own begins. The
// test counts point by point, with values that are replaced or added to as the ways say.
func TestLinesAddUpCells(t *testing.T) {
	m := &Machine{Ports: 2}
	for _, c := range m.lineCovers(24) {
		words := c.words()
		for _, cut := range c.cuts() {
			has := make([]map[int]int, c.points()) // how often a point has the value of another
			for v := range has {
				has[v] = map[int]int{v: 1}
			}
			for _, lines := range cut {
				got := make([]map[int]int, c.points())
				for v := range got {
					got[v] = map[int]int{}
				}
				replaced := make([]bool, c.points())
				for _, w := range c.layLines(lines) {
					to := w.Path[len(w.Path)-1]
					replaced[to] = w.Replaces
					for of, times := range has[w.Path[0]] {
						got[to][of] += times
					}
				}
				for v := range got {
					if !replaced[v] {
						for of, times := range has[v] {
							got[v][of] += times
						}
					}
				}
				has = got
			}
			for v := range has {
				want := map[int]int{}
				for other := range c.points() {
					at, word := other/words, other%words
					for first := words; first > 1; word %= first {
						first /= c.degree
						at = int(c.heads[at][word/first])
					}
					if at == v/words {
						want[other] = 1
					}
				}
				if fmt.Sprint(has[v]) != fmt.Sprint(want) {
					t.Fatalf("%s, cut %v: point %d has %v, want %v", c.name, cut, v, has[v], want)
				}
			}
		}
	}
}

// All cuts of the lines are tried.
func TestCutsOfLines(t *testing.T) {
	var all []string
	for _, cut := range (lineCover{length: 3}).cuts() {
		all = append(all, fmt.Sprint(cut))
	}
	slices.Sort(all)
	if got := fmt.Sprint(all); got != "[[1 1 1] [1 2] [2 1] [3]]" {
		t.Error(got)
	}
}
