package islands

import (
	"slices"

	"github.com/lightpath-net/lightpath/flow"
	"github.com/lightpath-net/lightpath/internal/each"
)

// crossing divides the shares of a node's places over the circuits of a bundle: row p of the
// result says which part of share p takes which circuits. Every circuit carries the same. A share
// takes the circuits of its own place, or of another place of the same GPU (own), as far as they
// suffice. What is left takes the next circuit with room, so that few shares are divided.
func crossing(span int, bundle []ends, own func(place int) (from, to int)) [][]part {
	each := float64(span) / float64(len(bundle))
	rows, room := make([][]part, span), make([]float64, len(bundle))
	left := slices.Repeat([]float64{1}, span)
	give := func(p, i int) {
		if take := min(left[p], room[i]); take > roundOff {
			room[i] -= take
			left[p] -= take
			rows[p] = append(rows[p], part{bundle[i], take})
		}
	}
	for i, at := range bundle {
		room[i] = each
		from, to := own(at.from)
		for p := from; p < to; p++ {
			give(p, i)
		}
	}
	for p := range span {
		for i := range bundle {
			give(p, i)
		}
	}
	return rows
}

// part is the part of a share that takes a circuit.
type part struct {
	ends
	part float64
}

// roundOff is smaller than every part, since there are few circuits between two nodes.
const roundOff = 1e-12

// routes turns the routes of a core's transfer into those of one place's share, from one place to
// another. If a share is divided over several circuits at two hops of a route, the parts are
// joined in order.
func (c *circuits) routes(core []flow.Route, crossings map[[2]int32][][]part, size, span int, between ends, place int) []flow.Route {
	base, local := place/span*span, place%span
	all := make([]flow.Route, 0, len(core))
	var few [8]taking
	for _, r := range core {
		hops := len(r.Path) - 1
		parts := few[:]
		if hops > len(few) {
			parts = make([]taking, hops)
		}
		parts = parts[:hops]
		for h := range parts {
			key := [2]int32{r.Path[h], r.Path[h+1]}
			if crossings[key] == nil {
				crossings[key] = c.crossing(span, int(key[0]), int(key[1]))
			}
			rest := crossings[key][local]
			parts[h] = taking{rest, rest[0].part}
		}
		for done := 0.0; done < 1-roundOff; {
			take, path := 1-done, make([]int32, 1, 2*hops+2)
			path[0] = r.Path[0]*int32(size) + int32(between.from)
			for h := range parts {
				take = min(take, parts[h].left)
			}
			for h := range parts {
				circuit := parts[h].rest[0].ends
				for _, u := range [2]int32{r.Path[h]*int32(size) + int32(base+circuit.from), r.Path[h+1]*int32(size) + int32(base+circuit.to)} {
					if u != path[len(path)-1] {
						path = append(path, u)
					}
				}
				parts[h].take(take)
			}
			if last := r.Path[hops]*int32(size) + int32(between.to); path[len(path)-1] != last {
				path = append(path, last)
			}
			all = append(all, flow.Route{Path: path, Share: r.Share * take})
			done += take
		}
	}
	return normal(all)
}

// taking is the state of a share on its circuits: those that remain, and how much is left of the
// first.
type taking struct {
	rest []part
	left float64
}

// take uses up a part of the first circuit, and moves to the next if nothing is left of it.
func (t *taking) take(part float64) {
	if t.left -= part; t.left <= roundOff && len(t.rest) > 1 {
		t.rest = t.rest[1:]
		t.left = t.rest[0].part
	}
}

// normal scales the shares of routes to add up to 1, which rounding may miss.
func normal(routes []flow.Route) []flow.Route {
	sum := each.Sum(routes, func(r flow.Route) float64 { return r.Share })
	for i := range routes {
		routes[i].Share /= sum
	}
	return routes
}
