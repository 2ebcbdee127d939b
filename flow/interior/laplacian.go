package interior

import "math"

// invertEarthed replaces the conductances between n nodes (symmetric, off the diagonal) by the
// inverse of the Laplacian of the network without the row and the column of the earthed node;
// these become 0.
//
// It never subtracts (Grassmann, Taksar and Heyman 1985; Alfa, Xue and Ye 2002 for matrices
// like these): pivots are sums of the remaining conductances, and the inverse is a sum of
// products. So every entry is right to some n units in the last place however far apart the
// conductances are, as they are near the end of an interior point method. It takes n^3/2
// multiplications.
func invertEarthed(a []float64, n, earth int) {
	pivot := make([]float64, n)
	for k := range n {
		if k == earth {
			continue
		}
		row := a[k*n : (k+1)*n]
		sum := row[earth]
		for j := k + 1; j < n; j++ {
			if j != earth {
				sum += row[j]
			}
		}
		pivot[k] = sum
		for i := k + 1; i < n; i++ {
			if i == earth || row[i] == 0 {
				continue
			}
			f := row[i] / sum
			to := a[i*n : (i+1)*n]
			if earth < i {
				to[earth] += f * row[earth]
			}
			addTimes(to[i+1:], f, row[i+1:])
		}
	}
	for k := n - 1; k >= 0; k-- {
		row := a[k*n : (k+1)*n]
		if k == earth {
			clear(row)
			continue
		}
		// Entries beyond the diagonal become shares, then the inverse.
		share := make([]float64, n)
		for j := k + 1; j < n; j++ {
			if j != earth {
				share[j] = row[j] / pivot[k]
			}
		}
		clear(row[k:])
		row[earth] = 0
		for i := k + 1; i < n; i++ {
			if share[i] != 0 {
				addTimes(row[k+1:], share[i], a[i*n+k+1:(i+1)*n])
			}
		}
		own := 1 / pivot[k]
		for j := k + 1; j < n; j++ {
			own += share[j] * row[j]
			a[j*n+k] = row[j]
		}
		row[k] = own
	}
}

// addTimes adds f times a row to another.
func addTimes(to []float64, f float64, from []float64) {
	from = from[:len(to)]
	i := 0
	for ; i+4 <= len(to); i += 4 {
		p, q := from[i:i+4:i+4], to[i:i+4:i+4]
		q[0] += f * p[0]
		q[1] += f * p[1]
		q[2] += f * p[2]
		q[3] += f * p[3]
	}
	for ; i < len(to); i++ {
		to[i] += f * from[i]
	}
}

// addDifference adds f times the difference of two rows to another.
func addDifference(to []float64, f float64, a, b []float64) {
	a, b = a[:len(to)], b[:len(to)]
	i := 0
	for ; i+4 <= len(to); i += 4 {
		p, q, r := a[i:i+4:i+4], b[i:i+4:i+4], to[i:i+4:i+4]
		r[0] += f * (p[0] - q[0])
		r[1] += f * (p[1] - q[1])
		r[2] += f * (p[2] - q[2])
		r[3] += f * (p[3] - q[3])
	}
	for ; i < len(to); i++ {
		to[i] += f * (a[i] - b[i])
	}
}

// cholesky replaces the lower triangle of a symmetric matrix by its factor. Pivots lost to
// rounding, as for rows that are satisfied for any lengths, become so large that their unknowns
// are 0. It reports false for NaN.
func cholesky(a []float64, n int) bool {
	for i := range n {
		row := a[i*n : i*n+i+1]
		for j := range i {
			other := a[j*n : j*n+j+1]
			row[j] = (row[j] - dot(row[:j], other[:j])) / other[j]
		}
		sum := row[i] - dot(row[:i], row[:i])
		switch {
		case math.IsNaN(sum) || math.IsInf(sum, 0):
			return false
		case sum <= lostPivot*row[i]:
			row[i] = hugePivot
		default:
			row[i] = math.Sqrt(sum)
		}
	}
	return true
}

// lostPivot is the fraction of a diagonal entry below which what is left is rounding; hugePivot
// replaces it.
const lostPivot, hugePivot = 1e-12, 1e64

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		p, q := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += p[0] * q[0]
		s1 += p[1] * q[1]
		s2 += p[2] * q[2]
		s3 += p[3] * q[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// solveCholesky replaces a right-hand side by the solution.
func solveCholesky(a []float64, n int, x []float64) {
	for i := range n {
		row := a[i*n : i*n+i+1]
		x[i] = (x[i] - dot(row[:i], x[:i])) / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := a[i*n : i*n+i+1]
		x[i] /= row[i]
		addTimes(x[:i], -x[i], row[:i])
	}
}
