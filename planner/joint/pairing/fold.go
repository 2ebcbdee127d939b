package pairing

// Fold is the gather of an odd number of points by an even core: the points beyond the core first
// exchange their shards with one of the core each, then the core gathers everything, and in the
// last round those beyond get it. A core of a power of two of at least half the points takes one
// round more than as many points as a power of two: the fewest for an odd number, as one point is
// left out in every round. Everybody beyond the core gets nearly everything in one round, so that
// more is sent than by Circle.
//
// core must be even, and no less than half of points.
func Fold(points, core int) []Round {
	beyond, last := Round{}, Round{}
	owned := make([][]int, core) // the shards of a point of the core, and of the point that it folds
	for v := range core {
		owned[v] = []int{v}
	}
	for k := range points - core {
		v, x := seat(k, points, core), core+k
		owned[v] = append(owned[v], x)
		beyond = append(beyond, Message{x, v, []int{x}}, Message{v, x, []int{v}})
		others := make([]int, 0, points-2)
		for s := range points {
			if s != v && s != x {
				others = append(others, s)
			}
		}
		last = append(last, Message{v, x, others})
	}
	rounds := []Round{beyond}
	for _, w := range doublings(core / 2) {
		var all Round
		for _, m := range w.Messages() {
			for turn := 0; turn < core; turn += 2 {
				moved := Message{(m.From + turn) % core, (m.To + turn) % core, nil}
				for _, v := range m.Shards {
					moved.Shards = append(moved.Shards, owned[(v+turn)%core]...)
				}
				all = append(all, moved)
			}
		}
		rounds = append(rounds, all)
	}
	return append(rounds, last)
}

// FoldLoads is the load of every round of Fold.
func FoldLoads(points, core int) []int {
	pairs := core / 2
	until := make([]int, 2*pairs+1) // shards of the pairs before, twice around
	owned := make([]int, core)
	for k := range points - core {
		owned[seat(k, points, core)]++
	}
	for q := range 2 * pairs {
		until[q+1] = until[q] + 2 + owned[2*(q%pairs)] + owned[2*(q%pairs)+1]
	}
	loads := []int{1}
	for _, w := range doublings(pairs) {
		if w.From == 0 {
			loads = append(loads, 2)
			continue
		}
		most := 0
		for q := range pairs {
			most = max(most, until[q+w.To-w.From]-until[q])
		}
		loads = append(loads, most)
	}
	return append(loads, points-2)
}

// seat is the point of the core that the k-th point beyond it talks to: they are spread evenly.
func seat(k, points, core int) int { return k * core / (points - core) }
