package flow

import (
	"context"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/lp"
)

// Programs within these limits begin with whole routings: the lengths of few classes are soon
// found, however many demands there are, whereas few demands have few columns of paths.
const (
	wholeClasses = 24
	wholeDemands = 200
	// wholeRounds ends the search for lengths. Circulants of up to 16384 nodes with 3 to 8 jumps
	// took at most a quarter of it; a search that ends here is still a start.
	wholeRounds = 1000
)

// wholePays reports whether a program should begin with whole routings.
func wholePays(p Problem, cl *classes) bool {
	return len(cl.circuits) <= wholeClasses && len(p.Demands) >= wholeDemands
}

// wholeRoutings searches for the best lengths with columns of another kind: the routes of all
// demands together, each on a shortest path under the lengths of one round, are one column, and
// the master mixes such routings (Dantzig and Wolfe 1960 with one block; in terms of the
// lengths, the cutting planes of Kelley 1960). The mix has as few unknowns as there are
// classes, and a pivot takes as long for a hundred thousand demands as for one: this is what
// finds the lengths if a node sends to all others of a circulant. Columns per demand then only
// have to determine how few demands are divided.
//
// It returns the mix: routes of every demand with different loads and their shares, the largest
// first.
func (s *generator) wholeRoutings(ctx context.Context, short *Result, within float64) ([][]wholeRoute, error) {
	first := s.wholeColumn(short.Routes)
	m := lp.NewBalance(s.cl.circuits, []float64{1}, []lp.Column{first})
	lengths := [][]float64{nil} // of the columns; nil: those of short
	for range wholeRounds {
		done, err := m.Optimise(ctx, m.Pivots+pivotsPerRow*m.Rows())
		if err != nil {
			return nil, err
		}
		now := make([]float64, len(s.lengths))
		room := 0.0
		for c := range now {
			now[c] = m.Price(c)
			room += now[c] * s.cl.circuits[c]
		}
		loads, total, err := s.wholeLoads(ctx, now)
		if err != nil {
			return nil, err
		}
		s.prove(total/room, now)
		if s.bound > within {
			return nil, &beyond{bound: s.bound * s.unit}
		}
		if !done || meets(m.Peak(), s.bound) {
			break
		}
		if !lp.Improves(total, m.KeyCost(0)) {
			break
		}
		m.Add(s.loadColumn(loads))
		lengths = append(lengths, now)
	}
	s.work += m.Work
	return s.mixed(ctx, short, lengths, m.Values())
}

// prove keeps lengths that give a larger bound, in units.
func (s *generator) prove(bound float64, lengths []float64) {
	if bound > s.bound && !math.IsInf(bound, 1) {
		s.bound = bound
		s.proof = append(s.proof[:0], lengths...)
	}
}

// wholeColumn returns the column of routes of all demands, one each.
func (s *generator) wholeColumn(routes [][]Route) lp.Column {
	loads := make([]float64, len(s.lengths))
	for i, d := range s.p.Demands {
		s.alongPath(routes[i][0].Path, d.Amount/s.unit, loads)
	}
	return s.loadColumn(loads)
}

// loadColumn returns the column of a routing with these loads.
func (s *generator) loadColumn(loads []float64) lp.Column {
	col := lp.Column{}
	for c, l := range loads {
		if l != 0 {
			col.Add(c, l)
		}
	}
	return col
}

// alongPath adds an amount to the class of every hop.
func (s *generator) alongPath(path []int32, amount float64, loads []float64) {
	for h := 1; h < len(path); h++ {
		loads[s.cl.of[s.p.Graph.Find(int(path[h-1]), int(path[h]))]] += amount
	}
}

// wholeLoads sends every demand over a shortest path and returns the loads of the classes, and
// the total of amount x distance.
func (s *generator) wholeLoads(ctx context.Context, lengths []float64) (loads []float64, total float64, err error) {
	loads = make([]float64, len(lengths))
	err = s.eachPath(ctx, lengths, func(i int, path []int32) {
		s.alongPath(path, s.p.Demands[i].Amount/s.unit, loads)
	})
	for c, l := range loads {
		total += l * lengths[c]
	}
	return loads, total, err
}

// eachPath yields a shortest path of every demand.
func (s *generator) eachPath(ctx context.Context, lengths []float64, yield func(demand int, path []int32)) error {
	for src := range s.p.Graph.Nodes() {
		here := s.list[s.start[src]:s.start[src+1]]
		if len(here) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.searches++
		s.search.Search(src, s.targets[s.start[src]:s.start[src+1]], lengths, 0)
		for _, i := range here {
			yield(i, s.search.Path(s.p.Demands[i].Dst))
		}
	}
	return nil
}

// wholeRoute is a route of a demand in a mix of whole routings.
type wholeRoute struct {
	pathColumn
	share float64
}

// mixed returns the routes of a mix of routings. Routes that use the same classes are merged.
func (s *generator) mixed(ctx context.Context, short *Result, lengths [][]float64, weight []float64) ([][]wholeRoute, error) {
	mix := make([][]wholeRoute, len(s.p.Demands))
	for k, w := range weight {
		if w <= 0 {
			continue
		}
		add := func(i int, path []int32) {
			col := s.column(i, path)
			for j := range mix[i] {
				if r := &mix[i][j]; slices.Equal(r.Rows, col.Rows) && slices.Equal(r.Values, col.Values) {
					if r.share += w; len(col.path) < len(r.path) {
						r.pathColumn = col
					}
					return
				}
			}
			mix[i] = append(mix[i], wholeRoute{col, w})
		}
		if lengths[k] == nil {
			for i := range mix {
				add(i, short.Routes[i][0].Path)
			}
			continue
		}
		if err := s.eachPath(ctx, lengths[k], add); err != nil {
			return nil, err
		}
	}
	return mix, nil
}

// keys puts first, for every demand, the route that keeps the loads closest to those of the
// mix: the next demands make up for any excess (error diffusion). So nearly all demands have
// one route in the end, and few pivots are left.
func (s *generator) keys(mix [][]wholeRoute) {
	over := make([]float64, len(s.lengths)) // load of the chosen routes in excess of the mix
	next := make([]float64, len(over))
	for i, routes := range mix {
		amount := s.p.Demands[i].Amount / s.unit
		for _, r := range routes {
			for k, c := range r.Rows {
				over[c] -= amount * r.share * r.Values[k]
			}
		}
		best, least := 0, math.Inf(1)
		for j, r := range routes {
			copy(next, over)
			for k, c := range r.Rows {
				next[c] += amount * r.Values[k]
			}
			off := 0.0
			for c, o := range next {
				off += o / s.cl.circuits[c] * o / s.cl.circuits[c]
			}
			if off < least {
				best, least = j, off
			}
		}
		for k, c := range routes[best].Rows {
			over[c] += amount * routes[best].Values[k]
		}
		routes[0], routes[best] = routes[best], routes[0]
	}
}
