package topology

import "slices"

// Circulant returns C(n;jumps): node i has a two-way circuit to i+a and one to
// i-a for every jump a, 1 <= a < n/2. A repeated jump is parallel circuits.
// It panics on a jump outside that range. (Zhao et al., Efficient
// Direct-Connect Topologies, Def. 18.)
func Circulant(n int, jumps ...int) *Graph { return family("C", append([]int{n}, jumps...)) }

// DirectedCirculant returns DC(n;jumps): node i has a one-way circuit to i+a for
// every jump a, 1 <= a < n. A repeated jump is parallel circuits. It panics on a
// jump outside that range. The time is O(n k + k log k) for k jumps.
func DirectedCirculant(n int, jumps ...int) *Graph {
	return family("DC", append([]int{n}, jumps...))
}

// Torus returns the two-way torus with the given sides, numbered row-major, the
// last side fastest, as Translation(dims...) reads it. A side of 2 is one two-way
// circuit, not two. It panics on a side below 2.
func Torus(dims ...int) *Graph { return family("Torus", dims) }

// GenKautz returns the generalized Kautz graph on m >= d+1 nodes, in which x has
// circuits to -dx-1 .. -dx-d modulo m. It may have self-loops. It panics when
// m <= d. (Zhao et al., Def. 16; the construction is by Imase and Itoh.)
func GenKautz(d, m int) *Graph { return family("GenKautz", []int{d, m}) }

// Hypercube returns Q(n), whose 2^n nodes are joined when they differ in one bit.
// It panics when n < 1.
func Hypercube(n int) *Graph { return family("Q", []int{n}) }

// Complete returns K(n): a circuit from every node to every other. It panics when
// n < 2.
func Complete(n int) *Graph { return family("K", []int{n}) }

// family builds a member of a family of the grammar, for callers whose numbers come
// from program text, not from input.
func family(name string, numbers []int) *Graph {
	e := Expr{Family: name, Numbers: numbers}
	rule := grammar[name]
	text := e.String()
	if len(numbers) < rule.least {
		panic("topology: " + text + ": want " + rule.usage)
	}
	size, fault := rule.size(numbers, nil)
	if fault == nil {
		fault = size.fault()
	}
	if fault != nil {
		panic("topology: " + text + ": " + fault.text)
	}
	return rule.build(text, numbers, nil)
}

// fromRows builds a graph from a function that appends the targets of u, in any
// order and repeated for parallel circuits, to an empty slice. Writing the rows
// straight into place spares the sort over all edges that New needs.
func fromRows(name string, n, degree int, row func(u int, out []int32) []int32) *Graph {
	g := &Graph{
		name:  name,
		start: make([]int32, n+1),
		to:    make([]int32, 0, n*degree),
		count: make([]int32, 0, n*degree),
	}
	out := make([]int32, 0, degree)
	for u := range n {
		out = row(u, out[:0])
		slices.Sort(out)
		for i, v := range out {
			if i > 0 && out[i-1] == v {
				g.count[len(g.count)-1]++
				continue
			}
			g.to = append(g.to, v)
			g.count = append(g.count, 1)
		}
		g.start[u+1] = int32(len(g.to))
	}
	return g
}

// circulant builds the graph that is invariant under all rotations and whose node 0
// has the given out-jumps, each in 1..n-1.
func circulant(name string, n int, jumps []int) *Graph {
	sorted := slices.Sorted(slices.Values(jumps))
	jump := make([]int32, 0, len(sorted))
	count := make([]int32, 0, len(sorted))
	for i, a := range sorted {
		if i > 0 && sorted[i-1] == a {
			count[len(count)-1]++
			continue
		}
		jump = append(jump, int32(a))
		count = append(count, 1)
	}
	return rotated(name, n, jump, count)
}

// rotated builds a circulant from distinct ascending jumps and their counts.
func rotated(name string, n int, jump, count []int32) *Graph {
	k := len(jump)
	g := &Graph{
		name:  name,
		start: make([]int32, n+1),
		to:    make([]int32, n*k),
		count: make([]int32, n*k),
	}
	// The targets that pass n-1 wrap round to the front of the row; as u grows, more
	// of them do, so the first that wraps only ever moves down.
	wraps := k
	for u := range n {
		for wraps > 0 && u+int(jump[wraps-1]) >= n {
			wraps--
		}
		to, c := g.to[u*k:(u+1)*k], g.count[u*k:(u+1)*k]
		i := 0
		for j := wraps; j < k; j++ {
			to[i], c[i] = int32(u-n)+jump[j], count[j]
			i++
		}
		for j := range wraps {
			to[i], c[i] = int32(u)+jump[j], count[j]
			i++
		}
		g.start[u+1] = int32((u + 1) * k)
	}
	return g
}

