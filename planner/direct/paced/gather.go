package paced

import (
	"context"
	"fmt"
	"math"

	"github.com/lightpath-net/lightpath/topology"
)

// Gather is an allgather.
type Gather struct {
	// Paces are, by step, the shards that the busiest circuit carries.
	Paces []int
	net   *network
}

// Load is the sum of the paces.
func (g *Gather) Load() int {
	sum := 0
	for _, pace := range g.Paces {
		sum += pace
	}
	return sum
}

// The paces that are tried, as multiples of what a circuit could carry on average in a step; +Inf:
// as much as the busiest. What is good depends on how many nodes are late, and how late: on line
// graphs of 4096 nodes with a node put in, 1.1 is best with 2 ports, 1 with 4.
var paces = []float64{math.Inf(1), 1.1, 1, 1.25}

// enough is how many times the least that any allgather takes in as many steps is not worth
// another try.
const enough = 1.03

// Solve returns the fastest allgather of those that are tried, where a step takes as long as so
// many shards over a circuit.
func Solve(ctx context.Context, g *topology.Graph, step float64) (*Gather, error) {
	net, err := newNetwork(g)
	if err != nil {
		return nil, err
	}
	w := net.newWalk(ctx)
	best := &Gather{net: net}
	least := math.Inf(1)
	for _, pace := range paces {
		found, time, err := w.paced(ctx, pace, step, least)
		if err != nil {
			return nil, err
		}
		if found != nil {
			best.Paces, least = found, time
		}
		ideal := step*float64(len(best.Paces)) + float64(net.nodes-1)/float64(g.Degree())
		if least <= enough*ideal {
			break
		}
	}
	return best, nil
}

// paced returns the paces of the fastest allgather whose steps have a multiple of the average for
// their pace, but for the last one, which brings all that is left; nil where it takes no less than
// a limit.
func (w *walk) paced(ctx context.Context, multiple, step, limit float64) (best []int, time float64, err error) {
	w.begin()
	var so []int
	sum, time := 0.0, limit
	for {
		out, err := w.look(ctx)
		if err != nil {
			return nil, 0, err
		}
		if out.all == 0 {
			if out.last { // a single node
				return so, sum, nil
			}
			return nil, 0, fmt.Errorf("%w: some node cannot reach another", ErrUnsuitable)
		}
		if ended := sum + step + float64(out.most); out.last && ended < time {
			best, time = append(so[:len(so):len(so)], out.most), ended
		}
		pace := out.most
		if average := multiple * float64(out.all) / float64(w.total); average < float64(pace) {
			pace = max(1, int(math.Ceil(average)))
		}
		if sum += step + float64(pace); sum >= time || out.last && pace == out.most {
			return best, time, nil
		}
		so = append(so, pace)
		if err := w.step(ctx, pace, nil); err != nil {
			return nil, 0, err
		}
	}
}

// Deliveries calls yield with what every node gets from each of its senders in every step, counted
// from 0: sets of shards, which are not to be kept. Several goroutines call it, each with its own
// number below threads.Of(ctx), and never for two steps at once.
func (g *Gather) Deliveries(ctx context.Context, yield func(goroutine, step, to int, from []int32, shards [][]uint64)) error {
	w := g.net.newWalk(ctx)
	number := map[*room]int{}
	for i, r := range w.rooms {
		number[r] = i
	}
	w.begin()
	for i, pace := range g.Paces {
		if _, err := w.look(ctx); err != nil {
			return err
		}
		err := w.step(ctx, pace, func(u int, from []int32, got [][]uint64, r *room) { yield(number[r], i, u, from, got) })
		if err != nil {
			return err
		}
	}
	return nil
}
