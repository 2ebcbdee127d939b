package interior

import "context"

// direction is a change of all variables of an interior point.
type direction struct {
	x, z, y, slack, len []float64
	peak                float64
}

func newDirection(s *Point) *direction {
	return &direction{
		x:     make([]float64, len(s.Flows)),
		z:     make([]float64, len(s.z)),
		y:     make([]float64, len(s.Potentials)),
		slack: make([]float64, len(s.slack)),
		len:   make([]float64, len(s.Lengths)),
	}
}

// normalEquations solve Newton's equations of an interior point. With d = x/z of every flow
// and N the incidence of nodes and arcs, the potentials of a source are
//
//	M dy = r + N d dl,  M = N d N'
//
// where M is the Laplacian of a network with conductances d that is earthed at the source.
// Substituting them into the equations of the bundles leaves, for the lengths,
//
//	S dl + c dL = h,  S = slack/length + sum over s of (d - d N' inverse(M) N d)
//
// one dense symmetric system with one row per bundle, however many sources. An iteration takes
// O(sources (nodes^3 + arcs^2) + arcs^3), up to small factors.
type normalEquations struct {
	s       *Point
	d       []float64 // sources x arcs
	inverse []float64 // sources x nodes x nodes, 0 in row and column of the source
	schur   []float64 // lower triangle, then its Cholesky factor
	byPeak  []float64 // inverse(S) c
	bond    float64   // S has this multiple of c c' added to it

	missing     []float64 // sources x nodes: amounts that do not arrive yet
	over        []float64 // per arc: c L - slack - flows
	reduced     []float64 // sources x arcs: weight + length - potentials - z
	scale       float64   // 1 - sum of c l
	want        []float64 // sources x arcs: intended change of x z
	wantSlack   []float64
	first, rest []float64 // scratch, per node
	table       []float64 // scratch, nodes x arcs
	h           []float64
}

func newNormalEquations(s *Point) *normalEquations {
	m, n, k := len(s.Arcs), s.Nodes, len(s.Sources)
	return &normalEquations{
		s:         s,
		d:         make([]float64, k*m),
		inverse:   make([]float64, k*n*n),
		schur:     make([]float64, m*m),
		byPeak:    make([]float64, m),
		missing:   make([]float64, k*n),
		over:      make([]float64, m),
		reduced:   make([]float64, k*m),
		want:      make([]float64, k*m),
		wantSlack: make([]float64, m),
		first:     make([]float64, n),
		rest:      make([]float64, n),
		table:     make([]float64, n*m),
		h:         make([]float64, m),
	}
}

// residuals measures how far the point is from meeting the constraints.
func (q *normalEquations) residuals() {
	s, m, n := q.s, len(q.s.Arcs), q.s.Nodes
	copy(q.missing, s.need)
	for e, c := range s.circuit {
		q.over[e] = c*s.peak - s.slack[e]
	}
	for k, src := range s.Sources {
		missing, y := q.missing[k*n:(k+1)*n], s.Potentials[k*n:(k+1)*n]
		for e, a := range s.Arcs {
			x := s.Flows[k*m+e]
			missing[a.To] -= x
			missing[a.From] += x
			q.over[e] -= x
			q.reduced[k*m+e] = s.hop + s.Lengths[e] - (y[a.To] - y[a.From]) - s.z[k*m+e]
		}
		missing[src] = 0
	}
	q.scale = 1
	for e, c := range s.circuit {
		q.scale -= c * s.Lengths[e]
	}
}

// factor prepares solve for the current point. It reports false if the arithmetic breaks down.
func (q *normalEquations) factor(ctx context.Context) (bool, error) {
	s := q.s
	for k := range s.Flows {
		q.d[k] = s.Flows[k] / s.z[k]
	}
	for e := range s.slack {
		q.h[e] = s.slack[e] / s.Lengths[e]
	}
	return q.factorise(ctx, q.h)
}

