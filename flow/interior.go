package flow

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// Settings of the interior point method. The program is scaled so that its optimum is at
// least 1, hence they need no units.
const (
	// interiorLimit is the number of iterations after which the method is given up: twice
	// what the slowest needed of those that it is for, programs in which most pairs of 8 to
	// 64 nodes had demands.
	interiorLimit = 40
	// interiorGap is the relative distance of the two objectives from which on it is tried
	// to make routes of the flows: below optimalityGap, which has to be proven for them.
	interiorGap = 1e-1 * optimalityGap
	// diverging is by how much the complementarity may grow again before rounding is taken
	// to have the upper hand.
	diverging = 1e3
	// stepBack is the share of the way to the nearest bound that a step goes at most.
	stepBack = 0.9995
	// hopTilt is what all hops together cost beside the peak, as a multiple of the distance
	// of the two objectives. It vanishes with that, so that the peak is the smallest in the
	// end; but among routings of that peak the method then ends near the one of fewest
	// hops, not in the middle: within a hundred-thousandth on generalised Kautz graphs.
	// Much more of it, and the potentials lag behind.
	hopTilt = 100
	// hopWeight is the most that a hop may cost, as a share of what it costs by lengths that
	// are alike on all circuits: at the start the peak is to be found.
	hopWeight = 1e-3
)

// interior minimises the peak of a step by a primal-dual interior point method on the flows
// of each source (arcs by sources variables, one block of conservation per source):
//
//	minimise    L + hop weight x sum of flows
//	subject to  in(s,v) - out(s,v) = amount(s,v)        per source s and node v other than s
//	            sum over s of x(s,e) + slack(e) = c(e) L  per bundle e
//
// with flows and slacks >= 0 (the dual: potentials y(s,v) and lengths l(e) >= 0 with sum of
// c l = 1, so that amount times distance bounds the peak). All destinations of a source are
// one commodity, which is what makes it small beside a program over paths when all pairs
// have demands. The method is Mehrotra's (1992); a step solves the normal equations block by
// block, see normalEquations.
type interior struct {
	arcs    []arc
	circuit []float64
	nodes   int
	sources []int
	need    []float64 // sources x nodes: amounts, in units of the program
	hop     float64   // what a byte on an arc costs beside the length

	x, z       []float64 // sources x arcs: flows, reduced costs
	y          []float64 // sources x nodes: potentials, 0 at the source
	slack, len []float64 // per arc; the reduced cost of a slack is the length
	peak       float64
	total      float64 // bytes x hops at the start

	iterations int
}

// arc is a bundle that leads somewhere.
type arc struct{ from, to int32 }

// newInterior starts from a routing, made positive everywhere, and from lengths that are
// alike on all circuits, which with half the distances as potentials are feasible.
func newInterior(p Problem, cl *classes, unit float64, warm *Result) *interior {
	n := p.Graph.Nodes()
	s := &interior{nodes: n, circuit: cl.circuits}
	for e := range p.Graph.Edges() {
		if e.From != e.To {
			s.arcs = append(s.arcs, arc{int32(e.From), int32(e.To)})
		}
	}
	block := make([]int, n)
	for u := range block {
		block[u] = -1
	}
	for _, d := range p.Demands {
		if block[d.Src] < 0 {
			block[d.Src] = len(s.sources)
			s.sources = append(s.sources, d.Src)
		}
	}
	m := len(s.arcs)
	s.need = make([]float64, len(s.sources)*n)
	s.x, s.z = make([]float64, len(s.sources)*m), make([]float64, len(s.sources)*m)
	s.y = make([]float64, len(s.sources)*n)
	s.slack, s.len = make([]float64, m), make([]float64, m)
	for i, d := range p.Demands {
		s.need[block[d.Src]*n+d.Dst] += d.Amount / unit
		for _, r := range warm.Routes[i] {
			for h := 1; h < len(r.Path); h++ {
				e := cl.of[p.Graph.Find(int(r.Path[h-1]), int(r.Path[h]))]
				s.x[block[d.Src]*m+int(e)] += r.Share * d.Amount / unit
			}
		}
	}
	s.begin(p.Graph)
	return s
}

