package pricing

// kin computes distances on the relatives of a circulant with one search for all of them. A pool
// has two relatives for every node.
//
// On the multiple by k, every jump j becomes k*j. An offset s*k is then as far as s is on the
// circulant folded to n/gcd(n, k) nodes, where s and s + n/gcd(n, k) are the same node. This
// takes one search among n/gcd nodes for every divisor gcd.
//
// On the rotation by k, every jump j becomes j+k. Let j0 be the first jump. Then h jumps lead to
// h*(j0+k) plus at most h of the differences j-j0. So an offset o is h hops away for the least h
// for which at most h differences lead to o - h*(j0+k). One search over differences answers that
// for all nodes, and the number of h to try is the number of hops.
type kin struct {
	nodes       int
	jumps       []int           // none is 0
	differences []int32         // differences that lead to a node, -1 if none do; nil: not yet needed
	folded      map[int][]int32 // by divisor: hops modulo nodes/divisor
}

// NewKin returns the kin of a circulant whose multiples and rotations are candidates.
func NewKin(nodes int, jumps []int) *kin {
	return &kin{nodes: nodes, jumps: jumps, folded: map[int][]int32{}}
}

// Relative is a multiple or a rotation of a circulant.
type Relative struct {
	of    *kin
	times Jumper // of a multiple
	start int    // of a rotation: j0+k
}

func (k *kin) Multiple(by int) *Relative { return &Relative{of: k, times: newJumper(k.nodes, by, 1)} }

func (k *kin) Rotation(by int) *Relative {
	return &Relative{of: k, start: (k.jumps[0] + by) % k.nodes}
}

// hops returns the number of jumps to an offset in 1..n-1, or 0 if none lead there.
func (r *Relative) hops(offset int) int {
	if r.times.Count > 0 {
		if offset%r.times.gcd != 0 {
			return 0
		}
		return int(max(0, r.of.fold(r.times.gcd)[r.times.hops(offset)]))
	}
	k := r.of
	if k.differences == nil {
		apart := make([]int, len(k.jumps)-1)
		for i, j := range k.jumps[1:] {
			apart[i] = (j - k.jumps[0] + k.nodes) % k.nodes
		}
		k.differences = hopsFrom(k.nodes, apart)
	}
	at := offset
	for h := 1; h <= k.nodes; h++ {
		if at -= r.start; at < 0 {
			at += k.nodes
		}
		if d := k.differences[at]; d >= 0 && int(d) <= h {
			return h
		}
	}
	return 0
}

func (k *kin) fold(divisor int) []int32 {
	known, ok := k.folded[divisor]
	if !ok {
		nodes := k.nodes / divisor
		known = hopsFrom(nodes, Moved(k.jumps, func(j int) int { return j % nodes }))
		k.folded[divisor] = known
	}
	return known
}

// hopsFrom returns the number of jumps from node 0 to every other node, or -1 if none lead there.
func hopsFrom(nodes int, jumps []int) []int32 {
	hops := make([]int32, nodes)
	for v := range hops {
		hops[v] = -1
	}
	hops[0] = 0
	queue := make([]int32, 1, nodes)
	for i := 0; i < len(queue); i++ {
		u := queue[i]
		for _, j := range jumps {
			v := int(u) + j
			if v >= nodes {
				v -= nodes
			}
			if hops[v] < 0 {
				hops[v] = hops[u] + 1
				queue = append(queue, int32(v))
			}
		}
	}
	return hops
}

// floorOf is flow.Floors.Of for a step that all rotations leave as it is: the longest distance
// and the counting bound. It reports false if an offset cannot be reached.
func (r *Relative) floorOf(class *Class, ports int) (hops int, peak float64, ok bool) {
	work, sent := 0.0, 0.0
	for i, offset := range class.Offsets {
		h := r.hops(offset)
		if h == 0 {
			return 0, 0, false
		}
		hops = max(hops, h)
		work += class.Demands[i].Amount * float64(h)
		sent += class.Demands[i].Amount
	}
	n := float64(r.of.nodes)
	return hops, max(sent, work*n/n) / float64(ports), true // same rounding as flow.Floors.Of
}