// factorise makes the inverses and the factor of S from the conductances in d and those of
// the slacks.
func (q *normalEquations) factorise(ctx context.Context, slack []float64) (bool, error) {
	s, m, n := q.s, len(q.s.Arcs), q.s.Nodes
	clear(q.schur)
	for e, f := range slack {
		q.schur[e*m+e] = f
	}
	for k, src := range s.Sources {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		d, inverse := q.d[k*m:(k+1)*m], q.inverse[k*n*n:(k+1)*n*n]
		clear(inverse)
		for e, a := range s.Arcs {
			u, v := int(a.From), int(a.To)
			inverse[u*n+v] += d[e]
			inverse[v*n+u] += d[e]
		}
		invertEarthed(inverse, n, src)
		for u := range n {
			row, out := inverse[u*n:(u+1)*n], q.table[u*m:(u+1)*m]
			for e, a := range s.Arcs {
				out[e] = d[e] * (row[a.To] - row[a.From])
			}
		}
		for e, a := range s.Arcs {
			addDifference(q.schur[e*m:e*m+e+1], -d[e], q.table[int(a.To)*m:], q.table[int(a.From)*m:])
			q.schur[e*m+e] += d[e]
		}
	}
	// A cut that is full for all flows makes S singular; the condition on the lengths, c dl =
	// scale, removes that.
	trace, square := 0.0, 0.0
	for e, c := range s.circuit {
		trace += q.schur[e*m+e]
		square += c * c
	}
	q.bond = trace / (float64(m) * square)
	for e, c := range s.circuit {
		addTimes(q.schur[e*m:e*m+e+1], q.bond*c, s.circuit)
	}
	if !cholesky(q.schur, m) {
		return false, nil
	}
	copy(q.byPeak, s.circuit)
	solveCholesky(q.schur, m, q.byPeak)
	return true, nil
}

// solve returns the direction that satisfies the constraints and changes complementarity as
// wanted.
func (q *normalEquations) solve(out *direction) {
	s := q.s
	for k := range s.Flows { // the change of a flow at constant potentials and lengths
		out.x[k] = q.want[k]/s.z[k] - q.d[k]*q.reduced[k]
	}
	for e := range s.slack {
		q.h[e] = q.wantSlack[e]/s.Lengths[e] - q.over[e]
	}
	q.lengths(out, q.scale)
	for k := range s.Flows {
		out.z[k] = (q.want[k] - s.z[k]*out.x[k]) / s.Flows[k]
	}
	for e := range s.slack {
		out.slack[e] = (q.wantSlack[e] - s.slack[e]*out.len[e]) / s.Lengths[e]
	}
}

// lengths completes flows. out.x holds the flows without potentials, h the additional load for
// the bundles, and the sum of c times the lengths must change by scale.
func (q *normalEquations) lengths(out *direction, scale float64) {
	s, m, n := q.s, len(q.s.Arcs), q.s.Nodes
	for k, src := range s.Sources {
		d, x := q.d[k*m:(k+1)*m], out.x[k*m:(k+1)*m]
		copy(q.first, q.missing[k*n:(k+1)*n])
		for e, a := range s.Arcs {
			q.first[a.To] -= x[e]
			q.first[a.From] += x[e]
		}
		q.first[src] = 0
		y := out.y[k*n : (k+1)*n]
		q.potentials(k, q.first, y)
		for e, a := range s.Arcs {
			q.h[e] += x[e] + d[e]*(y[a.To]-y[a.From])
		}
	}
	for e, c := range s.circuit {
		q.h[e] += q.bond * c * scale
	}
	solveCholesky(q.schur, m, q.h)
	byLength, byPeak := 0.0, 0.0
	for e, c := range s.circuit {
		byLength += c * q.h[e]
		byPeak += c * q.byPeak[e]
	}
	out.peak = (byLength - scale) / byPeak
	for e := range out.len {
		out.len[e] = q.h[e] - out.peak*q.byPeak[e]
	}
	for k, src := range s.Sources {
		d, x := q.d[k*m:(k+1)*m], out.x[k*m:(k+1)*m]
		clear(q.first)
		for e, a := range s.Arcs {
			f := d[e] * out.len[e]
			q.first[a.To] += f
			q.first[a.From] -= f
		}
		q.first[src] = 0
		y := out.y[k*n : (k+1)*n]
		q.potentials(k, q.first, q.rest)
		for v := range y {
			y[v] += q.rest[v]
		}
		for e, a := range s.Arcs {
			x[e] += d[e] * (y[a.To] - y[a.From] - out.len[e])
		}
	}
}

// potentials multiplies the inverse of a source by a vector.
func (q *normalEquations) potentials(source int, r, y []float64) {
	n := q.s.Nodes
	inverse := q.inverse[source*n*n : (source+1)*n*n]
	for v := range y {
		sum := 0.0
		for u, f := range inverse[v*n : (v+1)*n] {
			sum += f * r[u]
		}
		y[v] = sum
	}
}
