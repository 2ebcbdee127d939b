package flow

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lightpath-net/lightpath/flow/approx"
	"github.com/lightpath-net/lightpath/flow/search"
	"github.com/lightpath-net/lightpath/lp"
)

const (
	// exactRows is the number of rows (bundle classes + 1) up to which the linear program is
	// always solved exactly. A random permutation takes a quarter of a second at 257 rows, six
	// seconds at 513 and minutes at 1025, for which the approximation takes less than one second.
	// Planners solve hundreds of them.
	exactRows = 300
	// exactWork extends exactRows to steps with few demands: the time of the program is roughly
	// proportional to demands times rows squared, and this is a second's worth.
	exactWork = 6e6
	// exactSize limits demands times rows for an exact solution of the program of a group, which
	// has no interior point method: beyond it the number of demands, squared, makes it take
	// minutes. All pairs of a generalised Kautz graph of 250 nodes with 5 rotations are 12450
	// demands with 201 rows, and took two. The approximation was compared with the exact program
	// on all pairs of seven generalised Kautz graphs of 2 to 4 ports and 100 to 235 nodes, one
	// just below the limit (230) and one just above (235): with a goal of a hundredth, the peak is
	// 0.31 to 0.58% above the least; with foldedGap, 0.11 to 0.15%.
	exactSize = 2e6
	// exactFold limits demands times rows for an exact solution of the program of a fold. A graph of
	// 96 nodes with 4 ports that looks the same from every node has 95 demands and at most 5 rows.
	exactFold = 30_000
	// approximateGap is the relative distance of Peak and Bound at which the approximation stops.
	// Transmission times are proportional to the peak, and a hundredth is below what a model
	// without protocol overheads can resolve; each halving of the gap costs about twice the time.
	approximateGap = 0.01
	// fewFoldedGap is the gap for the orbits of a symmetry if there are at most fewFolded of them:
	// that takes less than a second. With up to foldedDemands orbits the gap is foldedGap, with up
	// to manyFolded manyFoldedGap, with more mostFoldedGap.
	fewFoldedGap, fewFolded   = 0.001, 1 << 13
	foldedGap, foldedDemands  = 0.003, 1 << 16
	manyFoldedGap, manyFolded = 0.005, 1 << 20
	mostFoldedGap             = 0.02
	// uniformSize is the number of demands times rows up to which all pairs are solved by the
	// exact program: that of 64 nodes with 2 ports. Each hop limit takes it 8 s at 100 nodes and
	// 30 s at 128, while an approximation for the orbits takes half a second and ends 0.02% above.
	// On random-looking two-way graphs of 61 to 71 nodes with 4 ports, on which every pair is an
	// orbit, it ends 0.04% above in a tenth of the time.
	uniformSize = 600_000
)

// exactPays reports whether it pays to solve the linear program exactly.
func exactPays(rows, demands int) bool {
	return rows <= exactRows || float64(demands)*float64(rows)*float64(rows) <= exactWork
}

