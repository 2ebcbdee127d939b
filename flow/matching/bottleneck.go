package matching

// bottleneck finds perfect matchings of an n x n matrix whose smallest entry is as large as
// possible. Each call starts from the matching of the previous one.
//
// Rows are added one by one along the augmenting path whose smallest entry is largest, found
// like a maximum spanning tree by Prim's algorithm (Derigs and Zimmermann 1978). The limit is
// the smallest entry so far: it is always an upper bound on the answer, because below it a row
// could not be added. It takes O(n^2) per row that has to be added, and less if a free column
// is found at the limit.
type bottleneck struct {
	n        int
	columnOf []int // of each row, -1 for none
	rowOf    []int // of each column, -1 for none
	width    []int64
	from     []int // row before a column on the widest path
	done     []bool
}

func newBottleneck(n int) *bottleneck {
	b := &bottleneck{
		n:        n,
		columnOf: make([]int, n),
		rowOf:    make([]int, n),
		width:    make([]int64, n),
		from:     make([]int, n),
		done:     make([]bool, n),
	}
	for i := range n {
		b.columnOf[i], b.rowOf[i] = -1, -1
	}
	return b
}

// match finds a matching of the matrix w, row after row, and returns its smallest
// entry. limit is an upper bound on it.
func (b *bottleneck) match(w []int64, limit int64) int64 {
	for i, j := range b.columnOf {
		if j >= 0 && w[i*b.n+j] < limit {
			b.columnOf[i], b.rowOf[j] = -1, -1
		}
	}
	for i := range b.n {
		if b.columnOf[i] < 0 {
			limit = b.augment(w, i, limit)
		}
	}
	return limit
}

// augment gives a free row a column along the widest path and returns its width,
// or the limit if that is less.
func (b *bottleneck) augment(w []int64, free int, limit int64) int64 {
	for j := range b.n {
		b.width[j] = min(limit, w[free*b.n+j])
		b.from[j] = free
		b.done[j] = false
	}
	for {
		// Take the widest column; among equals a free one ends the search.
		wide := -1
		for j, x := range b.width {
			if b.done[j] {
				continue
			}
			if wide < 0 || x > b.width[wide] || x == b.width[wide] && b.rowOf[j] < 0 && b.rowOf[wide] >= 0 {
				wide = j
			}
		}
		i, width := b.rowOf[wide], b.width[wide]
		if i < 0 {
			for j, i := wide, -1; i != free; {
				i = b.from[j]
				b.rowOf[j] = i
				b.columnOf[i], j = j, b.columnOf[i]
			}
			return width
		}
		b.done[wide] = true
		for j, x := range w[i*b.n : (i+1)*b.n] {
			if x = min(x, width); !b.done[j] && x > b.width[j] {
				b.width[j], b.from[j] = x, i
			}
		}
	}
}
