// Package order gives items levels that keep to constraints between them: an item is at least as
// high as another one, or higher. The items may be on cycles, as long as these do not climb.
package order

import "slices"

// Constraint says that the level of item Then is at least that of item First, plus Plus, which is
// 0 or more.
type Constraint struct{ First, Then, Plus int32 }

// Levels returns the lowest levels of n items, from 0: the length of the longest path of
// constraints to each. It reports false if a cycle has a length above 0. Items on cycles of length
// 0 have the same level, so they are one component: O(items + constraints).
func Levels(n int, constraints []Constraint) (levels []int32, ok bool) {
	g := graphOf(n, constraints)
	of, count := g.components()
	members := make([]int32, n) // by component
	begin := make([]int32, count+1)
	for _, c := range of {
		begin[c+1]++
	}
	for c := range count {
		begin[c+1] += begin[c]
	}
	at := slices.Clone(begin)
	for t, c := range of {
		members[at[c]] = int32(t)
		at[c]++
	}
	level := make([]int32, count)
	for c := count - 1; c >= 0; c-- { // constraints lead to lower numbers
		for _, t := range members[begin[c]:begin[c+1]] {
			for _, k := range g.from(t) {
				then := of[k.Then]
				if int(then) == c && k.Plus > 0 {
					return nil, false
				}
				level[then] = max(level[then], level[c]+k.Plus)
			}
		}
	}
	levels = make([]int32, n)
	for t, c := range of {
		levels[t] = level[c]
	}
	return levels, true
}

// graph holds constraints by their first items.
type graph struct {
	first  []int // where those of each item begin
	sorted []Constraint
}

func graphOf(n int, constraints []Constraint) *graph {
	g := &graph{make([]int, n+1), make([]Constraint, len(constraints))}
	for _, c := range constraints {
		g.first[c.First+1]++
	}
	for i := range n {
		g.first[i+1] += g.first[i]
	}
	at := slices.Clone(g.first)
	for _, c := range constraints {
		g.sorted[at[c.First]] = c
		at[c.First]++
	}
	return g
}

func (g *graph) from(t int32) []Constraint { return g.sorted[g.first[t]:g.first[t+1]] }

// components numbers the strongly connected components (Tarjan 1972), and counts them. A
// constraint between two components leads to the lower number.
func (g *graph) components() (of []int32, count int) {
	n := len(g.first) - 1
	of = make([]int32, n)
	seen, low := make([]int32, n), make([]int32, n) // seen: the order of the visits, from 1
	var open, path []int32                          // open: without a component yet
	next := slices.Clone(g.first[:n])
	for i := range of {
		of[i] = -1
	}
	visits := int32(0)
	enter := func(t int32) {
		visits++
		seen[t], low[t] = visits, visits
		open, path = append(open, t), append(path, t)
	}
	for root := range int32(n) {
		if seen[root] > 0 {
			continue
		}
		for enter(root); len(path) > 0; {
			t := path[len(path)-1]
			if next[t] < g.first[t+1] {
				to := g.sorted[next[t]].Then
				next[t]++
				switch {
				case seen[to] == 0:
					enter(to)
				case of[to] < 0:
					low[t] = min(low[t], seen[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				before := path[len(path)-1]
				low[before] = min(low[before], low[t])
			}
			if low[t] < seen[t] {
				continue
			}
			for {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				of[last] = int32(count)
				if last == t {
					break
				}
			}
			count++
		}
	}
	return of, count
}