// begin makes the first point.
func (s *interior) begin(g *topology.Graph) {
	m, n := len(s.arcs), s.nodes
	room := 0.0
	for _, f := range s.x {
		s.total += f
	}
	for _, c := range s.circuit {
		room += c
	}
	more := s.total / float64(len(s.x))
	load := make([]float64, m)
	for k := range s.x {
		s.x[k] += more
		load[k%m] += s.x[k]
	}
	for e, c := range s.circuit {
		s.peak = max(s.peak, load[e]/c)
	}
	s.peak *= 1.1
	same := 1 / room
	for e, c := range s.circuit {
		s.slack[e], s.len[e] = c*s.peak-load[e], same
	}
	s.hop = hopWeight * same
	dist, queue := make([]int32, n), make([]int32, 0, n)
	for k, src := range s.sources {
		g.Distances(src, dist, queue)
		y := s.y[k*n : (k+1)*n]
		for v := range y {
			y[v] = same * float64(dist[v]) / 2
		}
		for e, a := range s.arcs {
			s.z[k*m+e] = s.hop + same - (y[a.to] - y[a.from])
		}
	}
}

// run iterates until finish is content with the flows and with the lengths that it is shown
// once the two objectives meet. It reports false where the arithmetic ends before. Until then
// prove is shown the lengths at times; its error ends the search.
func (s *interior) run(ctx context.Context, prove func([]float64) error, finish func([]float64) (bool, error)) (bool, error) {
	eq := newNormalEquations(s)
	now, next := newDirection(s), newDirection(s)
	count := float64(len(s.x) + len(s.slack))
	ahead := make([]float64, len(s.len))
	least := math.Inf(1)
	tilt := hopTilt * count / s.total
	for ; s.iterations < interiorLimit; s.iterations++ {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		mu := s.complementarity() / count
		if least = min(least, mu); mu > diverging*least {
			return false, nil
		}
		s.hop = min(s.hop, tilt*mu)
		eq.residuals()
		if mu*count <= interiorGap*s.peak {
			if ok, err := finish(s.len); ok || err != nil {
				return ok, err
			}
		} else if s.iterations%proveEvery == proveEvery-1 {
			if err := prove(s.len); err != nil {
				return false, err
			}
		}
		if ok, err := eq.factor(ctx); !ok || err != nil {
			return false, err
		}
		// Predictor: towards complementarity 0.
		for k := range s.x {
			eq.want[k] = -s.x[k] * s.z[k]
		}
		for e := range s.slack {
			eq.wantSlack[e] = -s.slack[e] * s.len[e]
		}
		eq.solve(now)
		if mu*count <= interiorGap*s.peak {
			// Lengths at the end of the direction leave no reduced cost on the arcs in use.
			for e, l := range s.len {
				ahead[e] = max(0, l+now.len[e])
			}
			if ok, err := finish(ahead); ok || err != nil {
				return ok, err
			}
		}
		primal, dual := s.reach(now)
		after := s.complementarityAfter(now, primal, dual) / count
		centre := mu * math.Pow(after/mu, 3)
		// Corrector.
		for k := range s.x {
			eq.want[k] = centre - s.x[k]*s.z[k] - now.x[k]*now.z[k]
		}
		for e := range s.slack {
			eq.wantSlack[e] = centre - s.slack[e]*s.len[e] - now.slack[e]*now.len[e]
		}
		eq.solve(next)
		primal, dual = s.reach(next)
		s.move(next, min(1, stepBack*primal), min(1, stepBack*dual))
		if math.IsNaN(s.peak) {
			return false, nil
		}
	}
	return false, nil
}

// proveEvery is the number of iterations between looks at the bound, which costs a search
// per source: about a tenth of an iteration.
const proveEvery = 2

func (s *interior) complementarity() float64 {
	sum := 0.0
	for k, x := range s.x {
		sum += x * s.z[k]
	}
	for e, t := range s.slack {
		sum += t * s.len[e]
	}
	return sum
}

func (s *interior) complementarityAfter(d *direction, primal, dual float64) float64 {
	sum := 0.0
	primal, dual = min(1, primal), min(1, dual)
	for k, x := range s.x {
		sum += (x + primal*d.x[k]) * (s.z[k] + dual*d.z[k])
	}
	for e, t := range s.slack {
		sum += (t + primal*d.slack[e]) * (s.len[e] + dual*d.len[e])
	}
	return sum
}

// reach returns how far a direction can be followed before something reaches 0.
func (s *interior) reach(d *direction) (primal, dual float64) {
	limit := func(value, change []float64) float64 {
		least := math.Inf(1)
		for k, c := range change {
			if c < 0 {
				least = min(least, -value[k]/c)
			}
		}
		return least
	}
	return min(limit(s.x, d.x), limit(s.slack, d.slack)), min(limit(s.z, d.z), limit(s.len, d.len))
}

func (s *interior) move(d *direction, primal, dual float64) {
	add := func(value, change []float64, f float64) {
		for k, c := range change {
			value[k] += f * c
		}
	}
	add(s.x, d.x, primal)
	add(s.slack, d.slack, primal)
	s.peak += primal * d.peak
	add(s.y, d.y, dual)
	add(s.z, d.z, dual)
	add(s.len, d.len, dual)
}