// These settings of the approximation do not affect the validity of its result. They were
// chosen on random permutations and all-to-all steps over generalised Kautz graphs, random and
// complete graphs, hypercubes and tori of 40 to 1024 nodes.
const (
	// roundLimit ends the search: about three times what the slowest of those instances needed. It
	// also limits the routes of a demand.
	roundLimit = 400
	// stallLimit is the number of consecutive slow rounds, with the sharpest potential that the
	// gap allows, after which the search gives up.
	stallLimit = 30
	// sweepsPerRound is how often the known paths are equalised between two searches for new ones.
	// A sweep costs about a thirtieth of the searches with one demand per source, and a third to a
	// fifth if all pairs have demands; more sweeps save few rounds.
	sweepsPerRound = 20
	// bluntest and sharpest limit the width of the potential, as multiples of the remaining gap. A
	// potential of some width, minimised, leaves a gap of at most that width, so widths below 1
	// must be allowed, but nothing far below. In practice the gap is a fraction of the width, and
	// wide potentials converge faster, which is why it starts with 4.
	bluntest, sharpest = 4, 0.5
	// foldedBluntest is bluntest for the orbits of a symmetry. With all pairs the sweeps come
	// close to the smallest potential in every round, so the gap follows the width: with 4 it
	// shrinks by a thirtieth per round, with 1 by a third.
	foldedBluntest = 1
	// widest is the initial width: wider potentials do not see the peak.
	widest = 0.5
	// sharpen multiplies the width after a slow round: one in which the gap did not shrink to slow
	// times its size.
	sharpen, slow = 0.9, 0.98
	// memory is the weight of the lengths of past rounds in the average.
	memory = 0.5
	// newPath is how much shorter, relatively, a path must be than those in use to be added: more
	// than rounding.
	newPath = 1e-6
	// unusedShare is the share of a demand below which a path is removed between rounds; the
	// largest path takes its traffic. It is a hundredth of the gap.
	unusedShare = 1e-4
)

// approximator minimises the peak of one problem by descent on a potential. All
// amounts are in units of the bound at the start.
type approximator struct {
	p       Problem
	unit    float64
	pot     *approx.Potential
	search  search.Paths
	start   []int // demands by source: see byNode
	targets []int32
	list    []int
	bound   float64
	now     approx.PathFlows // demands in the order of list
	next    approx.PathFlows
	best    approx.PathFlows // the paths with the smallest peak at the end of a round
	average []float64
	proof   []float64 // the lengths that prove the bound; nil: it is the initial one
	rounds  int
	goal    float64 // the gap at which to stop
	enough  float64 // the peak at which to stop
	most    int     // rounds, at most
	blunt   float64 // largest width of the potential, in gaps
	work    int64   // numbers touched, approximately
}

// approximate finds a routing whose peak is provably near the smallest one, mostly within the
// goal, a relative gap. It is for programs that are too large for solveColumns. As there, the
// problem is the inverse of the maximum concurrent flow, paths are generated when needed, and
// lengths of the circuits both find them and bound the peak from below. But the lengths come
// from an exponential potential instead of a linear program (Shahrokhi and Matula 1990;
// Bienstock 2002, Potential Function Methods for Approximately Solving Linear Programming
// Problems). The potential is minimised over the known paths by shifting flow between the paths
// of one demand at a time, as in traffic assignment (Dafermos and Sparrow 1969; Jayakrishnan et
// al. 1994).
//
// It differs from the schemes with proven running times (Garg and Konemann 1998, Fleischer
// 2000) in three ways. Flow, once sent, can be taken back, which is what saves the 1/gap^2
// rounds. The potential gets sharper as the gap closes. New paths and bounds come from lengths
// averaged over the sweeps, which do not zigzag as the last ones do. There is no guarantee that
// the gap is reached, but the bound is always proven, and the result is never worse than the
// better of the shortest routes, or than the routes that it starts from. Among routings with
// equal peaks it does not prefer few hops, beyond starting from shortest paths; compared with
// the linear program, the total of bytes x hops still comes out the same.
//
// A round costs one Dijkstra search per source and sweepsPerRound times the total length of the
// paths in use; memory is proportional to the latter. A demand gets at most one path per round
// in addition to those it starts with, and keeps the ones that carry something: in total there
// are about as many as demands and full bundles.
func approximate(ctx context.Context, p Problem, cl *classes, begun beginning, goal, within float64) (*Result, error) {
	warm, bound := begun.Result, begun.bound
	s := newApproximator(p, cl, begun)
	s.goal, s.blunt = goal, bluntest
	if begun.folded {
		s.blunt = foldedBluntest
	}
	err := s.run(ctx, within/s.unit)
	if begun.memory != nil {
		defer func() { *begun.memory = pathMemory{s.now, s.next, s.best} }()
	}
	var over *beyond
	if errors.As(err, &over) {
		// A bound that rules out these hops may rule out more.
		if over.open, err = s.open(ctx, cl); err != nil {
			return nil, err
		}
		return nil, over
	}
	if err != nil {
		return nil, err
	}
	res := &Result{Routes: s.routes(), Method: MethodApproximate, lengths: s.proof}
	if res.Load, err = loadOf(p.Graph, cl, p.Demands, res.Routes); err != nil {
		return nil, err
	}
	if warm.Load.Peak <= res.Load.Peak {
		res = &Result{Routes: warm.Routes, Load: warm.Load, Method: warm.Method}
	}
	res.Bound = min(max(bound, s.bound*s.unit), res.Load.Peak)
	res.Work = s.work
	if res.open, err = s.open(ctx, cl); err != nil {
		return nil, err
	}
	return res, nil
}

