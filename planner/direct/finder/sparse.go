package finder

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/planner/direct/climb"
	"github.com/lightpath-net/lightpath/topology"
)

// Two-way circulants need n^(2/d) steps. Few steps over two-way circuits require graphs in
// which the number of nodes within t steps grows like (d-1)^t: generalized Petersen graphs (of
// degree 3, better than circulants by a factor), Cayley graphs of groups that do not commute,
// and graphs that look random.

// addSparse adds the two-way graphs of least diameter that it finds among those.
func (f *Finder) addSparse(ctx context.Context, k key, p *pool) error {
	if !k.twoWay || k.degree < 3 || k.nodes < k.degree+2 || k.nodes*k.degree%2 != 0 {
		return nil
	}
	hopes := plain | simple | twoWay | reversible | balanced | constructed
	limit, ok := f.widest(k, p, hopes)
	if !ok {
		return nil
	}
	var found []sparse
	for _, search := range []func(context.Context, key, int) ([]sparse, error){f.closestPetersen, f.closestCayley, f.closestRegular} {
		some, err := search(ctx, k, limit)
		if err != nil {
			return err
		}
		found = append(found, some...)
	}
	slices.SortStableFunc(found, sparse.compare)
	for _, s := range found {
		if p.covers(f.floor(k, s.diameter), hopes) || f.beyondDiameter(k, s.diameter) {
			continue
		}
		if _, err := f.check(ctx, k, p, s.expr, twoWay|reversible|constructed); err != nil {
			return err
		}
	}
	return nil
}

// sparse is a graph with its largest distance and the sum of its distances, which are those
// from one node if all nodes look alike. Less is better, in this order.
type sparse struct {
	expr     topology.Expr
	diameter int
	sum      int64
}

func (s sparse) compare(o sparse) int {
	return cmp.Or(cmp.Compare(s.diameter, o.diameter), cmp.Compare(s.sum, o.sum))
}

// measure returns the distances from some nodes, and false if one does not reach all within
// the limit or the context has ended.
func measure(ctx context.Context, g *topology.Graph, sources []int, limit int) (diameter int, sum int64, ok bool) {
	n := g.Nodes()
	dist, queue := make([]int32, n), make([]int32, 0, n)
	for _, u := range sources {
		if ctx.Err() != nil {
			return 0, 0, false
		}
		queue = g.Distances(u, dist, queue)
		if len(queue) < n {
			return 0, 0, false
		}
		sum += each.Sum(queue, func(v int32) int64 { return int64(dist[v]) })
		if diameter = max(diameter, int(dist[queue[n-1]])); diameter > limit {
			return 0, 0, false
		}
	}
	return diameter, sum, true
}

