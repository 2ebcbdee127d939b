package flow

// MaximumMatching matches as many rows as possible to columns 0..columns-1, each
// column at most once. adjacent lists the columns that each row may take. match
// holds the column of each row, or -1, and size how many have one.
//
// It is the algorithm of Hopcroft and Karp (1973): all shortest augmenting paths
// of one length at a time, which takes O(edges x sqrt(rows + columns)). Rows and
// columns are tried in the order in which they are listed.
func MaximumMatching(columns int, adjacent [][]int) (match []int, size int) {
	h := newHopcroftKarp(columns, adjacent)
	for h.layers() {
		for i := range h.match {
			if h.match[i] < 0 && h.augment(i) {
				size++
			}
		}
	}
	return h.match, size
}

// PerfectMatching gives every row 0..n-1 a column 0..n-1 of its own, using only
// pairs that are allowed, and returns the column of each row. If that is not
// possible, match is nil and violator is a set of rows, ascending, that together
// are allowed fewer columns than they are (Hall 1935). It calls allowed n^2 times
// and takes O(n^2.5).
func PerfectMatching(n int, allowed func(row, column int) bool) (match, violator []int) {
	adjacent := make([][]int, n)
	for i := range n {
		for j := range n {
			if allowed(i, j) {
				adjacent[i] = append(adjacent[i], j)
			}
		}
	}
	match, size := MaximumMatching(n, adjacent)
	if size == n {
		return match, nil
	}
	return nil, hallViolator(n, adjacent, match)
}

// hallViolator returns the rows that alternating paths reach from the first row
// without a column. In a maximum matching the columns that these rows are allowed
// are all taken, by rows of the set, so that they are one fewer than the rows.
func hallViolator(columns int, adjacent [][]int, match []int) []int {
	rowOf := make([]int, columns)
	for j := range rowOf {
		rowOf[j] = -1
	}
	free := -1
	for i, j := range match {
		if j >= 0 {
			rowOf[j] = i
		} else if free < 0 {
			free = i
		}
	}
	reached := make([]bool, len(match))
	reached[free] = true
	queue := []int{free}
	for head := 0; head < len(queue); head++ {
		for _, j := range adjacent[queue[head]] {
			if i := rowOf[j]; !reached[i] {
				reached[i] = true
				queue = append(queue, i)
			}
		}
	}
	var rows []int
	for i, ok := range reached {
		if ok {
			rows = append(rows, i)
		}
	}
	return rows
}

// hopcroftKarp is a matching that grows.
type hopcroftKarp struct {
	adjacent [][]int
	match    []int // column of each row, -1 for none
	rowOf    []int // row of each column, -1 for none
	layer    []int // of each row, in alternating paths from the free ones; -1 if none
	next     []int // place in adjacent from which a row has still to look
	queue    []int
	path     []int // rows of the path under search
}

func newHopcroftKarp(columns int, adjacent [][]int) *hopcroftKarp {
	rows := len(adjacent)
	h := &hopcroftKarp{
		adjacent: adjacent,
		match:    make([]int, rows),
		rowOf:    make([]int, columns),
		layer:    make([]int, rows),
		next:     make([]int, rows),
		queue:    make([]int, 0, rows),
	}
	for i := range h.match {
		h.match[i] = -1
	}
	for j := range h.rowOf {
		h.rowOf[j] = -1
	}
	return h
}

// layers numbers the rows by their distance from the free rows and reports whether
// there is an augmenting path. It looks no further than the first layer that sees a
// free column.
func (h *hopcroftKarp) layers() bool {
	h.queue = h.queue[:0]
	for i, j := range h.match {
		h.next[i] = 0
		if h.layer[i] = -1; j < 0 {
			h.layer[i] = 0
			h.queue = append(h.queue, i)
		}
	}
	last := len(h.match) // the layer from which a free column was seen
	found := false
	for head := 0; head < len(h.queue); head++ {
		i := h.queue[head]
		if h.layer[i] >= last {
			break
		}
		for _, j := range h.adjacent[i] {
			switch r := h.rowOf[j]; {
			case r < 0:
				last, found = h.layer[i]+1, true
			case h.layer[r] < 0:
				h.layer[r] = h.layer[i] + 1
				h.queue = append(h.queue, r)
			}
		}
	}
	return found
}

// augment looks for an augmenting path from a free row along rising layers and
// turns it over. Rows that lead nowhere lose their layer.
func (h *hopcroftKarp) augment(free int) bool {
	h.path = append(h.path[:0], free)
	for len(h.path) > 0 {
		i := h.path[len(h.path)-1]
		if h.next[i] == len(h.adjacent[i]) {
			h.layer[i] = -1
			h.path = h.path[:len(h.path)-1]
			continue
		}
		j := h.adjacent[i][h.next[i]]
		h.next[i]++
		switch r := h.rowOf[j]; {
		case r < 0:
			for k := len(h.path) - 1; k >= 0; k-- {
				row := h.path[k]
				h.rowOf[j], h.match[row], j = row, j, h.match[row]
			}
			return true
		case h.layer[r] == h.layer[i]+1:
			h.path = append(h.path, r)
		}
	}
	return false
}