// open returns a lower bound on the peak of routings with any number of hops, by the lengths
// that prove the bound within a hop limit; 0 if there are none.
func (s *approximator) open(ctx context.Context, cl *classes) (float64, error) {
	if s.p.MaxHops == 0 || s.proof == nil {
		return 0, nil
	}
	free := s.p
	free.MaxHops = 0
	return newLengthBound(free, cl).of(ctx, s.proof)
}

// beginning is what an approximation starts from: the routes of a result, and its lengths if it
// has any. The lengths of a program with a lower hop limit are close to the best ones.
type beginning struct {
	*Result
	bound  float64     // on the peak, which need not be the result's
	memory *pathMemory // memory of an earlier approximation; nil: none
	folded bool        // the demands are the orbits of a symmetry
}

// pathMemory is the memory of an approximation, for reuse by the next.
type pathMemory struct{ now, next, best approx.PathFlows }

func newApproximator(p Problem, cl *classes, begun beginning) *approximator {
	warm := begun.Result
	of := slices.Clone(cl.of)
	for b, c := range of {
		of[b] = max(c, 0) // self-loops are looked up, but never used
	}
	s := &approximator{
		p:       p,
		unit:    begun.bound,
		pot:     approx.NewPotential(of, cl.circuits),
		search:  search.NewNear(p.Graph, of, p.MaxHops),
		bound:   1,
		average: make([]float64, len(cl.circuits)),
		most:    roundLimit,
	}
	s.start, s.list = byNode(p.Graph.Nodes(), p.Demands, func(d Demand) int { return d.Src })
	s.targets = destinations(p.Demands, s.list)
	if begun.memory != nil {
		s.now, s.next, s.best = begun.memory.now, begun.memory.next, begun.memory.best
	}
	paths, hops := 0, 0
	for _, routes := range warm.Routes {
		paths += len(routes)
		for _, r := range routes {
			hops += len(r.Path) - 1
		}
	}
	s.now.Reserve(len(s.list), paths, hops)
	for _, i := range s.list {
		for _, r := range warm.Routes[i] {
			s.now.AddRoute(p.Graph, r.Path, r.Share*p.Demands[i].Amount/s.unit)
		}
		s.now.EndDemand()
	}
	if warm.lengths != nil {
		room := 0.0
		for c, l := range warm.lengths {
			room += cl.circuits[c] * l
		}
		for c, l := range warm.lengths {
			s.average[c] = l / room * sweepsPerRound // as after a round
		}
	}
	return s
}

