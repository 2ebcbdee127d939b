package interior

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Conductances are twenty-four orders of magnitude apart; the twin is exact.
func TestInverseOfALaplacianIsRightInEveryEntry(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		n := 2 + r.IntN(7)
		earth := r.IntN(n)
		a := make([]float64, n*n)
		for u := range n {
			for v := range u {
				f := math.Pow(10, 24*r.Float64()-12)
				a[u*n+v], a[v*n+u] = f, f
			}
		}
		want := exactEarthedInverse(a, n, earth)
		invertEarthed(a, n, earth)
		for k, got := range a {
			if math.Abs(got-want[k]) > 1e-13*want[k] {
				t.Fatalf("n %d, earth %d: entry %d,%d is %v, want %v", n, earth, k/n, k%n, got, want[k])
			}
		}
	}
}

// exactEarthedInverse inverts in rational numbers.
func exactEarthedInverse(a []float64, n, earth int) []float64 {
	m := make([][]*big.Rat, n)
	for u := range n {
		m[u] = make([]*big.Rat, 2*n)
		for v := range 2 * n {
			m[u][v] = new(big.Rat)
		}
		m[u][n+u].SetInt64(1)
		for v := range n {
			if u != v {
				f := new(big.Rat).SetFloat64(a[u*n+v])
				m[u][u].Add(m[u][u], f)
				m[u][v].Sub(m[u][v], f)
			}
		}
	}
	for v := range n {
		m[earth][v].SetInt64(0)
		m[v][earth].SetInt64(0)
	}
	m[earth][earth].SetInt64(1)
	m[earth][n+earth].SetInt64(0)
	for k := range n {
		inverse := new(big.Rat).Inv(m[k][k])
		for v := range 2 * n {
			m[k][v].Mul(m[k][v], inverse)
		}
		for u := range n {
			if f := new(big.Rat).Set(m[u][k]); u != k && f.Sign() != 0 {
				for v := range 2 * n {
					m[u][v].Sub(m[u][v], new(big.Rat).Mul(f, m[k][v]))
				}
			}
		}
	}
	out := make([]float64, n*n)
	for u := range n {
		for v := range n {
			out[u*n+v], _ = m[u][n+v].Float64()
		}
	}
	return out
}
