package synthesis

import (
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/topology"
)

// maxImages limits how many images of a cut are added, and how many automorphisms are used to
// sort arcs into classes.
const maxImages = 64

// sample returns at most maxImages of the permutations, evenly spread.
func sample(perms [][]int) [][]int {
	if len(perms) <= maxImages {
		return perms
	}
	return each.Below(maxImages, func(i int) []int { return perms[i*len(perms)/maxImages] })
}

// learn adds the cut of a level that is tight for the given circuits, with its images,
// and returns the load there: +Inf if some demand has no route.
func (t *tree) learn(l *level, circuits []float64) float64 {
	before := l.solver.work
	peak, tight, ok := l.solver.solve(circuits)
	t.iv.work += l.solver.work - before
	if !ok {
		return inf
	}
	var added [][]float64
	for _, g := range t.images {
		length := make([]float64, t.n*t.n)
		for e, o := range l.solver.class {
			if o >= 0 {
				length[g[e/t.n]*t.n+g[e%t.n]] = tight.length[o]
			}
		}
		if !slices.ContainsFunc(added, func(a []float64) bool { return slices.Equal(a, length) }) {
			added = append(added, length)
			l.add(t.iv, length, t.laid)
		}
	}
	return peak
}

// learnTopology adds the cuts that are tight for a topology.
func (t *tree) learnTopology(g *topology.Graph) {
	circuits := make([]float64, 0, t.n*t.n)
	for u := range t.n {
		for v := range t.n {
			if u != v {
				circuits = append(circuits, float64(g.Count(u, v)))
			}
		}
	}
	for _, l := range t.levels {
		if len(l.solver.demands) > 0 {
			t.learn(l, circuits)
		}
	}
}

// learnRelaxation adds the cuts at the points that the relaxation visited, for all levels. They
// are as symmetric as the classes of arcs, so they need no images.
func (t *tree) learnRelaxation(r *relaxation) {
	for _, l := range t.levels {
		cuts := r.cuts[l.class]
		if l.to < t.n-1 {
			cuts = nil
			solver := newConcurrent(r.arcs, r.arcs.commodities(t.iv.classes[l.class].all()), l.to)
			for _, x := range r.points {
				if _, tight, ok := solver.solve(x); ok {
					cuts = append(cuts, tight)
				}
			}
			t.iv.work += solver.work
		}
		for _, c := range cuts {
			length := make([]float64, t.n*t.n)
			for e, o := range r.arcs.class {
				if o >= 0 {
					length[e] = c.length[o]
				}
			}
			l.add(t.iv, length, nil)
		}
	}
}
