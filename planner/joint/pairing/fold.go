package pairing

// Fold returns the rounds of a gather of an odd number of points by way of an even core. First
// each point beyond the core exchanges shards with a point of the core. Then the core gathers
// everything, and in the last round the points beyond the core get the result. If the core is a
// power of two, and at least half of the points, this takes one round more than a gather among
// the next power of two: the fewest for an odd number of points, since one of them is left out in
// every round. Every point beyond the core gets nearly everything in one round, so Fold sends
// more than Circle.
//
// core must be even, and no less than half of points.
func Fold(points, core int) []Round {
	beyond, last := Round{}, Round{}
	owned := make([][]int, core) // the shards of a point of the core and of the point folded into it
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

// FoldLoads returns the load of every round of Fold.
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

// seat returns the point of the core that the k-th point beyond it talks to. Seats are spread
// evenly.
func seat(k, points, core int) int { return k * core / (points - core) }