// uniRing is the one-way ring of m nodes with d parallel circuits.
func uniRing(name string, d, m int) *Graph {
	return rotated(name, m, []int32{1}, []int32{int32(d)})
}

// biRing is the two-way ring of m nodes with d/2 circuits to either side. Both
// sides of a ring of two are the same peer.
func biRing(name string, d, m int) *Graph {
	if m == 2 {
		return uniRing(name, d, m)
	}
	return rotated(name, m, []int32{1, int32(m - 1)}, []int32{int32(d / 2), int32(d / 2)})
}

// twoWay returns the out-jumps of the two-way circulant with the given jumps.
func twoWay(n int, jumps []int) []int {
	both := make([]int, 0, 2*len(jumps))
	for _, a := range jumps {
		both = append(both, a, n-a)
	}
	return both
}

func torus(name string, dims []int) *Graph {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return fromRows(name, n, 2*len(dims), func(u int, out []int32) []int32 {
		weight := 1
		for _, d := range slices.Backward(dims) {
			c := u / weight % d
			next := u + ((c+1)%d-c)*weight
			out = append(out, int32(next))
			if d > 2 {
				out = append(out, int32(u+((c+d-1)%d-c)*weight))
			}
			weight *= d
		}
		return out
	})
}

// mesh is Mesh(a,b,..): a torus without the circuits that wrap around.
func mesh(name string, dims []int) *Graph {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return fromRows(name, n, 2*len(dims), func(u int, out []int32) []int32 {
		weight := 1
		for _, d := range slices.Backward(dims) {
			c := u / weight % d
			if c+1 < d {
				out = append(out, int32(u+weight))
			}
			if c > 0 {
				out = append(out, int32(u-weight))
			}
			weight *= d
		}
		return out
	})
}

// hamming is H(n,q), the n-th Cartesian power of K(q).
func hamming(name string, n, q int) *Graph {
	nodes := 1
	for range n {
		nodes *= q
	}
	return fromRows(name, nodes, n*(q-1), func(u int, out []int32) []int32 {
		for weight := 1; weight < nodes; weight *= q {
			c := u / weight % q
			for other := range q {
				if other != c {
					out = append(out, int32(u+(other-c)*weight))
				}
			}
		}
		return out
	})
}

func hypercube(name string, n int) *Graph {
	return fromRows(name, 1<<n, n, func(u int, out []int32) []int32 {
		for bit := range n {
			out = append(out, int32(u^1<<bit))
		}
		return out
	})
}

func complete(name string, m int) *Graph {
	jump := make([]int32, m-1)
	count := make([]int32, m-1)
	for i := range jump {
		jump[i], count[i] = int32(i+1), 1
	}
	return rotated(name, m, jump, count)
}

// completeBipartite joins every node of 0..a-1 with every node of a..2a-1.
func completeBipartite(name string, a int) *Graph {
	return fromRows(name, 2*a, a, func(u int, out []int32) []int32 {
		first := a
		if u >= a {
			first = 0
		}
		for i := range a {
			out = append(out, int32(first+i))
		}
		return out
	})
}

func genKautz(name string, d, m int) *Graph {
	return fromRows(name, m, d, func(x int, out []int32) []int32 {
		for a := 1; a <= d; a++ {
			// d x + a <= d m, so adding d m keeps the remainder positive.
			out = append(out, int32((d*m-d*x-a)%m))
		}
		return out
	})
}

// deBruijn has the words of n letters out of d; a word leads to those that begin
// with its last n-1 letters. The d constant words lead to themselves.
func deBruijn(name string, d, n int) *Graph {
	nodes := 1
	for range n {
		nodes *= d
	}
	return fromRows(name, nodes, d, func(x int, out []int32) []int32 {
		for a := range d {
			out = append(out, int32((d*x+a)%nodes))
		}
		return out
	})
}

// OptimalTwoJumps returns the jumps of a two-way circulant C(n;a,b) whose diameter is
// the least that two jumps allow: a is that diameter, the smallest m for which the
// 2m^2+2m+1 nodes within m steps along two jumps can be all n, and b = a+1. (Zhao et
// al., Theorem 22, for n > 6.) Five or six nodes have no choice but the jumps 1 and 2;
// fewer have no two jumps, and ok is false.
func OptimalTwoJumps(n int) (a, b int, ok bool) {
	if n < 5 {
		return 0, 0, false
	}
	if n <= 6 {
		return 1, 2, true
	}
	for a*(a+1) < (n-1)/2+(n-1)%2 {
		a++
	}
	return a, a + 1, true
}