// closest returns the graphs that are better than all before them, measured from the given
// nodes, and whose diameter is within the limit. It does not return only the best one: the
// broadcast on it may need more bandwidth, and more tries must not lose what fewer tries have
// found.
func closest(ctx context.Context, exprs []topology.Expr, limit int, sources func(*topology.Graph) []int) ([]sparse, error) {
	var found []sparse
	err := eachBuilt(ctx, exprs, func(expr topology.Expr, g *topology.Graph) {
		diameter, sum, ok := measure(ctx, g, sources(g), limit)
		s := sparse{expr, diameter, sum}
		if ok && (len(found) == 0 || s.compare(found[len(found)-1]) < 0) {
			found = append(found, s)
			limit = diameter
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	return found, err
}

// eachBuilt visits expressions with their graphs until the context ends.
func eachBuilt(ctx context.Context, exprs []topology.Expr, visit func(expr topology.Expr, g *topology.Graph)) error {
	for _, expr := range exprs {
		if err := ctx.Err(); err != nil {
			return err
		}
		g, err := expr.Build()
		if err != nil {
			return err
		}
		visit(expr, g)
	}
	return nil
}

// closestPetersen tries all generalized Petersen graphs: O(n^2).
func (f *Finder) closestPetersen(ctx context.Context, k key, limit int) ([]sparse, error) {
	if k.degree != 3 || k.nodes < 6 {
		return nil, nil
	}
	var exprs []topology.Expr
	m := k.nodes / 2
	for jump := 1; jump <= min((m-1)/2, f.opts.Tries); jump++ {
		exprs = append(exprs, family("GP", m, jump))
	}
	return closest(ctx, exprs, limit, func(*topology.Graph) []int { return []int{0, m} })
}

// workOfRegular is the total number of circuits that closestRegular looks at in its searches
// from every node: with more nodes it tries fewer graphs.
const workOfRegular = 1 << 22

// closestRegular tries graphs that look random.
func (f *Finder) closestRegular(ctx context.Context, k key, limit int) ([]sparse, error) {
	if f.tooMany(k) {
		return nil, nil
	}
	tries := min(f.opts.Tries, 32, workOfRegular/(k.nodes*k.nodes*k.degree)+1)
	var exprs []topology.Expr
	for seed := range tries {
		exprs = append(exprs, family("Regular", k.nodes, k.degree, int(f.opts.Seed%(1<<20))+seed))
	}
	// A single graph is not compared with others: some nodes suffice for a lower bound on its
	// steps.
	sources := k.nodes
	if tries == 1 {
		sources = min(sources, samples)
	}
	return closest(ctx, exprs, limit, func(g *topology.Graph) []int {
		return each.Below(sources, func(i int) int { return i * k.nodes / sources })
	})
}

// Limits of addLifts: the most nodes, beyond those for which graphs are stored; the circuits
// that each of its searches looks at; the most exchanges that it tries; and the most nodes that
// differ.
const (
	mostLifted   = 1 << 10
	workOfLifts  = 1 << 18
	mostOfLifts  = 500
	widestLift   = 8
	slackOfLifts = 2 // diameters beyond the least that are tried
)

// addLifts adds graphs, found by a short search, that look the same after a rotation by a few
// nodes. They are not expanded.
func (f *Finder) addLifts(ctx context.Context, k key, p *pool) error {
	if k.nodes <= fewNodes || k.nodes > mostLifted || k.degree < 2 || k.degree > climb.MaxDegree || k.twoWay && k.degree < 3 ||
		k.short() || f.tooMany(k) || f.opts.Unstored {
		return nil
	}
	least, ok := topology.MooreDiameter(k.nodes, k.degree, k.twoWay)
	if !ok {
		return nil
	}
	for diameter := least; diameter <= least+slackOfLifts; diameter++ {
		for width := 2; width <= widestLift; width++ {
			if k.nodes%width != 0 || k.twoWay && width*k.degree%2 == 1 && k.nodes/width%2 == 1 {
				continue
			}
			if p.covers(f.floor(k, diameter), 0) || f.beyondDiameter(k, diameter) {
				break
			}
			moves := min(mostOfLifts, workOfLifts/(k.nodes*k.degree*width))
			if err := f.climb(ctx, k, p, climb.Task{Nodes: k.nodes, Degree: k.degree, Width: width, Diameter: diameter, Moves: moves}, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// workOfCayley is the total number of circuits that closestCayley looks at.
const workOfCayley = 1 << 20

// closestCayley tries Cayley graphs of semidirect products of cyclic groups: random generators,
// for every way to write n = m*k and some of the actions of the second group on the first. A
// try takes O(n d).
func (f *Finder) closestCayley(ctx context.Context, k key, limit int) ([]sparse, error) {
	random := rand.New(rand.NewPCG(f.opts.Seed, uint64(k.nodes)<<32|uint64(k.degree)))
	groups := groupsOf(k.nodes)
	if len(groups) == 0 {
		return nil, nil
	}
	draw := drawAny
	if k.twoWay {
		draw = drawWithInverses
	}
	var exprs []topology.Expr
	for range min(f.opts.Tries, workOfCayley/(k.nodes*k.degree)+1) {
		g := groups[random.IntN(len(groups))]
		if generators, ok := draw(g, k.degree, random); ok {
			exprs = append(exprs, family("Cayley", append(g[:], generators...)...))
		}
	}
	return closest(ctx, exprs, limit, func(*topology.Graph) []int { return []int{0} })
}

// mostTurns is how many r are tried for one m and order.
const mostTurns = 4

// turnsOf returns m, order and r for the first few r > 1 with r^order = 1 modulo m.
func turnsOf(m, order int) [][3]int {
	var all [][3]int
	for r := 2; r < m && len(all) < mostTurns; r++ {
		turn := 1
		for range order {
			turn = turn * r % m
		}
		if turn == 1 {
			all = append(all, [3]int{m, order, r})
		}
	}
	return all
}

// drawWithInverses draws different elements of a group, with the inverse of each, until there
// are as many as the degree. It gives up if the last must be its own inverse and a limited
// number of draws does not find such an element.
func drawWithInverses(group [3]int, degree int, random *rand.Rand) ([]int, bool) {
	m, order, r := group[0], group[1], group[2]
	var chosen []int
	const draws = 64
	for range draws * degree {
		if len(chosen) == degree {
			slices.Sort(chosen)
			return chosen, true
		}
		g := 1 + random.IntN(m*order-1)
		inverse := topology.CayleyInverse(m, order, r, g)
		if slices.Contains(chosen, g) {
			continue
		}
		switch {
		case inverse == g:
			chosen = append(chosen, g)
		case len(chosen)+2 <= degree:
			chosen = append(chosen, g, inverse)
		}
	}
	return nil, false
}