// run alternates searches for new paths with sweeps over the known ones. The error is a *beyond
// if the bound exceeds within.
func (s *approximator) run(ctx context.Context, within float64) error {
	peak := s.pot.Load(&s.now)
	s.best.CopyFrom(&s.now)
	width, gap, stalled := widest, math.Inf(1), 0
	for s.rounds = range s.most {
		now := peak/s.bound - 1
		if now <= s.goal || peak <= s.enough || stalled == stallLimit {
			break
		}
		floor := min(widest, sharpest*now)
		if now <= slow*gap {
			stalled = 0
		} else if width *= sharpen; width <= floor {
			stalled++
		}
		gap = now
		width = max(min(width, s.blunt*gap), floor)

		sharpness := math.Log(float64(len(s.average)+1)) / (width * peak)
		added, err := s.generate(ctx, sharpness)
		if err != nil {
			return err
		}
		if s.bound > within {
			return &beyond{bound: s.bound * s.unit}
		}
		if 2*added > len(s.list) {
			stalled = 0 // if many paths are needed, they come one by one
		}
		s.pot.Load(&s.now)
		s.work += int64(s.p.Graph.Nodes()*s.p.Graph.Bundles() + sweepsPerRound*lp.EntriesPerColumn*len(s.now.Flow))
		s.pot.SetLengths(sharpness) // sweeps keep them up to date except for rounding
		for range sweepsPerRound {
			if err := s.pot.Sweep(ctx, &s.now); err != nil {
				return err
			}
			s.remember()
		}
		if reached := s.pot.Load(&s.now); reached < peak {
			peak = reached
			s.best.CopyFrom(&s.now)
		}
	}
	return nil
}

// remember adds the current lengths to the average.
func (s *approximator) remember() {
	room := s.pot.Room()
	for c, l := range s.pot.Lengths {
		s.average[c] += l / room
	}
}

// generate removes paths that are hardly used. It adds the shortest path of every demand if
// that is shorter than those in use, by the average of the lengths since the last call and,
// with less weight, before. The distances give a bound on the peak. It returns the number of
// paths added.
func (s *approximator) generate(ctx context.Context, sharpness float64) (added int, err error) {
	s.pot.SetLengths(sharpness)
	s.remember()
	copy(s.pot.Lengths, s.average)
	for c := range s.average {
		s.average[c] *= memory
	}
	total := 0.0
	s.next.Follow(&s.now)
	for src := range s.p.Graph.Nodes() {
		if s.start[src] == s.start[src+1] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		s.search.Search(src, s.targets[s.start[src]:s.start[src+1]], s.pot.Lengths, 0)
		for k := s.start[src]; k < s.start[src+1]; k++ {
			d := s.p.Demands[s.list[k]]
			amount, dist := d.Amount/s.unit, s.search.Distance(d.Dst)
			total += amount * dist
			s.next.AddUsed(&s.now, k, unusedShare*amount)
			least := math.Inf(1)
			for path := int(s.next.First[k]); path < len(s.next.Flow); path++ {
				least = min(least, s.pot.Along(s.next.Hops(path)))
			}
			if dist < least*(1-newPath) {
				s.next.AddRoute(s.p.Graph, s.search.Path(d.Dst), 0)
				added++
			}
			s.next.EndDemand()
		}
	}
	if bound := total / s.pot.Room(); bound > s.bound {
		s.bound = bound
		if s.p.MaxHops > 0 {
			s.proof = append(s.proof[:0], s.pot.Lengths...)
		}
	}
	s.now, s.next = s.next, s.now
	return added, nil
}

// routes converts the best flows into shares.
func (s *approximator) routes() [][]Route {
	g := s.p.Graph
	to := make([]int32, 0, g.Bundles())
	for u := range g.Nodes() {
		row, _ := g.Row(u)
		to = append(to, row...)
	}
	routes := make([][]Route, len(s.p.Demands))
	var memory routeMemory
	for k, i := range s.list {
		d := s.p.Demands[i]
		first, last := int(s.best.First[k]), int(s.best.First[k+1])
		own := memory.list(last - first)[:0]
		for path := first; path < last; path++ {
			share := s.best.Flow[path] * s.unit / d.Amount
			if share < shareFloor {
				continue
			}
			hops := s.best.Hops(path)
			nodes := memory.path(len(hops) + 1)
			nodes[0] = int32(d.Src)
			for h, b := range hops {
				nodes[h+1] = to[b]
			}
			own = append(own, Route{Path: nodes, Share: share})
		}
		routes[i] = normalise(own)
	}
	return routes
}
