package balls

import (
	"cmp"
	"slices"
)

// offer is a point whose ball may help a receiver.
type offer struct {
	path  []int32
	price float64
	taken bool
}

// choose finds the messages of a receiver. If some point is in none of them, it returns that point.
func (f *finder) choose(to int) (stuck int, ok bool) {
	var offers []offer
	for u := range f.Points {
		if d := int(f.Distances(u)[to]); d > 0 && d <= f.far {
			path, price := f.cheapest(u, to)
			offers = append(offers, offer{path: path, price: price})
		}
	}
	for i := range f.lack {
		f.lack[i] = ^f.ball[to][i]
	}
	if rest := f.Points & 63; rest > 0 {
		f.lack[len(f.lack)-1] &= 1<<rest - 1
	}
	in := make([]int, f.Points) // balls that a missing point is in
	for i := range offers {
		f.part.both(f.lack, f.ball[offers[i].path[0]])
		f.part.all(func(v int) bool { in[v]++; return true })
	}
	lacking := f.lack.clone()
	var chosen []int
	for !f.lack.empty() {
		rarest := rarest(f.lack, in)
		best, most := -1, 0.0
		for i := range offers {
			if o := &offers[i]; !o.taken && f.ball[o.path[0]].has(rarest) {
				f.part.both(f.lack, f.ball[o.path[0]])
				if gain := float64(f.part.count()) / o.price; gain > most {
					best, most = i, gain
				}
			}
		}
		offers[best].taken = true
		chosen = append(chosen, best)
		for i, w := range f.ball[offers[best].path[0]] {
			f.lack[i] &^= w
		}
	}
	chosen = f.needed(offers, chosen, lacking)
	return f.share(to, offers, chosen, lacking)
}

// rarest returns the missing point with the least number, the first in a tie.
func rarest(missing set, in []int) int {
	rarest := -1
	missing.all(func(v int) bool {
		if rarest < 0 || in[v] < in[rarest] {
			rarest = v
		}
		return true
	})
	return rarest
}

// needed leaves out an offer if every missing point in it is also in another. It tries the most
// expensive offers first.
func (f *finder) needed(offers []offer, chosen []int, lacking set) []int {
	in := make([]int, f.Points)
	count := func(i, by int) {
		f.part.both(lacking, f.ball[offers[i].path[0]])
		f.part.all(func(v int) bool { in[v] += by; return true })
	}
	for _, i := range chosen {
		count(i, 1)
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(offers[b].price, offers[a].price) })
	return slices.DeleteFunc(chosen, func(i int) bool {
		spare := true
		f.part.both(lacking, f.ball[offers[i].path[0]])
		f.part.all(func(v int) bool { spare = in[v] > 1; return spare })
		if spare {
			count(i, -1)
		}
		return spare
	})
}
