package bfb

// search is a breadth-first search against the circuits from one receiver. Besides the distance
// it finds, for every node, which of the receiver's senders lie on a shortest path from that
// node. These senders can deliver the node's shard, since they have it one step earlier. (Zhao
// et al., §6.1: w with d(v,u) = d(v,w)+1.)
//
// The set of a node is the union of the sets of its successors one hop closer, so that
// one search of O(nodes + bundles) finds all sets of a receiver; for more than 64
// senders a union costs a word per 64 of them.
type search struct {
	net    *network
	dist   []int32 // hops to the receiver, -1 if not reached
	order  []int32 // nodes by ascending distance, the receiver first
	starts []int32 // nodes at distance t are order[starts[t]:starts[t+1]]

	// masks holds the sets. With at most 64 senders, that of v is masks[v]; otherwise
	// it is the width words from masks[row[v]*width] on, and nodes at distance 1, which
	// are the senders, have none.
	width int
	masks []uint64
	row   []int32
}

func newSearch(net *network) *search {
	n := net.nodes
	return &search{net: net, dist: make([]int32, n), order: make([]int32, 0, n), masks: make([]uint64, n)}
}

// run searches from receiver u, up to the given distance. All nodes must be reachable.
func (s *search) run(u, depth int) {
	for i := range s.dist {
		s.dist[i] = -1
	}
	s.dist[u] = 0
	senders := s.net.senders(u)
	s.order = append(append(s.order[:0], int32(u)), senders...)
	s.starts = append(s.starts[:0], 0, 1, int32(len(s.order)))
	for _, w := range senders {
		s.dist[w] = 1
	}
	s.width = (len(senders) + 63) / 64
	if s.width == 1 {
		for i, w := range senders {
			s.masks[w] = 1 << i
		}
	}
	// The last level, often the largest, need not be expanded.
	for t := 1; t < depth && len(s.order) < s.net.nodes; t++ {
		if s.width == 1 {
			s.expand(t)
		} else {
			s.expandWide(t)
		}
		s.starts = append(s.starts, int32(len(s.order)))
	}
}

// steps returns the largest distance found, or 0 for a single node.
func (s *search) steps() int {
	if s.net.nodes == 1 {
		return 0
	}
	return len(s.starts) - 2
}

// level returns the nodes at distance t.
func (s *search) level(t int) []int32 { return s.order[s.starts[t]:s.starts[t+1]] }

// expand finds the nodes at distance t+1 for receivers of at most 64 senders.
func (s *search) expand(t int) {
	order, dist, masks := s.order, s.dist, s.masks
	next := int32(t + 1)
	for _, x := range s.level(t) {
		mask := masks[x]
		for _, v := range s.net.senders(int(x)) {
			switch d := dist[v]; {
			case d == next:
				masks[v] |= mask
			case d < 0:
				dist[v] = next
				masks[v] = mask
				order = append(order, v)
			}
		}
	}
	s.order = order
}

// expandWide is expand for any number of senders.
func (s *search) expandWide(t int) {
	if s.row == nil {
		s.row = make([]int32, s.net.nodes)
	}
	next := int32(t + 1)
	first := int(s.starts[2]) // of the nodes that have a row
	for i, x := range s.level(t) {
		for _, v := range s.net.senders(int(x)) {
			if s.dist[v] < 0 {
				s.dist[v] = next
				s.row[v] = int32(len(s.order) - first)
				s.order = append(s.order, v)
				s.clearRow(v)
			}
			if s.dist[v] != next {
				continue
			}
			set := s.mask(v)
			if t == 1 {
				set[i/64] |= 1 << (i % 64)
				continue
			}
			for k, word := range s.mask(x) {
				set[k] |= word
			}
		}
	}
}

// clearRow makes an empty row for v.
func (s *search) clearRow(v int32) {
	if end := (int(s.row[v]) + 1) * s.width; len(s.masks) < end {
		s.masks = append(s.masks, make([]uint64, end-len(s.masks))...)
	}
	clear(s.mask(v))
}

// mask returns the set of a node at distance 2 or more.
func (s *search) mask(v int32) []uint64 {
	if s.width == 1 {
		return s.masks[v : v+1]
	}
	at := int(s.row[v]) * s.width
	return s.masks[at : at+s.width]
}
