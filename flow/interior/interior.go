package interior

import (
	"context"
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// These are the settings of the interior point method. They need no units, because the program
// is scaled so that its optimum is at least 1.
const (
	// interiorLimit is the number of iterations after which the method gives up: twice the most
	// that programs for which it is meant needed, in which most pairs of 8 to 64 nodes had
	// demands.
	interiorLimit = 40
	// interiorGap is the relative distance of the two objectives from which on it tries to convert
	// the flows to routes: a tenth of what must be proven for them.
	interiorGap = 1e-10
	// diverging is the factor by which the complementarity may grow again before rounding is
	// assumed to dominate.
	diverging = 1e3
	// stepBack is the largest fraction of the way to the nearest bound that a step goes.
	stepBack = 0.9995
	// hopTilt is the cost of all hops together in addition to the peak, as a multiple of the
	// distance of the two objectives. It vanishes with that distance, so the peak is the smallest
	// at the end; but among the routings with that peak the method ends near the one with the
	// fewest hops, not in the middle: within a hundred-thousandth on generalised Kautz graphs.
	// With much more of it, the potentials lag behind.
	hopTilt = 100
	// hopWeight is the most that a hop may cost, as a fraction of its cost at equal lengths on all
	// circuits: at the start the peak matters more.
	hopWeight = 1e-3
)

// Point minimises the peak of a step by a primal-dual interior point method on the flows
// of each source (arcs by sources variables, one block of conservation per source):
//
//	minimise    L + hop weight x sum of flows
//	subject to  in(s,v) - out(s,v) = amount(s,v)        per source s and node v other than s
//	            sum over s of x(s,e) + slack(e) = c(e) L  per bundle e
//
// with flows and slacks >= 0 (the dual: potentials y(s,v) and lengths l(e) >= 0 with sum of c l
// = 1, so that amount times distance bounds the peak). All destinations of a source are one
// commodity, which makes it small compared with a program over paths if all pairs have demands.
// The method is Mehrotra's (1992); a step solves the normal equations block by block, see
// normalEquations.
type Point struct {
	Arcs    []Arc
	circuit []float64
	Nodes   int
	Sources []int
	need    []float64 // sources x nodes: amounts, in units of the program
	hop     float64   // cost of a byte on an arc in addition to the length

	Flows, z       []float64 // sources x arcs: flows, reduced costs
	Potentials     []float64 // sources x nodes: potentials, 0 at the source
	slack, Lengths []float64 // per arc; the reduced cost of a slack is the length
	peak           float64
	total          float64 // bytes x hops at the start

	Iterations int
}

// Arc is a bundle that is not a self-loop.
type Arc struct{ From, To int32 }

// New starts from flows of each source over the arcs, in the order of the graph, made positive
// everywhere, and from equal lengths on all circuits, which are feasible with half the
// distances as potentials. need is what a source sends to each node.
func New(g *topology.Graph, circuits []float64, sources []int, need, flows []float64) *Point {
	s := &Point{Nodes: g.Nodes(), circuit: circuits, Sources: sources, need: need, Flows: flows, z: make([]float64, len(flows))}
	for e := range g.Edges() {
		if e.From != e.To {
			s.Arcs = append(s.Arcs, Arc{int32(e.From), int32(e.To)})
		}
	}
	s.Potentials = make([]float64, len(need))
	s.slack, s.Lengths = make([]float64, len(s.Arcs)), make([]float64, len(s.Arcs))
	s.begin(g)
	return s
}

// begin computes the first point.
func (s *Point) begin(g *topology.Graph) {
	m, n := len(s.Arcs), s.Nodes
	room := 0.0
	for _, f := range s.Flows {
		s.total += f
	}
	for _, c := range s.circuit {
		room += c
	}
	more := s.total / float64(len(s.Flows))
	load := make([]float64, m)
	for k := range s.Flows {
		s.Flows[k] += more
		load[k%m] += s.Flows[k]
	}
	for e, c := range s.circuit {
		s.peak = max(s.peak, load[e]/c)
	}
	s.peak *= 1.1
	same := 1 / room
	for e, c := range s.circuit {
		s.slack[e], s.Lengths[e] = c*s.peak-load[e], same
	}
	s.hop = hopWeight * same
	dist, queue := make([]int32, n), make([]int32, 0, n)
	for k, src := range s.Sources {
		g.Distances(src, dist, queue)
		y := s.Potentials[k*n : (k+1)*n]
		for v := range y {
			y[v] = same * float64(dist[v]) / 2
		}
		for e, a := range s.Arcs {
			s.z[k*m+e] = s.hop + same - (y[a.To] - y[a.From])
		}
	}
}

// Run iterates until finish accepts the flows and the lengths, which it gets once the two
// objectives meet. It reports false if the arithmetic breaks down first. Until then prove gets
// the lengths from time to time; its error ends the search.
func (s *Point) Run(ctx context.Context, prove func([]float64) error, finish func([]float64) (bool, error)) (bool, error) {
	eq := newNormalEquations(s)
	now, next := newDirection(s), newDirection(s)
	count := float64(len(s.Flows) + len(s.slack))
	ahead := make([]float64, len(s.Lengths))
	least := math.Inf(1)
	tilt := hopTilt * count / s.total
	for ; s.Iterations < interiorLimit; s.Iterations++ {
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
			if ok, err := finish(s.Lengths); ok || err != nil {
				return ok, err
			}
		} else if s.Iterations%proveEvery == proveEvery-1 {
			if err := prove(s.Lengths); err != nil {
				return false, err
			}
		}
		if ok, err := eq.factor(ctx); !ok || err != nil {
			return false, err
		}
		// Predictor: towards complementarity 0.
		for k := range s.Flows {
			eq.want[k] = -s.Flows[k] * s.z[k]
		}
		for e := range s.slack {
			eq.wantSlack[e] = -s.slack[e] * s.Lengths[e]
		}
		eq.solve(now)
		if mu*count <= interiorGap*s.peak {
			// Lengths at the end of the direction leave no reduced cost on the arcs in use.
			for e, l := range s.Lengths {
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
		for k := range s.Flows {
			eq.want[k] = centre - s.Flows[k]*s.z[k] - now.x[k]*now.z[k]
		}
		for e := range s.slack {
			eq.wantSlack[e] = centre - s.slack[e]*s.Lengths[e] - now.slack[e]*now.len[e]
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

// proveEvery is the number of iterations between checks of the bound. A check costs a search per
// source: about a tenth of an iteration.
const proveEvery = 2

func (s *Point) complementarity() float64 {
	sum := 0.0
	for k, x := range s.Flows {
		sum += x * s.z[k]
	}
	for e, t := range s.slack {
		sum += t * s.Lengths[e]
	}
	return sum
}

func (s *Point) complementarityAfter(d *direction, primal, dual float64) float64 {
	sum := 0.0
	primal, dual = min(1, primal), min(1, dual)
	for k, x := range s.Flows {
		sum += (x + primal*d.x[k]) * (s.z[k] + dual*d.z[k])
	}
	for e, t := range s.slack {
		sum += (t + primal*d.slack[e]) * (s.Lengths[e] + dual*d.len[e])
	}
	return sum
}

// reach returns how far a direction can be followed before a variable reaches 0.
func (s *Point) reach(d *direction) (primal, dual float64) {
	limit := func(value, change []float64) float64 {
		least := math.Inf(1)
		for k, c := range change {
			if c < 0 {
				least = min(least, -value[k]/c)
			}
		}
		return least
	}
	return min(limit(s.Flows, d.x), limit(s.slack, d.slack)), min(limit(s.z, d.z), limit(s.Lengths, d.len))
}

func (s *Point) move(d *direction, primal, dual float64) {
	add := func(value, change []float64, f float64) {
		for k, c := range change {
			value[k] += f * c
		}
	}
	add(s.Flows, d.x, primal)
	add(s.slack, d.slack, primal)
	s.peak += primal * d.peak
	add(s.Potentials, d.y, dual)
	add(s.z, d.z, dual)
	add(s.Lengths, d.len, dual)
}

// Work returns roughly how many numbers were touched.
func (s *Point) Work() int64 {
	n, m, k := int64(s.Nodes), int64(len(s.Arcs)), int64(len(s.Sources))
	return int64(s.Iterations) * (k*(n*n*n/2+m*m/2) + m*m*m/6)
}
