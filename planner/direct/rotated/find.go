package rotated

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Limits of a search. A width of 16 to 32 leaves graphs as short as random ones; smaller widths
// make them longer. mostListed limits width times nodes, the shards that a schedule lists.
const (
	mostListed = 1 << 21
	mostWidth  = 32
	leastWidth = 8
	// workOfSearch is the number of circuits that a search looks at: a second on one core. Small
	// graphs are drawn at most mostDraws times.
	workOfSearch = 1 << 26
	mostDraws    = 64
)

// Find returns the best graph of those it draws: random circuits between the nodes below the
// width and all nodes, and, if circuits are one-way, line graphs of smaller such graphs. It returns
// nil if the number of nodes has no suitable divisor. Best means about the least time of an
// allgather whose steps take one hop each (estimate). A draw takes
// O(w n d) to measure.
func Find(ctx context.Context, nodes, ports int, twoWay bool, c Costs) *Wiring {
	best, least := find(ctx, nodes, ports, twoWay, c)
	if !twoWay { // what two-way circuits allow, one-way circuits allow, too
		if other, time := find(ctx, nodes, ports, true, c); time < least {
			return other
		}
	}
	return best
}

// find is Find for circuits of one kind, with the estimated time.
func find(ctx context.Context, nodes, ports int, twoWay bool, c Costs) (best *Wiring, least float64) {
	least = math.Inf(1)
	if ports < 2 || twoWay && ports < 3 || ports > MostPorts {
		return nil, least
	}
	var kinds []kind
	for lines, times := 0, 1; nodes%times == 0 && times <= mostWidth; lines, times = lines+1, times*ports {
		if lines > 0 && twoWay {
			break
		}
		multiple := times
		if twoWay && ports%2 == 1 {
			multiple = 2 // the last port of each node is for one of another
		}
		if w := widthOf(nodes, multiple); w > 0 {
			kinds = append(kinds, kind{nodes / times, w / times, lines})
		}
	}
	if len(kinds) == 0 {
		return nil, least
	}
	random := rand.New(rand.NewPCG(uint64(nodes), uint64(ports)))
	for draws, work := 0, 0; draws < mostDraws && work < workOfSearch && ctx.Err() == nil; draws++ {
		k := kinds[random.IntN(len(kinds))]
		w := draw(k, ports, twoWay, random)
		if w == nil {
			continue
		}
		for range k.lines {
			w = w.Line()
		}
		work += w.Width * nodes * ports
		if d := distancesOf(w); d != nil {
			if time := d.estimate(c); time < least {
				best, least = w, time
			}
		}
	}
	return best, least
}

// kind is what to draw: graphs of so many nodes and such a width, and how often to take the line
// graph.
type kind struct{ nodes, width, lines int }

// widthOf returns the largest suitable width that is a multiple of some number, or 0.
func widthOf(nodes, times int) int {
	for w := min(mostWidth, mostListed/nodes) / times * times; w >= max(leastWidth, times); w -= times {
		if nodes%w == 0 && nodes/w > 1 {
			return w
		}
	}
	return 0
}

// draw returns random circuits, so many from and to every node; nil if some are parallel, or lead
// from a node to itself. Two-way circuits of an odd number of ports need an even width.
func draw(k kind, ports int, twoWay bool, random *rand.Rand) *Wiring {
	w := &Wiring{Nodes: k.nodes, Width: k.width, To: make([][]int32, k.width)}
	turns := k.nodes / k.width
	add := func(from, to, turn int) { w.To[from] = append(w.To[from], int32(to+turn*k.width)) }
	pairs := ports
	if twoWay {
		pairs = ports / 2
		if ports%2 == 1 {
			order := random.Perm(k.width)
			for i := 0; i < k.width; i += 2 {
				turn := random.IntN(turns)
				add(order[i], order[i+1], turn)
				add(order[i+1], order[i], (turns-turn)%turns)
			}
		}
	}
	for range pairs {
		for from, to := range random.Perm(k.width) {
			turn := random.IntN(turns)
			add(from, to, turn)
			if twoWay {
				add(to, from, (turns-turn)%turns)
			}
		}
	}
	for b, to := range w.To {
		sorted := slices.Sorted(slices.Values(to))
		if slices.Contains(to, int32(b)) || len(slices.Compact(sorted)) < ports {
			return nil
		}
	}
	return w
}

// unwaiting is about the part of what is more than the average of a step that cannot wait.
const unwaiting = 0.125

// estimate returns about the time of an allgather whose steps take one hop each and divide their
// shards evenly among circuits.
func (d *distances) estimate(c Costs) float64 {
	counts := d.counts()
	time := 0.0
	for t := 1; t <= d.steps; t++ {
		most, sum := 0, 0
		for b := range counts {
			most = max(most, counts[b][t])
			sum += counts[b][t]
		}
		// Much of what is more than the average can wait for later steps.
		average := float64(sum) / float64(d.Width)
		time += c.of(1, (average+unwaiting*(float64(most)-average))/float64(len(d.from[0])))
	}
	return time
}
