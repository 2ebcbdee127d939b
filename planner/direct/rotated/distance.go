package rotated

// unreached is the distance of a node that has not been reached.
const unreached = 255

// distances holds, for every node below the width, the distance from each node to it.
type distances struct {
	*Wiring
	from  [][]int32 // the ends from which circuits lead to each node below the width
	to    [][]uint8 // to[b][v] is the distance from v to b
	steps int       // the largest distance
}

// distancesOf searches from every node below the width, against the circuits: O(w n d). It
// returns nil if some node cannot be reached, or is unreached or more hops away.
func distancesOf(w *Wiring) *distances {
	d := &distances{Wiring: w, from: w.Transpose().To, to: make([][]uint8, w.Width)}
	queue := make([]int32, 0, w.Nodes)
	for b := range d.to {
		far := make([]uint8, w.Nodes)
		for v := range far {
			far[v] = unreached
		}
		far[b] = 0
		queue = append(queue[:0], int32(b))
		for i := 0; i < len(queue); i++ {
			u := queue[i]
			first := int(u) % w.Width
			next := far[u] + 1
			if next == unreached {
				return nil
			}
			for _, p := range d.from[first] {
				if v := w.moved(p, int(u)-first); far[v] == unreached {
					far[v] = next
					queue = append(queue, v)
				}
			}
		}
		if len(queue) < w.Nodes {
			return nil
		}
		d.to[b] = far
		d.steps = max(d.steps, int(far[queue[len(queue)-1]]))
	}
	return d
}

// between returns the distance from v to u.
func (d *distances) between(v, u int32) uint8 {
	first := int(u) % d.Width
	return d.to[first][d.moved(v, d.Nodes-(int(u)-first))]
}

// counts returns how many nodes are at each distance from each node below the width.
func (d *distances) counts() [][]int {
	all := make([][]int, d.Width)
	for b, far := range d.to {
		all[b] = make([]int, d.steps+1)
		for _, t := range far {
			all[b][t]++
		}
	}
	return all
}
